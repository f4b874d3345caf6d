"""What learners of sessions see, and what they return."""

from __future__ import annotations

from tacit.model.claim import Kind, Provenance
from tacit.model.ids import EventId
from tacit.model.observation import ConversationBody
from tacit.record import Record


class SessionEvent(Record):
    """One event of a conversation."""

    event_id: EventId
    body: ConversationBody


class Lesson(Record):
    """What a learner concluded: a sentence that can stand alone, and the words it comes from.

    `quote` is an exact part of what was said in the first event of `evidence`; `provenance` is that of the speaker.
    """

    kind: Kind
    sentence: str
    quote: str
    evidence: tuple[EventId, ...]
    reason: str
    confidence: float
    provenance: Provenance = Provenance.USER_DIRECT
