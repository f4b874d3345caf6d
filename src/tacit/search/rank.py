"""Search: relevance first, in coarse steps; within a step kind, strength and recency as in a brief; ties by id.

An accepted memory that holds most of a question comes before all sessions. Weights are applied before anything is cut
off, and what is looked at does not depend on how many answers are wanted: fewer answers are the first of more.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.index.commands import StoredCommand
from tacit.index.doc_ids import AGENT, FIRST_PAGE_ID, PERSON, start_id_of
from tacit.index.reader import Decode, MemoryRow, PageRow, claims_by_source_event, memory_statuses, rows_by_doc_id
from tacit.model.claim import KIND_RANK, NewestFirst, Scope, Status, is_project_scope
from tacit.model.event import USER
from tacit.model.ids import ClaimId, EventId
from tacit.record import Record
from tacit.search.bm25 import Candidates, ScoredDocument, query_from_words
from tacit.search.memories import is_command_question, matching_commands, matching_memories, retrieve_memories
from tacit.search.sessions import retrieve_messages
from tacit.text.words import normalize_text, query_terms, tokenize

if TYPE_CHECKING:
    from tacit.search.passages import Passage, PassageReader
    from tacit.search.semantic import SimilarityFunction

# A page of the worklog or a candidate is worth less than what somebody has accepted.
_STATUS_WEIGHT = {Status.ACTIVE: 1.0, Status.PENDING: 0.8, Status.RETIRED: 0.5, Status.DISMISSED: 0.5}
_WEIGHT_BY_STATUS_NAME = {status.value: weight for status, weight in _STATUS_WEIGHT.items()}
_PAGE_WEIGHT = 0.7
_SESSION_WEIGHT = 0.35  # of a session also what stands around it counts
# By whom it was said, where the question tells.
_PERSON_WORDS = frozenset("i me my mine myself".split())
_AGENT_WORDS = frozenset("agent assistant claude codex copilot cursor gemini opencode".split())
_MIN_COMPARED = 100  # memories and pages that words found, where meaning has a say: what is near may be far down
PAGE_KINDS = ("worklog", "evaluation", "session")
COMMAND = "command"
_POOL_SIZE = (
    20  # memories and pages that are looked at first, whatever the limit; eight times as many where they are too few
)
_POOL_GROWTH = 8
_MIN_COMMANDS = 3  # among other answers, where no command is asked for
_MAX_CLOSE_READS = (
    4  # answers whose sessions are read closely; who reads further looks for another session, not for a line
)
_MIN_ANSWER_COVERAGE = 0.6  # of a question, by weight, that a memory holds which answers it
_COMMAND_WEIGHT, _ASKED_COMMAND_WEIGHT = 0.9, 1.2  # of one that holds the whole question, against the best other answer


class Query(Record):
    """A question and what may answer it. `scopes` of nothing means all; `since` is a UTC timestamp. `accepted` leaves
    out memories that nobody has accepted, also where `everything` is asked for. `folders` are those of the project:
    commands belong to where they ran. An agent is not told what the person typed in a shell."""

    text: str
    limit: int = 10
    kind: str | None = None
    scopes: frozenset[Scope] | None = None
    since: str | None = None
    everything: bool = False
    accepted_only: bool = False
    folders: tuple[str, ...] = ()
    by_person: bool = True


class RankCandidate(Record):
    """Something that answers, and how well (more is better); `added` of that is for its meaning. `share` is how much of
    the question it holds, by weight; `messages` are the best of a session."""

    item: MemoryRow | PageRow | StoredCommand
    score: float
    terms: tuple[str, ...] = ()
    nearby_terms: tuple[str, ...] = ()
    semantic_boost: float = 0.0
    coverage: float = 0.0
    messages: tuple[ScoredDocument, ...] = ()


class CandidatePool(Record):
    """What was found; `complete` when there is no more than was asked for."""

    candidates: list[RankCandidate]
    complete: bool


class SearchResult(Record):
    """An answer and how well it fits, 0 to 1; the words of the question in it and near it, the rarest first, what they
    are worth together, what that was multiplied with for what kind of answer it is, and what of it meaning added.
    `passage` is what was said in a session."""

    item: MemoryRow | PageRow | StoredCommand
    relevance: float
    terms: tuple[str, ...] = ()
    nearby_terms: tuple[str, ...] = ()
    score: float = 0.0
    weight: float = 1.0
    semantic_boost: float = 0.0
    messages: tuple[ScoredDocument, ...] = ()
    passage: Passage | None = None


def search(
    connection: sqlite3.Connection,
    query: Query,
    measure: SimilarityFunction | None = None,
    decode: Decode | None = None,
) -> list[SearchResult]:
    """At most `limit` answers, each fact once. `measure` tells how near vectors are to the question by meaning; with
    `decode` the passages of sessions are read from the log."""
    asked = _SearchRun(connection, query, measure, decode)
    answers: list[SearchResult] = []
    seen: set[str] = set()
    look = _POOL_SIZE
    while True:
        pool = asked.pool(look)
        ranked = _rank_candidates(pool.candidates, asks_command=asked.is_command_question)
        for match in _deduplicate(connection, ranked, asked, seen):
            last = answers[-1].relevance if answers else 1.0
            answers.append(match._replace(relevance=min(match.relevance, last)))
            if len(answers) == query.limit:
                return answers
        if pool.complete:
            return answers
        look *= _POOL_GROWTH


def find_candidates(connection: sqlite3.Connection, telling: Sequence[str], limit: int) -> CandidatePool:
    """The best that hold any of these words, whatever they are; of a session the best message."""
    return _SearchRun(connection, Query(" ".join(telling), limit, everything=True)).pool(limit)


class _SearchRun:
    """A question that is asked of one index."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        query: Query,
        measure: SimilarityFunction | None = None,
        decode: Decode | None = None,
    ) -> None:
        self._connection = connection
        self._query = query
        self._similarity = measure
        self._decode = decode
        self._passage_reader: PassageReader | None = None
        self._query_words, spoken = query_terms(query.text), tokenize(query.text[:4096])
        self.parsed_query = query_from_words(connection, self._query_words, spoken, widely=True)
        self.role = _requested_role(spoken)
        self.is_command_question = query.kind == COMMAND or is_command_question(self._query_words)
        self._weight_by_word = {word.word: word.weight for word in self.parsed_query.terms}
        self._total_weight = sum(word.weight for word in self.parsed_query.terms if word.is_original) or 1.0
        self._rows: dict[int, MemoryRow | PageRow] = {}

    @property
    def passage_reader(self) -> PassageReader | None:
        """What reads passages of sessions; nothing where the log is not at hand."""
        if self._passage_reader is None and self._decode is not None:
            from tacit.search.passages import PassageReader

            self._passage_reader = PassageReader(self._connection, self.parsed_query, self._decode, self.role)
        return self._passage_reader

    def pool(self, look: int) -> CandidatePool:
        """About so many memories and pages, as many sessions, and some commands, all of which fit."""
        kind = self._query.kind
        others = talks = Candidates([], complete=True)
        is_asked = bool(self.parsed_query.terms) or self._similarity is not None
        if is_asked and kind not in (COMMAND, "session"):
            most = look if self._similarity is None else max(look, _MIN_COMPARED)
            others = retrieve_memories(self._connection, self.parsed_query, most, worth=self._prior_weights)
        if is_asked and kind in (None, "session"):
            talks = retrieve_messages(self._connection, self.parsed_query, lambda _run: self.role, look)
        ran = self._command_pool(look) if kind in (None, COMMAND) else CandidatePool([], complete=True)
        found = self._candidates(others.scored, talks.scored) + ran.candidates
        fitting = [one for one in found if isinstance(one.item, StoredCommand) or _is_wanted(one.item, self._query)]
        return CandidatePool(fitting, others.complete and talks.complete and ran.complete)

    def _prior_weights(self, numbers: Sequence[int]) -> Mapping[int, float]:
        """What counts for each candidate because of what it is: nothing for what does not fit."""
        query = self._query
        found = memory_statuses(
            self._connection,
            numbers,
            scopes=query.scopes,
            kind=query.kind,
            since=query.since,
            everything=query.everything,
        )
        left_out = (Status.PENDING, Status.DISMISSED) if query.accepted_only else ()
        worth = {number: _WEIGHT_BY_STATUS_NAME[status] for number, status in found.items() if status not in left_out}
        if pages := [number for number in numbers if number >= FIRST_PAGE_ID]:
            there = self._load_rows(pages)
            fitting = (number for number in pages if number in there and _is_wanted(there[number], self._query))
            worth.update(dict.fromkeys(fitting, _PAGE_WEIGHT))
        return worth

    def _command_pool(self, look: int) -> CandidatePool:
        most = look if self.is_command_question else max(_MIN_COMMANDS, look // _POOL_GROWTH)
        ran = matching_commands(
            self._connection, self._query_words, most, lambda kept: _is_wanted_command(kept, self._query)
        )
        found = [RankCandidate(one.command, one.coverage, one.terms, coverage=one.coverage) for one in ran]
        return CandidatePool(found, complete=len(found) < most)

    def _candidates(self, others: Sequence[ScoredDocument], said: Sequence[ScoredDocument]) -> list[RankCandidate]:
        added: dict[int, float] = {}
        if self._similarity is not None:
            from tacit.search.semantic import rerank_memories, rerank_messages

            nearer = rerank_memories(self._connection, others, self._similarity)
            talks = rerank_messages(self._connection, said, self._similarity)
            added = {one.scored.doc_id: one.boost for one in (*nearer, *talks)}
            others, said = [one.scored for one in nearer], [one.scored for one in talks]
        there = self._load_rows([one.doc_id for one in others])
        found = [self._candidate(there[one.doc_id], one, added) for one in others if one.doc_id in there]
        sessions: dict[int, list[ScoredDocument]] = {}
        for one in said:
            sessions.setdefault(start_id_of(one.doc_id), []).append(one)
        return found + [made for messages in sessions.values() if (made := self._session_candidate(messages, added))]

    def _load_rows(self, numbers: Sequence[int]) -> Mapping[int, MemoryRow | PageRow]:
        unknown = [number for number in numbers if number not in self._rows]
        self._rows.update(rows_by_doc_id(self._connection, unknown) if unknown else {})
        return self._rows

    def _session_candidate(
        self, messages: Sequence[ScoredDocument], added: Mapping[int, float]
    ) -> RankCandidate | None:
        """A session by its best message; of one that began before `since`, by the best that came later."""
        since = self._query.since
        if since is not None:
            there = self._load_rows([one.doc_id for one in messages])
            messages = [one for one in messages if one.doc_id in there and there[one.doc_id].at >= since]
        if not messages:
            return None
        best = messages[0]
        page = self._load_rows([best.doc_id]).get(best.doc_id)
        return self._candidate(page, best, added)._replace(messages=tuple(messages)) if page else None

    def _candidate(self, what: MemoryRow | PageRow, one: ScoredDocument, added: Mapping[int, float]) -> RankCandidate:
        share = sum(self._weight_by_word[word] for word in one.terms) / self._total_weight
        return RankCandidate(what, one.score, one.terms, one.nearby_terms, added.get(one.doc_id, 0.0), share)


def _requested_role(spoken: Sequence[str]) -> int | None:
    """Whose words are asked for, where it is told."""
    said = set(spoken)
    mine, theirs = not _PERSON_WORDS.isdisjoint(said), not _AGENT_WORDS.isdisjoint(said)
    return None if mine == theirs else PERSON if mine else AGENT


def relevance(connection: sqlite3.Connection, task: str, limit: int = 256) -> dict[str, float]:
    """How much each memory has to do with a task, in tenths; those that have nothing are not in it."""
    found = matching_memories(connection, query_from_words(connection, query_terms(task)), limit)
    best = max((score for _, score in found), default=0.0)
    return {entry.id: _relevance_step(score, best) for entry, score in found}


def _is_wanted(what: MemoryRow | PageRow, query: Query) -> bool:
    if query.scopes is not None and what.scope not in query.scopes:
        return False
    if query.since is not None and what.at < query.since:
        return False
    if isinstance(what, PageRow):
        return query.kind in (None, what.kind)
    if query.kind not in (None, what.kind.label):
        return False
    if query.accepted_only and what.status in (Status.PENDING, Status.DISMISSED):
        return False
    return query.everything or (what.status in (Status.ACTIVE, Status.PENDING) and what.overruled_by is None)


def _is_wanted_command(kept: StoredCommand, query: Query) -> bool:
    if kept.actor == USER and not query.by_person:
        return False
    if query.since is not None and kept.at < query.since:
        return False
    if query.scopes is None or (is_project_scope(kept.scope) and kept.scope in query.scopes):
        return True
    return any(f"{kept.directory}/".startswith(f"{folder.rstrip('/')}/") for folder in query.folders)


def _rank_candidates(found: Sequence[RankCandidate], *, asks_command: bool = False) -> list[SearchResult]:
    """The best first. How well a command answers is told against the best of all others."""
    weighed = [(one, one.score * _item_weight(one.item)) for one in found if not isinstance(one.item, StoredCommand)]
    best = max((worth for _, worth in weighed), default=0.0) or 1.0
    factor = best * (_ASKED_COMMAND_WEIGHT if asks_command else _COMMAND_WEIGHT)
    weighed += [(one, factor * one.coverage**2) for one in found if isinstance(one.item, StoredCommand)]
    best = max((worth for _, worth in weighed), default=0.0)
    weighed.sort(key=lambda one: _rank_key(one[0], one[1], best))
    return [_search_result(one, _relevance_step(worth, best)) for one, worth in weighed]


def _search_result(one: RankCandidate, step: float) -> SearchResult:
    relevance = max(step, round(one.coverage, 1)) if _is_answer(one) else step
    weight = _item_weight(one.item)
    return SearchResult(
        one.item, relevance, one.terms, one.nearby_terms, one.score, weight, one.semantic_boost, one.messages
    )


def _is_answer(found: RankCandidate) -> bool:
    """Whether it is an accepted memory that holds most of the question."""
    what = found.item
    return isinstance(what, MemoryRow) and what.status is Status.ACTIVE and found.coverage >= _MIN_ANSWER_COVERAGE


def _item_weight(what: MemoryRow | PageRow | StoredCommand) -> float:
    if isinstance(what, MemoryRow):
        return _STATUS_WEIGHT[what.status]
    if isinstance(what, StoredCommand):
        return 1.0
    return _SESSION_WEIGHT if what.kind == "session" else _PAGE_WEIGHT


def _relevance_step(score: float, best: float) -> float:
    return max(round(score / best, 1), 0.1) if best > 0 else 0.1


def _rank_key(found: RankCandidate, worth: float, best: float) -> tuple[bool, float, int, int, float, NewestFirst, str]:
    """Memories that are about as relevant come in the order of a brief; what is no memory, just by its relevance."""
    what, step = found.item, -_relevance_step(worth, best)
    if isinstance(what, MemoryRow):
        return (not _is_answer(found), step, KIND_RANK[what.kind], -what.strength, 0.0, NewestFirst(what.last), what.id)
    name, at = (what.text, what.last_event) if isinstance(what, StoredCommand) else (what.event, what.event)
    return (True, step, len(KIND_RANK), 0, -worth, NewestFirst(at), name)


def _deduplicate(
    connection: sqlite3.Connection, ranked: Sequence[SearchResult], asked: _SearchRun, seen: set[str]
) -> Iterator[SearchResult]:
    """Each fact once: of the turns of one session the best, and a memory with the line of a session that it was learned
    from, at the place of the better of the two."""
    by_claim = {match.item.id: match for match in ranked if isinstance(match.item, MemoryRow)}
    learned: Mapping[EventId, ClaimId] | None = None
    for one in ranked:
        match = one
        if _fact_key(match.item) in seen:
            continue
        if isinstance(match.item, PageRow) and match.item.kind == "session" and (passages := asked.passage_reader):
            seen.add(_fact_key(match.item))
            match = _with_passage(connection, match, passages, closely=len(seen) < _MAX_CLOSE_READS)
            if learned is None:
                learned = claims_by_source_event(connection, list(by_claim))
            claim = learned.get(match.passage.event) if match.passage else None
            if claim is not None:
                match = by_claim[claim]._replace(relevance=match.relevance)
            if claim is not None and _fact_key(match.item) in seen:
                continue
        seen.add(_fact_key(match.item))
        yield match


def _with_passage(
    connection: sqlite3.Connection, match: SearchResult, passages: PassageReader, *, closely: bool
) -> SearchResult:
    passage = passages.best_passage(match.messages, closely=closely)
    if passage is None:
        return match
    page = rows_by_doc_id(connection, [passage.doc_id]).get(passage.doc_id, match.item)
    return match._replace(item=page, passage=passage)


def _fact_key(what: MemoryRow | PageRow | StoredCommand) -> str:
    if isinstance(what, MemoryRow):
        return normalize_text(what.sentence)
    if isinstance(what, StoredCommand):
        return f"$ {what.text}"
    return what.day if what.kind == "session" else what.event
