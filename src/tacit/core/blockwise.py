"""Secrets taken out of many short texts at once: the same few are looked at once, and several are looked at together.

Where a block of lines holds no secret, none of its lines does: whatever tells a secret by itself tells it among others
too. (A test holds the tables to that.) Only where something is found are the halves looked at, down to single lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tacit.core.redaction import redacted, secret_kind

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
