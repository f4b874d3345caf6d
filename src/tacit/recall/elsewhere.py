"""Memories and pages that answer a question: candidates by where its words stand, the best of them read closely."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from heapq import nsmallest

from tacit.core.roots import ROOTS
from tacit.index import postings
from tacit.recall import weighing
from tacit.recall.retrieving import Candidates, Question, Scored, Word, side_by_side

_PLACES = 3000  # of all words together that are looked at one by one
_FIRST = 300  # of a word that is everywhere, where there is nothing else to go by
_TOGETHER = 30_000  # places of such a word among which those are looked for that hold another of them, too
_COMMON = 3  # such words
_READ = 20  # that are read word by word
_USUAL = 20.0  # words of a memory
_BESIDE = 0.5  # what a word is worth that stands in the evidence and not in the sentence
_PAIRS = 0.4

_Promise = dict[int, float]


def elsewhere(connection: sqlite3.Connection, question: Question, most: int, *, memories: bool = False) -> Candidates:
    """Memories and pages, or memories alone, that answer best. Who wants many has more places looked at."""
    wanted = max(most, _READ)
    promise, common = _by_rare_words(connection, question, max(_PLACES, 8 * most), memories)
    if common:
        _weigh_common(connection, promise, common, wanted)
        if sum(word.weight for word in common) > _least(promise, wanted):
            promise = _by_common_words(connection, common, wanted, memories) | promise
    best = _heaviest(promise, wanted)
    read = postings.texts(connection, best)
    scored = [_read(number, *read[number], question) for number in best if number in read]
    scored.sort(key=lambda one: (-one.score, one.number))
    return Candidates(scored[:most], complete=not common and len(promise) <= most)


def _by_rare_words(
    connection: sqlite3.Connection, question: Question, room: int, memories: bool
) -> tuple[_Promise, list[Word]]:
    """What each may be worth that holds a rare word, and the words that are in too many to look at all of them."""
    promise: _Promise = {}
    common = []
    for word in question.words:
        if word.texts > room:
            common.append(word)
            continue
        found = postings.elsewhere(connection, word.root, room, memories=memories)
        room -= len(found)
        holding = dict.fromkeys(found, word.weight)
        for number in promise.keys() & holding.keys():
            holding[number] += promise[number]
        promise.update(holding)
    return promise, common


def _weigh_common(connection: sqlite3.Connection, promise: _Promise, common: Sequence[Word], wanted: int) -> None:
    """What else the candidates hold. Those that all words that are left would not bring among the best stay as they
    are."""
    left = sum(word.weight for word in common)
    for word in common:
        least = _least(promise, wanted) - left
        candidates = sorted([number for number, weight in promise.items() if weight >= least])
        for number in postings.holding(connection, word.root, word.texts, candidates):
            promise[number] += word.weight
        left -= word.weight


def _by_common_words(connection: sqlite3.Connection, common: Sequence[Word], wanted: int, memories: bool) -> _Promise:
    """Words that are everywhere tell something only together: what holds the rarest of them and others."""
    rarest, *others = common[:_COMMON]
    there = postings.elsewhere(connection, rarest.root, _TOGETHER if others else _FIRST, memories=memories)
    every = set(there) if others else set()
    both = [
        (word.weight, every.intersection(postings.elsewhere(connection, word.root, _TOGETHER, memories=memories)))
        for word in others
    ]
    if len(both) > 1:
        both.insert(0, (sum(weight for weight, _ in both), set.intersection(*(numbers for _, numbers in both))))
    promise: _Promise = {}
    for weight, numbers in (*both, (0.0, there[:_FIRST])):
        if len(promise) < wanted:
            promise = dict.fromkeys(nsmallest(_FIRST, numbers), rarest.weight + weight) | promise
    return promise


def _least(promise: _Promise, wanted: int) -> float:
    """What the last of the best is worth; less than anything where there are not so many."""
    worths = sorted(promise.values(), reverse=True)
    return worths[wanted - 1] if len(worths) >= wanted else 0.0


def _heaviest(promise: _Promise, most: int) -> list[int]:
    least = _least(promise, most)
    enough = sorted([number for number, weight in promise.items() if weight >= least])
    enough.sort(key=promise.__getitem__, reverse=True)  # of those that are worth the same, the order stays
    return enough[:most]


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
