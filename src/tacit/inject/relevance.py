"""Whether a memory or an earlier session is relevant to a prompt. Most are not."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import lru_cache

from tacit.index import postings
from tacit.index.reader import Entry
from tacit.record import Record
from tacit.search import bm25 as weighing
from tacit.search.bm25 import Question, Word
from tacit.text.words import STOP_WORDS, query_words, stem, words

# Which memories really bear on a prompt: few, or none.
#
# A search finds something for every prompt. To be put into one unasked, a memory must share what it is about: a large
# part of its own words, by weight. Words that every other prompt has weigh little, names and flags weigh more.

MOST = 3
_LOOKED_AT = 4000  # characters of a prompt: what is pasted behind them is seldom the question
_ASKED_FOR = 24  # words of it
_ENOUGH, _SHARE = 1.5, 0.3  # two words that matter, and a third of the memory
_HALF = 0.4  # or about half of it, where it is about one thing or two: `npm` is half of "use pnpm instead of npm"
# What is done in every other prompt, and what rules are told with.
_COMMON = frozenset(
    (
        "add change check code create file files find fix folder get give implement keep let line look make move name "
        "need new now please problem project read remove rename run set show start still stop test tests thing tell "
        "time try update want work write also only first last next like same one two way well good see put take back "
        "prefer instead rather avoid ensure sure never always dont don't do not again without before after each every "
        "when user function method class error issue here there repository repo directory command commands"
    ).split()
)


class Bearing(Record):
    """A memory, the words it shares with the prompt, and how much of it that is."""

    entry: Entry
    shared: tuple[str, ...]
    share: float

    @property
    def reason(self) -> str:
        return f"the prompt speaks of {', '.join(self.shared[:5])}"


def telling_words(prompt: str) -> list[str]:
    """The words of a prompt by which memories are looked for: those that half of all prompts have find too many."""
    found = [word for word in query_words(prompt[:_LOOKED_AT]) if _weight(word) >= 1]
    return found[:_ASKED_FOR]


def bearing(prompt: str, candidates: Iterable[Entry], most: int = MOST) -> list[Bearing]:
    """At most so many, those that share most first."""
    asked = {stem(word) for word in words(prompt[:_LOOKED_AT])}
    found = [one for entry in candidates if (one := _weighed(entry, asked))]
    found.sort(key=lambda one: (-one.share, one.entry.id))
    return found[:most]


def _weighed(entry: Entry, asked: set[str]) -> Bearing | None:
    own = {stem(word): word for word in words(entry.sentence) if word not in STOP_WORDS}
    whole = sum(map(_weight, own.values()))
    shared = {word for root, word in own.items() if root in asked}
    heavy = sum(map(_weight, shared))
    share = heavy / whole if whole else 0.0
    if (heavy >= _ENOUGH and share >= _SHARE) or (heavy >= 1 and share >= _HALF):
        return Bearing(entry, tuple(sorted(shared, key=lambda word: (-_weight(word), word))), share)
    return None


@lru_cache(maxsize=4096)
def _weight(word: str) -> float:
    if word in _COMMON or stem(word) in _COMMON or len(word) < 2:
        return 0.25
    is_name = any(not letter.isalpha() for letter in word)
    return 1.5 if is_name else 1.0


# Which earlier session bears on a prompt: the one that holds most of what it speaks of, or none.
#
# A search finds a session for every prompt. To be told of one unasked, more than one of its words must have been said
# there, and they must be a good part of it, by how rare they are.

_PLACES = 400  # of one word that are looked at, the latest
_SESSION_SHARE, _FEWEST = 1 / 3, 2  # of the prompt by weight, and words of it

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
    enough = _SESSION_SHARE * (sum(weights) + question.unheard * max(weights, default=0.0))
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
