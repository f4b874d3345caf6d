"""The envelope around everything that is recorded, and judgements about claims."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum
from functools import lru_cache

from tacit.model.claim import Claim, Provenance, Scope
from tacit.model.ids import EventId
from tacit.model.observation import Observation
from tacit.record import Record

# What someone concluded about a claim: proposed, decided, or taken back.


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


class ClaimProposed(Record):
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


class ClaimDecided(Record):
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


class EventsUndone(Record):
    """These events count as not said. Undoing an `Undone` makes them count again. `claims` names whom it touches."""

    targets: tuple[EventId, ...]
    claims: tuple[str, ...]
    label: str = ""


Judgement = ClaimProposed | ClaimDecided | EventsUndone

PROPOSING_VERDICTS = frozenset({Verdict.PROPOSED, Verdict.ADDED, Verdict.SUGGESTED})


# The envelope around everything that is recorded. It never changes shape; bodies may.

# Who may speak: the person; rules the person set; a repository the person trusts; a file of unknown hand; another home.
USER = "user"
POLICY = "policy"
REPOSITORY = "repository"
HAND_EDIT = "hand-edit"
IMPORT = "import"

EventBody = Judgement | Observation


class Attribution(Record):
    """Who says one line of an operation, where that is not whoever ran the command."""

    actor: str
    provenance: Provenance


class Draft(Record):
    """What a decision wants recorded; the log gives it an id, a place in the order and a line."""

    body: EventBody
    scope: Scope
    attribution: Attribution | None = None


class EventOrigin(Record):
    """Who is speaking, when and where: the same for every line of one operation."""

    at: datetime
    utc_offset_minutes: int
    host: str
    session: str
    actor: str
    provenance: Provenance

    def attributed_to(self, voice: Attribution | None) -> EventOrigin:
        """The same moment in another's voice, which never has more authority than whoever lets it be heard."""
        if voice is None:
            return self
        return self._replace(actor=voice.actor, provenance=min(self.provenance, voice.provenance))


class Event(Record):
    """One line of the log. `op` is the first event of the same operation: what `undo` takes back together."""

    id: EventId
    op: EventId
    origin: EventOrigin
    scope: Scope
    body: EventBody

    @property
    def at(self) -> datetime:
        return self.origin.at

    @property
    def is_by_user(self) -> bool:
        return self.origin.actor == USER

    @property
    def day(self) -> date:
        """The date on the wall where it happened: by the event's own offset, not today's time zone."""
        return local_day(self.origin)


def local_day(origin: EventOrigin) -> date:
    return local_time(origin).date()


def local_time(origin: EventOrigin) -> datetime:
    if not origin.utc_offset_minutes:
        return origin.at
    try:
        return origin.at.astimezone(_fixed_offset(origin.utc_offset_minutes))
    except (OverflowError, ValueError):  # year 1 or 9999 with an offset across the edge
        return origin.at


def timestamp(at: datetime) -> str:
    """UTC with microseconds and a Z: sorts as text, reads back without loss."""
    utc = at if at.tzinfo is UTC else at.astimezone(UTC)
    return utc.isoformat(timespec="microseconds")[:26] + "Z"


@lru_cache(maxsize=128)
def _fixed_offset(minutes: int) -> timezone:
    return timezone(timedelta(minutes=minutes))
