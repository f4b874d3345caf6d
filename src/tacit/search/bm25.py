"""Parsing a query, and BM25 over the postings."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from math import log

from tacit.index import postings
from tacit.record import Record
from tacit.text.words import query_words, root, words

# How well something answers a question: pure arithmetic over where the words of the question stand.
#
# Of a session, a message is weighed together with its neighbours, in windows from itself alone to many around it:
# what answers a question often stands beside the words of it. A word counts by how rare it is, again with less and
# less, and less in much text than in little.

_K, _WHOLE_K = 1.2, 2.0  # as in BM25: how soon a word that comes again adds nothing
_ALONE_B, _AROUND_B, _WHOLE_B = 0.5, 0.5, 0.75  # and how much length matters
_WINDOWS = (0, 1, 2, 4, 8)
_WIDEST = _WINDOWS[-1]
_NOTHING = (0,) * _WIDEST
_LEAST_ROOM = _K * (1 - _AROUND_B)
_Window = tuple[int, int, float]


class Standing(Record):
    """Where a word of the question stands in one session: its messages in order. `weight` is how rare the word is."""

    weight: float
    messages: Sequence[int]


class Ruler:
    """The sizes of messages of a session, from the `first` on; `usual` is that of a message. On both sides lies as much
    nothing as the widest window reaches."""

    def __init__(self, first: int, sizes: Iterable[int], usual: float) -> None:
        self._first = first - _WIDEST
        self._sums = [*_NOTHING, *accumulate((*sizes, *_NOTHING), initial=0)]
        self._shares = [(reach, _K * _AROUND_B / (max(usual, 1.0) * (2 * reach + 1))) for reach in _WINDOWS]

    def windows(self, message: int) -> list[_Window]:
        """Each run of messages around one: where it begins and ends, and how much room its length leaves a word."""
        at, sums = message - self._first, self._sums
        return [
            (at - reach, at + reach + 1, _LEAST_ROOM + share * (sums[at + reach + 1] - sums[at - reach]))
            for reach, share in self._shares
        ]

    def spread(self, messages: Iterable[int]) -> list[int]:
        """How many of these messages stand before each place."""
        there = bytearray(len(self._sums) - 1)
        for message in messages:
            if 0 <= message - self._first < len(there):
                there[message - self._first] += 1
        return [0, *accumulate(there)]


def rarity(count: int, total: int) -> float:
    return log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))


def whole(counts: Iterable[tuple[float, float]], length: float = 1.0) -> float:
    """How much of the question a session holds at all; `length` is that of the session against the usual."""
    return _sum(counts, _WHOLE_K, _WHOLE_B, length)


def around(standing: Iterable[Standing], messages: Sequence[int], ruler: Ruler) -> list[float]:
    """How much of the question stands in and around each of these messages, on the average of all windows."""
    every = [ruler.windows(message) for message in messages]
    scores = [0.0] * len(messages)
    for weight, places in standing:
        before, worth = ruler.spread(places), weight * (_K + 1) / len(_WINDOWS)
        for at, windows in enumerate(every):
            for low, high, room in windows:
                if count := before[high] - before[low]:
                    scores[at] += worth * count / (count + room)
    return scores


def alone(counts: Iterable[tuple[float, float]], length: float) -> float:
    """What its own words are worth: (weight of a word, how often it is there), in a text so long against the usual."""
    return _sum(counts, _K, _ALONE_B, length)


def _sum(counts: Iterable[tuple[float, float]], soon: float, matters: float, length: float) -> float:
    room = soon * (1 - matters + matters * length)
    return sum([weight * count * (soon + 1) / (count + room) for weight, count in counts if count])


# What is asked: the words of a question that tell, how rare they are, and where they stand.
#
# The cost does not grow with what is kept: of a word that is everywhere only the latest places are looked at, and
# words that are rare decide.

_WORDS = 24  # of a question
_OTHER = 0.5  # what another word for one of the question's is worth, against that one


class Scored(Record):
    """The number of a part, how well it answers, and the words of the question in it; of a message, also those near."""

    number: int
    score: float
    own: tuple[str, ...] = ()
    near: tuple[str, ...] = ()


class Candidates(Record):
    """The best first; `complete` when there is nothing else that holds a word of the question."""

    scored: list[Scored]
    complete: bool


class Word(Record):
    """A word of the question, its root, in how many texts it is and how rare that makes it. One that stands for another
    word of the question is not `asked`."""

    text: str
    root: str
    texts: int
    weight: float
    asked: bool = True


class Question(Record):
    """What is asked: the words that tell, the rarest first, and what two roots are worth that follow each other as they
    do in it. `usual` is how many words a text has on the average, `unheard` how many of those asked for are nowhere."""

    words: tuple[Word, ...]
    runs: Mapping[tuple[str, str], float]
    usual: float
    unheard: int = 0


def asked(connection: sqlite3.Connection, text: str) -> Question:
    return question_of(connection, query_words(text), words(text[:4096]))


def question_of(
    connection: sqlite3.Connection, telling: Sequence[str], spoken: Sequence[str] = (), *, widely: bool = False
) -> Question:
    """Each root once, those that are there at all; `spoken` are all words in order, where some do not tell. `widely`
    also looks for other words that may have been used instead; they count less."""
    stock = postings.stock(connection)
    found = []
    roots = {root(word): word for word in reversed(telling[: 4 * _WORDS])}
    for name, word in roots.items():
        if count := postings.count(connection, name):
            found.append(Word(word, name, count, rarity(count, stock.texts)))
    unheard = len(roots) - len(found)
    if widely:
        found += _others(connection, telling, spoken, {word.root for word in found}, stock.texts)
    found.sort(key=lambda word: (-word.weight, word.text))
    found = found[:_WORDS]
    return Question(tuple(found), _runs([root(word) for word in spoken or telling], found), stock.usual, unheard)


def _others(
    connection: sqlite3.Connection, telling: Sequence[str], spoken: Sequence[str], known: set[str], texts: int
) -> list[Word]:
    """Other words for those of a question; none is worth more than the one it stands for would be."""
    from tacit.search.synonyms import other_words

    found: dict[str, Word] = {}
    for other, word in other_words(telling, spoken):
        name = root(other)
        if name not in known and name not in found and (count := postings.count(connection, name)):
            rarest = rarity(max(count, postings.count(connection, root(word))), texts)
            found[name] = Word(other, name, count, _OTHER * rarest, asked=False)
    return list(found.values())


def _runs(roots: Sequence[str], found: Sequence[Word]) -> dict[tuple[str, str], float]:
    weights = {word.root: word.weight for word in found}
    worth = {pair: weights.get(pair[0], 0.0) + weights.get(pair[1], 0.0) for pair in pairwise(roots)}
    return {pair: weight for pair, weight in worth.items() if weight}


def side_by_side(roots: Sequence[str], question: Question) -> float:
    """What words are worth that follow each other as they do in the question."""
    if not question.runs:
        return 0.0
    there = set(pairwise(roots))
    return sum(weight for pair, weight in question.runs.items() if pair in there)
