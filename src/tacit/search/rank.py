"""Search: rank memories, pages, sessions and commands for a question.

Results are ordered by relevance in coarse steps; within a step by kind, strength and recency as in a brief; ties by id.
An accepted memory that covers most of the question comes before all sessions. Weights are applied before candidates are
cut off, and the pool of candidates does not depend on the limit: the results for a limit are the first of those for any
greater one (ADR 33).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from tacit.index.commands import StoredCommand
from tacit.index.postings import AGENT, FIRST_PAGE_ID, PERSON, start_id_of
from tacit.index.reader import Decode, MemoryRow, PageRow, claims_by_source_event, memory_statuses, rows_by_doc_id
from tacit.model.claim import KIND_RANK, NewestFirst, Scope, Status, is_project_scope
from tacit.model.event import USER
from tacit.model.ids import ClaimId, EventId
from tacit.record import Record
from tacit.search.bm25 import Candidates, ScoredDocument, query_from_words
from tacit.search.memories import is_command_question, matching_commands, matching_memories, retrieve_memories
from tacit.search.sessions import retrieve_messages
from tacit.text.words import normalize_text, query_terms, tokenize

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.search.passages import Passage, PassageReader

    Item = MemoryRow | PageRow | StoredCommand

PAGE_KINDS = ("worklog", "evaluation", "session")
COMMAND = "command"

# Accepted memories count more than candidates and pages.
_STATUS_WEIGHT = {Status.ACTIVE: 1.0, Status.PENDING: 0.8, Status.RETIRED: 0.5, Status.DISMISSED: 0.5}
_WEIGHT_BY_STATUS_NAME = {status.value: weight for status, weight in _STATUS_WEIGHT.items()}
_PAGE_WEIGHT = 0.7
_SESSION_WEIGHT = 0.35  # lower, because the score of a message also counts its neighbours
_COMMAND_WEIGHT, _ASKED_COMMAND_WEIGHT = 0.9, 1.2  # of a command with full coverage, relative to the best other result
_MIN_ANSWER_COVERAGE = 0.6  # of an accepted memory, to come before everything else (ADR 33)
# Questions that begin so are not answered by what somebody ran.
_WHY_WORDS = frozenset("why warum wieso weshalb pourquoi perché porque почему зачем".split())
# Words in a question that say whose messages are wanted.
_PERSON_WORDS = frozenset("i me my mine myself".split())
_AGENT_WORDS = frozenset("agent assistant claude codex copilot cursor gemini opencode".split())

_POOL_SIZE, _POOL_GROWTH = 20, 8  # memories and pages in the first pool, and its growth while results are too few
_MIN_COMPARED = 100  # memories and pages for the semantic rerank: a close one may be far down by words
_MIN_COMMANDS = 3  # in the first pool, if the question does not ask for a command
# Passages beside the best one, of the first sessions; further down people look for a session, not for a line.
_MORE_PASSAGES = (4, 1)


class Query(Record):
    """A question and filters on what may answer it.

    `scopes` of None means all scopes. `since` is a UTC timestamp. `everything` includes retired, dismissed and
    overruled memories; `accepted_only` leaves out memories that nobody has accepted, also with `everything`. `folders`
    are those of the project: commands belong to where they ran. Without `by_person`, commands that a person typed in a
    shell are left out; agents ask like this.
    """

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
    """A possible result with its score, higher is better.

    `semantic_boost` is the part of the score that comes from the semantic rerank. `coverage` is the share of the
    question that the item contains, by term weight. `messages` are the best messages of a session.
    """

    item: Item
    score: float
    terms: tuple[str, ...] = ()
    nearby_terms: tuple[str, ...] = ()
    semantic_boost: float = 0.0
    coverage: float = 0.0
    messages: tuple[ScoredDocument, ...] = ()


class CandidatePool(Record):
    """Candidates; `complete` if a larger pool would not have more."""

    candidates: list[RankCandidate]
    complete: bool


class SearchResult(Record):
    """A result with its relevance, from 0 to 1.

    `terms` and `nearby_terms` are the words of the question in the item and near it, rarest first. `score` is before it
    is multiplied by `weight`, which depends on the type and status of the item; `semantic_boost` is the part of it that
    comes from the semantic rerank. `passage` quotes a session.
    """

    item: Item
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
    decode: Decode | None = None,
) -> list[SearchResult]:
    """Return at most `query.limit` results, each fact once.

    With `decode`, passages of sessions are read from the log.
    """
    run = _SearchRun(connection, query, decode)
    results: list[SearchResult] = []
    seen: set[str] = set()
    size = _POOL_SIZE
    while True:
        pool = run.pool(size)
        ranked = _rank_candidates(pool.candidates, asks_command=run.is_command_question)
        for result in _deduplicate(connection, ranked, run, seen):
            last = results[-1].relevance if results else 1.0
            results.append(result._replace(relevance=min(result.relevance, last)))
            if len(results) == query.limit:
                return results
        if pool.complete:
            return results
        size *= _POOL_GROWTH


class _SearchRun:
    """One query against one index."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        query: Query,
        decode: Decode | None = None,
    ) -> None:
        from tacit.search.semantic import query_meaning

        self._connection = connection
        self._query = query
        self._meaning = query_meaning(query.text)
        self._decode = decode
        self._passage_reader: PassageReader | None = None
        self._query_words, tokens = query_terms(query.text), tokenize(query.text[:4096])
        self.parsed_query = query_from_words(connection, self._query_words, tokens)
        self.role = role_asked_for(tokens)
        self._asks_why = not _WHY_WORDS.isdisjoint(tokens[:1])
        self.is_command_question = query.kind == COMMAND or is_command_question(self._query_words)
        self._weight_by_word = {term.word: term.weight for term in self.parsed_query.terms}
        self._total_weight = self.parsed_query.total_weight or 1.0
        self._rows: dict[int, MemoryRow | PageRow] = {}

    @property
    def passage_reader(self) -> PassageReader | None:
        """The reader of session passages; None without access to the log."""
        if self._passage_reader is None and self._decode is not None:
            from tacit.search.passages import PassageReader

            self._passage_reader = PassageReader(
                self._connection, self.parsed_query, self._decode, self.role, asks_why=self._asks_why
            )
        return self._passage_reader

    def pool(self, size: int) -> CandidatePool:
        """Return about `size` memories and pages, as many sessions, and some commands; all pass the filters."""
        kind = self._query.kind
        documents = messages = Candidates([], complete=True)
        can_match = bool(self.parsed_query.terms) or self._meaning is not None
        if can_match and kind not in (COMMAND, "session"):
            limit = size if self._meaning is None else max(size, _MIN_COMPARED)
            documents = retrieve_memories(self._connection, self.parsed_query, limit, prior_weights=self._prior_weights)
        if can_match and kind in (None, "session"):
            messages = retrieve_messages(self._connection, self.parsed_query, self.role, size)
        wants_commands = kind == COMMAND or (kind is None and not self._asks_why)
        commands = self._command_pool(size) if wants_commands else CandidatePool([], complete=True)
        candidates = [
            candidate
            for candidate in self._candidates(documents.scored, messages.scored) + commands.candidates
            if isinstance(candidate.item, StoredCommand) or _is_wanted(candidate.item, self._query)
        ]
        return CandidatePool(candidates, documents.complete and messages.complete and commands.complete)

    def _prior_weights(self, doc_ids: Sequence[int]) -> Mapping[int, float]:
        """Return the weight of each document by its type and status; those that the query excludes are left out."""
        query = self._query
        statuses = memory_statuses(
            self._connection,
            doc_ids,
            scopes=query.scopes,
            kind=query.kind,
            since=query.since,
            everything=query.everything,
        )
        excluded = (Status.PENDING, Status.DISMISSED) if query.accepted_only else ()
        weights = {
            doc_id: _WEIGHT_BY_STATUS_NAME[status] for doc_id, status in statuses.items() if status not in excluded
        }
        if page_ids := [doc_id for doc_id in doc_ids if doc_id >= FIRST_PAGE_ID]:
            rows = self._load_rows(page_ids)
            wanted = (doc_id for doc_id in page_ids if doc_id in rows and _is_wanted(rows[doc_id], query))
            weights.update(dict.fromkeys(wanted, _PAGE_WEIGHT))
        return weights

    def _command_pool(self, size: int) -> CandidatePool:
        query = self._query

        def is_wanted(command: StoredCommand) -> bool:
            if command.actor == USER and not query.by_person:
                return False
            if query.since is not None and command.at < query.since:
                return False
            if query.scopes is None or (is_project_scope(command.scope) and command.scope in query.scopes):
                return True
            return any(f"{command.directory}/".startswith(f"{folder.rstrip('/')}/") for folder in query.folders)

        limit = size if self.is_command_question else max(_MIN_COMMANDS, size // _POOL_GROWTH)
        matches = matching_commands(
            self._connection, self._query_words, limit, is_wanted, asked=self.is_command_question
        )
        candidates = [
            RankCandidate(match.command, match.coverage, match.terms, coverage=match.coverage) for match in matches
        ]
        return CandidatePool(candidates, complete=len(candidates) < limit)

    def _candidates(
        self, documents: Sequence[ScoredDocument], messages: Sequence[ScoredDocument]
    ) -> list[RankCandidate]:
        boosts: dict[int, float] = {}
        if self._meaning is not None:
            from tacit.search.semantic import rerank_memories, rerank_messages

            closest_documents = rerank_memories(
                self._connection, documents, self.parsed_query, self._meaning, self._prior_weights
            )
            closest_messages = rerank_messages(self._connection, messages, self.parsed_query, self._meaning)
            boosts = {scored.doc_id: boost for scored, boost in (*closest_documents, *closest_messages)}
            documents = [scored for scored, _ in closest_documents]
            messages = [scored for scored, _ in closest_messages]
        rows = self._load_rows([scored.doc_id for scored in documents])
        known = [scored for scored in documents if scored.doc_id in rows]
        sessions: dict[int, list[ScoredDocument]] = {}
        for message in messages:
            sessions.setdefault(start_id_of(message.doc_id), []).append(message)
        return [
            *(self._candidate(rows[scored.doc_id], scored, boosts) for scored in known),
            *filter(None, [self._session_candidate(session, boosts) for session in sessions.values()]),
        ]

    def _load_rows(self, doc_ids: Sequence[int]) -> Mapping[int, MemoryRow | PageRow]:
        unknown = [doc_id for doc_id in doc_ids if doc_id not in self._rows]
        self._rows.update(rows_by_doc_id(self._connection, unknown) if unknown else {})
        return self._rows

    def _session_candidate(
        self, messages: Sequence[ScoredDocument], boosts: Mapping[int, float]
    ) -> RankCandidate | None:
        """Return a session by its best message that is not older than `since`; None if there is none."""
        since = self._query.since
        if since is not None:
            rows = self._load_rows([message.doc_id for message in messages])
            messages = [message for message in messages if message.doc_id in rows and rows[message.doc_id].at >= since]
        if not messages:
            return None
        best = messages[0]
        page = self._load_rows([best.doc_id]).get(best.doc_id)
        return self._candidate(page, best, boosts)._replace(messages=tuple(messages)) if page else None

    def _candidate(
        self, item: MemoryRow | PageRow, scored: ScoredDocument, boosts: Mapping[int, float]
    ) -> RankCandidate:
        coverage = sum(self._weight_by_word[word] for word in scored.terms) / self._total_weight
        boost = boosts.get(scored.doc_id, 0.0)
        return RankCandidate(item, scored.score, scored.terms, scored.nearby_terms, boost, coverage)


def role_asked_for(tokens: Sequence[str]) -> int | None:
    """Return whose messages a question asks for; None if it does not say, or names both."""
    asks_person, asks_agent = not _PERSON_WORDS.isdisjoint(tokens), not _AGENT_WORDS.isdisjoint(tokens)
    return None if asks_person == asks_agent else PERSON if asks_person else AGENT


def relevance(connection: sqlite3.Connection, task: str, limit: int = 256) -> dict[str, float]:
    """Return how relevant memories are to a task, by id, in tenths; irrelevant ones are left out."""
    matches = matching_memories(connection, query_from_words(connection, query_terms(task)), limit)
    best = max((score for _, score in matches), default=0.0)
    return {memory.id: _relevance_step(score, best) for memory, score in matches}


def _is_wanted(item: MemoryRow | PageRow, query: Query) -> bool:
    if query.scopes is not None and item.scope not in query.scopes:
        return False
    if query.since is not None and item.at < query.since:
        return False
    if isinstance(item, PageRow):
        return query.kind in (None, item.kind)
    if query.kind not in (None, item.kind.label):
        return False
    if query.accepted_only and item.status in (Status.PENDING, Status.DISMISSED):
        return False
    return query.everything or (item.status in (Status.ACTIVE, Status.PENDING) and item.overruled_by is None)


def _rank_candidates(candidates: Sequence[RankCandidate], *, asks_command: bool) -> list[SearchResult]:
    """Return results, best first. Commands are scored by coverage, relative to the best other candidate."""
    scored = [
        (candidate, candidate.score * _item_weight(candidate.item))
        for candidate in candidates
        if not isinstance(candidate.item, StoredCommand)
    ]
    best = max((score for _, score in scored), default=0.0) or 1.0
    factor = best * (_ASKED_COMMAND_WEIGHT if asks_command else _COMMAND_WEIGHT)
    scored += [
        (candidate, factor * candidate.coverage**2)
        for candidate in candidates
        if isinstance(candidate.item, StoredCommand)
    ]
    first, best = max(scored, key=lambda pair: pair[1], default=(None, 0.0))
    finely = first is not None and first.semantic_boost > first.score / 2
    scored.sort(key=lambda pair: _rank_key(pair[0], pair[1], best, finely=finely))
    results = []
    for candidate, score in scored:
        step = _relevance_step(score, best)
        relevance = max(step, round(candidate.coverage, 1)) if _is_answer(candidate) else step
        item, raw_score, terms, nearby_terms, boost, _, messages = candidate
        weight = _item_weight(item)
        results.append(SearchResult(item, relevance, terms, nearby_terms, raw_score, weight, boost, messages))
    return results


def _is_answer(candidate: RankCandidate) -> bool:
    """Return whether this is an accepted memory that covers most of the question."""
    item = candidate.item
    return isinstance(item, MemoryRow) and item.status is Status.ACTIVE and candidate.coverage >= _MIN_ANSWER_COVERAGE


def _item_weight(item: Item) -> float:
    if isinstance(item, MemoryRow):
        return _STATUS_WEIGHT[item.status]
    if isinstance(item, StoredCommand):
        return 1.0
    return _SESSION_WEIGHT if item.kind == "session" else _PAGE_WEIGHT


def _relevance_step(score: float, best: float) -> float:
    return max(round(score / best, 1), 0.1) if best > 0 else 0.1


def _rank_key(
    candidate: RankCandidate, score: float, best: float, *, finely: bool
) -> tuple[bool, float, int, int, float, NewestFirst, str]:
    """Within a relevance step, memories are sorted as in a brief, and everything else after them by its score.

    `finely`: meaning decided more than words, so that what is nearer is no more relevant by a step, but comes first.
    """
    item, step = candidate.item, -score if finely else -_relevance_step(score, best)
    if isinstance(item, MemoryRow):
        is_answer = _is_answer(candidate)
        return (not is_answer, step, KIND_RANK[item.kind], -item.strength, 0.0, NewestFirst(item.last_event), item.id)
    name, at = (item.text, item.last_event) if isinstance(item, StoredCommand) else (item.event, item.event)
    return (True, step, len(KIND_RANK), 0, -score, NewestFirst(at), name)


def _deduplicate(
    connection: sqlite3.Connection, ranked: Sequence[SearchResult], run: _SearchRun, seen: set[str]
) -> Iterator[SearchResult]:
    """Yield each fact once, and add passages to sessions.

    Of the turns of one session only the best is kept. A passage and the memory that was learned from it are one fact:
    the memory is yielded at the place of the better of the two (ADR 32).
    """
    by_claim = {result.item.id: result for result in ranked if isinstance(result.item, MemoryRow)}
    claims: Mapping[EventId, ClaimId] | None = None
    for candidate in ranked:
        result = candidate
        if _fact_key(result.item) in seen:
            continue
        if isinstance(result.item, PageRow) and result.item.kind == "session" and (reader := run.passage_reader):
            max_more = _MORE_PASSAGES[len(seen)] if len(seen) < len(_MORE_PASSAGES) else 0
            seen.add(_fact_key(result.item))
            if passage := reader.best_passage(result.messages, max_more):
                page = rows_by_doc_id(connection, [passage.doc_id]).get(passage.doc_id, result.item)
                result = result._replace(item=page, passage=passage)
            if claims is None:
                claims = claims_by_source_event(connection, list(by_claim))
            claim = claims.get(passage.event) if passage else None
            if claim is not None:
                result = by_claim[claim]._replace(relevance=result.relevance)
                if _fact_key(result.item) in seen:
                    continue
        seen.add(_fact_key(result.item))
        yield result


def _fact_key(item: Item) -> str:
    if isinstance(item, MemoryRow):
        return normalize_text(item.sentence)
    if isinstance(item, StoredCommand):
        return f"$ {item.text}"
    return item.page_name if item.kind == "session" else item.event
