"""Query parsing, and BM25 over documents, sessions and windows of messages.

A message of a session is scored together with its neighbours, in windows from the message alone to eight messages on
either side: what answers a question is often beside its words. A query costs the same however much is stored: of terms
that are everywhere only the latest postings are read, and rare terms decide. Constants were tuned on three LoCoMo
conversations and every second commit (ADR 19).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from math import log

from tacit.index import postings
from tacit.record import Record
from tacit.text.words import STEMS

_K1, _SESSION_K1 = 1.2, 2.0  # term frequency saturation
_DOCUMENT_B, _WINDOW_B, _SESSION_B = 0.5, 0.5, 0.75  # length normalisation
_WINDOW_RADII = (0, 1, 2, 4, 8)
_MAX_RADIUS = _WINDOW_RADII[-1]
_PADDING = (0,) * _MAX_RADIUS
_MIN_LENGTH_NORM = _K1 * (1 - _WINDOW_B)
_MAX_TERMS = 24  # of a query

_WindowBounds = tuple[int, int, float]


class TermOccurrences(Record):
    """The messages of one session that contain a term, in order. `weight` is the IDF of the term."""

    weight: float
    messages: Sequence[int]


class MessageWindows:
    """Windows around messages of one session, with their length norms.

    `lengths` are those of the messages from index `first` on, `avg_length` that of all messages. Both ends are padded
    with empty messages as far as the widest window reaches.
    """

    def __init__(self, first: int, lengths: Iterable[int], avg_length: float) -> None:
        self._first_padded = first - _MAX_RADIUS
        self._length_sums = [*_PADDING, *accumulate((*lengths, *_PADDING), initial=0)]
        self._norm_factors = [
            (radius, _K1 * _WINDOW_B / (max(avg_length, 1.0) * (2 * radius + 1))) for radius in _WINDOW_RADII
        ]

    def windows(self, message: int) -> list[_WindowBounds]:
        """Return start, end and length norm of each window around a message."""
        center, sums = message - self._first_padded, self._length_sums
        return [
            (
                center - radius,
                center + radius + 1,
                _MIN_LENGTH_NORM + factor * (sums[center + radius + 1] - sums[center - radius]),
            )
            for radius, factor in self._norm_factors
        ]

    def prefix_counts(self, messages: Iterable[int]) -> list[int]:
        """Return how many of these messages are before each position."""
        counts = bytearray(len(self._length_sums) - 1)
        for message in messages:
            if 0 <= message - self._first_padded < len(counts):
                counts[message - self._first_padded] += 1
        return [0, *accumulate(counts)]


def idf(doc_freq: int, doc_count: int) -> float:
    return log(1 + (max(doc_count - doc_freq, 0) + 0.5) / (doc_freq + 0.5))


def score_session(counts: Iterable[tuple[float, float]], length: float = 1.0) -> float:
    """Return the score of a whole session; see `score_document`."""
    return _bm25_sum(counts, _SESSION_K1, _SESSION_B, length)


def score_windows(terms: Iterable[TermOccurrences], messages: Sequence[int], windows: MessageWindows) -> list[float]:
    """Return the score of each message: the mean over all windows around it."""
    bounds = [windows.windows(message) for message in messages]
    scores = [0.0] * len(messages)
    for weight, occurrences in terms:
        before, factor = windows.prefix_counts(occurrences), weight * (_K1 + 1) / len(_WINDOW_RADII)
        for position, message_bounds in enumerate(bounds):
            for start, end, norm in message_bounds:
                if count := before[end] - before[start]:
                    scores[position] += factor * count / (count + norm)
    return scores


def score_document(counts: Iterable[tuple[float, float]], length: float) -> float:
    """Return the score of one text from pairs of term weight and frequency. `length` is relative to the average."""
    return _bm25_sum(counts, _K1, _DOCUMENT_B, length)


def _bm25_sum(counts: Iterable[tuple[float, float]], k1: float, b: float, length: float) -> float:
    norm = k1 * (1 - b + b * length)
    return sum([weight * count * (k1 + 1) / (count + norm) for weight, count in counts if count])


class ScoredDocument(Record):
    """A document with its score and the words of the query in it; `nearby_terms` are those in messages around it."""

    doc_id: int
    score: float
    terms: tuple[str, ...] = ()
    nearby_terms: tuple[str, ...] = ()


class Candidates(Record):
    """Documents, best first; `complete` if no other document contains a term of the query."""

    scored: list[ScoredDocument]
    complete: bool


class QueryTerm(Record):
    """A word of the query with its stem, document frequency and IDF."""

    word: str
    stem: str
    doc_freq: int
    weight: float


class ParsedQuery(Record):
    """The terms of a query, rarest first.

    `bigrams` are the weights of pairs of stems that follow each other in the query. `missing` counts the terms that
    occur in no document.
    """

    terms: tuple[QueryTerm, ...]
    bigrams: Mapping[tuple[str, str], float]
    avg_doc_length: float
    missing: int = 0
    missing_weight: float = 0.0

    @property
    def total_weight(self) -> float:
        """The weight of all terms of the query, also of those that occur nowhere."""
        return sum(term.weight for term in self.terms) + self.missing_weight


def query_from_words(connection: sqlite3.Connection, words: Sequence[str], tokens: Sequence[str] = ()) -> ParsedQuery:
    """Return a query for these words.

    Words are stemmed and deduplicated; at most _MAX_TERMS that occur in any document are kept. `tokens` is the whole
    question in order, with its stop words, for bigrams.
    """
    stats = postings.corpus_stats(connection)
    terms = []
    words_by_stem = {STEMS[word]: word for word in reversed(words[: 4 * _MAX_TERMS])}
    for stem, word in words_by_stem.items():
        if count := postings.doc_freq(connection, stem):
            terms.append(QueryTerm(word, stem, count, idf(count, stats.doc_count)))
    missing = len(words_by_stem) - len(terms)
    terms.sort(key=lambda term: (-term.weight, term.word))
    terms = terms[:_MAX_TERMS]
    weights = {term.stem: term.weight for term in terms}
    pairs = pairwise([STEMS[word] for word in tokens or words])
    bigrams = {pair: weights.get(pair[0], 0.0) + weights.get(pair[1], 0.0) for pair in pairs}
    bigrams = {pair: weight for pair, weight in bigrams.items() if weight}
    return ParsedQuery(tuple(terms), bigrams, stats.avg_doc_length, missing, missing * idf(0, stats.doc_count))


def score_bigrams(stems: Sequence[str], query: ParsedQuery) -> float:
    """Return the weight of all bigrams of the query that occur in a text."""
    if not query.bigrams:
        return 0.0
    present = set(pairwise(stems))
    return sum(weight for pair, weight in query.bigrams.items() if pair in present)
