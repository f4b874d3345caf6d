"""The last guard before the disk: whatever is about to be recorded loses the secrets that are in it.

The verbs refuse them earlier and say so. What reaches this point was captured or came from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tacit.model.event import Body, Event, Undone
from tacit.model.observation import Distrusted, Injected, Purged, Sealed, Stub, Trusted, Unknown

Mark = Callable[[str], str]
_BLOCK = 32  # events that are looked at together
# Made of ids, hashes and paths that Tacit computed itself.
_OURS = (Sealed, Purged, Stub, Unknown, Trusted, Distrusted)


def without_secrets(body: Body, mark: Mark | None = None) -> Body:
    """The same body; each secret in its texts replaced by its kind."""
    if isinstance(body, _OURS) or (isinstance(body, Injected) and not body.task):
        return body
    from tacit.secrets.redact import redacted, secret_kind  # a start of a session waits for none of its tables

    if not secret_kind("\n".join(_texts(body))):
        return body
    if isinstance(body, Undone):
        return body._replace(label=redacted(body.label, mark))
    cleaned: Body = _cleaned(body, mark)
    return cleaned


def all_without_secrets(events: Sequence[Event], mark: Mark | None = None) -> list[Event]:
    """The same for many: where a block of texts holds no secret, none of them does (see core/blockwise.py)."""
    blocks = (events[start : start + _BLOCK] for start in range(0, len(events), _BLOCK))
    return [event for block in blocks for event in _block_without_secrets(block, mark)]


def _block_without_secrets(events: Sequence[Event], mark: Mark | None) -> list[Event]:
    if len(events) <= 1:
        return [event._replace(body=without_secrets(event.body, mark)) for event in events]
    from tacit.secrets.redact import secret_kind

    if not secret_kind("\n".join([text for event in events for text in _texts(event.body)])):
        return list(events)
    half = len(events) // 2
    return _block_without_secrets(events[:half], mark) + _block_without_secrets(events[half:], mark)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _texts(part)


def _cleaned(value: Any, mark: Mark | None) -> Any:
    if isinstance(value, str):
        from tacit.secrets.redact import redacted

        return redacted(value, mark)
    if isinstance(value, tuple):
        parts = [_cleaned(part, mark) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value
