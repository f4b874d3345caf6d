"""Which earlier session bears on a prompt: the one that holds most of what it speaks of, or none.

A search finds a session for every prompt. To be told of one unasked, more than one of its words must have been said
there, and they must be a good part of it, by how rare they are.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection

from tacit.index import postings
from tacit.recall import weighing
from tacit.recall.retrieving import Question, Word
from tacit.record import Record

_PLACES = 400  # of one word that are looked at, the latest
_SHARE, _FEWEST = 1 / 3, 2  # of the prompt by weight, and words of it

_Said = dict[Word, int]


class Kin(Record):
    """A session, by where its messages begin, and the words of the prompt that were said in it, the rarest first."""

    run: int
    shared: tuple[str, ...]

    @property
    def reason(self) -> str:
        return f"it spoke of {', '.join(self.shared[:5])}"


def kindred(connection: sqlite3.Connection, question: Question, runs: Collection[int]) -> Kin | None:
    """The one of these sessions that bears on a prompt most, if any does; a word that was never said before weighs as
    much as the rarest that was."""
    weights = [word.weight for word in question.words]
    enough = _SHARE * (sum(weights) + question.unheard * max(weights, default=0.0))
    said = {
        run: words
        for run, words in _said(connection, question, runs).items()
        if len(words) >= _FEWEST and sum(word.weight for word in words) >= enough
    }
    if not said:
        return None
    lengths = {run: postings.length(connection, run) for run in said}
    usual = sum(lengths.values()) / len(lengths)
    best = min(said, key=lambda run: (-_worth(said[run], lengths[run] / usual), run))
    return Kin(best, tuple(word.text for word in question.words if word in said[best]))


def _worth(said: _Said, length: float) -> float:
    return weighing.whole([(word.weight, count) for word, count in said.items()], length)


def _said(connection: sqlite3.Connection, question: Question, runs: Collection[int]) -> dict[int, _Said]:
    """How often each word was said in each of these sessions."""
    found: dict[int, _Said] = defaultdict(dict)
    for word in question.words:
        for run, there in postings.in_sessions(connection, word.root, _PLACES).by_session():
            if run in runs:
                found[run][word] = sum(there.counts)
    return found
