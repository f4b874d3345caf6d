"""What someone concluded about a claim: proposed, decided, or taken back."""

from __future__ import annotations

from enum import Enum

from tacit.core.claim import Claim
from tacit.core.ids import EventId
from tacit.core.provenance import Provenance
from tacit.record import Record


class Verdict(Enum):
    """What a judgement says. The value is the event type it is written as (S3)."""

    PROPOSED = "memory.candidate.created"
    ADDED = "memory.added"
    SUGGESTED = "pattern.suggested"
    ACCEPTED = "memory.promoted"
    DISMISSED = "suggestion.dismissed"
    RETIRED = "memory.pruned"
    RESTORED = "memory.restored"
    REVISED = "memory.revised"
    KEPT = "memory.kept"
    SHARED = "memory.shared"
    UNSHARED = "memory.unshared"


class Proposed(Record):
    """An observation that supports a claim: PROPOSED, ADDED (active at once) or SUGGESTED (a learner's notice).
    `events` are those it was concluded from. `private`: the claim is not put into the project's fact file by this."""

    claim: Claim
    verdict: Verdict
    source: str
    evidence: str = ""
    reason: str = ""
    confidence: float = 0.0
    events: tuple[EventId, ...] = ()
    private: bool = True


class Decided(Record):
    """A verdict on a claim.

    With `instead`, that claim takes its place, inherits strength, evidence and no more authority than it had, and is
    active at once when `active`. `private` as in `Proposed`.
    """

    claim: Claim
    verdict: Verdict
    reason: str = ""
    evidence: str = ""
    instead: Claim | None = None
    active: bool = False
    carried_strength: int = 0
    carried_evidence: tuple[str, ...] = ()
    carried_provenance: Provenance | None = None
    private: bool = True


class Undone(Record):
    """These events count as not said. Undoing an `Undone` makes them count again. `claims` names whom it touches."""

    targets: tuple[EventId, ...]
    claims: tuple[str, ...]
    label: str = ""


Judgement = Proposed | Decided | Undone

PROPOSALS = frozenset({Verdict.PROPOSED, Verdict.ADDED, Verdict.SUGGESTED})
