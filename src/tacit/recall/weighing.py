"""How well something answers a question: pure arithmetic over where the words of the question stand.

Of a session, a message is weighed together with its neighbours, in windows from itself alone to many around it: what
answers a question often stands beside the words of it. A word counts by how rare it is, again with less and less, and
less in much text than in little.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import log

from tacit.record import Record

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
