"""The last guard before the disk: whatever is about to be recorded loses the secrets that are in it.

The verbs refuse them earlier and say so. What reaches this point was captured or came from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tacit.model.event import Event, EventBody, EventsUndone
from tacit.model.observation import (
    BriefInjected,
    LogSealed,
    MemoryPurged,
    PurgedStub,
    RepositoryDistrusted,
    RepositoryTrusted,
    UnknownBody,
)

SecretDigest = Callable[[str], str]
_EVENTS_PER_BLOCK = 32  # events that are looked at together
# Made of ids, hashes and paths that Tacit computed itself.
_SAFE_BODIES = (LogSealed, MemoryPurged, PurgedStub, UnknownBody, RepositoryTrusted, RepositoryDistrusted)


def redact_body(body: EventBody, mark: SecretDigest | None = None) -> EventBody:
    """The same body; each secret in its texts replaced by its kind."""
    if isinstance(body, _SAFE_BODIES) or (isinstance(body, BriefInjected) and not body.task):
        return body
    from tacit.secrets.redact import redacted, secret_kind  # a start of a session waits for none of its tables

    if not secret_kind("\n".join(_strings_in(body))):
        return body
    if isinstance(body, EventsUndone):
        return body._replace(label=redacted(body.label, mark))
    cleaned: EventBody = _redact_strings(body, mark)
    return cleaned


def redact_events(events: Sequence[Event], mark: SecretDigest | None = None) -> list[Event]:
    """The same for many: where a block of texts holds no secret, none of them does (see core/blockwise.py)."""
    blocks = (events[start : start + _EVENTS_PER_BLOCK] for start in range(0, len(events), _EVENTS_PER_BLOCK))
    return [event for block in blocks for event in _redact_block(block, mark)]


def _redact_block(events: Sequence[Event], mark: SecretDigest | None) -> list[Event]:
    if len(events) <= 1:
        return [event._replace(body=redact_body(event.body, mark)) for event in events]
    from tacit.secrets.redact import secret_kind

    if not secret_kind("\n".join([text for event in events for text in _strings_in(event.body)])):
        return list(events)
    half = len(events) // 2
    return _redact_block(events[:half], mark) + _redact_block(events[half:], mark)


def _strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _strings_in(part)


def _redact_strings(value: Any, mark: SecretDigest | None) -> Any:
    if isinstance(value, str):
        from tacit.secrets.redact import redacted

        return redacted(value, mark)
    if isinstance(value, tuple):
        parts = [_redact_strings(part, mark) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value
