"""The last redaction before the disk: secrets are removed from every event that is about to be appended.

Commands refuse secrets earlier and say so. What reaches this point was captured or imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tacit.model import observation
from tacit.model.event import Event, EventBody, EventsUndone

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


SecretDigest = Callable[[str], str]
_EVENTS_PER_BLOCK = 32  # events that are searched together
_MAX_NAME_CHARS = 200  # of texts that come again and again
# They hold only ids, hashes and paths that Tacit computed itself.
_SAFE_BODIES = (
    observation.LogSealed,
    observation.MemoryChecked,
    observation.MemoryPurged,
    observation.PurgedStub,
    observation.UnknownBody,
    observation.RepositoryTrusted,
    observation.RepositoryDistrusted,
)


def redact_body(body: EventBody, digest: SecretDigest | None = None) -> EventBody:
    """Return the body with each secret in its texts replaced by its kind, and its `digest` if that is given."""
    if isinstance(body, _SAFE_BODIES) or (isinstance(body, observation.BriefInjected) and not body.task):
        return body
    from tacit.secrets import redacted, secret_kind  # its tables would slow down the start of a session

    if not secret_kind("\n".join(_strings_in(body))):
        return body
    if isinstance(body, EventsUndone):
        return body._replace(label=redacted(body.label, digest))
    result: EventBody = _redact_strings(body, digest)
    return result


def redact_events(events: Sequence[Event], digest: SecretDigest | None = None) -> list[Event]:
    """Redact many events. Texts are searched in blocks: if the joined texts hold no secret, none of them does."""
    blocks = (events[start : start + _EVENTS_PER_BLOCK] for start in range(0, len(events), _EVENTS_PER_BLOCK))
    harmless: set[str] = set()
    return [event for block in blocks for event in _redact_block(block, digest, harmless)]


def _redact_block(events: Sequence[Event], digest: SecretDigest | None, harmless: set[str]) -> list[Event]:
    """Redact some events. `harmless` are texts in which nothing was found: names of tools, files and folders."""
    if len(events) <= 1:
        return [event._replace(body=redact_body(event.body, digest)) for event in events]
    from tacit.secrets import secret_kind

    texts = {text: None for event in events for text in _strings_in(event.body)}
    if new := [text for text in texts if text not in harmless]:
        if secret_kind("\n".join(new)):
            half = len(events) // 2
            return [*_redact_block(events[:half], digest, harmless), *_redact_block(events[half:], digest, harmless)]
        harmless.update([text for text in new if len(text) <= _MAX_NAME_CHARS])
    return list(events)


def _strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _strings_in(part)


def _redact_strings(value: Any, digest: SecretDigest | None) -> Any:
    if isinstance(value, str):
        from tacit.secrets import redacted

        return redacted(value, digest)
    if isinstance(value, tuple):
        parts = [_redact_strings(part, digest) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value
