"""Looking after a home: evaluate, improve, status."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tacit.errors import WrongUse
from tacit.home.home import Part
from tacit.home.repository import waiting
from tacit.index import reader, sessions
from tacit.learn.evaluate import LEAST, Pair, advice, alike, evaluation, repeats, stale, suggestion
from tacit.learn.sessions import Conclusion, SessionLearning
from tacit.learn.types import History
from tacit.log.codec import must_decode
from tacit.log.spool import Spool
from tacit.model.claim import GLOBAL, Kind, Provenance, Status
from tacit.model.decide import merge, propose
from tacit.model.event import Draft, Event, Proposed, Voice, local_day
from tacit.model.memory import Memory
from tacit.model.observation import Evaluated, WorkLogged
from tacit.model.statement import claim_from

# What Tacit advises by itself is nobody's word yet.
_EVALUATION = Voice("learner:evaluation", Provenance.TOOL_LOCAL)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Today's evaluation; `created` is false when it was there already."""

    result: Evaluated
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
    learned: tuple[Conclusion, ...] = ()
    merged: tuple[Pair, ...] = ()


@dataclass(frozen=True, slots=True)
class Overview:
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


class Maintenance(Part):
    """Care of one home."""

    def evaluate(self, *, force: bool = False) -> Evaluation:
        """Once a day, unless forced."""
        made: list[Evaluated] = []

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            history = self._history(connection)
            if not force and self._of_today(connection, history):
                return []
            made.append(evaluation(history))
            return [Draft(made[0], GLOBAL), *self._advice(connection, made[0])]

        events = self._store.record(decision)
        return self._store.read(lambda connection: self._evaluation(connection, events))

    def improve(self, *, force: bool = False, least: int = LEAST) -> Improvement:
        if least < 2:
            raise WrongUse("--min-count must be a whole number of at least 2", "tacit improve --min-count 2")
        learning = SessionLearning(self._home)
        learned = [one for row in learning.unlearned() for one in learning.learn_from_session(row)]
        merged = self._merged() if self._home.is_person else []
        result = self.evaluate(force=force)
        found: list[Memory] = []

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            found.extend(repeats(self._history(connection), least=least))
            return [suggestion(memory) for memory in found]

        self._store.record(decision)
        improved = self._store.read(lambda connection: self._improvement(connection, result, found))
        return replace(improved, learned=tuple(learned), merged=tuple(merged))

    def _merged(self) -> list[Pair]:
        """Candidates that said the same in other words, now one; `tacit undo` takes that back."""
        pairs: list[Pair] = []

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            pairs.extend(alike(self._history(connection).memories))
            return [merge(pair.memory, pair.into, reason="the same in other words") for pair in pairs]

        self._store.record(decision)
        return pairs

    def status(self) -> Overview:
        return self._store.read(self._overview)

    def _improvement(
        self, connection: sqlite3.Connection, result: Evaluation, patterns: Sequence[Memory]
    ) -> Improvement:
        history = self._history(connection)
        return Improvement(result, tuple(patterns), tuple(stale(history)), history.undecided)

    def _evaluation(self, connection: sqlite3.Connection, events: Sequence[Event]) -> Evaluation:
        day = self._today()
        (event,) = reader.pages(connection, "evaluation", day, must_decode)[-1:]
        assert isinstance(event.body, Evaluated)
        claims = [event.body.claim.id for event in events if isinstance(event.body, Proposed)]
        memories = [memory for claim in claims if (memory := reader.memory(connection, claim, must_decode))]
        return Evaluation(event.body, self._store.home.page("evaluation", day), bool(events), tuple(memories))

    def _advice(self, connection: sqlite3.Connection, evaluated: Evaluated) -> list[Draft]:
        """A candidate for each weak measure that nobody has heard of yet."""
        drafts = []
        for weak in advice(evaluated):
            claim = claim_from(weak.name, GLOBAL, kind=Kind.GUIDANCE)
            if reader.entry(connection, claim.id) is None:
                drafts += propose(None, claim, source="evaluation", evidence=weak.reason, voice=_EVALUATION)
        return drafts

    def _of_today(self, connection: sqlite3.Connection, history: History) -> bool:
        return history.today.isoformat() in reader.page_days(connection, "evaluation")

    def _today(self) -> str:
        return local_day(self._store.speaker.origin()).isoformat()

    def _history(self, connection: sqlite3.Connection) -> History:
        days = reader.page_days(connection, "worklog")
        pages = (event.body for day in days for event in reader.pages(connection, "worklog", day, must_decode))
        return History(
            today=local_day(self._store.speaker.origin()),
            memories=tuple(reader.memories(connection, must_decode)),
            worklog=tuple(body for body in pages if isinstance(body, WorkLogged)),
            undecided=reader.undecided(connection),
            tallies=reader.tallies(connection),
        )

    def _overview(self, connection: sqlite3.Connection) -> Overview:
        statuses = reader.count_by(connection, "status")
        tallies = reader.tallies(connection)
        days = reader.page_days(connection, "evaluation")
        spool = Spool(self._store.log)
        return Overview(
            home=self._store.home.root,
            project=self._store.project.root if self._store.project else None,
            active=statuses.get(Status.ACTIVE.value, 0),
            pending=statuses.get(Status.PENDING.value, 0),
            forgotten=statuses.get(Status.RETIRED.value, 0),
            dismissed=statuses.get(Status.DISMISSED.value, 0),
            kinds=tuple(sorted(reader.count_by(connection, "kind").items())),
            worklog=reader.count_pages(connection, "worklog"),
            sessions=sum(row.is_told for row in sessions.rows(connection)),
            undecided=reader.undecided(connection),
            evaluated=days[-1] if days else None,
            asked=tallies.get("asked", 0),
            missed=tallies.get("missed", 0),
            log_bytes=sum(self._store.log.size(segment) for segment in self._store.log.segments()),
            spooled=len(spool.waiting()),
            dropped=dropped.commands if (dropped := spool.dropped()) else 0,
            untrusted=waiting(self._store, connection, self._home.settings.limits_text),
        )
