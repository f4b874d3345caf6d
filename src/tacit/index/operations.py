"""Operations as undo and redo see them: which of them stand, and which were taken back and can be done again.

An operation is what one command recorded. An undo is an operation that holds nothing but `Undone` events; it is no
step of its own. Redo takes back an undo. A change after an undo ends what redo could bring back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from tacit.index.reader import EVENT_LINE, SELECT_UNDONE, Decode
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventsUndone, Verdict
from tacit.model.ids import ClaimId, EventId
from tacit.model.memory import touched_claims, undone_ids
from tacit.model.observation import RepositoryDistrusted, RepositoryTrusted, WorkflowDropped, WorkflowSaved

# A measurement is not taken back, and no more is what ran.
_UNDOABLE = "type NOT IN ('evaluation.created', 'workflow.ran')"
_SELECT_NEWEST = f"SELECT coalesce(op, id) FROM event WHERE {_UNDOABLE} AND NOT passing ORDER BY id DESC"
_SELECT_NEWEST_OF_CLAIM = (
    "SELECT coalesce(op, event.id) FROM touch JOIN event ON event.id = touch.event WHERE claim = ? ORDER BY event DESC"
)
_SELECT_LATER_OF_CLAIM = (
    f"SELECT {EVENT_LINE} FROM touch JOIN event ON event.id = touch.event WHERE claim = ? AND event > ? AND NOT passing"
)
_SELECT_LATER_WORKFLOWS = (
    f"SELECT {EVENT_LINE} FROM event WHERE type IN ('workflow.saved', 'workflow.dropped') AND id > ?"
)


class Operations:
    """The operations of one index, looked at from the newest to the oldest."""

    def __init__(self, connection: sqlite3.Connection, decode: Decode) -> None:
        self._connection = connection
        self._decode = decode
        self._undone = self._undone_events()

    def undoable(self, claim: ClaimId | None = None) -> Iterator[list[Event]]:
        """The operations that undo would take back one after the other; of one memory, if asked."""
        for events in self._newest_first(claim):
            if not is_undo(events) and self._is_effective(events):
                yield events

    def redoable(self) -> Iterator[Event]:
        """The undos that redo would take back one after the other: those since the last change."""
        for events in self._newest_first():
            if not is_undo(events):
                return
            yield from self._effective_undos(events)

    def redo_cleared_by(self) -> list[Event]:
        """The change that came after the last undo, so that redo cannot bring back anything; empty where nothing was
        undone before it."""
        change: list[Event] = []
        for events in self._newest_first():
            if not is_undo(events):
                change = change or events
            elif any(True for _ in self._effective_undos(events)):
                return change
        return []

    def later_decisions(self, operation: Sequence[Event]) -> list[Event]:
        """Later decisions on the memories and workflows of an operation that were not taken back. A further observation
        is none: it counts the same with and without the operation."""
        last, op = operation[-1].id, operation[0].op
        claims = dict.fromkeys(claim for event in operation for claim in touched_claims(event))
        later = [event for claim in claims for event in self._events(_SELECT_LATER_OF_CLAIM, claim, last)]
        if names := {_workflow_name(event) for event in operation} - {None}:
            later += [event for event in self._events(_SELECT_LATER_WORKFLOWS, last) if _workflow_name(event) in names]
        found = {
            event.id: event
            for event in later
            if event.op != op and event.id not in self._undone and _is_decision(event)
        }
        return [found[name] for name in sorted(found)]

    def operation_of(self, event: Event) -> list[Event]:
        return self._operation(event.op)

    def targets(self, undo: Event) -> list[Event]:
        """What an undo took back, as far as it is still there."""
        assert isinstance(undo.body, EventsUndone)
        query = f"SELECT {EVENT_LINE} FROM event WHERE id = ?"
        return [event for target in undo.body.targets for event in self._events(query, target)]

    def _newest_first(self, claim: ClaimId | None = None) -> Iterator[list[Event]]:
        if claim is None:
            rows = self._connection.execute(_SELECT_NEWEST)
        else:
            rows = self._connection.execute(_SELECT_NEWEST_OF_CLAIM, (claim,))
        seen: set[str] = set()
        for (op,) in rows:
            if op not in seen:
                seen.add(op)
                events = self._operation(EventId(op))
                if events and not _is_automatic_distrust(events):
                    yield events

    def _operation(self, op: EventId) -> list[Event]:
        return self._events(
            f"SELECT {EVENT_LINE} FROM event WHERE (id = ?1 OR op = ?1) AND {_UNDOABLE} ORDER BY id", op
        )

    def _effective_undos(self, events: Sequence[Event]) -> Iterator[Event]:
        """Those of an operation that took back changes, were not redone, and whose changes were not purged."""
        for event in reversed(events):
            if event.id not in self._undone and any(
                not isinstance(one.body, EventsUndone) for one in self.targets(event)
            ):
                yield event

    def _is_effective(self, events: Sequence[Event]) -> bool:
        """Whether any of it counts. What was accepted on trust counts no longer when the trust has ended."""
        told = [
            event for event in events if not isinstance(event.body, RepositoryTrusted | RepositoryDistrusted)
        ] or events
        return any(event.id not in self._undone for event in told)

    def _undone_events(self) -> set[EventId]:
        takebacks = self._events(SELECT_UNDONE)
        # Who is not the person takes back only their own words: of these targets it must be known whose they are.
        named = [self.targets(event) for event in takebacks if not event.is_by_user]
        known = {event.id: event for events in (takebacks, *named) for event in events}
        return undone_ids([known[name] for name in sorted(known)])

    def _events(self, query: str, *values: str) -> list[Event]:
        return [self._decode(raw) for (raw,) in self._connection.execute(query, values)]


def is_undo(events: Sequence[Event]) -> bool:
    return all(isinstance(event.body, EventsUndone) for event in events)


def _is_automatic_distrust(events: Sequence[Event]) -> bool:
    """Whether Tacit itself ended the trust in a file that changed: undone, it would end again at once."""
    return any(isinstance(event.body, RepositoryDistrusted) and not event.is_by_user for event in events)


def _is_decision(event: Event) -> bool:
    if isinstance(event.body, ClaimProposed):
        return event.body.verdict is Verdict.ADDED
    return isinstance(event.body, ClaimDecided | WorkflowSaved | WorkflowDropped)


def _workflow_name(event: Event) -> str | None:
    return event.body.name if isinstance(event.body, WorkflowSaved | WorkflowDropped) else None


def judgements(operation: Sequence[Event]) -> list[Event]:
    """The events of an operation that are about memories."""
    return [event for event in operation if isinstance(event.body, ClaimProposed | ClaimDecided)]
