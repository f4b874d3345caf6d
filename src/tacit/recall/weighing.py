"""How well something answers a question: pure arithmetic over where the words of the question stand.

Of a session, a message is weighed together with its neighbours, in windows from itself alone to many around it: what
answers a question often stands beside the words of it. A word counts by how rare it is, again with less and less, and
less in much text than in little.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import log
from typing import NamedTuple

_K, _WHOLE_K = 1.2, 2.0  # as in BM25: how soon a word that comes again adds nothing
_ALONE_B, _AROUND_B, _WHOLE_B = 0.5, 0.5, 0.75  # and how much length matters
_WINDOWS = (0, 1, 2, 4, 8)


class Standing(NamedTuple):
    """Where a word of the question stands in one session: its messages in order. `weight` is how rare the word is."""

    weight: float
    messages: Sequence[int]


class Ruler:
    """The sizes of the messages of a session, for the size of any run of them; `usual` is that of a message."""

    def __init__(self, first: int, sizes: Iterable[int], usual: float) -> None:
        self._first = first
        self._sums = [0, *accumulate(sizes)]
        self.usual = max(usual, 1.0)

    def length(self, begin: int, end: int) -> float:
        """Of the messages from here to there, against as many usual ones."""
        most = len(self._sums) - 1
        low, high = min(max(begin - self._first, 0), most), min(max(end - self._first, 0), most)
        return (self._sums[high] - self._sums[low]) / (self.usual * (end - begin))


def rarity(count: int, total: int) -> float:
    return log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))


def whole(counts: Iterable[tuple[float, float]], length: float = 1.0) -> float:
    """How much of the question a session holds at all; `length` is that of the session against the usual."""
    return _sum(counts, _WHOLE_K, _WHOLE_B, length)


def around(standing: Sequence[Standing], message: int, ruler: Ruler) -> float:
    """How much of the question stands in and around a message, on the average of all windows."""
    score = 0.0
    for reach in _WINDOWS:
        begin, end = message - reach, message + reach + 1
        room = _K * (1 - _AROUND_B + _AROUND_B * ruler.length(begin, end))
        for weight, messages in standing:
            if count := bisect_left(messages, end) - bisect_left(messages, begin):
                score += weight * count * (_K + 1) / (count + room)
    return score / len(_WINDOWS)


def alone(counts: Iterable[tuple[float, float]], length: float) -> float:
    """What its own words are worth: (weight of a word, how often it is there), in a text so long against the usual."""
    return _sum(counts, _K, _ALONE_B, length)


def _sum(counts: Iterable[tuple[float, float]], soon: float, matters: float, length: float) -> float:
    room = soon * (1 - matters + matters * length)
    return sum(weight * count * (soon + 1) / (count + room) for weight, count in counts if count)
