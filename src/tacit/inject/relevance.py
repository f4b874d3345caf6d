"""Whether a memory or an earlier session is relevant to a prompt. Most are not."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import lru_cache

from tacit.index import postings
from tacit.index.reader import MemoryRow
from tacit.record import Record
from tacit.search import bm25 as weighing
from tacit.search.bm25 import ParsedQuery, QueryTerm
from tacit.text.words import STOP_WORDS, query_terms, simple_stem, tokenize

# Which memories really bear on a prompt: few, or none.
#
# A search finds something for every prompt. To be put into one unasked, a memory must share what it is about: a large
# part of its own words, by weight. Words that every other prompt has weigh little, names and flags weigh more.

MAX_RELEVANT = 3
_MAX_PROMPT_CHARS = 4000  # characters of a prompt: what is pasted behind them is seldom the question
_MAX_QUERY_WORDS = 24  # words of it
_MIN_SHARED_WEIGHT, _MIN_SHARE = 1.5, 0.3  # two words that matter, and a third of the memory
_MIN_FOCUSED_SHARE = (
    0.4  # or about half of it, where it is about one thing or two: `npm` is half of "use pnpm instead of npm"
)
# What is done in every other prompt, and what rules are told with.
_COMMON_WORDS = frozenset(
    (
        "add change check code create file files find fix folder get give implement keep let line look make move name "
        "need new now please problem project read remove rename run set show start still stop test tests thing tell "
        "time try update want work write also only first last next like same one two way well good see put take back "
        "prefer instead rather avoid ensure sure never always dont don't do not again without before after each every "
        "when user function method class error issue here there repository repo directory command commands"
    ).split()
)


class RelevantMemory(Record):
    """A memory, the words it shares with the prompt, and how much of it that is."""

    memory: MemoryRow
    shared_words: tuple[str, ...]
    share: float

    @property
    def reason(self) -> str:
        return f"the prompt speaks of {', '.join(self.shared_words[:5])}"


def prompt_query_words(prompt: str) -> list[str]:
    """The words of a prompt by which memories are looked for: those that half of all prompts have find too many."""
    found = [word for word in query_terms(prompt[:_MAX_PROMPT_CHARS]) if _word_weight(word) >= 1]
    return found[:_MAX_QUERY_WORDS]


def relevant_memories(prompt: str, candidates: Iterable[MemoryRow], most: int = MAX_RELEVANT) -> list[RelevantMemory]:
    """At most so many, those that share most first."""
    asked = {simple_stem(word) for word in tokenize(prompt[:_MAX_PROMPT_CHARS])}
    found = [one for entry in candidates if (one := _relevant_memory(entry, asked))]
    found.sort(key=lambda one: (-one.share, one.memory.id))
    return found[:most]


def _relevant_memory(entry: MemoryRow, asked: set[str]) -> RelevantMemory | None:
    own = {simple_stem(word): word for word in tokenize(entry.sentence) if word not in STOP_WORDS}
    whole = sum(map(_word_weight, own.values()))
    shared = {word for root, word in own.items() if root in asked}
    heavy = sum(map(_word_weight, shared))
    share = heavy / whole if whole else 0.0
    if (heavy >= _MIN_SHARED_WEIGHT and share >= _MIN_SHARE) or (heavy >= 1 and share >= _MIN_FOCUSED_SHARE):
        return RelevantMemory(entry, tuple(sorted(shared, key=lambda word: (-_word_weight(word), word))), share)
    return None


@lru_cache(maxsize=4096)
def _word_weight(word: str) -> float:
    if word in _COMMON_WORDS or simple_stem(word) in _COMMON_WORDS or len(word) < 2:
        return 0.25
    is_name = any(not letter.isalpha() for letter in word)
    return 1.5 if is_name else 1.0


# Which earlier session bears on a prompt: the one that holds most of what it speaks of, or none.
#
# A search finds a session for every prompt. To be told of one unasked, more than one of its words must have been said
# there, and they must be a good part of it, by how rare they are.

_MAX_POSTINGS = 400  # of one word that are looked at, the latest
_MIN_SESSION_SHARE, _MIN_SHARED_TERMS = 1 / 3, 2  # of the prompt by weight, and words of it

_TermCounts = dict[QueryTerm, int]


class RelatedSession(Record):
    """A session, by where its messages begin, and the words of the prompt that were said in it, the rarest first."""

    start_id: int
    shared_words: tuple[str, ...]

    @property
    def reason(self) -> str:
        return f"it spoke of {', '.join(self.shared_words[:5])}"


def related_session(
    connection: sqlite3.Connection, question: ParsedQuery, runs: Collection[int]
) -> RelatedSession | None:
    """The one of these sessions that bears on a prompt most, if any does; a word that was never said before weighs as
    much as the rarest that was."""
    weights = [word.weight for word in question.terms]
    enough = _MIN_SESSION_SHARE * (sum(weights) + question.missing * max(weights, default=0.0))
    said = {
        run: words
        for run, words in _term_counts(connection, question, runs).items()
        if len(words) >= _MIN_SHARED_TERMS and sum(word.weight for word in words) >= enough
    }
    if not said:
        return None
    lengths = {run: postings.session_length(connection, run) for run in said}
    usual = sum(lengths.values()) / len(lengths)
    best = min(said, key=lambda run: (-_session_score(said[run], lengths[run] / usual), run))
    return RelatedSession(best, tuple(word.word for word in question.terms if word in said[best]))


def _session_score(said: _TermCounts, length: float) -> float:
    return weighing.score_session([(word.weight, count) for word, count in said.items()], length)


def _term_counts(
    connection: sqlite3.Connection, question: ParsedQuery, runs: Collection[int]
) -> dict[int, _TermCounts]:
    """How often each word was said in each of these sessions."""
    found: dict[int, _TermCounts] = defaultdict(dict)
    for word in question.terms:
        for run, there in postings.message_postings(connection, word.stem, _MAX_POSTINGS).by_session():
            if run in runs:
                found[run][word] = sum(there.term_freqs)
    return found
