"""Scoring messages of sessions: candidate sessions from the postings, of which the best are scored message by message.

Weights were tuned on three LoCoMo conversations and every second commit (ADR 19).
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence

from tacit.index import postings
from tacit.index.postings import AGENT, IDS_PER_SESSION, PERSON, PostingList, message_index, role_of, start_id_of
from tacit.record import Record
from tacit.search import bm25
from tacit.search.bm25 import Candidates, MessageWindows, ParsedQuery, QueryTerm, ScoredDocument, TermOccurrences
from tacit.text.words import STEMS

_MAX_POSTINGS = 1500  # of one term
# Sessions that are scored: the best, or fewer of long ones once so many messages were scored. With only twenty of any
# length recall is lower; with forty a query after a year of work costs twice as much (ADR 19).
_SESSIONS_SCORED, _MIN_SESSIONS, _MAX_MESSAGES = 40, 20, 3000
_LENGTH_POOL_FACTOR = 4  # times as many sessions whose length is looked up first
_MAX_CENTRES = 8  # messages of a session that are scored with their neighbours
_MAX_READ = 3  # of those, messages that are read word by word
_WINDOW_REACH = 8  # messages on either side that count for a score: the widest window of `bm25`
_DOCUMENT_WEIGHT, _BIGRAM_WEIGHT, _ROLE_WEIGHT = 0.7, 0.4, 0.35
# Session-level boost per message, as a fraction of the top score: whole session, best reply, best prompt, best bigrams,
# each relative to that of the best session.
_BOOST_WEIGHTS = (0.2, 0.2, 0.08, 0.06)

_TermPostings = dict[QueryTerm, PostingList]  # of one session


class _ScoredSession(Record):
    """The scored messages of a session; `message_count` messages had to be looked at."""

    scored: list[ScoredDocument]
    boost: tuple[float, float, float, float]  # its parts, in the order of `_BOOST_WEIGHTS`
    message_count: int


def retrieve_messages(
    connection: sqlite3.Connection, query: ParsedQuery, role: int | None, limit: int = 0
) -> Candidates:
    """Return the best messages of the best sessions, best first.

    Messages of `role` (PERSON or AGENT) count more. With a greater `limit`, more postings and sessions are looked at.
    """
    max_postings, max_sessions = max(_MAX_POSTINGS, limit), max(_SESSIONS_SCORED, limit)
    term_postings = {term: postings.message_postings(connection, term.stem, max_postings) for term in query.terms}
    sessions: dict[int, _TermPostings] = defaultdict(dict)
    for term, posting_list in term_postings.items():
        for start_id, session_postings in posting_list.by_session():
            sessions[start_id][term] = session_postings
    truncated = {
        term: posting_list.doc_ids[-1]
        for term, posting_list in term_postings.items()
        if len(posting_list.term_freqs) == max_postings
    }
    scored_sessions: list[_ScoredSession] = []
    remaining = _MAX_MESSAGES
    for start_id, session_score in _best_sessions(connection, sessions, query.terms, max_sessions):
        if remaining <= 0 and len(scored_sessions) >= max(_MIN_SESSIONS, limit):
            break
        for term, last in truncated.items():  # postings that lie beyond the last one that was read of a common term
            if start_id >= start_id_of(last):
                end_id = start_id + IDS_PER_SESSION - 1
                posting_list = postings.message_postings_between(connection, term.stem, start_id, end_id)
                if posting_list.term_freqs:
                    sessions[start_id][term] = posting_list
        scored_session = _score_session(connection, start_id, sessions[start_id], query, role, session_score)
        scored_sessions.append(scored_session)
        remaining -= scored_session.message_count
    messages = _apply_boosts(scored_sessions)
    messages.sort(key=lambda message: (-message.score, message.doc_id))
    return Candidates(messages, complete=len(scored_sessions) == len(sessions) and not truncated)


def _best_sessions(
    connection: sqlite3.Connection, sessions: dict[int, _TermPostings], terms: Sequence[QueryTerm], limit: int
) -> list[tuple[int, float]]:
    """Return the sessions with the best coarse scores, each with its score as a whole."""
    coarse_scores = {
        start_id: bm25.score_session([(term.weight, len(own.term_freqs)) for term, own in session.items()])
        + _max_message_weight(session)
        for start_id, session in sessions.items()
    }
    pool = sorted(sessions, key=lambda start_id: (-coarse_scores[start_id], start_id))[: _LENGTH_POOL_FACTOR * limit]
    lengths = {start_id: postings.session_length(connection, start_id) for start_id in pool}
    avg_length = sum(lengths.values()) / max(len(lengths), 1)
    idf = {term: bm25.idf(sum(term in session for session in sessions.values()), len(sessions)) for term in terms}
    scores = {
        start_id: bm25.score_session(
            [(idf[term], sum(own.term_freqs)) for term, own in sessions[start_id].items()],
            lengths[start_id] / avg_length,
        )
        for start_id in pool
    }
    pool.sort(key=lambda start_id: (-scores[start_id] - _max_message_weight(sessions[start_id]), start_id))
    return [(start_id, scores[start_id]) for start_id in pool[:limit]]


def _max_message_weight(session: _TermPostings) -> float:
    """Return the greatest weight of all terms in one message."""
    return next(iter(session)).weight if len(session) == 1 else max(_weight_by_message(session).values())


def _weight_by_message(session: _TermPostings) -> dict[int, float]:
    """Return the weight of the terms in each message, whatever their frequency."""
    weights: dict[int, float] = defaultdict(float)
    for term, posting_list in session.items():
        for doc_id in posting_list.doc_ids:
            weights[doc_id] += term.weight
    return weights


def _score_session(
    connection: sqlite3.Connection,
    start_id: int,
    session: _TermPostings,
    query: ParsedQuery,
    role: int | None,
    session_score: float,
) -> _ScoredSession:
    """Score the messages of one session that contain terms of the query, and their neighbours."""
    centres = _top_ids(_weight_by_message(session), _MAX_CENTRES)
    indexes = sorted({message_index(doc_id) + step for doc_id in centres for step in (-1, 0, 1)} - {-1})
    first, last = max(indexes[0] - _WINDOW_REACH, 0), indexes[-1] + _WINDOW_REACH
    lengths = postings.doc_lengths_between(connection, start_id + 2 * first, start_id + 2 * last + 1)
    frequencies = [(term, dict(zip(own.doc_ids, own.term_freqs, strict=True))) for term, own in session.items()]
    scores = _score_windows(indexes, first, last, lengths, session, query)
    own_scores = {
        doc_id: bm25.score_document(
            [(term.weight, counts[doc_id]) for term, counts in frequencies if doc_id in counts],
            length / query.avg_doc_length,
        )
        for doc_id, length in lengths
        if doc_id in scores
    }
    for doc_id in scores:
        if role is not None and role_of(doc_id) == role:
            scores[doc_id] += _ROLE_WEIGHT * sum(term.weight for term in session)
    best = _top_ids(scores, _MAX_READ)
    bigram_scores = {
        doc_id: bm25.score_bigrams([STEMS[word] for word in " ".join(texts).split()], query)
        for doc_id, texts in postings.load_documents(connection, best).items()
    }
    for doc_id in best:
        scores[doc_id] += _DOCUMENT_WEIGHT * own_scores[doc_id] + _BIGRAM_WEIGHT * bigram_scores.get(doc_id, 0.0)
    boost = (
        session_score,
        _best_score_of_role(own_scores, AGENT),
        _best_score_of_role(own_scores, PERSON),
        max(bigram_scores.values(), default=0.0),
    )
    messages = []
    for doc_id, score in scores.items():
        own_terms = tuple([term.word for term, counts in frequencies if doc_id in counts])
        nearby_terms = tuple([term.word for term, counts in frequencies if doc_id not in counts])
        messages.append(ScoredDocument(doc_id, score, own_terms, nearby_terms))
    return _ScoredSession(messages, boost, len(lengths))


def _score_windows(
    indexes: Sequence[int],
    first: int,
    last: int,
    lengths: Sequence[tuple[int, int]],
    session: _TermPostings,
    query: ParsedQuery,
) -> dict[int, float]:
    """Return the window scores of the messages with these indexes, by document id."""
    doc_ids, length_by_index = {}, [0] * (last - first + 1)
    for doc_id, length in lengths:
        index = message_index(doc_id)
        doc_ids[index], length_by_index[index - first] = doc_id, length
    windows = MessageWindows(first, length_by_index, query.avg_doc_length)
    occurrences = [
        TermOccurrences(term.weight, [message_index(doc_id) for doc_id in own.doc_ids]) for term, own in session.items()
    ]
    present = [index for index in indexes if index in doc_ids]
    scores = bm25.score_windows(occurrences, present, windows)
    return dict(zip((doc_ids[index] for index in present), scores, strict=True))


def _top_ids(scores: dict[int, float], limit: int) -> list[int]:
    return sorted(scores, key=lambda doc_id: (-scores[doc_id], doc_id))[:limit]


def _best_score_of_role(scores: dict[int, float], role: int) -> float:
    return max((score for doc_id, score in scores.items() if role_of(doc_id) == role), default=0.0)


def _apply_boosts(sessions: Sequence[_ScoredSession]) -> list[ScoredDocument]:
    """Return the messages of all sessions, each with the boost of its session added."""
    max_boosts = [max(column) or 1.0 for column in zip(*(session.boost for session in sessions), strict=True)]
    top_score = max((message.score for session in sessions for message in session.scored), default=0.0)
    messages = []
    for session in sessions:
        boost = sum(
            weight * part / max_boost
            for weight, part, max_boost in zip(_BOOST_WEIGHTS, session.boost, max_boosts, strict=True)
        )
        messages += [message._replace(score=message.score + top_score * boost) for message in session.scored]
    return messages
