"""Replacing texts in files of any size: block by block, and only where the prefilter sees a candidate.

A match may span lines, because any run of blanks is one blank. So the last lines of a block are kept back until the
next block is there, and a candidate line is searched together with its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from tacit.text.match import LiteralMatcher, TextMatcher, matches_any, replace_matches
from tacit.text.prefilter import MatchPrefilter

_MAX_WORDS_UNKNOWN = 64  # of a text of which only the fingerprint is known, at most so many words are in its lines


class Scrubber:
    """Replaces texts, or says whether there are any. `excluded` is a pattern in whose matches nothing is replaced."""

    def __init__(self, matchers: Sequence[TextMatcher], excluded: str = "") -> None:
        self._matchers = matchers
        self._replace = partial(replace_matches, matchers=matchers, excluded=excluded)
        literal = [matcher.normalized for matcher in matchers if isinstance(matcher, LiteralMatcher)]
        self._prefilter = MatchPrefilter(literal, across_lines=True) if len(literal) == len(matchers) else None
        self._span = max((text.count(" ") + 1 for text in literal), default=1)
        if self._prefilter is None:
            self._span = _MAX_WORDS_UNKNOWN

    def may_contain(self, text: str) -> bool:
        """Return False if a text certainly has no match."""
        return bool(self._matchers) and (self._prefilter is None or bool(self._prefilter.candidates(text.split("\n"))))

    def contains(self, blocks: Iterable[list[str]]) -> bool:
        """Return whether lines, given in blocks, contain a text."""
        kept: list[str] = []
        for block in blocks:
            lines = kept + block
            windows = self._candidate_windows(lines)
            if any(matches_any("\n".join(lines[start:end]), self._matchers) for start, end in windows):
                return True
            kept = lines[self._reach(lines, len(lines), -1) :]
        return False

    def replace(self, blocks: Iterable[list[str]]) -> Iterator[list[str]]:
        """Yield lines, given in blocks, with every match replaced."""
        kept: list[str] = []
        for block in blocks:
            lines = kept + block
            for start, end in reversed(self._candidate_windows(lines)):
                text = self._replace("\n".join(lines[start:end]))
                lines[start:end] = text.split("\n")
            cut = self._reach(lines, len(lines), -1)
            kept = lines[cut:]
            yield lines[:cut]
        yield kept

    def _candidate_windows(self, lines: list[str]) -> list[tuple[int, int]]:
        if self._prefilter is None:
            return [(0, len(lines))] if lines else []
        windows: list[tuple[int, int]] = []
        for index in sorted(self._prefilter.candidates(lines)):
            start, end = self._reach(lines, index, -1), self._reach(lines, index + 1, 1)
            if windows and start <= windows[-1][1]:
                windows[-1] = (windows[-1][0], end)
            else:
                windows.append((start, end))
        return windows

    def _reach(self, lines: list[str], index: int, step: int) -> int:
        """Return how far a match may reach up or down: over as many lines as the text has words, empty ones apart."""
        words = self._span
        while words and (index > 0 if step < 0 else index < len(lines)):
            words -= bool(lines[index - 1 if step < 0 else index].strip())
            index += step
        return index
