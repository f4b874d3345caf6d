"""Memories: the fold of all judgements about a claim. A memory is never stored.

`evolve` applies one judgement. `fold_memories` and `fold_memory` take events in any order and with repetitions: they
sort by id, drop duplicates and leave out what was undone before they fold. Who may decide what is defined here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from enum import IntEnum

from tacit.model.claim import Claim, Kind, Provenance, Status, is_project_scope
from tacit.model.event import (
    POLICY,
    REPOSITORY,
    TEAM,
    ClaimDecided,
    ClaimProposed,
    Draft,
    Event,
    EventBody,
    EventsUndone,
    Verdict,
    is_of_team,
    local_time,
)
from tacit.model.ids import ClaimId, EventId, event_milliseconds
from tacit.model.observation import TrialEnded, TrialStarted
from tacit.record import Record
from tacit.text.words import normalize_text

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


HABIT_SOURCE = "habit"  # of claims that were counted in commands
HABIT_KINDS = frozenset((Kind.PREFERRED_CWD, Kind.RECURRING_COMMAND, Kind.WORKFLOW_PATTERN, Kind.PREFERENCE))
# Confidence by source: the base, and the cap it rises to with observations and sessions.
_CONFIDENCE_RANGES = {
    "user_direct": (1.0, 1.0),
    "remember": (0.60, 0.90),
    "note": (0.60, 0.90),
    "edit": (0.90, 1.0),
    "decision": (0.90, 1.0),
    "evaluation": (0.50, 0.80),
    HABIT_SOURCE: (0.0, 0.0),  # the learner computes it from its counts: see learn/habits/habit.py
}
_DEFAULT_CONFIDENCE_RANGE = (0.50, 0.85)
_FULL_STRENGTH, _FULL_SESSIONS = 4, 3  # observations and sessions after the first that reach the cap
_TRAILING_PUNCTUATION = ".!?… "


def confidence_of(source: str, strength: int, sessions: int) -> float:
    """Return the confidence, 0 to 1, of a memory from `source` with so many observations in so many sessions."""
    base, cap = _CONFIDENCE_RANGES.get(source, _DEFAULT_CONFIDENCE_RANGE)
    by_strength = min(max(strength - 1, 0) / _FULL_STRENGTH, 1.0)
    by_sessions = min(max(sessions - 1, 0) / _FULL_SESSIONS, 1.0)
    return round(base + (cap - base) * (0.6 * by_strength + 0.4 * by_sessions), 2)


def may_add_directly(provenance: Provenance) -> bool:
    """Return whether an `add` from this source is active at once. An `add` by a model is a suggestion."""
    return provenance is Provenance.USER_DIRECT


def may_activate(actor: str, provenance: Provenance) -> bool:
    """Return whether an actor other than the person may make a claim active.

    Only the person's policy, repositories the person trusts and a team the person joined may, and only what comes
    from the person's own words or from what the person vouched for.
    """
    return (actor in (POLICY, REPOSITORY) or is_of_team(actor)) and provenance >= Provenance.USER_FILE


class Evidence(Record):
    """The words that say why a claim is believed, and the event they come from."""

    event: EventId
    day: date
    text: str


class KindSource(IntEnum):
    """How the kind of a memory is known, the weakest first.

    A kind is replaced by one that is known better, and a stated one by one that is stated as well: it does not depend
    on the order in which a kind that somebody named and one that was told from the words were heard.
    """

    INFERRED = 0
    STATED = 1  # by an agent, a learner or an imported file
    INFERRED_FOR_PERSON = 2  # from a person's words
    STATED_IN_TRUSTED_FILE = 3  # or by the team, or accepted by the person's policy
    STATED_BY_PERSON = 4


class Memory(Record):
    """A claim and what all judgements about it amount to.

    `said_at` is when it was last said or done, which may be long before it was learned: `first_at` and `last_at` are
    the times of the judgements.
    """

    claim: Claim
    status: Status
    source: str
    provenance: Provenance
    first_at: datetime
    last_at: datetime
    last_event: EventId
    day: date
    said_at: datetime
    strength: int = 0  # how often it was observed or stated
    evidence: tuple[Evidence, ...] = ()
    sessions: frozenset[str] = frozenset()
    decided_by: str = ""
    reason: str = ""
    reason_evidence: str = ""
    suggested: bool = False
    replaced_by: ClaimId | None = None
    touched_by_user: bool = False
    claimed: float = 0.0  # the highest confidence that a proposal stated
    first_event: EventId = EventId("")  # the event that first named the claim
    kept_event: EventId | None = None  # the latest decision that it contradicts nothing it was opposed to by then
    shared: bool | None = None
    kept_names: frozenset[str] = frozenset()  # missing in the work tree when somebody decided to keep it
    judged_strength: int = 0  # the strength when a person last judged it: it does not grow by use
    kind_source: KindSource = KindSource.INFERRED

    @property
    def id(self) -> ClaimId:
        return self.claim.id

    @property
    def kind(self) -> Kind:
        return self.claim.kind

    @property
    def shown_day(self) -> date:
        """The day that lists and pages show: when it was last said, or when it was forgotten."""
        return self.day if self.status is Status.RETIRED else self.said_at.date()

    @property
    def is_kind_stated(self) -> bool:
        """Whether somebody named its kind, and it was not told from the words."""
        return self.kind_source not in (KindSource.INFERRED, KindSource.INFERRED_FOR_PERSON)

    @property
    def is_live(self) -> bool:
        """Whether it is neither forgotten nor dismissed."""
        return self.status in (Status.ACTIVE, Status.PENDING)

    @property
    def is_kept(self) -> bool:
        """Whether a person said that it contradicts nothing."""
        return self.kept_event is not None

    @property
    def is_in_fact_file(self) -> bool:
        """Whether it has a line in its project's fact file, unless it is overruled: the person shared it, or the
        repository brought it."""
        is_brought = self.decided_by == REPOSITORY and not self.touched_by_user
        return is_project_scope(self.claim.scope) and self.status is Status.ACTIVE and (bool(self.shared) or is_brought)

    @property
    def author(self) -> str:
        """Whose words it is, and who accepted them for the team: "alice, accepted by bob". Empty if no team did."""
        if not is_of_team(self.decided_by):
            return ""
        return ", ".join(filter(None, (self.decided_by.removeprefix(f"{TEAM}:"), self.reason)))

    @property
    def is_habit(self) -> bool:
        """Whether it was counted in commands, and nobody filed it under a kind that habits do not have."""
        return self.source == HABIT_SOURCE and self.kind in HABIT_KINDS

    @property
    def is_unreviewed(self) -> bool:
        """Whether it is active by a setting alone, without a judgement by the person."""
        return self.decided_by == POLICY and not self.touched_by_user

    @property
    def confidence(self) -> float:
        """How sure the memory is, 0 to 1."""
        return max(self.claimed, confidence_of(self.source, self.strength, len(self.sessions)))

    @property
    def is_confidence_measured(self) -> bool:
        """Whether the confidence follows from the person's words or runs; others have one for all of a source."""
        return self.is_habit or (self.claimed > 0 and self.provenance is Provenance.USER_DIRECT)


def fold_memories(events: Iterable[Event]) -> dict[ClaimId, Memory]:
    """Return every memory of a log by its id. The order of the events does not matter."""
    memories: dict[ClaimId, Memory] = {}
    for event in effective_events(events):
        for claim in touched_claims(event):
            memories[claim] = evolve(memories.get(claim), event, claim)
    return memories


def fold_memory(events: Iterable[Event], claim: ClaimId) -> Memory | None:
    """Return one memory, from the events that touch it. None if all of them were undone."""
    memory: Memory | None = None
    for event in effective_events(events):
        if claim in touched_claims(event):
            memory = evolve(memory, event, claim)
    return memory


def effective_events(events: Iterable[Event]) -> list[Event]:
    """Return the events in order, each once, without those that were undone."""
    given = list(events)
    if len(given) == 1:
        return given
    unique = {event.id: event for event in given}
    ordered = [unique[event_id] for event_id in sorted(unique)]
    undone = undone_ids(ordered)
    return [event for event in ordered if event.id not in undone] if undone else ordered


def undone_ids(ordered: Sequence[Event]) -> set[EventId]:
    """Return the ids of events that were undone. `ordered` is sorted by id.

    The latest `EventsUndone` is applied first, so one that was itself undone has no effect. A person may undo anything,
    any other actor their own events, the policy also what a repository said that is no longer what was trusted, and the
    team what its members said.
    """
    undone: set[EventId] = set()
    takebacks = [event for event in ordered if isinstance(event.body, EventsUndone)]
    if not takebacks:
        return undone
    actors = {event.id: event.origin.actor for event in ordered}
    for event in reversed(takebacks):
        assert isinstance(event.body, EventsUndone)
        if event.id not in undone:
            earlier = (target for target in event.body.targets if target < event.id)
            undone |= {target for target in earlier if event.is_by_user or _may_undo(event, actors.get(target))}
    return undone


def _may_undo(event: Event, actor: str | None) -> bool:
    own = event.origin.actor
    return actor is not None and (
        own == actor or (own, actor) == (POLICY, REPOSITORY) or (own == TEAM and is_of_team(actor))
    )


def touched_claims(event: Event | Draft) -> tuple[ClaimId, ...]:
    """Return the claims whose memory this event changes. An `EventsUndone` changes none by itself."""
    match event.body:
        case ClaimDecided(claim=claim, instead=Claim() as instead):
            return tuple(dict.fromkeys((claim.id, instead.id)))
        case ClaimProposed(claim=claim) | ClaimDecided(claim=claim):
            return (claim.id,)
    return ()


def claims_of_event(event: Event | Draft) -> Sequence[ClaimId]:
    """Return the claims whose history an event belongs to: those that it touches, and the one that a trial is about.

    `EventsUndone` names them itself, as its targets may arrive later.
    """
    if isinstance(event.body, EventsUndone):
        return [ClaimId(claim) for claim in event.body.claims]
    if isinstance(event.body, TrialStarted | TrialEnded):
        return [ClaimId(event.body.claim)]
    return touched_claims(event)


def evolve(memory: Memory | None, event: Event, claim: ClaimId) -> Memory:
    """Return the memory of `claim` after one more judgement. `event` must touch the claim."""
    body = event.body
    assert isinstance(body, ClaimProposed | ClaimDecided)
    if isinstance(body, ClaimProposed):
        after = _apply_proposal(memory, event, body) if memory else _first_proposal(event, body)
    elif body.instead is not None and body.instead.id == claim:
        after = _apply_replacement(memory, event, body, body.instead)
    else:
        after = _apply_decision(memory, event, body)
    if not event.is_by_user:
        return after
    shared = _shared_after(after, body)
    if after.touched_by_user and shared is after.shared and after.judged_strength == after.strength:
        return after
    return after._replace(touched_by_user=True, shared=shared, judged_strength=after.strength)


def _shared_after(memory: Memory, body: EventBody) -> bool | None:
    """Return whether the person shares the claim with its project after this judgement; None if they never did.

    Judgements from before there was sharing have no `private`: what a person held true then is shared.
    """
    if isinstance(body, ClaimDecided) and body.verdict in (Verdict.SHARED, Verdict.UNSHARED):
        return body.verdict is Verdict.SHARED
    if isinstance(body, ClaimProposed | ClaimDecided) and not body.private and memory.status is Status.ACTIVE:
        return True
    return memory.shared


def _first_proposal(event: Event, body: ClaimProposed) -> Memory:
    """Return the memory of a claim that nobody has named before: the one event of most memories."""
    if body.verdict is Verdict.SUGGESTED:  # a learner's notice of what was observed, not an observation
        return _new_memory(body.claim, event, body.source, suggested=True, claimed=body.confidence)
    is_added = body.verdict is Verdict.ADDED and _may_decide(None, event)
    actor, day = event.origin.actor, _said_at(event).date()
    return _new_memory(
        body.claim,
        event,
        body.source,
        status=Status.ACTIVE if is_added else Status.PENDING,
        strength=1 + body.carried_strength,
        evidence=(Evidence(event.id, day, body.evidence),) if body.evidence else (),
        sessions=frozenset((event.origin.session or event.day.isoformat(),)),
        decided_by=actor if is_added else "",
        reason=body.reason if is_added and is_of_team(actor) else "",
        claimed=body.confidence,
        kind_source=_kind_source(event, body),
    )


def _apply_proposal(known: Memory, event: Event, body: ClaimProposed) -> Memory:
    claimed = max(known.claimed, body.confidence)
    if body.verdict is Verdict.SUGGESTED:
        return known._replace(suggested=True, claimed=claimed)
    is_added = body.verdict is Verdict.ADDED and _may_decide(known, event)
    status = known.status
    if is_added:
        status = Status.ACTIVE
    elif event.is_by_user and not known.is_live:  # only a person reopens what was dismissed or forgotten
        status = Status.PENDING
    is_protected, provenance = _is_protected(known, event), event.origin.provenance
    return _add_support(
        _with_claim(known, event, body),
        event,
        body.evidence,
        # Each observation counts once, but a lower class does not strengthen what a person has judged.
        0 if is_protected and provenance < known.provenance else 1 + body.carried_strength,
        status=status,
        source=body.source if is_added else known.source,
        # The least of all sources, but what a person has judged loses none when others repeat it.
        provenance=known.provenance if is_protected else min(known.provenance, provenance),
        claimed=claimed,
        decided_by=event.origin.actor if is_added else known.decided_by,
        # Who accepted it for the team is told with it. Reasons of other proposals are theirs, not the memory's.
        reason=body.reason if is_added and is_of_team(event.origin.actor) else known.reason,
    )


def _apply_decision(memory: Memory | None, event: Event, body: ClaimDecided) -> Memory:
    known = memory or _new_memory(body.claim, event, "decision")
    if not _may_decide(memory, event) or body.verdict in (Verdict.SHARED, Verdict.UNSHARED):
        return known
    known = _with_claim(known, event, body)._replace(
        decided_by=event.origin.actor, reason=body.reason, reason_evidence=body.evidence, replaced_by=None
    )
    match body.verdict:
        case Verdict.ACCEPTED | Verdict.RESTORED:
            return _add_support(known, event, body.evidence, 0, status=Status.ACTIVE)
        case Verdict.DISMISSED:
            return known._replace(status=Status.DISMISSED)
        case Verdict.KEPT:
            names = known.kept_names.union(body.missing)
            return known._replace(kept_names=names) if body.missing else known._replace(kept_event=event.id)
    replaced_by = body.instead.id if body.instead else None
    return known._replace(status=Status.RETIRED, day=event.day, replaced_by=replaced_by)


def _apply_replacement(memory: Memory | None, event: Event, body: ClaimDecided, instead: Claim) -> Memory:
    """Return the memory of the claim that replaced another one, or that only has new words."""
    known = memory or _new_memory(instead, event, "edit")
    if not _may_decide(memory, event):
        return known
    carried = tuple(Evidence(event.id, event.day, text) for text in body.carried_evidence)
    carried_provenance = event.origin.provenance if body.carried_provenance is None else body.carried_provenance
    lowest = min(known.provenance, event.origin.provenance, carried_provenance)
    status = Status.ACTIVE if body.active else known.status if known.is_live else Status.PENDING
    inherited = known._replace(evidence=known.evidence + carried, provenance=lowest, replaced_by=None)
    kind, kind_source = _current_kind(known, event, body, instead)
    claim = instead._replace(kind=kind)
    return _add_support(
        inherited, event, "", body.carried_strength, claim=claim, kind_source=kind_source, status=status
    )


def _new_memory(claim: Claim, event: Event, source: str, *, status: Status = Status.PENDING, **fields: Any) -> Memory:
    at, provenance = event.at, event.origin.provenance
    times = (at, at, event.id, event.day, _said_at(event))
    return Memory(claim, status, source, provenance, *times, first_event=event.id, **fields)


def _said_at(event: Event) -> datetime:
    """Return the local time of what an event judges: of the latest event of a session that a proposal names as its
    source, else of the event itself."""
    sources = event.body.events if isinstance(event.body, ClaimProposed) else ()
    latest = max(map(event_milliseconds, sources), default=0)  # 0 where the time is unknown
    # Others choose the ids of their events: a source may name a time that no calendar has.
    is_earlier = 0 < latest < event.at.timestamp() * 1000
    at = datetime.fromtimestamp(latest / 1000, UTC) if is_earlier else event.at
    return local_time(event.origin._replace(at=at))


def _add_support(memory: Memory, event: Event, evidence: str, weight: int, **changes: Any) -> Memory:
    """Return the memory with `weight` more observations, the event's session and evidence, and `changes`."""
    # The memory may have been made from this very event.
    day = memory.day if memory.last_event == event.id else event.day
    said_at = max(memory.said_at, _said_at(event)) if isinstance(event.body, ClaimProposed) else memory.said_at
    if not _is_protected(memory, event):  # what a person said becomes no newer when others repeat it
        times = {"last_at": max(memory.last_at, event.at), "day": day, "said_at": said_at}
        changes |= {**times, "last_event": event.id}
    return memory._replace(
        strength=memory.strength + weight,
        evidence=(*memory.evidence, Evidence(event.id, _said_at(event).date(), evidence))
        if evidence
        else memory.evidence,
        sessions=memory.sessions | {event.origin.session or day.isoformat()},
        touched_by_user=memory.touched_by_user or event.is_by_user,
        **changes,
    )


def _with_claim(memory: Memory, event: Event, body: ClaimProposed | ClaimDecided) -> Memory:
    """Return the memory in its current words: a person's latest, or a learner's if no person has judged it."""
    kind, kind_source = _current_kind(memory, event, body, body.claim)
    claim, known = body.claim, memory.claim
    if _is_protected(memory, event):
        claim = known
    elif claim != known:
        if _is_only_emphasis(claim.sentence, known.sentence):
            claim = claim._replace(sentence=known.sentence, triple=known.triple)
        claim = claim._replace(tags=tuple(dict.fromkeys((*known.tags, *claim.tags))))
    return memory._replace(claim=claim if claim.kind is kind else claim._replace(kind=kind), kind_source=kind_source)


def _current_kind(
    memory: Memory, event: Event, body: ClaimProposed | ClaimDecided, claim: Claim
) -> tuple[Kind, KindSource]:
    """Return the kind after a judgement, and how it is known: that which is known best, of stated ones the latest.

    A kind that was told from words stays that of the first words: whoever edits a text, and states it again later,
    finds it where it was.
    """
    source = _kind_source(event, body)
    # The person has read and accepted the kind that a repository names.
    is_accepted = source is KindSource.STATED_IN_TRUSTED_FILE and event.origin.actor == REPOSITORY
    is_told_again = body.kind_inferred and source is memory.kind_source
    if source < memory.kind_source or is_told_again or (_is_protected(memory, event) and not is_accepted):
        return memory.kind, memory.kind_source
    return claim.kind, source


def _kind_source(event: Event, body: ClaimProposed | ClaimDecided) -> KindSource:
    if event.is_by_user:
        return KindSource.INFERRED_FOR_PERSON if body.kind_inferred else KindSource.STATED_BY_PERSON
    if body.kind_inferred:
        return KindSource.INFERRED
    is_trusted = may_activate(event.origin.actor, event.origin.provenance)
    return KindSource.STATED_IN_TRUSTED_FILE if is_trusted else KindSource.STATED


def _is_only_emphasis(new: str, known: str) -> bool:
    """Return whether `new` has the same words with more blanks, capitals or punctuation: no better wording (S6)."""
    is_same = normalize_text(new).rstrip(_TRAILING_PUNCTUATION) == normalize_text(known).rstrip(_TRAILING_PUNCTUATION)
    return is_same and _untidiness(new) > _untidiness(known)


def _untidiness(text: str) -> tuple[int, int, int]:
    """Count superfluous blanks, words in capitals that could be lower case, and punctuation at the end."""
    words = text.split()
    return (
        len(text.split(" ")) - len(words) + text.count("\n"),
        sum(len(word) > 2 and word.isalpha() and word.isupper() for word in words),
        len(text) - len(text.rstrip(_TRAILING_PUNCTUATION)),
    )


def _is_protected(memory: Memory, event: Event) -> bool:
    """Return whether a person has judged the memory and the event is somebody else's."""
    return memory.touched_by_user and not event.is_by_user


def _may_decide(memory: Memory | None, event: Event) -> bool:
    """Return whether the event's verdict counts.

    A person's always does. Others decide nothing that a person has judged, nothing that is not pending, and nothing
    that came from less than the person's own file. What a team accepted is active also if an agent or a program had
    proposed the same: its words are the team's.
    """
    if event.is_by_user:
        return True
    if memory is None:
        return may_activate(event.origin.actor, event.origin.provenance)
    is_team = is_of_team(event.origin.actor)
    lowest = event.origin.provenance if is_team else min(memory.provenance, event.origin.provenance)
    is_open = not memory.touched_by_user and memory.status is Status.PENDING
    return is_open and may_activate(event.origin.actor, lowest)
