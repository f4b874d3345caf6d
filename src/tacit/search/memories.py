"""Scoring memories, pages and commands."""

from __future__ import annotations

import sqlite3
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from heapq import nsmallest

from tacit.index import commands, postings
from tacit.index.commands import StoredCommand
from tacit.index.doc_ids import FIRST_PAGE_ID
from tacit.index.reader import MemoryRow, rows_by_doc_id
from tacit.record import Record
from tacit.search import bm25 as weighing
from tacit.search.bm25 import Candidates, ParsedQuery, QueryTerm, ScoredDocument, query_from_words, score_bigrams
from tacit.text.words import STEMS, porter_stem, query_terms

# Memories and pages that answer a question: candidates by where its words stand, the best of them read closely.

_MAX_POSTINGS = 3000  # of all words together that are looked at one by one
_MAX_COMMON_POSTINGS = 300  # of a word that is everywhere, where there is nothing else to go by
_MAX_INTERSECTED_POSTINGS = (
    30_000  # places of such a word among which those are looked for that hold another of them, too
)
_MAX_COMMON_TERMS = 3  # such words
_POSTINGS_PER_LOOKUP = 500  # numbers in a row cost as much to read as one that is looked for in the file
_POSTINGS_PER_BISECT = 20  # and as one that is looked for among them
_INTERSECT_STEP = 2000  # of those places that are compared at once
_MIN_READ = 20  # that are read word by word
_AVG_MEMORY_WORDS = 20.0  # words of a memory
_EXTRA_WEIGHT = 0.5  # what a word is worth that stands in the evidence and not in the sentence
_BIGRAM_WEIGHT = 0.4

# What counts for each of these candidates because of what it is, 0 to 1: an accepted memory more than a suggestion, and
# what is not asked for nothing.
PriorWeights = Callable[[Sequence[int]], Mapping[int, float]]
_MAX_PRIOR_LOOKUPS = 2560  # candidates whose worth is looked up at most

_CoarseScores = dict[int, float]


class _PostingsCache:
    """Where words of a question stand; a list that was read whole is not read again."""

    def __init__(self, connection: sqlite3.Connection, *, memories: bool) -> None:
        self._connection = connection
        self._memories_only = memories
        self._full_lists: dict[str, Sequence[int]] = {}

    def first_postings(self, word: QueryTerm, most: int) -> Sequence[int]:
        """The first of them, of memories and pages or of memories alone."""
        whole = self._full_lists.get(word.stem)
        if whole is None:
            return postings.memory_postings(self._connection, word.stem, most, memories=self._memories_only)
        return whole[: min(most, bisect_left(whole, FIRST_PAGE_ID))] if self._memories_only else whole[:most]

    def ids_with_term(self, word: QueryTerm, numbers: Sequence[int]) -> set[int]:
        """Which of these, in order, hold a word."""
        if word.doc_freq >= len(numbers) * _POSTINGS_PER_LOOKUP:
            return {number for number in numbers if postings.has_term(self._connection, word.stem, number)}
        whole = postings.memory_postings(self._connection, word.stem, postings.MAX_INT64, memories=False)
        self._full_lists[word.stem] = whole
        if word.doc_freq >= len(numbers) * _POSTINGS_PER_BISECT:
            return {number for number in numbers if postings.contains_id(whole, number)}
        return set(numbers).intersection(whole)


def retrieve_memories(
    connection: sqlite3.Connection,
    question: ParsedQuery,
    most: int,
    *,
    memories: bool = False,
    worth: PriorWeights | None = None,
) -> Candidates:
    """Memories and pages, or memories alone, that answer best. Who wants many has more places looked at. `worth` is
    applied before anything is cut off; the scores that are returned are without it."""
    wanted = max(most, _MIN_READ)
    lists = _PostingsCache(connection, memories=memories)
    promise, common = _score_rare_terms(lists, question, max(_MAX_POSTINGS, 8 * most))
    if common:
        _add_common_terms(lists, promise, common, wanted)
        if sum(word.weight for word in common) > _cutoff_score(promise, wanted):
            promise = _intersect_common_terms(lists, common, wanted) | promise
    weights = (
        _top_weighted_candidates(promise, wanted, worth)
        if worth
        else dict.fromkeys(_top_candidates(promise, wanted), 1.0)
    )
    read = postings.load_documents(connection, list(weights))
    scored = [_score_text(number, *read[number], question) for number in weights if number in read]
    scored.sort(key=lambda one: (-one.score * weights[one.doc_id], one.doc_id))
    return Candidates(scored[:most], complete=not common and len(promise) <= most)


def _score_rare_terms(lists: _PostingsCache, question: ParsedQuery, room: int) -> tuple[_CoarseScores, list[QueryTerm]]:
    """What each may be worth that holds a rare word, and the words that are in too many to look at all of them."""
    promise: _CoarseScores = {}
    common = []
    for word in question.terms:
        if word.doc_freq > room:
            common.append(word)
            continue
        found = lists.first_postings(word, room)
        room -= len(found)
        holding = dict.fromkeys(found, word.weight)
        for number in promise.keys() & holding.keys():
            holding[number] += promise[number]
        promise.update(holding)
    return promise, common


def _add_common_terms(lists: _PostingsCache, promise: _CoarseScores, common: Sequence[QueryTerm], wanted: int) -> None:
    """What else the candidates hold. Those that all words that are left would not bring among the best stay as they
    are."""
    left = sum(word.weight for word in common)
    for word in common:
        least = _cutoff_score(promise, wanted) - left
        candidates = sorted([number for number, weight in promise.items() if weight >= least])
        for number in lists.ids_with_term(word, candidates):
            promise[number] += word.weight
        left -= word.weight


def _intersect_common_terms(lists: _PostingsCache, common: Sequence[QueryTerm], wanted: int) -> _CoarseScores:
    """Words that are everywhere tell something only together: what holds the rarest of them and others."""
    rarest, *others = common[:_MAX_COMMON_TERMS]
    there = lists.first_postings(rarest, _MAX_INTERSECTED_POSTINGS if others else _MAX_COMMON_POSTINGS)
    in_both = _intersect(there, [lists.first_postings(word, _MAX_INTERSECTED_POSTINGS) for word in others], wanted)
    both = [(word.weight, numbers) for word, numbers in zip(others, in_both, strict=True)]
    if len(both) > 1:
        both.insert(0, (sum(weight for weight, _ in both), set.intersection(*in_both)))
    promise: _CoarseScores = {}
    for weight, numbers in (*both, (0.0, there[:_MAX_COMMON_POSTINGS])):
        if len(promise) < wanted:
            promise = dict.fromkeys(nsmallest(_MAX_COMMON_POSTINGS, numbers), rarest.weight + weight) | promise
    return promise


def _intersect(there: Sequence[int], lists: Sequence[Sequence[int]], wanted: int) -> list[set[int]]:
    """Which of these numbers also stand in each of the lists, all in order; no further than where as many as are wanted
    stand in all of them. Step by step, for small sets are faster to make and to ask."""
    found: list[set[int]] = [set() for _ in lists]
    reached, in_all = [0] * len(lists), 0
    for low in range(0, len(there) if lists else 0, _INTERSECT_STEP):
        step = there[low : low + _INTERSECT_STEP]
        some = set(step)
        in_step = some
        for at, numbers in enumerate(lists):
            upto = bisect_right(numbers, step[-1], reached[at])
            new = some.intersection(numbers[reached[at] : upto])
            found[at] |= new
            reached[at], in_step = upto, in_step & new
        in_all += len(in_step)
        if in_all >= wanted:
            break
    return found


def _cutoff_score(promise: _CoarseScores, wanted: int) -> float:
    """What the last of the best is worth; less than anything where there are not so many."""
    worths = sorted(promise.values(), reverse=True)
    return worths[wanted - 1] if len(worths) >= wanted else 0.0


def _top_candidates(promise: _CoarseScores, most: int) -> list[int]:
    least = _cutoff_score(promise, most)
    enough = sorted([number for number, weight in promise.items() if weight >= least])
    enough.sort(key=promise.__getitem__, reverse=True)  # of those that are worth the same, the order stays
    return enough[:most]


def _top_weighted_candidates(promise: _CoarseScores, most: int, worth: PriorWeights) -> dict[int, float]:
    """The weights of those that are worth most, of half as many more that promise most; of still more, where too few of
    them count at all."""
    looked_up = most + most // 2
    while True:
        candidates = _top_candidates(promise, looked_up)
        weights = worth(candidates)
        counting = [number for number in candidates if weights.get(number)]
        if len(counting) >= most or len(candidates) < looked_up or looked_up >= _MAX_PRIOR_LOOKUPS:
            counting.sort(key=lambda number: -promise[number] * weights[number])
            return {number: weights[number] for number in counting[:most]}
        looked_up *= 4


def _score_text(number: int, text: str, extra: str, question: ParsedQuery) -> ScoredDocument:
    """Word by word: what stands in the sentence counts more than what stands beside it."""
    own, beside = [STEMS[word] for word in text.split()], [STEMS[word] for word in extra.split()]
    counts, holds = [], []
    for word in question.terms:
        if count := own.count(word.stem) + _EXTRA_WEIGHT * beside.count(word.stem):
            counts.append((word.weight, count))
            holds.append(word.word)
    score = weighing.score_document(counts, (len(own) + _EXTRA_WEIGHT * len(beside)) / _AVG_MEMORY_WORDS)
    return ScoredDocument(number, score + _BIGRAM_WEIGHT * score_bigrams(own, question), tuple(holds))


# Memories by their words alone, without pages and sessions: a prompt waits for this and nothing else.


def matching_memories(
    connection: sqlite3.Connection, question: ParsedQuery, limit: int
) -> list[tuple[MemoryRow, float]]:
    """Those that hold most of what is asked, the best first, and how well each answers."""
    scored = retrieve_memories(connection, question, limit, memories=True).scored if question.terms else []
    there = rows_by_doc_id(connection, [one.doc_id for one in scored])
    found = ((there.get(one.doc_id), one.score) for one in scored)
    return [(entry, score) for entry, score in found if isinstance(entry, MemoryRow)]


def similar_memories(connection: sqlite3.Connection, text: str, limit: int) -> list[MemoryRow]:
    """Those that share most words with a text."""
    return [entry for entry, _ in matching_memories(connection, query_from_words(connection, query_terms(text)), limit)]


# Commands that answer a question: "which command did this?" is asked with words of the line, or of its folder.

_MAX_COMMAND_POSTINGS = 4000  # of one word that are looked at
_MIN_COMMAND_COVERAGE = 0.5  # of the question, by weight, that a command has to hold
_MAX_COMMANDS_LOADED = 200  # that are looked up
# What a command is asked for with, and what does not stand in it.
_COMMAND_QUESTION_STEMS = frozenset(
    porter_stem(word) for word in "command run ran running line shell terminal typed type".split()
)


class CommandMatch(Record):
    """A command, how much of the question it holds (0 to 1), and which words of it."""

    command: StoredCommand
    coverage: float
    terms: tuple[str, ...]


def is_command_question(telling: Sequence[str]) -> bool:
    """Whether a question is about a command."""
    return any(porter_stem(word) in _COMMAND_QUESTION_STEMS for word in telling)


def matching_commands(
    connection: sqlite3.Connection, telling: Sequence[str], most: int, fits: Callable[[StoredCommand], bool]
) -> list[CommandMatch]:
    """The commands that hold most of the question, each line once: of those that hold as much, the latest first."""
    roots = {name: word for word in reversed(telling) if (name := porter_stem(word)) not in _COMMAND_QUESTION_STEMS}
    if not roots or not commands.has_commands(connection):
        return []
    total = commands.count_commands(connection)
    places = {name: commands.commands_with_term(connection, name, _MAX_COMMAND_POSTINGS) for name in roots}
    weights = {name: weighing.idf(len(there), total) for name, there in places.items()}
    whole = sum(weights.values())
    shares: dict[int, float] = defaultdict(float)
    for name, there in places.items():
        for number in there:
            shares[number] += weights[name] / whole
    enough = sorted(
        (number for number, share in shares.items() if share >= _MIN_COMMAND_COVERAGE), key=lambda one: -shares[one]
    )
    found: dict[str, CommandMatch] = {}
    looked_up = [one for one in commands.load_commands(connection, enough[:_MAX_COMMANDS_LOADED]) if fits(one)]
    for kept in sorted(looked_up, key=lambda one: (shares[one.number], one.last_event), reverse=True):
        if kept.text not in found:
            own = tuple(word for name, word in roots.items() if kept.number in places[name])
            found[kept.text] = CommandMatch(kept, shares[kept.number], own)
    return list(found.values())[:most]
