"""The messages of sessions that answer a question: candidates by where its words stand, the best of them read."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence

from tacit.index import postings
from tacit.index.doc_ids import AGENT, IDS_PER_SESSION, PERSON, message_index, role_of, start_id_of
from tacit.index.postings import PostingList
from tacit.record import Record
from tacit.search import bm25 as weighing
from tacit.search.bm25 import (
    Candidates,
    MessageWindows,
    ParsedQuery,
    QueryTerm,
    ScoredDocument,
    TermOccurrences,
    score_bigrams,
)
from tacit.text.words import STEMS

_MAX_POSTINGS = 1500  # of one word that are looked at
_SESSIONS_SCORED = 40  # that are looked at closely
_MIN_SESSIONS, _MAX_MESSAGES = 20, 3000  # or fewer, where they are long: so many messages in all
_LENGTH_POOL_FACTOR = 4  # times as many whose length is looked at first
_MAX_CENTRES = 8  # messages of one of them, with their neighbours
_MAX_READ = 3  # of those, word by word
_WINDOW_REACH = 8  # messages around another that count for it
_DOCUMENT_WEIGHT, _BIGRAM_WEIGHT, _ROLE_WEIGHT = 0.7, 0.4, 0.35
# What a session adds to each of its messages, against the best message of all: for all that was said in it, for its
# best reply, its best prompt and the best run of words, each against that of the best session.
_BOOST_WEIGHTS = (0.2, 0.2, 0.08, 0.06)

RequestedRole = Callable[[int], int | None]
_TermPostings = dict[QueryTerm, PostingList]
_TermFrequencies = tuple[QueryTerm, dict[int, int]]  # how often a word is in each message


class _SessionBoost(Record):
    """What speaks for a session."""

    session: float
    reply: float
    prompt: float
    bigrams: float


class _ScoredSession(Record):
    """A session that was looked at closely: its messages, what speaks for all of it, and in how many it was looked."""

    scored: list[ScoredDocument]
    boost: _SessionBoost
    message_count: int


def retrieve_messages(
    connection: sqlite3.Connection, question: ParsedQuery, voices: RequestedRole, most: int = 0
) -> Candidates:
    """The messages of sessions that answer best, of each session its best ones."""
    most_places, looked_at = max(_MAX_POSTINGS, most), max(_SESSIONS_SCORED, most)
    places = {word: postings.message_postings(connection, word.stem, most_places) for word in question.terms}
    sessions = _group_by_session(places)
    cut = {word: found.doc_ids[-1] for word, found in places.items() if len(found.term_freqs) == most_places}
    talks: list[_ScoredSession] = []
    room = _MAX_MESSAGES
    for run, whole in _best_sessions(connection, sessions, places, looked_at):
        if room <= 0 and len(talks) >= max(_MIN_SESSIONS, most):
            break
        _complete_postings(connection, run, sessions[run], cut)
        talks.append(_score_session(connection, run, sessions[run], question, voices(run), whole))
        room -= talks[-1].message_count
    found = _apply_boosts(talks)
    found.sort(key=lambda one: (-one.score, one.doc_id))
    return Candidates(found, complete=len(talks) == len(sessions) and not cut)


def _group_by_session(places: dict[QueryTerm, PostingList]) -> dict[int, _TermPostings]:
    sessions: dict[int, _TermPostings] = defaultdict(dict)
    for word, found in places.items():
        for run, there in found.by_session():
            sessions[run][word] = there
    return sessions


def _best_sessions(
    connection: sqlite3.Connection, sessions: dict[int, _TermPostings], places: dict[QueryTerm, PostingList], most: int
) -> list[tuple[int, float]]:
    """So many that promise most, each with what it is worth as a whole."""
    promises = {
        run: weighing.score_session([(word.weight, len(there.term_freqs)) for word, there in stood.items()])
        + _max_message_weight(stood)
        for run, stood in sessions.items()
    }
    first = sorted(sessions, key=lambda run: (-promises[run], run))[: _LENGTH_POOL_FACTOR * most]
    lengths = {run: postings.session_length(connection, run) for run in first}
    usual = sum(lengths.values()) / max(len(lengths), 1)
    rare = _idf_among(sessions, places)
    wholes = {
        run: weighing.score_session(
            [(rare[word], sum(there.term_freqs)) for word, there in sessions[run].items()], lengths[run] / usual
        )
        for run in first
    }
    best = sorted(first, key=lambda run: (-wholes[run] - _max_message_weight(sessions[run]), run))[:most]
    return [(run, wholes[run]) for run in best]


def _max_message_weight(stood: _TermPostings) -> float:
    """As much of the question as one message holds at most."""
    return next(iter(stood)).weight if len(stood) == 1 else max(_weight_by_message(stood).values())


def _weight_by_message(stood: _TermPostings) -> dict[int, float]:
    """What the words in each message are worth, however often they are there."""
    own: dict[int, float] = defaultdict(float)
    for word, there in stood.items():
        for number in there.doc_ids:
            own[number] += word.weight
    return own


def _idf_among(sessions: dict[int, _TermPostings], places: dict[QueryTerm, PostingList]) -> dict[QueryTerm, float]:
    """How rare each word is among the sessions that hold any."""
    counts = {word: sum(word in stood for stood in sessions.values()) for word in places}
    return {word: weighing.idf(count, len(sessions)) for word, count in counts.items()}


def _complete_postings(
    connection: sqlite3.Connection, run: int, stood: _TermPostings, cut: dict[QueryTerm, int]
) -> None:
    """Of words that are everywhere, not all places were looked at."""
    for word, last in cut.items():
        if run >= start_id_of(last):
            here = postings.message_postings_between(connection, word.stem, run, run + IDS_PER_SESSION - 1)
            if here.term_freqs:
                stood[word] = here


def _score_session(
    connection: sqlite3.Connection,
    run: int,
    stood: _TermPostings,
    question: ParsedQuery,
    voice: int | None,
    whole: float,
) -> _ScoredSession:
    """The messages of one session that hold words of the question, and their neighbours."""
    own = _weight_by_message(stood)
    middle = _top_ids(own, _MAX_CENTRES)
    near = sorted({message_index(number) + step for number in middle for step in (-1, 0, 1)} - {-1})
    first, last = max(near[0] - _WINDOW_REACH, 0), near[-1] + _WINDOW_REACH
    sizes = postings.doc_lengths_between(connection, run + 2 * first, run + 2 * last + 1)
    often = [(word, dict(zip(there.doc_ids, there.term_freqs, strict=True))) for word, there in stood.items()]
    scores = _score_windows(near, first, last, sizes, stood, question)
    alone = {number: _score_message(number, size, often, question) for number, size in sizes if number in scores}
    for number in scores:
        if voice is not None and role_of(number) == voice:
            scores[number] += _ROLE_WEIGHT * sum(word.weight for word in stood)
    best = _top_ids(scores, _MAX_READ)
    runs = _score_bigrams(connection, best, question)
    for number in best:
        scores[number] += _DOCUMENT_WEIGHT * alone[number] + _BIGRAM_WEIGHT * runs.get(number, 0.0)
    merits = _SessionBoost(
        whole, _best_score_of_role(alone, AGENT), _best_score_of_role(alone, PERSON), max(runs.values(), default=0.0)
    )
    return _ScoredSession(
        [_scored_document(number, score, often) for number, score in scores.items()], merits, len(sizes)
    )


def _score_windows(
    near: Sequence[int],
    first: int,
    last: int,
    sizes: Sequence[tuple[int, int]],
    stood: _TermPostings,
    question: ParsedQuery,
) -> dict[int, float]:
    """What stands in and around each of these messages is worth, by number."""
    by_message, spread = {}, [0] * (last - first + 1)
    for number, size in sizes:
        at = message_index(number)
        by_message[at], spread[at - first] = number, size
    ruler = MessageWindows(first, spread, question.avg_doc_length)
    standing = [
        TermOccurrences(word.weight, [message_index(one) for one in there.doc_ids]) for word, there in stood.items()
    ]
    there = [at for at in near if at in by_message]
    return dict(zip((by_message[at] for at in there), weighing.score_windows(standing, there, ruler), strict=True))


def _score_message(number: int, size: int, often: Sequence[_TermFrequencies], question: ParsedQuery) -> float:
    """What the words of a message are worth by themselves."""
    counts = [(word.weight, there[number]) for word, there in often if number in there]
    return weighing.score_document(counts, size / question.avg_doc_length)


def _top_ids(worth: dict[int, float], most: int) -> list[int]:
    """The numbers that are worth most."""
    return sorted(worth, key=lambda number: (-worth[number], number))[:most]


def _score_bigrams(connection: sqlite3.Connection, numbers: Sequence[int], question: ParsedQuery) -> dict[int, float]:
    """What words are worth that follow each other as in the question: these messages are read."""
    return {
        number: score_bigrams(list(map(STEMS.__getitem__, " ".join(texts).split())), question)
        for number, texts in postings.load_documents(connection, numbers).items()
    }


def _best_score_of_role(alone: dict[int, float], voice: int) -> float:
    return max((worth for number, worth in alone.items() if role_of(number) == voice), default=0.0)


def _scored_document(number: int, score: float, often: Sequence[_TermFrequencies]) -> ScoredDocument:
    own = tuple([word.word for word, there in often if number in there])
    near = tuple([word.word for word, there in often if number not in there])
    return ScoredDocument(number, score, own, near)


def _apply_boosts(talks: Sequence[_ScoredSession]) -> list[ScoredDocument]:
    """The messages of all, each with what its session adds."""
    most = [max(column) or 1.0 for column in zip(*(talk.boost for talk in talks), strict=True)]
    best = max((one.score for talk in talks for one in talk.scored), default=0.0)
    found = []
    for talk in talks:
        adds = sum(weight * part / whole for weight, part, whole in zip(_BOOST_WEIGHTS, talk.boost, most, strict=True))
        found += [one._replace(score=one.score + best * adds) for one in talk.scored]
    return found
