"""What learners see and what they return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from tacit.model.claim import Kind, Provenance
from tacit.model.ids import EventId
from tacit.model.memory import Memory
from tacit.model.observation import ConversationBody, WorkLogged
from tacit.record import Record

# What a learner may look at.


@dataclass(frozen=True, slots=True)
class EvaluationInput:
    """Everything remembered and logged, seen from one day."""

    today: date
    memories: tuple[Memory, ...] = ()
    worklog: tuple[WorkLogged, ...] = ()
    open_conflicts: int = 0
    counters: Mapping[str, int] = field(default_factory=dict)


# What a learner concluded from a conversation: a sentence that can stand alone, and the words it comes from.


class SessionEvent(Record):
    """One thing of a conversation, in order, with the event it stands in."""

    event_id: EventId
    body: ConversationBody


class Lesson(Record):
    """`quote` is an exact part of what was said in the first of `evidence`; `provenance` is that of the speaker."""

    kind: Kind
    sentence: str
    quote: str
    evidence: tuple[EventId, ...]
    reason: str
    confidence: float
    provenance: Provenance = Provenance.USER_DIRECT
