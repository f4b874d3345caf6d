"""Undo and redo: the operations of a home as a stack. Nothing is deleted; each step is one more event in the log."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from tacit.errors import RefusedError
from tacit.home.home import HomePart
from tacit.index import reader
from tacit.index.operations import Operations, judgements
from tacit.log.codec import must_decode
from tacit.model import decide
from tacit.model.event import ClaimDecided, ClaimProposed, Draft, Event, EventBody, EventsUndone, Verdict, timestamp
from tacit.model.ids import ClaimId, EventId
from tacit.model.memory import touched_claims
from tacit.model.observation import RepositoryDistrusted, RepositoryTrusted, WorkflowDropped, WorkflowSaved, WorkLogged
from tacit.search.resolve import resolve_memory
from tacit.text.display import clip

MAX_STEPS = 20  # steps of the stack that are shown
_MAX_LABEL_CHARS = 120


@dataclass(frozen=True, slots=True)
class UndoStep:
    """An operation that undo would take back: when it was done, by whom, what it was, and the memories it changed."""

    operation: EventId
    at: str
    actor: str
    label: str
    memories: tuple[ClaimId, ...]


@dataclass(frozen=True, slots=True)
class UndoStack:
    """What undo would take back, the latest first; whether there is more than that; what redo would bring back."""

    steps: tuple[UndoStep, ...]
    has_more: bool
    redo_labels: tuple[str, ...]


class UndoRedo(HomePart):
    """Taking back operations of one home, and doing them again."""

    def undo(self, reference: str | None = None) -> str:
        """Take back the latest operation that stands, or the latest on one memory.

        Returns the operation in words. Raises `Refused` where there is none, and where a memory of the operation was
        changed since by another one.
        """
        self._store.actor.require_person("undoes an operation", "tacit undo")

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            claim = resolve_memory(connection, reference, self._store.scope_in(connection)).id if reference else None
            operations = Operations(connection, must_decode)
            operation = next(operations.undoable(claim), None)
            if operation is None:
                raise RefusedError("nothing to undo", "tacit undo --list" if claim else "")
            _must_be_last(connection, operations, operation)
            labels.append(operation_label(operation))
            return self._draft_undo(connection, operation, operation, labels[0])

        labels: list[str] = []
        self._store.record(decision)
        return labels[0]

    def redo(self) -> str:
        """Do again what was undone last. Returns it in words; raises `Refused` where nothing was undone since the last
        change."""
        self._store.actor.require_person("redoes an operation", "tacit redo")

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            operations = Operations(connection, must_decode)
            undo = next(operations.redoable(), None)
            if undo is None:
                raise _redo_error(operations.redo_cleared_by())
            operation = operations.targets(undo)
            labels.append(operation_label(operation))
            return self._draft_undo(connection, [undo], operation, f"undo of {labels[0]}")

        labels: list[str] = []
        self._store.record(decision)
        return labels[0]

    def _draft_undo(
        self, connection: sqlite3.Connection, events: Sequence[Event], operation: Sequence[Event], label: str
    ) -> list[Draft]:
        """Take back events. A fact file that went with its last fact may have to come back with it."""
        self._store.publisher.may_create_facts = any(
            _is_about_shared(connection, event) for event in judgements(operation)
        )
        return [decide.undo(events, label)]

    def undo_stack(self) -> UndoStack:
        """What undo and redo would do, without doing it."""

        def ask(connection: sqlite3.Connection) -> UndoStack:
            operations = Operations(connection, must_decode)
            found = list(islice(operations.undoable(), MAX_STEPS + 1))
            again = [operation_label(operations.targets(undo)) for undo in islice(operations.redoable(), MAX_STEPS)]
            return UndoStack(tuple(map(_undo_step, found[:MAX_STEPS])), len(found) > MAX_STEPS, tuple(again))

        return self._store.read(ask)


def _undo_step(operation: Sequence[Event]) -> UndoStep:
    claims = dict.fromkeys(claim for event in operation for claim in touched_claims(event))
    first = operation[0]
    return UndoStep(first.op, timestamp(first.at), first.origin.actor, operation_label(operation), tuple(claims))


def _must_be_last(connection: sqlite3.Connection, operations: Operations, operation: Sequence[Event]) -> None:
    """Refuse to take back what a later operation builds on: what should become of that one would be a guess."""
    if not (later := operations.later_decisions(operation)):
        return
    newest = operations.operation_of(later[-1])
    claims = [claim for event in newest for claim in touched_claims(event)]
    first = f"tacit undo {reader.short_id(connection, claims[0])}" if claims else "tacit undo"
    raise RefusedError(
        f"“{operation_label(operation)}” was changed since by “{operation_label(newest)}”; nothing was undone",
        f"take that back first: {first}, or see: tacit undo --list",
    )


def _is_about_shared(connection: sqlite3.Connection, event: Event) -> bool:
    """Whether a judgement is about a fact that is shared, or says whether it is."""
    body = event.body
    assert isinstance(body, ClaimProposed | ClaimDecided)
    if not body.private or body.verdict in (Verdict.SHARED, Verdict.UNSHARED):
        return True
    memories = (reader.load_memory(connection, claim, must_decode) for claim in touched_claims(event))
    return any(memory is not None and memory.shared for memory in memories)


def _redo_error(change: Sequence[Event]) -> RefusedError:
    if not change:
        return RefusedError("nothing to redo: nothing was undone")
    return RefusedError(f"nothing to redo: “{operation_label(change)}” came after the last undo", "tacit undo --list")


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


def operation_label(operation: Sequence[Event]) -> str:
    """An operation in words: what was done and to what."""
    if judged := judgements(operation):
        told = _judgement_label(judged)
    else:
        told = next((words for event in operation if (words := _body_label(event.body))), "")
    trust = next(
        (event.body for event in operation if isinstance(event.body, RepositoryTrusted | RepositoryDistrusted)), None
    )
    if trust:
        told = f"{'trusted' if isinstance(trust, RepositoryTrusted) else 'ended the trust in'} {trust.path}"
    return told or f"an operation of {len(operation)} events"


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
    return ""


def _judgement_label(judged: Sequence[Event]) -> str:
    """What was done to the first memory in the end, and how many others there are."""
    by_claim: dict[ClaimId, ClaimProposed | ClaimDecided] = {}
    for event in judged:
        assert isinstance(event.body, ClaimProposed | ClaimDecided)
        by_claim[event.body.claim.id] = event.body
    first = next(iter(by_claim.values()))
    more = f" and {len(by_claim) - 1} more" if len(by_claim) > 1 else ""
    return f"{_VERDICT_LABELS[first.verdict]}: {clip(first.claim.sentence, _MAX_LABEL_CHARS)}{more}"
