"""Replacing texts in files of any size: block by block, and only where the prefilter sees a candidate.

A match may span lines, because any run of blanks is one blank. So the last lines of a block are kept back until the
next block is there, and a candidate line is searched together with its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tacit.purge.match import LiteralMatcher, matches_any, replace_matches
from tacit.purge.prefilter import MatchPrefilter

TextsIn = Callable[[str], Sequence[LiteralMatcher]]
Replace = Callable[[str, Sequence[LiteralMatcher]], str]


class Scrubber:
    """Replaces texts, or says whether there are any.

    Args:
        texts_in: returns the texts to search for in a text; called before each search.
        replace: returns a text with the matches of some texts replaced.
        span: how many words a text may have; by default, as many as those that are returned for the empty text.
    """

    def __init__(self, texts_in: TextsIn, replace: Replace = replace_matches, span: int = 0) -> None:
        self._texts_in = texts_in
        self._replace = replace
        self._matchers: Sequence[LiteralMatcher] = ()
        self._prefilter = MatchPrefilter([], across_lines=True)
        words = [len(matcher.normalized.split(" ")) for matcher in texts_in("")]
        self._span = span or max(words, default=1)

    def _prepare(self, text: str) -> str:
        """Find out what to search for in a text, and return the text."""
        matchers = self._texts_in(text)
        if matchers != self._matchers:
            self._matchers = matchers
            self._prefilter = MatchPrefilter([matcher.normalized for matcher in matchers], across_lines=True)
        return text

    def may_contain(self, text: str) -> bool:
        """Return False if a text certainly has no match."""
        lines = self._prepare(text).split("\n")
        return bool(self._prefilter.candidates(lines))

    def contains_any(self, text: str) -> bool:
        """Return whether a text has a match."""
        return self.may_contain(text) and matches_any(text, self._matchers)

    def replace_all(self, text: str) -> str:
        """Return a text with every match replaced."""
        self._prepare(text)
        return self._replace(text, self._matchers)

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
                text = self._replace("\n".join(lines[start:end]), self._matchers)
                lines[start:end] = text.split("\n")
            cut = self._reach(lines, len(lines), -1)
            kept = lines[cut:]
            yield lines[:cut]
        yield kept

    def _candidate_windows(self, lines: list[str]) -> list[tuple[int, int]]:
        self._prepare("\n".join(lines))
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
