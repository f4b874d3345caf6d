"""A text of any length, hidden piece by piece.

A piece is let go only up to a place that lies in no secret and far enough before its end: whatever begins before that
place ends, with all it is told by, within what has been read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tacit.core.redaction import Secret, find_secrets, replaced

REACH = 32_768  # characters; no secret is longer, together with what it is told by


def hidden(pieces: Iterable[str], mark: Callable[[str], str], found: Callable[[Secret], None]) -> Iterator[str]:
    """The pieces joined, with every secret hidden; `found` is told of each."""
    held = ""
    for piece in pieces:
        held = _hide(held + piece, mark, found, keep=REACH)
        cut = _cut(held)
        yield held[:cut]
        held = held[cut:]
    yield _hide(held, mark, found, keep=0)


def _hide(text: str, mark: Callable[[str], str], found: Callable[[Secret], None], keep: int) -> str:
    """Hide what ends before the last `keep` characters, where the rest of a secret may still be to come."""
    while secrets := [one for one in find_secrets(text) if one.end <= len(text) - keep]:
        for secret in secrets:
            found(secret)
        text = replaced(text, secrets, mark)
    return text


def _cut(text: str) -> int:
    """Behind the last line that ends twice that far before the end, or at a blank, or anywhere outside a secret."""
    latest = max(0, len(text) - 2 * REACH)
    for edge in ("\n", " "):
        if (at := text.rfind(edge, max(0, latest - REACH), latest)) >= 0:
            latest = at + 1
            break
    for secret in find_secrets(text[max(0, latest - REACH) : latest + REACH]):
        start, end = (place + max(0, latest - REACH) for place in secret[:2])
        if start < latest < end:
            return start
    return latest
