"""Secrets: found before anything is written; their kind is named, their value never.

`refuse_secrets` is for what a person tells, `redacted` for what is captured. What each kind looks like stands in the
tables of `tacit.secrets`.
"""

from __future__ import annotations

from collections.abc import Callable

from tacit.errors import RefusedError
from tacit.record import Record
from tacit.secrets.scanner import find_spans

_RESCAN_CHARS = 4096  # farther than anything a secret is told by, but for the block of a key, which goes whole
_EDGE_CHARS = 512


class Secret(Record):
    """Where the value stands in the text, and what people call it."""

    start: int
    end: int
    kind: str


def find_secrets(text: str) -> list[Secret]:
    """Every secret of a text in order; none overlaps another."""
    return [Secret(*found) for found in find_spans(text)]


def secret_kind(text: str) -> str | None:
    """The kind of the first secret in a text."""
    found = find_spans(text)
    return found[0][2] if found else None


def refuse_secrets(*texts: str) -> None:
    """Raise when a text holds a secret; the message names its kind, never its value."""
    for text in texts:
        if kind := secret_kind(text):
            raise RefusedError(
                f"this looks like a secret ({kind}), and Tacit stores none",
                "say it without the value, for example where the value is kept",
            )


def redacted(text: str, mark: Callable[[str], str] | None = None) -> str:
    """The text with each secret as `[redacted:KIND]`, or as `[redacted:KIND:MARK]` with eight hex digits of `mark`."""
    found = find_secrets(text)
    while found:
        text, places = replace_secrets(text, found, mark)
        found = find_secrets_near(text, places)
    return text


def replace_secrets(text: str, secrets: list[Secret], mark: Callable[[str], str] | None) -> tuple[str, list[int]]:
    """The text with these secrets hidden, and where that was done."""
    parts: list[str] = []
    places: list[int] = []
    done = size = 0
    for start, end, kind in secrets:
        hidden = _redaction_text(kind, mark(text[start:end]) if mark else "")
        parts += (text[done:start], hidden)
        size += start - done
        places.append(size)
        size += len(hidden)
        done = end
    parts.append(text[done:])
    return "".join(parts), places


def find_secrets_near(text: str, places: list[int]) -> list[Secret]:
    """Secrets near places that were hidden just now: what stood there may have kept apart what belongs together."""
    found: list[Secret] = []
    begins = ends = 0
    for place in [*places, len(text) + 2 * _RESCAN_CHARS]:
        if place - _RESCAN_CHARS > ends:
            found += _find_in_window(text, begins, ends)
            begins = place - _RESCAN_CHARS
        ends = min(len(text), place + _RESCAN_CHARS)
    return found


def _find_in_window(text: str, begins: int, ends: int) -> list[Secret]:
    """Secrets of a stretch; at its edges it cannot be told what is one."""
    first = 0 if begins == 0 else begins + _EDGE_CHARS
    last = len(text) if ends == len(text) else ends - _EDGE_CHARS
    shifted = (Secret(start + begins, end + begins, kind) for start, end, kind in find_spans(text[begins:ends]))
    return [secret for secret in shifted if secret.start >= first and secret.end <= last]


def _redaction_text(kind: str, mark: str) -> str:
    slug = "".join(sign if sign.isalnum() else "-" for sign in kind.lower())
    return f"[redacted:{slug}:{mark}]" if mark else f"[redacted:{slug}]"
