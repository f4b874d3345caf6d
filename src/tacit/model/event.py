"""Events: the envelope around everything that is recorded, and the bodies that are judgements about claims."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum
from functools import lru_cache

from tacit.model.claim import Claim, Provenance, Scope
from tacit.model.ids import EventId
from tacit.model.observation import Observation
from tacit.record import Record

# Actors: the person, rules the person set, a repository the person trusts, a team the person joined, a file edited by
# an unknown hand, another home. Learners are `learner:NAME`, members of the team `team:NAME`.
USER = "user"
POLICY = "policy"
REPOSITORY = "repository"
TEAM = "team"
HAND_EDIT = "hand-edit"
IMPORT = "import"
RULE_FILE = "rule_file"  # the source of a claim that was imported from a rule file of an agent


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


PROPOSING_VERDICTS = frozenset({Verdict.PROPOSED, Verdict.ADDED, Verdict.SUGGESTED})


class ClaimProposed(Record):
    """An observation that supports a claim: PROPOSED, ADDED (active at once) or SUGGESTED (a learner's notice).

    `events` are those it was concluded from. If `private`, it does not put the claim into the project's fact file. If
    `kind_inferred`, nobody named the kind: it was told from the words. `carried_strength` is how often others stated it
    in a fact file, as far as that is not counted yet. `contradicts` are the ids of memories that whoever proposes it
    says it contradicts.
    """

    claim: Claim
    verdict: Verdict
    source: str
    evidence: str = ""
    reason: str = ""
    confidence: float = 0.0
    events: tuple[EventId, ...] = ()
    private: bool = True
    kind_inferred: bool = False
    carried_strength: int = 0
    contradicts: tuple[str, ...] = ()


class ClaimDecided(Record):
    """A verdict on a claim.

    If `instead` is given, that claim replaces it. It inherits strength, evidence and no more authority than the old
    one had, and is active at once if `active`. `private` and `kind_inferred` are as in `ClaimProposed`. A claim that is
    KEPT may name what is `missing` in the work tree; then the verdict is about these names, and not about
    contradictions.
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
    missing: tuple[str, ...] = ()
    kind_inferred: bool = False


class EventsUndone(Record):
    """The targets no longer count. Undoing this event makes them count again. `claims` are those it touches."""

    targets: tuple[EventId, ...]
    claims: tuple[str, ...]
    label: str = ""


Judgement = ClaimProposed | ClaimDecided | EventsUndone
EventBody = Judgement | Observation


def is_of_team(actor: str) -> bool:
    """Return whether an actor is the team or one of its members."""
    return actor == TEAM or actor.startswith(f"{TEAM}:")


def agent_name(actor: str) -> str:
    """Return the name of the agent that an actor is; "" for the person, policy, the team, learners and others."""
    name = actor.removeprefix("agent:")
    return "" if ":" in name or name in (USER, POLICY, REPOSITORY, TEAM) else name


class Attribution(Record):
    """The actor of one event of an operation, where it is not whoever ran the command; and its session, where it is
    known to be another."""

    actor: str
    provenance: Provenance
    session: str = ""


class Draft(Record):
    """An event to record. The log gives it an id and a line."""

    body: EventBody
    scope: Scope
    attribution: Attribution | None = None


class EventOrigin(Record):
    """Actor, time and place of an event: the same for every event of one operation, unless attributed."""

    at: datetime
    utc_offset_minutes: int
    host: str
    session: str
    actor: str
    provenance: Provenance

    def attributed_to(self, attribution: Attribution | None) -> EventOrigin:
        """Return this origin with another actor, who never has more authority than whoever ran the command."""
        if attribution is None:
            return self
        provenance = min(self.provenance, attribution.provenance)
        return self._replace(
            actor=attribution.actor, provenance=provenance, session=attribution.session or self.session
        )


class Event(Record):
    """One line of the log. The envelope never changes its form; bodies may.

    `op` is the id of the first event of the same operation, which `undo` takes back as a whole.
    """

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
        """The local date where it happened: by the event's own offset, not by today's time zone."""
        return local_day(self.origin)


def local_day(origin: EventOrigin) -> date:
    """Return the date on the wall clock where the event happened."""
    return local_time(origin).date()


def local_time(origin: EventOrigin) -> datetime:
    """Return the time on the wall clock where the event happened."""
    if not origin.utc_offset_minutes:
        return origin.at
    try:
        return origin.at.astimezone(_fixed_offset(origin.utc_offset_minutes))
    except (OverflowError, ValueError):  # year 1 or 9999 with an offset across the edge
        return origin.at


def timestamp(at: datetime) -> str:
    """Return UTC with microseconds and a Z: it sorts as text and is parsed without loss."""
    utc = at if at.tzinfo is UTC else at.astimezone(UTC)
    return utc.isoformat(timespec="microseconds")[:26] + "Z"


@lru_cache(maxsize=128)
def _fixed_offset(minutes: int) -> timezone:
    return timezone(timedelta(minutes=minutes))
