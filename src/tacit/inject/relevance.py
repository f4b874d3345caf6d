"""Whether a memory or an earlier session is relevant to a prompt. Most are not (ADR 16).

A search finds something for every prompt. To be injected unasked, a memory must share what it is about with the prompt:
a large part of its own words, by weight. Words of every other prompt weigh little; names and flags weigh more. A
session must contain more than one of the prompt's words, a rare one among them, and a good part of them by IDF.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from functools import lru_cache

from tacit.index import postings
from tacit.index.reader import MemoryRow
from tacit.record import Record
from tacit.search.bm25 import ParsedQuery, QueryTerm, score_session
from tacit.text.words import STOP_WORDS, query_terms, simple_stem, tokenize

MAX_RELEVANT = 3
_MAX_PROMPT_CHARS = 4000  # text pasted after them is seldom the question
_MAX_QUERY_WORDS = 24
# Two words that matter and a third of the memory; or about half of it, if it is about one thing or two: `npm` is half
# of "use pnpm instead of npm".
_MIN_SHARED_WEIGHT, _MIN_SHARE = 1.5, 0.3
_MIN_FOCUSED_SHARE = 0.4
_MAX_POSTINGS = 400  # of one term, the latest
# Of the prompt by weight, and terms of it. Tuned on the sessions of one repository, see ADR 16.
_MIN_SESSION_SHARE, _MIN_SHARED_TERMS = 0.5, 2
# A term is rare if so many sessions have it at most.
_MAX_RARE_SESSIONS, _MAX_SESSION_FRACTION = 2, 1 / 3
# What is done in every other prompt, and words that rules are made of.
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
    """A memory, the words it shares with the prompt, and their share of its weight."""

    memory: MemoryRow
    shared_words: tuple[str, ...]
    share: float

    @property
    def reason(self) -> str:
        return f"the prompt speaks of {', '.join(self.shared_words[:5])}"


def prompt_query_words(prompt: str) -> list[str]:
    """Return the words of a prompt to search memories with. Words of every other prompt would find too many."""
    words = [word for word in query_terms(prompt[:_MAX_PROMPT_CHARS]) if _word_weight(word) >= 1]
    return words[:_MAX_QUERY_WORDS]


def relevant_memories(prompt: str, candidates: Iterable[MemoryRow], limit: int = MAX_RELEVANT) -> list[RelevantMemory]:
    """Return the candidates that are relevant to a prompt, those with the greatest share first."""
    prompt_stems = {simple_stem(word) for word in tokenize(prompt[:_MAX_PROMPT_CHARS])}
    relevant: list[RelevantMemory] = []
    for memory in candidates:
        words_by_stem = {simple_stem(word): word for word in tokenize(memory.sentence) if word not in STOP_WORDS}
        total_weight = sum(map(_word_weight, words_by_stem.values()))
        shared = {word for stem, word in words_by_stem.items() if stem in prompt_stems}
        weight = sum(map(_word_weight, shared))
        share = weight / total_weight if total_weight else 0.0
        if (weight >= _MIN_SHARED_WEIGHT and share >= _MIN_SHARE) or (weight >= 1 and share >= _MIN_FOCUSED_SHARE):
            by_weight = sorted(shared, key=lambda word: (-_word_weight(word), word))
            relevant.append(RelevantMemory(memory, tuple(by_weight), share))
    relevant.sort(key=lambda item: (-item.share, item.memory.id))
    return relevant[:limit]


@lru_cache(maxsize=4096)
def _word_weight(word: str) -> float:
    if word in _COMMON_WORDS or simple_stem(word) in _COMMON_WORDS or len(word) < 2:
        return 0.25
    is_name = any(not letter.isalpha() for letter in word)
    return 1.5 if is_name else 1.0


class RelatedSession(Record):
    """A session, by its first document id, and the words of the prompt that occur in it, rarest first."""

    start_id: int
    shared_words: tuple[str, ...]

    @property
    def reason(self) -> str:
        return f"it spoke of {', '.join(self.shared_words[:5])}"


def related_session(
    connection: sqlite3.Connection, query: ParsedQuery, start_ids: Collection[int]
) -> RelatedSession | None:
    """Return the most relevant of these sessions to a prompt; None if none is relevant.

    One of the shared terms must be rare: at most two of these sessions contain it, or at most a third of them. A word
    of the prompt that occurs in no session weighs as much as the rarest one that does.
    """
    weights = [term.weight for term in query.terms]
    min_weight = _MIN_SESSION_SHARE * (sum(weights) + query.missing * max(weights, default=0.0))
    every: dict[int, dict[QueryTerm, int]] = defaultdict(dict)  # how often each term occurs in each of these sessions
    for term in query.terms:
        for start_id, own in postings.message_postings(connection, term.stem, _MAX_POSTINGS).by_session():
            if start_id in start_ids:
                every[start_id][term] = sum(own.term_freqs)
    session_freqs = Counter(term for counts in every.values() for term in counts)
    max_freq = max(_MAX_RARE_SESSIONS, _MAX_SESSION_FRACTION * len(start_ids))
    sessions = {
        start_id: counts
        for start_id, counts in every.items()
        if len(counts) >= _MIN_SHARED_TERMS
        and sum(term.weight for term in counts) >= min_weight
        and any(session_freqs[term] <= max_freq for term in counts)
    }
    if not sessions:
        return None
    lengths = {start_id: postings.session_length(connection, start_id) for start_id in sessions}
    avg_length = sum(lengths.values()) / len(lengths)

    def score(start_id: int) -> float:
        counts = [(term.weight, count) for term, count in sessions[start_id].items()]
        return score_session(counts, lengths[start_id] / avg_length)

    best = min(sessions, key=lambda start_id: (-score(start_id), start_id))
    return RelatedSession(best, tuple(term.word for term in query.terms if term in sessions[best]))
