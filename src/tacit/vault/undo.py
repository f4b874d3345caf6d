"""Undo and redo over the stack of operations of a home. Nothing is deleted: each step appends an event to the log."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import islice

from tacit.errors import RefusedError
from tacit.home.home import HomePart
from tacit.index import reader
from tacit.index.operations import Operations, judgements
from tacit.log.codec import must_decode
from tacit.model import decide
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventBody, EventsUndone, Verdict, timestamp
from tacit.model.ids import ClaimId, EventId
from tacit.model.memory import touched_claims
from tacit.model.observation import (
    RepositoryDistrusted,
    RepositoryTrusted,
    TrialEnded,
    TrialStarted,
    WorkflowDropped,
    WorkflowSaved,
    WorkLogged,
)
from tacit.record import Record
from tacit.search.memories import resolve_memory
from tacit.text.display import clip

MAX_STEPS = 20  # of the stack that are shown
_MAX_LABEL_CHARS = 120


class UndoStep(Record):
    """An operation that can be undone: its time, actor and description, and the memories that it changed."""

    operation: EventId
    at: str
    actor: str
    label: str
    memories: tuple[ClaimId, ...]


class UndoStack(Record):
    """The operations that can be undone, the latest first, whether there are more, and what can be redone."""

    steps: tuple[UndoStep, ...]
    has_more: bool
    redo_labels: tuple[str, ...]


class UndoRedo(HomePart):
    """Undo and redo of one home."""

    def latest(self) -> EventId | None:
        """Return the operation that undo would take back; None if there is none."""
        with self._store.snapshot() as connection:
            return next((found[0].op for found in Operations(connection, must_decode).undoable()), None)

    def undo(self, reference: str | None = None, *, operation: str | None = None) -> str:
        """Undo the latest operation, the latest on one memory, or a certain one of the latest. Return its description.

        Raise RefusedError if there is none, or if another operation changed a memory of it since.
        """
        self._store.actor.require_person("undoes an operation", "tacit undo")

        with self._store.change() as change:
            connection = change.connection
            claim = resolve_memory(connection, reference, self._store.scope_in(connection)).id if reference else None
            operations = Operations(connection, must_decode)
            # Nothing refers to the query afterwards: one that is open would keep the connection open beyond the lock.
            events = next(
                (found for found in islice(operations.undoable(claim), MAX_STEPS) if operation in (None, found[0].op)),
                None,
            )
            if events is None:
                raise RefusedError("nothing to undo", "tacit undo --list" if claim or operation else "")
            _must_be_last(connection, operations, events)
            label = operation_label(events)
            change.record([decide.undo(events, label)])
        return label

    def redo(self) -> str:
        """Redo what was undone last. Return its description.

        Raise RefusedError if nothing was undone since the last change.
        """
        self._store.actor.require_person("redoes an operation", "tacit redo")

        with self._store.change() as change:
            operations = Operations(change.connection, must_decode)
            undo = next(operations.redoable(), None)
            if undo is None:
                if later := operations.redo_cleared_by():
                    what = f"nothing to redo: “{operation_label(later)}” came after the last undo"
                    raise RefusedError(what, "tacit undo --list")
                raise RefusedError("nothing to redo: nothing was undone")
            label = operation_label(operations.targets(undo))
            change.record([decide.undo([undo], f"undo of {label}")])
        return label

    def undo_stack(self) -> UndoStack:
        """Return what undo and redo would do."""
        with self._store.snapshot() as connection:
            operations = Operations(connection, must_decode)
            steps = []
            for operation in islice(operations.undoable(), MAX_STEPS + 1):
                claims = dict.fromkeys(claim for event in operation for claim in touched_claims(event))
                by, at = operation[0].origin.actor, timestamp(operation[0].at)
                steps.append(UndoStep(operation[0].op, at, by, operation_label(operation), tuple(claims)))
            redo = [operation_label(operations.targets(undo)) for undo in islice(operations.redoable(), MAX_STEPS)]
            return UndoStack(tuple(steps[:MAX_STEPS]), len(steps) > MAX_STEPS, tuple(redo))


def _must_be_last(connection: sqlite3.Connection, operations: Operations, operation: Sequence[Event]) -> None:
    """Raise RefusedError if a later operation builds on this one: what should become of that one would be a guess."""
    if not (later := operations.later_decisions(operation)):
        return
    newest = operations.operation_of(later[-1])
    claims = [claim for event in newest for claim in touched_claims(event)]
    first = f"tacit undo {reader.short_id(connection, claims[0])}" if claims else "tacit undo"
    raise RefusedError(
        f"“{operation_label(operation)}” was changed since by “{operation_label(newest)}”; nothing was undone",
        f"take that back first: {first}, or see: tacit undo --list",
    )


_VERDICT_LABELS = {
    Verdict.PROPOSED: "remembered",
    Verdict.ADDED: "added",
    Verdict.SUGGESTED: "suggested",
    Verdict.ACCEPTED: "accepted",
    Verdict.DISMISSED: "dismissed",
    Verdict.RETIRED: "forgot",
    Verdict.RESTORED: "restored",
    Verdict.REVISED: "revised",
    Verdict.KEPT: "kept beside others",
    Verdict.SHARED: "shared",
    Verdict.UNSHARED: "took out of the fact file",
}

_KEPT_NAMES_LABEL = "kept although something is missing"


def operation_label(operation: Sequence[Event]) -> str:
    """Return the description of an operation: what was done to what."""
    for event in operation:
        if isinstance(event.body, RepositoryTrusted | RepositoryDistrusted):
            verb = "trusted" if isinstance(event.body, RepositoryTrusted) else "ended the trust in"
            return f"{verb} {event.body.path}"
    if judged := judgements(operation):
        return _judgement_label(judged)
    labels = (label for event in operation if (label := _body_label(event.body)))
    return next(labels, f"an operation of {len(operation)} events")


def _body_label(body: EventBody) -> str:
    match body:
        case WorkLogged(summary=summary):
            return f"logged: {clip(summary, _MAX_LABEL_CHARS)}"
        case WorkflowSaved(name=name):
            return f"saved the workflow {name}"
        case WorkflowDropped(name=name):
            return f"dropped the workflow {name}"
        case EventsUndone(label=label):
            return f"undo of {label}"
        case TrialStarted(claim=claim) | TrialEnded(claim=claim):
            return f"put {claim} on trial" if isinstance(body, TrialStarted) else f"ended the trial of {claim}"
    return ""


def _judgement_label(judged: Sequence[Event]) -> str:
    """Return the last verdict on the first memory, and how many other memories there are."""
    last_bodies: dict[ClaimId, ClaimProposed | ClaimDecided] = {}
    for event in judged:
        assert isinstance(event.body, ClaimProposed | ClaimDecided)
        last_bodies[event.body.claim.id] = event.body
    first = next(iter(last_bodies.values()))
    more = f" and {len(last_bodies) - 1} more" if len(last_bodies) > 1 else ""
    is_about_names = isinstance(first, ClaimDecided) and first.missing
    label = _KEPT_NAMES_LABEL if is_about_names else _VERDICT_LABELS[first.verdict]
    return f"{label}: {clip(first.claim.sentence, _MAX_LABEL_CHARS)}{more}"
