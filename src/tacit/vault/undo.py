"""Undo and redo: the operations of a home as a stack. Nothing is deleted; each step is one more event in the log."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from tacit.errors import Refused
from tacit.home.home import Part
from tacit.index import reader
from tacit.index.operations import Operations, judgements
from tacit.log.codec import must_decode
from tacit.model import decide
from tacit.model.event import Body, Decided, Draft, Event, Proposed, Undone, Verdict, timestamp
from tacit.model.ids import ClaimId, EventId
from tacit.model.memory import touched
from tacit.model.observation import Distrusted, Trusted, WorkflowDropped, WorkflowSaved, WorkLogged
from tacit.search.resolve import meant
from tacit.text.display import clip

LISTED = 20  # steps of the stack that are shown
_CLIPPED = 120


@dataclass(frozen=True, slots=True)
class Step:
    """An operation that undo would take back: when it was done, by whom, what it was, and the memories it changed."""

    operation: EventId
    at: str
    actor: str
    label: str
    memories: tuple[ClaimId, ...]


@dataclass(frozen=True, slots=True)
class Stack:
    """What undo would take back, the latest first; whether there is more than that; what redo would bring back."""

    steps: tuple[Step, ...]
    more: bool
    redo: tuple[str, ...]


class UndoRedo(Part):
    """Taking back operations of one home, and doing them again."""

    def undo(self, reference: str | None = None) -> str:
        """Take back the latest operation that stands, or the latest on one memory.

        Returns the operation in words. Raises `Refused` where there is none, and where a memory of the operation was
        changed since by another one.
        """
        self._store.speaker.must_be_person("undoes an operation", "tacit undo")

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            claim = meant(connection, reference, self._store.scope_in(connection)).id if reference else None
            operations = Operations(connection, must_decode)
            operation = next(operations.standing(claim), None)
            if operation is None:
                raise Refused("nothing to undo", "tacit undo --list" if claim else "")
            _must_be_last(connection, operations, operation)
            labels.append(label_of(operation))
            return self._taken_back(connection, operation, operation, labels[0])

        labels: list[str] = []
        self._store.record(decision)
        return labels[0]

    def redo(self) -> str:
        """Do again what was undone last. Returns it in words; raises `Refused` where nothing was undone since the last
        change."""
        self._store.speaker.must_be_person("redoes an operation", "tacit redo")

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            operations = Operations(connection, must_decode)
            undo = next(operations.redoable(), None)
            if undo is None:
                raise _nothing_to_redo(operations.cleared_by())
            operation = operations.targets(undo)
            labels.append(label_of(operation))
            return self._taken_back(connection, [undo], operation, f"undo of {labels[0]}")

        labels: list[str] = []
        self._store.record(decision)
        return labels[0]

    def _taken_back(
        self, connection: sqlite3.Connection, events: Sequence[Event], operation: Sequence[Event], label: str
    ) -> list[Draft]:
        """Take back events. A fact file that went with its last fact may have to come back with it."""
        self._store.publisher.may_create = any(_is_shared(connection, event) for event in judgements(operation))
        return [decide.undo(events, label)]

    def undo_stack(self) -> Stack:
        """What undo and redo would do, without doing it."""

        def ask(connection: sqlite3.Connection) -> Stack:
            operations = Operations(connection, must_decode)
            found = list(islice(operations.standing(), LISTED + 1))
            again = [label_of(operations.targets(undo)) for undo in islice(operations.redoable(), LISTED)]
            return Stack(tuple(map(_step, found[:LISTED])), len(found) > LISTED, tuple(again))

        return self._store.read(ask)


def _step(operation: Sequence[Event]) -> Step:
    claims = dict.fromkeys(claim for event in operation for claim in touched(event))
    first = operation[0]
    return Step(first.op, timestamp(first.at), first.origin.actor, label_of(operation), tuple(claims))


def _must_be_last(connection: sqlite3.Connection, operations: Operations, operation: Sequence[Event]) -> None:
    """Refuse to take back what a later operation builds on: what should become of that one would be a guess."""
    if not (later := operations.changed_since(operation)):
        return
    newest = operations.operation_of(later[-1])
    claims = [claim for event in newest for claim in touched(event)]
    first = f"tacit undo {reader.short_id(connection, claims[0])}" if claims else "tacit undo"
    raise Refused(
        f"“{label_of(operation)}” was changed since by “{label_of(newest)}”; nothing was undone",
        f"take that back first: {first}, or see: tacit undo --list",
    )


def _is_shared(connection: sqlite3.Connection, event: Event) -> bool:
    """Whether a judgement is about a fact that is shared, or says whether it is."""
    body = event.body
    assert isinstance(body, Proposed | Decided)
    if not body.private or body.verdict in (Verdict.SHARED, Verdict.UNSHARED):
        return True
    memories = (reader.memory(connection, claim, must_decode) for claim in touched(event))
    return any(memory is not None and memory.shared for memory in memories)


def _nothing_to_redo(change: Sequence[Event]) -> Refused:
    if not change:
        return Refused("nothing to redo: nothing was undone")
    return Refused(f"nothing to redo: “{label_of(change)}” came after the last undo", "tacit undo --list")


_DONE = {
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


def label_of(operation: Sequence[Event]) -> str:
    """An operation in words: what was done and to what."""
    if judged := judgements(operation):
        told = _of_memories(judged)
    else:
        told = next((words for event in operation if (words := _in_words(event.body))), "")
    trust = next((event.body for event in operation if isinstance(event.body, Trusted | Distrusted)), None)
    if trust:
        told = f"{'trusted' if isinstance(trust, Trusted) else 'ended the trust in'} {trust.path}"
    return told or f"an operation of {len(operation)} events"


def _in_words(body: Body) -> str:
    match body:
        case WorkLogged(summary=summary):
            return f"logged: {clip(summary, _CLIPPED)}"
        case WorkflowSaved(name=name):
            return f"saved the workflow {name}"
        case WorkflowDropped(name=name):
            return f"dropped the workflow {name}"
        case Undone(label=label):
            return f"undo of {label}"
    return ""


def _of_memories(judged: Sequence[Event]) -> str:
    """What was done to the first memory in the end, and how many others there are."""
    by_claim: dict[ClaimId, Proposed | Decided] = {}
    for event in judged:
        assert isinstance(event.body, Proposed | Decided)
        by_claim[event.body.claim.id] = event.body
    first = next(iter(by_claim.values()))
    more = f" and {len(by_claim) - 1} more" if len(by_claim) > 1 else ""
    return f"{_DONE[first.verdict]}: {clip(first.claim.sentence, _CLIPPED)}{more}"
