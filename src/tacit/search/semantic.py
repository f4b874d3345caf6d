"""Reranking by meaning (ADR 87).

Words decide; where they leave a question open, meaning does. What a similarity adds grows with the share of the
question that the best hit by words lacks, so that a question whose words are all there is answered by words. A
similarity counts in standard deviations from the mean of all that is compared. Documents without a vector count as
average. Documents that share no word with the query are found only if they are really similar, and names of things are
looked up by words.

Up to MAX_EXACT documents are compared by their vectors. Of more, all are compared by the signs of their components,
which is quick and rough, and then by their vectors those that words found and those that seem nearest. Where the best
hit has all words of a question, nothing is compared.
"""

from __future__ import annotations

import re
import sqlite3
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cache
from heapq import nsmallest
from math import cos, pi, sqrt
from operator import mul

from tacit import meaning
from tacit.index import vectors
from tacit.index.postings import IDS_PER_SESSION, start_id_of
from tacit.record import Record
from tacit.search.bm25 import ParsedQuery, ScoredDocument

MAX_COMPARED = 20_000  # memories, and latest messages; of more, only those that words found
MAX_EXACT = 1_000  # of so many at most, all by their vectors; of more, those that seem nearest by their signs
_MAX_NEAR_BY_SIGNS, _MAX_NEAR_A_MEMORY = 300, 60
# Memories: chosen on 140 questions to 440 memories, 60 of them without a common word and 40 with all words (ADR 87).
_MEMORY_WEIGHT = 0.8  # of a squared deviation, relative to the best score by words
_MIN_SIMILARITY = 0.25  # without a common word; 2 % of memories on anything come as near to a question
# Messages: chosen on three LoCoMo conversations and every second commit. Of a deviation, relative to the best score by
# words and to what this lacks of the query. In talk the words of a question are often beside what answers it, so that
# at least this share counts as lacking.
_MESSAGE_WEIGHT, _QUESTION_WEIGHT, _MIN_LACKING = 0.03, 0.1, 0.5
_MIN_MESSAGE_SIMILARITY = 0.35  # there are many more of them
_MAX_NEAREST = 10  # documents that are found without a common word
_MAX_NEAREST_LOOKED_UP = 100  # of which as many that the query does not exclude are taken
_WINDOW_RADII = (0, 1, 2)  # neighbours on each side of a message
_SAMPLE_SIZE = 2000  # messages from which the mean similarity of windows is estimated
# Similarities of a question to memories that do not answer it. A few documents say little about what is usual: they
# count together with as many as this that are.
_USUAL_MEAN, _USUAL_DEVIATION, _USUAL_COUNT = 0.05, 0.085, 50

# A path, a flag, a file, a number, or a word written as in code.
_NAME = re.compile(r"-.*|.*[\d_/\\.:@=$#~<>{}()\[\]|*+-].*|.*[a-z][A-Z].*|[A-Z]{2,}", re.DOTALL)


_QUESTION_WORDS = frozenset(
    "what when where who whom whose which why how did does do is are was were am can could should would will has have"
    " had may might must".split()
)


# From document ids to those that the query does not exclude.
Wanted = Callable[[Sequence[int]], Container[int]]


class QueryMeaning(Record):
    """The vector of a query and its signs, and how similar documents that were compared with it are, in thousandths.

    `is_question`: it is a sentence, not words to search for.
    """

    vector: bytes
    signs: int
    compared: dict[int, int]
    is_question: bool = False


def query_meaning(text: str) -> QueryMeaning | None:
    """Return the meaning of a query; None if it only names things, or there is no table that knows one of its words."""
    text = text[: meaning.MAX_TEXT_CHARS]
    if is_name(text):
        return None
    table = meaning.cached_table()
    vector = table.encode(text) if table else b""
    first = text.split(maxsplit=1)[0].lower() if text.split() else ""
    is_question = text.rstrip().endswith(("?", "？")) or first in _QUESTION_WORDS
    return QueryMeaning(vector, meaning.bits(vector), {}, is_question) if any(vector) else None


def is_name(text: str) -> bool:
    """Return whether a question has no ordinary word: identifiers, paths, flags and files are looked up as they are."""
    return all(_NAME.fullmatch(word) for word in (word.rstrip("?!.,;:") for word in text.split()) if word)


def _compare_exactly(connection: sqlite3.Connection, query: QueryMeaning, doc_ids: Iterable[int]) -> dict[int, float]:
    """Return the similarity of each of these documents that has a vector, -1 to 1."""
    compared = query.compared
    wanted = set(doc_ids)
    missing = vectors.load_vectors(connection, wanted.difference(compared))
    compared.update(zip(missing, meaning.similarities(query.vector, b"".join(missing.values())), strict=True))
    return {doc_id: compared[doc_id] / 1000 for doc_id in sorted(wanted.intersection(compared))}


def _compare(
    connection: sqlite3.Connection, query: QueryMeaning, block: vectors.SignBlock, found: Iterable[int]
) -> tuple[dict[int, float], list[float]]:
    """Return the similarities of the documents of a block, -1 to 1: of those that words found and of the nearest as
    they are, by document id; and an estimate for each. `found` are ids of documents that words found."""
    doc_ids = block.doc_ids
    if len(doc_ids) <= MAX_EXACT:
        exact = _compare_exactly(connection, query, doc_ids)
        return exact, [exact[doc_id] for doc_id in doc_ids]
    signs, from_bytes = query.signs, int.from_bytes
    distances = [(signs ^ from_bytes(stored, "big")).bit_count() for stored in block.signs]
    farthest = sorted(distances)[_MAX_NEAR_BY_SIGNS - 1]
    nearest = [doc_id for doc_id, distance in zip(doc_ids, distances, strict=True) if distance <= farthest]
    estimates = _similarity_by_distance(8 * len(block.signs[0]))
    return _compare_exactly(connection, query, {*nearest, *found}), [estimates[distance] for distance in distances]


@cache
def _similarity_by_distance(size: int) -> Sequence[float]:
    """Return what a number of different signs says about the cosine of two vectors of so many components."""
    return [round(cos(pi * distance / size), 3) for distance in range(size + 1)]


def rough_similarity(first: bytes, second: bytes) -> float:
    """Return about what the cosine of two vectors is, by the signs of their components: quick, and often .1 off."""
    if not any(first) or not any(second):
        return 0.0
    return _similarity_by_distance(len(first))[(meaning.bits(first) ^ meaning.bits(second)).bit_count()]


class RerankedDocument(Record):
    """A document with its new score; `boost` is what meaning added to it."""

    scored: ScoredDocument
    boost: float


def nearest_memories(connection: sqlite3.Connection, doc_id: int, min_similarity: float, limit: int) -> list[int]:
    """Return the memories and pages that are nearest in meaning to a memory, the nearest first.

    Only those that seem nearest by their signs are compared exactly: a question about one pair is worth no more.
    """
    vector = vectors.load_vectors(connection, [doc_id]).get(doc_id)
    if vector is None:
        return []
    signs, from_bytes = meaning.bits(vector), int.from_bytes
    block = vectors.memory_signs(connection, (), MAX_COMPARED)
    distances = ((signs ^ from_bytes(stored, "big")).bit_count() for stored in block.signs)
    nearest = [other for _, other in nsmallest(_MAX_NEAR_A_MEMORY, zip(distances, block.doc_ids, strict=True))]
    similarities = _compare_exactly(connection, QueryMeaning(vector, signs, {}), nearest)
    similarities.pop(doc_id, None)
    return _nearest(similarities, min_similarity)[:limit]


def text_similarity(first: str, second: str) -> float:
    """Return the cosine of the meaning of two texts, 0 if one has none."""
    table = meaning.cached_table()
    one, other = (table.encode(text) if table else b"" for text in (first, second))
    return next(iter(meaning.similarities(one, other))) / 1000 if any(one) and any(other) else 0.0


def rerank_memories(
    connection: sqlite3.Connection,
    scored: Sequence[ScoredDocument],
    query: ParsedQuery,
    query_meaning: QueryMeaning,
    wanted: Wanted,
) -> list[RerankedDocument]:
    """Return memories and pages in their new order, with memories that are similar without a common word."""
    unit = _MEMORY_WEIGHT * _unit(scored, query)
    if not unit:
        return [RerankedDocument(document, 0.0) for document in scored]
    found = [document.doc_id for document in scored]
    block = vectors.memory_signs(connection, found, MAX_COMPARED)
    similarities, estimates = _compare(connection, query_meaning, block, found)
    distribution = _Distribution(estimates)

    def boost(doc_id: int) -> float:
        deviations = distribution.z_score(similarities[doc_id])
        return unit * deviations * max(deviations, 1.0)

    return _fuse_scores(scored, _nearest(similarities, _MIN_SIMILARITY, wanted), similarities, boost)


def rerank_messages(
    connection: sqlite3.Connection,
    scored: Sequence[ScoredDocument],
    query: ParsedQuery,
    query_meaning: QueryMeaning,
) -> list[RerankedDocument]:
    """Return messages in their new order. Each is compared together with its neighbours."""
    if query_meaning.is_question:
        unit = _QUESTION_WEIGHT * _unit(scored, query, _MIN_LACKING)
    else:
        unit = _MESSAGE_WEIGHT * _unit(scored, query)
    if not unit:
        return [RerankedDocument(document, 0.0) for document in scored]
    found = [document.doc_id for document in scored]
    block = vectors.message_signs(connection, found, MAX_COMPARED)
    exact, estimates = _compare(connection, query_meaning, block, found)
    closest = [exact.get(doc_id, estimate) for doc_id, estimate in zip(block.doc_ids, estimates, strict=True)]
    messages = _MessageSimilarities(block.doc_ids, closest)
    nearest = _nearest(messages.similarity_by_id, _MIN_MESSAGE_SIMILARITY)
    return _fuse_scores(
        scored, nearest, messages.similarity_by_id, lambda doc_id: unit * messages.window_z_score(doc_id)
    )


def _unit(scored: Sequence[ScoredDocument], query: ParsedQuery, min_lacking: float = 0.0) -> float:
    """Return what one unit of meaning adds to a score: of the best score by words, the share of the query that this
    lacks. 0 where it has all words: words alone decide then."""
    if not scored:
        return 1.0
    weights = {term.word: term.weight for term in query.terms}
    best = max(scored, key=lambda document: document.score)
    covered = sum(weights[word] for word in best.terms)
    coverage = min(covered / query.total_weight, 1.0) if query.total_weight else 1.0
    return (best.score or 1.0) * max(1 - coverage, min_lacking)


def _nearest(similarities: Mapping[int, float], minimum: float, wanted: Wanted | None = None) -> list[int]:
    """Return the documents that are similar enough to be found without a common word."""
    pairs = [(-similarity, doc_id) for doc_id, similarity in similarities.items() if similarity >= minimum]
    doc_ids = [doc_id for _, doc_id in nsmallest(_MAX_NEAREST_LOOKED_UP, pairs)]
    among = wanted(doc_ids) if wanted and doc_ids else doc_ids
    return [doc_id for doc_id in doc_ids if doc_id in among][:_MAX_NEAREST]


def _fuse_scores(
    scored: Sequence[ScoredDocument],
    nearest: Iterable[int],
    similarities: Container[int],
    boost: Callable[[int], float],
) -> list[RerankedDocument]:
    """Add boosts to scores."""
    documents = {doc_id: ScoredDocument(doc_id, 0.0) for doc_id in nearest}
    documents.update((document.doc_id, document) for document in scored)
    boosts = {doc_id: boost(doc_id) if doc_id in similarities else 0.0 for doc_id in documents}
    reranked = [
        RerankedDocument(document._replace(score=document.score + boosts[doc_id]), boosts[doc_id])
        for doc_id, document in documents.items()
    ]
    reranked.sort(key=lambda document: (-document.scored.score, document.scored.doc_id))
    return reranked


class _Distribution:
    """Mean and deviation of similarities."""

    def __init__(self, values: Iterable[float]) -> None:
        every = list(values)
        count = len(every) + _USUAL_COUNT
        self._mean = (sum(every) + _USUAL_COUNT * _USUAL_MEAN) / count
        squares = sum(map(mul, every, every)) + _USUAL_COUNT * (_USUAL_MEAN**2 + _USUAL_DEVIATION**2)
        self._deviation = sqrt(squares / count - self._mean**2)

    def z_score(self, value: float) -> float:
        return (value - self._mean) / self._deviation


class _MessageSimilarities:
    """Similarities of messages, sorted by document id, and of the windows around them."""

    def __init__(self, doc_ids: Sequence[int], similarities: Sequence[float]) -> None:
        self.similarity_by_id = dict(zip(doc_ids, similarities, strict=True))
        self._doc_ids = doc_ids
        self._similarities = similarities
        step = max(len(doc_ids) // _SAMPLE_SIZE, 1)
        self._distribution = _Distribution(map(self._window_mean, range(0, len(doc_ids), step)))

    def window_z_score(self, doc_id: int) -> float:
        return self._distribution.z_score(self._window_mean(bisect_left(self._doc_ids, doc_id)))

    def _window_mean(self, position: int) -> float:
        """Return the mean of the means of all windows around a message."""
        start_id = start_id_of(self._doc_ids[position])
        first, last = bisect_left(self._doc_ids, start_id), bisect_left(self._doc_ids, start_id + IDS_PER_SESSION)
        return _mean(
            [
                _mean(self._similarities[max(position - radius, first) : min(position + radius + 1, last)])
                for radius in _WINDOW_RADII
            ]
        )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
