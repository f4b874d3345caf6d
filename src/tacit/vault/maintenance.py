"""Looking after a home: evaluate, improve, status."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tacit.errors import UsageError
from tacit.home.home import HomePart
from tacit.home.repository import count_waiting
from tacit.index import reader, sessions
from tacit.learn.evaluate import (
    MIN_REPEATS,
    DuplicatePair,
    advice_for,
    evaluate,
    find_duplicates,
    repeated_candidates,
    stale_memories,
    suggestion_draft,
)
from tacit.learn.sessions import LearnResult, SessionLearning
from tacit.learn.types import EvaluationInput
from tacit.log.codec import must_decode
from tacit.log.spool import Spool
from tacit.model.claim import GLOBAL, Kind, Provenance, Status
from tacit.model.decide import merge, propose
from tacit.model.event import Attribution, ClaimProposed, Draft, Event, local_day
from tacit.model.memory import Memory
from tacit.model.observation import EvaluationCreated, WorkLogged
from tacit.model.statement import claim_from

# What Tacit advises by itself is nobody's word yet.
_EVALUATION_VOICE = Attribution("learner:evaluation", Provenance.TOOL_LOCAL)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Today's evaluation; `created` is false when it was there already."""

    result: EvaluationCreated
    path: str
    created: bool
    candidates: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True)
class Improvement:
    """What improving found: the evaluation, patterns worth promoting, and what wants a look."""

    evaluation: Evaluation
    patterns: tuple[Memory, ...]
    stale: tuple[Memory, ...]
    undecided: int
    learned: tuple[LearnResult, ...] = ()
    merged: tuple[DuplicatePair, ...] = ()


@dataclass(frozen=True, slots=True)
class HomeStatus:
    """One screen."""

    home: str
    project: str | None
    active: int
    pending: int
    forgotten: int
    dismissed: int
    kinds: tuple[tuple[str, int], ...]
    worklog: int
    sessions: int
    undecided: int
    evaluated: str | None
    asked: int
    missed: int
    log_bytes: int
    spooled: int = 0
    dropped: int = 0
    untrusted: int = 0


class Maintenance(HomePart):
    """Care of one home."""

    def evaluate(self, *, force: bool = False) -> Evaluation:
        """Once a day, unless forced."""
        made: list[EvaluationCreated] = []

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            history = self._load_history(connection)
            if not force and self._is_evaluated_today(connection, history):
                return []
            made.append(evaluate(history))
            return [Draft(made[0], GLOBAL), *self._draft_advice(connection, made[0])]

        events = self._store.record(decision)
        return self._store.read(lambda connection: self._load_evaluation(connection, events))

    def improve(self, *, force: bool = False, least: int = MIN_REPEATS) -> Improvement:
        if least < 2:
            raise UsageError("--min-count must be a whole number of at least 2", "tacit improve --min-count 2")
        learning = SessionLearning(self._home)
        learned = [one for row in learning.unlearned_sessions() for one in learning.learn_from_session(row)]
        merged = self._merge_duplicates() if self._home.is_person else []
        result = self.evaluate(force=force)
        found: list[Memory] = []

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            found.extend(repeated_candidates(self._load_history(connection), least=least))
            return [suggestion_draft(memory) for memory in found]

        self._store.record(decision)
        improved = self._store.read(lambda connection: self._build_improvement(connection, result, found))
        return replace(improved, learned=tuple(learned), merged=tuple(merged))

    def _merge_duplicates(self) -> list[DuplicatePair]:
        """Candidates that said the same in other words, now one; `tacit undo` takes that back."""
        pairs: list[DuplicatePair] = []

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            pairs.extend(find_duplicates(self._load_history(connection).memories))
            return [merge(pair.memory, pair.into, reason="the same in other words") for pair in pairs]

        self._store.record(decision)
        return pairs

    def status(self) -> HomeStatus:
        return self._store.read(self._build_status)

    def _build_improvement(
        self, connection: sqlite3.Connection, result: Evaluation, patterns: Sequence[Memory]
    ) -> Improvement:
        history = self._load_history(connection)
        return Improvement(result, tuple(patterns), tuple(stale_memories(history)), history.open_conflicts)

    def _load_evaluation(self, connection: sqlite3.Connection, events: Sequence[Event]) -> Evaluation:
        day = self._today()
        (event,) = reader.page_events(connection, "evaluation", day, must_decode)[-1:]
        assert isinstance(event.body, EvaluationCreated)
        claims = [event.body.claim.id for event in events if isinstance(event.body, ClaimProposed)]
        memories = [memory for claim in claims if (memory := reader.load_memory(connection, claim, must_decode))]
        return Evaluation(event.body, self._store.paths.page("evaluation", day), bool(events), tuple(memories))

    def _draft_advice(self, connection: sqlite3.Connection, evaluated: EvaluationCreated) -> list[Draft]:
        """A candidate for each weak measure that nobody has heard of yet."""
        drafts = []
        for weak in advice_for(evaluated):
            claim = claim_from(weak.name, GLOBAL, kind=Kind.GUIDANCE)
            if reader.memory_row(connection, claim.id) is None:
                drafts += propose(None, claim, source="evaluation", evidence=weak.reason, voice=_EVALUATION_VOICE)
        return drafts

    def _is_evaluated_today(self, connection: sqlite3.Connection, history: EvaluationInput) -> bool:
        return history.today.isoformat() in reader.page_days(connection, "evaluation")

    def _today(self) -> str:
        return local_day(self._store.actor.origin()).isoformat()

    def _load_history(self, connection: sqlite3.Connection) -> EvaluationInput:
        days = reader.page_days(connection, "worklog")
        pages = (event.body for day in days for event in reader.page_events(connection, "worklog", day, must_decode))
        return EvaluationInput(
            today=local_day(self._store.actor.origin()),
            memories=tuple(reader.load_memories(connection, must_decode)),
            worklog=tuple(body for body in pages if isinstance(body, WorkLogged)),
            open_conflicts=reader.count_conflicting(connection),
            counters=reader.usage_metrics(connection),
        )

    def _build_status(self, connection: sqlite3.Connection) -> HomeStatus:
        statuses = reader.count_by(connection, "status")
        tallies = reader.usage_metrics(connection)
        days = reader.page_days(connection, "evaluation")
        spool = Spool(self._store.log)
        return HomeStatus(
            home=self._store.paths.root,
            project=self._store.project.root if self._store.project else None,
            active=statuses.get(Status.ACTIVE.value, 0),
            pending=statuses.get(Status.PENDING.value, 0),
            forgotten=statuses.get(Status.RETIRED.value, 0),
            dismissed=statuses.get(Status.DISMISSED.value, 0),
            kinds=tuple(sorted(reader.count_by(connection, "kind").items())),
            worklog=reader.count_pages(connection, "worklog"),
            sessions=sum(row.has_content for row in sessions.session_rows(connection)),
            undecided=reader.count_conflicting(connection),
            evaluated=days[-1] if days else None,
            asked=tallies.get("asked", 0),
            missed=tallies.get("missed", 0),
            log_bytes=sum(self._store.log.size(segment) for segment in self._store.log.segments()),
            spooled=len(spool.waiting()),
            dropped=dropped.commands if (dropped := spool.dropped()) else 0,
            untrusted=count_waiting(self._store, connection, self._home.settings.limits_text),
        )
