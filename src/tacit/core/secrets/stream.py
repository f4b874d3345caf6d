"""A text of any length, hidden piece by piece.

A piece is let go only up to a place far enough before its end: whatever begins before that place ends, with all it is
told by, within what has been read, and has been hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tacit.core.redaction import Secret, find_near, find_secrets, replaced

REACH = 32_768  # characters; no secret is longer, together with what it is told by
_MARK = "[redacted:"
_LONGEST_MARK = 80

Mark = Callable[[str], str]
Told = Callable[[Secret], None]


def hidden(pieces: Iterable[str], mark: Mark, found: Told) -> Iterator[str]:
    """The pieces joined, with every secret hidden; `found` is told of each."""
    held = ""
    for piece in pieces:
        held = _hide(held + piece, mark, found, keep=REACH)
        cut = _cut(held)
        yield held[:cut]
        held = held[cut:]
    yield _hide(held, mark, found, keep=0)


def _hide(text: str, mark: Mark, found: Told, keep: int) -> str:
    """Hide what ends before the last `keep` characters, where the rest of a secret may still be to come."""
    secrets = find_secrets(text)
    while secrets := [secret for secret in secrets if secret.end <= len(text) - keep]:
        for secret in secrets:
            found(secret)
        text, places = replaced(text, secrets, mark)
        secrets = find_near(text, places)
    return text


def _cut(text: str) -> int:
    """Behind a line or at least a word, twice as far before the end as a secret reaches; never inside a mark."""
    latest = max(0, len(text) - 2 * REACH)
    for edge in ("\n", " "):
        if (at := text.rfind(edge, max(0, latest - REACH), latest)) >= 0:
            return at + 1
    mark = text.rfind(_MARK, max(0, latest - _LONGEST_MARK), latest + len(_MARK))
    return latest if mark < 0 else mark
