"""Parsing a query, and BM25 over the postings."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from math import log

from tacit.index import postings
from tacit.record import Record
from tacit.text.words import porter_stem, query_terms, tokenize

# How well something answers a question: pure arithmetic over where the words of the question stand.
#
# Of a session, a message is weighed together with its neighbours, in windows from itself alone to many around it:
# what answers a question often stands beside the words of it. A word counts by how rare it is, again with less and
# less, and less in much text than in little.

_K1, _SESSION_K1 = 1.2, 2.0  # as in BM25: how soon a word that comes again adds nothing
_DOCUMENT_B, _WINDOW_B, _SESSION_B = 0.5, 0.5, 0.75  # and how much length matters
_WINDOW_RADII = (0, 1, 2, 4, 8)
_MAX_RADIUS = _WINDOW_RADII[-1]
_PADDING = (0,) * _MAX_RADIUS
_MIN_LENGTH_NORM = _K1 * (1 - _WINDOW_B)
_WindowBounds = tuple[int, int, float]


class TermOccurrences(Record):
    """Where a word of the question stands in one session: its messages in order. `weight` is how rare the word is."""

    weight: float
    messages: Sequence[int]


class MessageWindows:
    """The sizes of messages of a session, from the `first` on; `usual` is that of a message. On both sides lies as much
    nothing as the widest window reaches."""

    def __init__(self, first: int, sizes: Iterable[int], usual: float) -> None:
        self._first_padded = first - _MAX_RADIUS
        self._length_sums = [*_PADDING, *accumulate((*sizes, *_PADDING), initial=0)]
        self._norm_factors = [(reach, _K1 * _WINDOW_B / (max(usual, 1.0) * (2 * reach + 1))) for reach in _WINDOW_RADII]

    def windows(self, message: int) -> list[_WindowBounds]:
        """Each run of messages around one: where it begins and ends, and how much room its length leaves a word."""
        at, sums = message - self._first_padded, self._length_sums
        return [
            (at - reach, at + reach + 1, _MIN_LENGTH_NORM + share * (sums[at + reach + 1] - sums[at - reach]))
            for reach, share in self._norm_factors
        ]

    def prefix_counts(self, messages: Iterable[int]) -> list[int]:
        """How many of these messages stand before each place."""
        there = bytearray(len(self._length_sums) - 1)
        for message in messages:
            if 0 <= message - self._first_padded < len(there):
                there[message - self._first_padded] += 1
        return [0, *accumulate(there)]


def idf(count: int, total: int) -> float:
    return log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))


def score_session(counts: Iterable[tuple[float, float]], length: float = 1.0) -> float:
    """How much of the question a session holds at all; `length` is that of the session against the usual."""
    return _bm25_sum(counts, _SESSION_K1, _SESSION_B, length)


def score_windows(standing: Iterable[TermOccurrences], messages: Sequence[int], ruler: MessageWindows) -> list[float]:
    """How much of the question stands in and around each of these messages, on the average of all windows."""
    every = [ruler.windows(message) for message in messages]
    scores = [0.0] * len(messages)
    for weight, places in standing:
        before, worth = ruler.prefix_counts(places), weight * (_K1 + 1) / len(_WINDOW_RADII)
        for at, windows in enumerate(every):
            for low, high, room in windows:
                if count := before[high] - before[low]:
                    scores[at] += worth * count / (count + room)
    return scores


def score_document(counts: Iterable[tuple[float, float]], length: float) -> float:
    """What its own words are worth: (weight of a word, how often it is there), in a text so long against the usual."""
    return _bm25_sum(counts, _K1, _DOCUMENT_B, length)


def _bm25_sum(counts: Iterable[tuple[float, float]], soon: float, matters: float, length: float) -> float:
    room = soon * (1 - matters + matters * length)
    return sum([weight * count * (soon + 1) / (count + room) for weight, count in counts if count])


# What is asked: the words of a question that tell, how rare they are, and where they stand.
#
# The cost does not grow with what is kept: of a word that is everywhere only the latest places are looked at, and
# words that are rare decide.

_MAX_TERMS = 24  # of a question
_SYNONYM_WEIGHT = 0.5  # what another word for one of the question's is worth, against that one


class ScoredDocument(Record):
    """The number of a part, how well it answers, and the words of the question in it; of a message, also those near."""

    doc_id: int
    score: float
    terms: tuple[str, ...] = ()
    nearby_terms: tuple[str, ...] = ()


class Candidates(Record):
    """The best first; `complete` when there is nothing else that holds a word of the question."""

    scored: list[ScoredDocument]
    complete: bool


class QueryTerm(Record):
    """A word of the question, its root, in how many texts it is and how rare that makes it. One that stands for another
    word of the question is not `asked`."""

    word: str
    stem: str
    doc_freq: int
    weight: float
    is_original: bool = True


class ParsedQuery(Record):
    """What is asked: the words that tell, the rarest first, and what two roots are worth that follow each other as they
    do in it. `usual` is how many words a text has on the average, `unheard` how many of those asked for are nowhere."""

    terms: tuple[QueryTerm, ...]
    bigrams: Mapping[tuple[str, str], float]
    avg_doc_length: float
    missing: int = 0


def parse_query(connection: sqlite3.Connection, text: str) -> ParsedQuery:
    return query_from_words(connection, query_terms(text), tokenize(text[:4096]))


def query_from_words(
    connection: sqlite3.Connection, telling: Sequence[str], spoken: Sequence[str] = (), *, widely: bool = False
) -> ParsedQuery:
    """Each root once, those that are there at all; `spoken` are all words in order, where some do not tell. `widely`
    also looks for other words that may have been used instead; they count less."""
    stock = postings.corpus_stats(connection)
    found = []
    roots = {porter_stem(word): word for word in reversed(telling[: 4 * _MAX_TERMS])}
    for name, word in roots.items():
        if count := postings.doc_freq(connection, name):
            found.append(QueryTerm(word, name, count, idf(count, stock.doc_count)))
    unheard = len(roots) - len(found)
    if widely:
        found += _synonym_terms(connection, telling, spoken, {word.stem for word in found}, stock.doc_count)
    found.sort(key=lambda word: (-word.weight, word.word))
    found = found[:_MAX_TERMS]
    return ParsedQuery(
        tuple(found),
        _bigram_weights([porter_stem(word) for word in spoken or telling], found),
        stock.avg_doc_length,
        unheard,
    )


def _synonym_terms(
    connection: sqlite3.Connection, telling: Sequence[str], spoken: Sequence[str], known: set[str], texts: int
) -> list[QueryTerm]:
    """Other words for those of a question; none is worth more than the one it stands for would be."""
    from tacit.search.synonyms import query_synonyms

    found: dict[str, QueryTerm] = {}
    for other, word in query_synonyms(telling, spoken):
        name = porter_stem(other)
        if name not in known and name not in found and (count := postings.doc_freq(connection, name)):
            rarest = idf(max(count, postings.doc_freq(connection, porter_stem(word))), texts)
            found[name] = QueryTerm(other, name, count, _SYNONYM_WEIGHT * rarest, is_original=False)
    return list(found.values())


def _bigram_weights(roots: Sequence[str], found: Sequence[QueryTerm]) -> dict[tuple[str, str], float]:
    weights = {word.stem: word.weight for word in found}
    worth = {pair: weights.get(pair[0], 0.0) + weights.get(pair[1], 0.0) for pair in pairwise(roots)}
    return {pair: weight for pair, weight in worth.items() if weight}


def score_bigrams(roots: Sequence[str], question: ParsedQuery) -> float:
    """What words are worth that follow each other as they do in the question."""
    if not question.bigrams:
        return 0.0
    there = set(pairwise(roots))
    return sum(weight for pair, weight in question.bigrams.items() if pair in there)
