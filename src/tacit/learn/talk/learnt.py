"""What a learner concluded from a conversation: a sentence that can stand alone, and the words it comes from."""

from __future__ import annotations

from tacit.core.claim import Kind
from tacit.core.conversation import Conversation
from tacit.core.ids import EventId
from tacit.core.provenance import Provenance
from tacit.record import Record


class Said(Record):
    """One thing of a conversation, in order, with the event it stands in."""

    event: EventId
    body: Conversation


class Learnt(Record):
    """`quote` is an exact part of what was said in the first of `evidence`; `provenance` is that of the speaker."""

    kind: Kind
    sentence: str
    quote: str
    evidence: tuple[EventId, ...]
    reason: str
    confidence: float
    provenance: Provenance = Provenance.USER_DIRECT
