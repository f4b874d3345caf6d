"""Scoring memories, pages and commands."""

from __future__ import annotations

import sqlite3
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from heapq import nsmallest

from tacit.index import commands, postings
from tacit.index.commands import Kept
from tacit.index.doc_ids import PAGES
from tacit.index.reader import Entry, numbered
from tacit.record import Record
from tacit.search import bm25 as weighing
from tacit.search.bm25 import Candidates, Question, Scored, Word, question_of, side_by_side
from tacit.text.words import ROOTS, query_words, root

# Memories and pages that answer a question: candidates by where its words stand, the best of them read closely.

_PLACES = 3000  # of all words together that are looked at one by one
_FIRST = 300  # of a word that is everywhere, where there is nothing else to go by
_TOGETHER = 30_000  # places of such a word among which those are looked for that hold another of them, too
_COMMON = 3  # such words
_AS_DEAR = 500  # numbers in a row cost as much to read as one that is looked for in the file
_AS_DEAR_THERE = 20  # and as one that is looked for among them
_STEP = 2000  # of those places that are compared at once
_READ = 20  # that are read word by word
_USUAL = 20.0  # words of a memory
_BESIDE = 0.5  # what a word is worth that stands in the evidence and not in the sentence
_PAIRS = 0.4

# What counts for each of these candidates because of what it is, 0 to 1: an accepted memory more than a suggestion, and
# what is not asked for nothing.
Worth = Callable[[Sequence[int]], Mapping[int, float]]
_LOOKED_UP = 2560  # candidates whose worth is looked up at most

_Promise = dict[int, float]


class _Lists:
    """Where words of a question stand; a list that was read whole is not read again."""

    def __init__(self, connection: sqlite3.Connection, *, memories: bool) -> None:
        self._connection = connection
        self._memories = memories
        self._whole: dict[str, Sequence[int]] = {}

    def first(self, word: Word, most: int) -> Sequence[int]:
        """The first of them, of memories and pages or of memories alone."""
        whole = self._whole.get(word.root)
        if whole is None:
            return postings.elsewhere(self._connection, word.root, most, memories=self._memories)
        return whole[: min(most, bisect_left(whole, PAGES))] if self._memories else whole[:most]

    def holding(self, word: Word, numbers: Sequence[int]) -> set[int]:
        """Which of these, in order, hold a word."""
        if word.texts >= len(numbers) * _AS_DEAR:
            return {number for number in numbers if postings.holds(self._connection, word.root, number)}
        whole = postings.elsewhere(self._connection, word.root, postings.ENDLESS, memories=False)
        self._whole[word.root] = whole
        if word.texts >= len(numbers) * _AS_DEAR_THERE:
            return {number for number in numbers if postings.is_among(whole, number)}
        return set(numbers).intersection(whole)


def elsewhere(
    connection: sqlite3.Connection, question: Question, most: int, *, memories: bool = False, worth: Worth | None = None
) -> Candidates:
    """Memories and pages, or memories alone, that answer best. Who wants many has more places looked at. `worth` is
    applied before anything is cut off; the scores that are returned are without it."""
    wanted = max(most, _READ)
    lists = _Lists(connection, memories=memories)
    promise, common = _by_rare_words(lists, question, max(_PLACES, 8 * most))
    if common:
        _weigh_common(lists, promise, common, wanted)
        if sum(word.weight for word in common) > _least(promise, wanted):
            promise = _by_common_words(lists, common, wanted) | promise
    weights = _worthiest(promise, wanted, worth) if worth else dict.fromkeys(_heaviest(promise, wanted), 1.0)
    read = postings.texts(connection, list(weights))
    scored = [_read(number, *read[number], question) for number in weights if number in read]
    scored.sort(key=lambda one: (-one.score * weights[one.number], one.number))
    return Candidates(scored[:most], complete=not common and len(promise) <= most)


def _by_rare_words(lists: _Lists, question: Question, room: int) -> tuple[_Promise, list[Word]]:
    """What each may be worth that holds a rare word, and the words that are in too many to look at all of them."""
    promise: _Promise = {}
    common = []
    for word in question.words:
        if word.texts > room:
            common.append(word)
            continue
        found = lists.first(word, room)
        room -= len(found)
        holding = dict.fromkeys(found, word.weight)
        for number in promise.keys() & holding.keys():
            holding[number] += promise[number]
        promise.update(holding)
    return promise, common


def _weigh_common(lists: _Lists, promise: _Promise, common: Sequence[Word], wanted: int) -> None:
    """What else the candidates hold. Those that all words that are left would not bring among the best stay as they
    are."""
    left = sum(word.weight for word in common)
    for word in common:
        least = _least(promise, wanted) - left
        candidates = sorted([number for number, weight in promise.items() if weight >= least])
        for number in lists.holding(word, candidates):
            promise[number] += word.weight
        left -= word.weight


def _by_common_words(lists: _Lists, common: Sequence[Word], wanted: int) -> _Promise:
    """Words that are everywhere tell something only together: what holds the rarest of them and others."""
    rarest, *others = common[:_COMMON]
    there = lists.first(rarest, _TOGETHER if others else _FIRST)
    in_both = _in_both(there, [lists.first(word, _TOGETHER) for word in others], wanted)
    both = [(word.weight, numbers) for word, numbers in zip(others, in_both, strict=True)]
    if len(both) > 1:
        both.insert(0, (sum(weight for weight, _ in both), set.intersection(*in_both)))
    promise: _Promise = {}
    for weight, numbers in (*both, (0.0, there[:_FIRST])):
        if len(promise) < wanted:
            promise = dict.fromkeys(nsmallest(_FIRST, numbers), rarest.weight + weight) | promise
    return promise


def _in_both(there: Sequence[int], lists: Sequence[Sequence[int]], wanted: int) -> list[set[int]]:
    """Which of these numbers also stand in each of the lists, all in order; no further than where as many as are wanted
    stand in all of them. Step by step, for small sets are faster to make and to ask."""
    found: list[set[int]] = [set() for _ in lists]
    reached, in_all = [0] * len(lists), 0
    for low in range(0, len(there) if lists else 0, _STEP):
        step = there[low : low + _STEP]
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


def _least(promise: _Promise, wanted: int) -> float:
    """What the last of the best is worth; less than anything where there are not so many."""
    worths = sorted(promise.values(), reverse=True)
    return worths[wanted - 1] if len(worths) >= wanted else 0.0


def _heaviest(promise: _Promise, most: int) -> list[int]:
    least = _least(promise, most)
    enough = sorted([number for number, weight in promise.items() if weight >= least])
    enough.sort(key=promise.__getitem__, reverse=True)  # of those that are worth the same, the order stays
    return enough[:most]


def _worthiest(promise: _Promise, most: int, worth: Worth) -> dict[int, float]:
    """The weights of those that are worth most, of half as many more that promise most; of still more, where too few of
    them count at all."""
    looked_up = most + most // 2
    while True:
        candidates = _heaviest(promise, looked_up)
        weights = worth(candidates)
        counting = [number for number in candidates if weights.get(number)]
        if len(counting) >= most or len(candidates) < looked_up or looked_up >= _LOOKED_UP:
            counting.sort(key=lambda number: -promise[number] * weights[number])
            return {number: weights[number] for number in counting[:most]}
        looked_up *= 4


def _read(number: int, text: str, extra: str, question: Question) -> Scored:
    """Word by word: what stands in the sentence counts more than what stands beside it."""
    own, beside = [ROOTS[word] for word in text.split()], [ROOTS[word] for word in extra.split()]
    counts, holds = [], []
    for word in question.words:
        if count := own.count(word.root) + _BESIDE * beside.count(word.root):
            counts.append((word.weight, count))
            holds.append(word.text)
    score = weighing.alone(counts, (len(own) + _BESIDE * len(beside)) / _USUAL)
    return Scored(number, score + _PAIRS * side_by_side(own, question), tuple(holds))


# Memories by their words alone, without pages and sessions: a prompt waits for this and nothing else.


def memories(connection: sqlite3.Connection, question: Question, limit: int) -> list[tuple[Entry, float]]:
    """Those that hold most of what is asked, the best first, and how well each answers."""
    scored = elsewhere(connection, question, limit, memories=True).scored if question.words else []
    there = numbered(connection, [one.number for one in scored])
    found = ((there.get(one.number), one.score) for one in scored)
    return [(entry, score) for entry, score in found if isinstance(entry, Entry)]


def memories_like(connection: sqlite3.Connection, text: str, limit: int) -> list[Entry]:
    """Those that share most words with a text."""
    return [entry for entry, _ in memories(connection, question_of(connection, query_words(text)), limit)]


# Commands that answer a question: "which command did this?" is asked with words of the line, or of its folder.

_PLACES_RAN = 4000  # of one word that are looked at
_LEAST = 0.5  # of the question, by weight, that a command has to hold
_CANDIDATES = 200  # that are looked up
# What a command is asked for with, and what does not stand in it.
_ASKED_WITH = frozenset(root(word) for word in "command run ran running line shell terminal typed type".split())


class RanCommand(Record):
    """A command, how much of the question it holds (0 to 1), and which words of it."""

    kept: Kept
    share: float
    own: tuple[str, ...]


def is_asked_for(telling: Sequence[str]) -> bool:
    """Whether a question is about a command."""
    return any(root(word) in _ASKED_WITH for word in telling)


def ran_commands(
    connection: sqlite3.Connection, telling: Sequence[str], most: int, fits: Callable[[Kept], bool]
) -> list[RanCommand]:
    """The commands that hold most of the question, each line once: of those that hold as much, the latest first."""
    roots = {name: word for word in reversed(telling) if (name := root(word)) not in _ASKED_WITH}
    if not roots or not commands.are_any(connection):
        return []
    total = commands.count(connection)
    places = {name: commands.holding(connection, name, _PLACES_RAN) for name in roots}
    weights = {name: weighing.rarity(len(there), total) for name, there in places.items()}
    whole = sum(weights.values())
    shares: dict[int, float] = defaultdict(float)
    for name, there in places.items():
        for number in there:
            shares[number] += weights[name] / whole
    enough = sorted((number for number, share in shares.items() if share >= _LEAST), key=lambda one: -shares[one])
    found: dict[str, RanCommand] = {}
    looked_up = [one for one in commands.kept(connection, enough[:_CANDIDATES]) if fits(one)]
    for kept in sorted(looked_up, key=lambda one: (shares[one.number], one.last), reverse=True):
        if kept.text not in found:
            own = tuple(word for name, word in roots.items() if kept.number in places[name])
            found[kept.text] = RanCommand(kept, shares[kept.number], own)
    return list(found.values())[:most]
