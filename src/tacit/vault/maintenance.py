"""Maintenance of a home: evaluate and improve."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from tacit.errors import UsageError
from tacit.home.home import HomePart
from tacit.index import listings, reader
from tacit.learn import evaluate as evaluating
from tacit.learn.evaluate import MIN_REPEATS, DuplicatePair, EvaluationInput
from tacit.learn.sessions import LearnResult, SessionLearning
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Kind, Provenance
from tacit.model.decide import merge, propose
from tacit.model.event import Attribution, ClaimProposed, Draft, Event, local_day
from tacit.model.memory import Memory
from tacit.model.observation import EvaluationCreated, WorkLogged
from tacit.model.statement import claim_from
from tacit.record import Record

# Advice of an evaluation is from a program, until the person accepts it.
_EVALUATION_VOICE = Attribution("learner:evaluation", Provenance.TOOL_LOCAL)


class Evaluation(Record):
    """Today's evaluation. `created` says whether it was made now, `replaced` whether there was one of today before."""

    result: EvaluationCreated
    path: str
    created: bool
    candidates: tuple[Memory, ...] = ()
    replaced: bool = False


class Improvement(Record):
    """What `improve` found: today's evaluation, candidates that were repeated often, and memories that look stale."""

    evaluation: Evaluation
    patterns: tuple[Memory, ...]
    stale: tuple[Memory, ...]
    undecided: int
    learned: tuple[LearnResult, ...] = ()
    merged: tuple[DuplicatePair, ...] = ()


class Maintenance(HomePart):
    """Maintenance of one home."""

    def evaluate(self, *, force: bool = False) -> Evaluation:
        """Return today's evaluation. Make it if there is none, or if `force`."""
        with self._store.change() as change:
            history = self._load_history(change.connection)
            had_one = history.today.isoformat() in reader.page_names(change.connection, "evaluation")
            events: list[Event] = []
            if force or not had_one:
                result = evaluating.evaluate(history)
                events = change.record([Draft(result, GLOBAL), *_advice_drafts(change.connection, result)])
            evaluation = self._load_evaluation(change.connection, events)
        self._store.follow()  # the answer names the page
        return evaluation._replace(replaced=evaluation.created and had_one)

    def improve(self, *, force: bool = False, min_count: int = MIN_REPEATS) -> Improvement:
        """Learn from sessions, merge duplicate candidates, evaluate, and suggest candidates that were repeated.

        Only a person merges. Raise UsageError if `min_count`, the number of repetitions, is below 2.
        """
        if min_count < 2:
            raise UsageError("--min-count must be a whole number of at least 2", "tacit improve --min-count 2")
        learning = SessionLearning(self._home)
        unlearned = learning.unlearned_sessions()
        learned = [result for results in learning.learn_from_sessions(unlearned) for result in results]
        merged = self._merge_duplicates() if self._home.is_person else []
        evaluation = self.evaluate(force=force)
        with self._store.change() as change:
            patterns = list(evaluating.repeated_candidates(self._load_history(change.connection), min_count=min_count))
            change.record([evaluating.suggestion_draft(memory) for memory in patterns])
            history = self._load_history(change.connection)
        stale = tuple(evaluating.stale_memories(history))
        return Improvement(evaluation, tuple(patterns), stale, history.open_conflicts, tuple(learned), tuple(merged))

    def _merge_duplicates(self) -> list[DuplicatePair]:
        """Merge candidates that say the same in other words. `tacit undo` takes that back."""
        with self._store.change() as change:
            pairs = list(evaluating.find_duplicates(self._load_history(change.connection).memories))
            change.record([merge(pair.memory, pair.into, reason="the same in other words") for pair in pairs])
        return pairs

    def _load_evaluation(self, connection: sqlite3.Connection, events: Sequence[Event]) -> Evaluation:
        """Load today's evaluation, and the candidates among the events that were recorded with it."""
        day = local_day(self._store.actor.origin()).isoformat()
        (event,) = reader.page_events(connection, "evaluation", day, must_decode)[-1:]
        assert isinstance(event.body, EvaluationCreated)
        claims = [event.body.claim.id for event in events if isinstance(event.body, ClaimProposed)]
        memories = [memory for claim in claims if (memory := reader.load_memory(connection, claim, must_decode))]
        return Evaluation(event.body, self._store.paths.page("evaluation", day), bool(events), tuple(memories))

    def _load_history(self, connection: sqlite3.Connection) -> EvaluationInput:
        days = reader.page_names(connection, "worklog")
        bodies = (event.body for day in days for event in reader.page_events(connection, "worklog", day, must_decode))
        return EvaluationInput(
            today=local_day(self._store.actor.origin()),
            memories=tuple(reader.load_memories(connection, must_decode)),
            worklog=tuple(body for body in bodies if isinstance(body, WorkLogged)),
            open_conflicts=listings.count_rulings(connection, decided=False),
            counters=reader.usage_metrics(connection),
        )


def _advice_drafts(connection: sqlite3.Connection, evaluation: EvaluationCreated) -> list[Draft]:
    """Propose a candidate for each weak measure that was never advised on before."""
    drafts = []
    for advice in evaluating.advice_for(evaluation):
        claim = claim_from(advice.name, GLOBAL, kind=Kind.GUIDANCE)
        if reader.memory_row(connection, claim.id) is None:
            drafts += propose(None, claim, source="evaluation", evidence=advice.reason, attribution=_EVALUATION_VOICE)
    return drafts
