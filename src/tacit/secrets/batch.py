"""Redaction of streams, and of many short texts at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tacit.secrets.redact import Secret, find_near, find_secrets, redacted, replaced, secret_kind

# Secrets taken out of many short texts at once: the same few are looked at once, and several are looked at together.
#
# Where a block of lines holds no secret, none of its lines does: whatever tells a secret by itself tells it among
# others too. (A test holds the tables to that.) Only where something is found are the halves looked at, down to
# single lines.

_REMEMBERED = 4_000_000  # characters


class Blockwise:
    """`mark` is what a secret that was hidden is known again by."""

    def __init__(self, mark: Callable[[str], str] | None = None) -> None:
        self._mark = mark
        self._clean: dict[str, str] = {}
        self._size = 0

    def cleaned(self, texts: Sequence[str]) -> list[str]:
        """The same texts, each as `redacted` would leave it."""
        if self._size > _REMEMBERED:
            self._clean, self._size = {}, 0
        clean = self._clean
        new = [text for text in dict.fromkeys(texts) if text not in clean]
        if new:
            self._learn(new)
            self._size += sum(map(len, new))
        return [clean[text] for text in texts]

    def _learn(self, texts: Sequence[str]) -> None:
        if len(texts) == 1:
            self._clean[texts[0]] = redacted(texts[0], self._mark)
        elif secret_kind("\n".join(texts)) is None:
            self._clean.update(zip(texts, texts, strict=True))
        else:
            half = len(texts) // 2
            self._learn(texts[:half])
            self._learn(texts[half:])


# A text of any length, hidden piece by piece.
#
# A piece is let go only up to a place far enough before its end: whatever begins before that place ends, with all it
# is told by, within what has been read, and has been hidden.

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
