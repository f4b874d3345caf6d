"""The last guard before the disk: whatever is about to be recorded loses the secrets that are in it.

The verbs refuse them earlier and say so. What reaches this point was captured or came from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tacit.core.event import Body
from tacit.core.judgement import Undone
from tacit.core.observation import Distrusted, Purged, Sealed, Stub, Trusted, Unknown
from tacit.core.redaction import redacted, secret_kind

Mark = Callable[[str], str]
# Made of ids, hashes and paths that Tacit computed itself.
_OURS = (Sealed, Purged, Stub, Unknown, Trusted, Distrusted)


def without_secrets(body: Body, mark: Mark | None = None) -> Body:
    """The same body; each secret in its texts replaced by its kind."""
    if isinstance(body, _OURS) or not secret_kind("\n".join(_texts(body))):
        return body
    if isinstance(body, Undone):
        return body._replace(label=redacted(body.label, mark))
    cleaned: Body = _cleaned(body, mark)
    return cleaned


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _texts(part)


def _cleaned(value: Any, mark: Mark | None) -> Any:
    if isinstance(value, str):
        return redacted(value, mark)
    if isinstance(value, tuple):
        parts = [_cleaned(part, mark) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value
