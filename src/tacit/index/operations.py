"""What is folded from events and is no memory: operations for undo and redo, and workflows.

An operation is the events that one command wrote. An undo is an operation of `EventsUndone` alone and is not itself a
step of undo. Redo undoes an undo. A change after an undo clears what redo could bring back (ADR 41).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from tacit.index.reader import EVENT_LINE, SELECT_UNDONE, Decode, select_events
from tacit.model import observation
from tacit.model.event import USER, ClaimDecided, ClaimProposed, Event, EventsUndone, Verdict
from tacit.model.ids import ClaimId, EventId
from tacit.model.memory import touched_claims, undone_ids
from tacit.model.workflow import PastRun, RunReference, Workflow, fold_workflows

# Measurements and runs cannot be undone.
_UNDOABLE = "type NOT IN ('evaluation.created', 'workflow.ran')"
_SELECT_NEWEST = (
    f"SELECT coalesce(operation_id, id) FROM events WHERE {_UNDOABLE} AND NOT is_background ORDER BY id DESC"
)
_SELECT_NEWEST_OF_CLAIM = (
    "SELECT coalesce(operation_id, event_id) FROM claim_events JOIN events ON events.id = event_id WHERE claim_id = ?"
    " ORDER BY event_id DESC"
)
_SELECT_OPERATION = f"SELECT {EVENT_LINE} FROM events WHERE (id = ?1 OR operation_id = ?1) AND {_UNDOABLE} ORDER BY id"
_SELECT_LATER_OF_CLAIM = (
    f"SELECT {EVENT_LINE} FROM claim_events JOIN events ON events.id = event_id"
    " WHERE claim_id = ? AND event_id > ? AND NOT is_background"
)
_SELECT_SAVED_OR_DROPPED = f"SELECT {EVENT_LINE} FROM events WHERE type IN ('workflow.saved', 'workflow.dropped')"
_SELECT_LATER_WORKFLOWS = f"{_SELECT_SAVED_OR_DROPPED} AND id > ?"
# Only the names of runs are read: a workflow that runs every hour soon has thousands.
_SELECT_RUNS = f"""
  SELECT id, json_extract(line, '$.body.name')
  FROM (SELECT id, CAST({EVENT_LINE} AS TEXT) AS line FROM events WHERE type = 'workflow.ran')
  WHERE json_extract(line, '$.actor') = ?
"""


class Operations:
    """The operations of one index, from the newest to the oldest."""

    def __init__(self, connection: sqlite3.Connection, decode: Decode) -> None:
        self._connection = connection
        self._decode = decode
        undos = self._select(SELECT_UNDONE)
        # Others than the person can undo only their own events, so the authors of their targets must be known.
        targets = (event for undo in undos if not undo.is_by_user for event in self.targets(undo))
        known = {event.id: event for event in (*undos, *targets)}
        self._undone = undone_ids([known[event_id] for event_id in sorted(known)])

    def undoable(self, claim: ClaimId | None = None) -> Iterator[list[Event]]:
        """Yield the operations, or those on one memory, in the order in which undo would take them back."""
        for events in self._newest_first(claim):
            # Memories accepted on trust no longer count when the trust has ended.
            others = [
                event
                for event in events
                if not isinstance(event.body, observation.RepositoryTrusted | observation.RepositoryDistrusted)
            ]
            if not is_undo(events) and any(event.id not in self._undone for event in others or events):
                yield events

    def redoable(self) -> Iterator[Event]:
        """Yield the undos since the last change in the order in which redo would take them back."""
        for events in self._newest_first():
            if not is_undo(events):
                return
            yield from self._effective_undos(events)

    def redo_cleared_by(self) -> list[Event]:
        """Return the change after the last undo, which clears redo. Empty if nothing was undone before it."""
        change: list[Event] = []
        for events in self._newest_first():
            if not is_undo(events):
                change = change or events
            elif any(True for _ in self._effective_undos(events)):
                return change
        return []

    def later_decisions(self, operation: Sequence[Event]) -> list[Event]:
        """Return later decisions, not undone, on the memories and workflows of an operation.

        A further observation is not a decision: it counts the same with and without the operation.
        """
        last, op = operation[-1].id, operation[0].op
        claims = dict.fromkeys(claim for event in operation for claim in touched_claims(event))
        later = [event for claim in claims for event in self._select(_SELECT_LATER_OF_CLAIM, claim, last)]
        if names := {_workflow_name(event) for event in operation} - {None}:
            later += [event for event in self._select(_SELECT_LATER_WORKFLOWS, last) if _workflow_name(event) in names]
        decisions = {
            event.id: event
            for event in later
            if event.op != op and event.id not in self._undone and _is_decision(event)
        }
        return [decisions[event_id] for event_id in sorted(decisions)]

    def operation_of(self, event: Event) -> list[Event]:
        """Return the undoable events of the operation that an event belongs to."""
        return self._select(_SELECT_OPERATION, event.op)

    def targets(self, undo: Event) -> list[Event]:
        """Return the events that an undo took back and that still exist."""
        assert isinstance(undo.body, EventsUndone)
        query = f"SELECT {EVENT_LINE} FROM events WHERE id = ?"
        return [event for target in undo.body.targets for event in self._select(query, target)]

    def _newest_first(self, claim: ClaimId | None = None) -> Iterator[list[Event]]:
        if claim is None:
            rows = self._connection.execute(_SELECT_NEWEST)
        else:
            rows = self._connection.execute(_SELECT_NEWEST_OF_CLAIM, (claim,))
        seen: set[str] = set()
        for (op,) in rows:
            if op not in seen:
                seen.add(op)
                events = self._select(_SELECT_OPERATION, op)
                # If Tacit itself ended the trust in a file that changed, it would end again at once.
                is_automatic = any(
                    isinstance(it.body, observation.RepositoryDistrusted) and not it.is_by_user for it in events
                )
                if events and not is_automatic and not self._is_unnoticed(events):
                    yield events

    def _is_unnoticed(self, events: Sequence[Event]) -> bool:
        """Whether an agent proposed only what was dismissed or forgotten: no list shows that, so nobody means it."""
        query = "SELECT 1 FROM memories WHERE id = ? AND status IN ('dismissed', 'retired')"
        return all(
            isinstance(event.body, ClaimProposed)
            and not event.is_by_user
            and self._connection.execute(query, (event.body.claim.id,)).fetchone() is not None
            for event in events
        )

    def _effective_undos(self, events: Sequence[Event]) -> Iterator[Event]:
        """Yield the undos of an operation that took back changes, unless redone or their changes purged."""
        for undo in reversed(events):
            if undo.id not in self._undone and not is_undo(self.targets(undo)):
                yield undo

    def _select(self, query: str, *values: str) -> list[Event]:
        return select_events(self._connection, self._decode, query, values)


def is_undo(events: Sequence[Event]) -> bool:
    """Whether all events are undos."""
    return all(isinstance(event.body, EventsUndone) for event in events)


def judgements(operation: Sequence[Event]) -> list[Event]:
    """Return the events of an operation that are about memories."""
    return [event for event in operation if isinstance(event.body, ClaimProposed | ClaimDecided)]


def _is_decision(event: Event) -> bool:
    if isinstance(event.body, ClaimProposed):
        return event.body.verdict is Verdict.ADDED
    return isinstance(event.body, ClaimDecided | observation.WorkflowSaved | observation.WorkflowDropped)


def _workflow_name(event: Event) -> str | None:
    return event.body.name if isinstance(event.body, observation.WorkflowSaved | observation.WorkflowDropped) else None


# Workflows


def load_workflows(connection: sqlite3.Connection, decode: Decode) -> list[Workflow]:
    """Return the saved workflows, each with its last run. Only runs by the person count."""
    events = select_events(connection, decode, _SELECT_SAVED_OR_DROPPED)
    if not events:
        return []
    events += select_events(connection, decode, SELECT_UNDONE)
    runs = [RunReference(EventId(event), name or "") for event, name in connection.execute(_SELECT_RUNS, (USER,))]
    return [
        workflow._replace(last_run=next(load_runs(connection, workflow.runs[-1:], decode), None))
        for workflow in fold_workflows(events, runs)
    ]


def load_runs(connection: sqlite3.Connection, events: Iterable[EventId], decode: Decode) -> Iterator[PastRun]:
    """Yield the runs that these events record. Missing events are skipped."""
    for event_id in events:
        row = connection.execute(f"SELECT {EVENT_LINE} FROM events WHERE id = ?", (event_id,)).fetchone()
        event = decode(row[0]) if row else None
        if event and isinstance(event.body, observation.WorkflowRan):
            yield PastRun(event.at, event.body)
