"""A memory is never stored: it is the fold of every judgement that names its claim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any

from tacit.model.claim import Claim, Kind, Provenance, Status, is_project_scope
from tacit.model.event import POLICY, REPOSITORY, ClaimDecided, ClaimProposed, Event, EventBody, EventsUndone, Verdict
from tacit.model.ids import ClaimId, EventId
from tacit.record import Record
from tacit.text.words import normalize_text

# How sure a memory is of itself, 0 to 1: a base by source, rising with observations and sessions to a cap.


class ConfidenceRange(Record):
    base: float
    cap: float


_CONFIDENCE_RANGES = {
    "user_direct": ConfidenceRange(1.0, 1.0),
    "remember": ConfidenceRange(0.60, 0.90),
    "note": ConfidenceRange(0.60, 0.90),
    "edit": ConfidenceRange(0.90, 1.0),
    "decision": ConfidenceRange(0.90, 1.0),
    "evaluation": ConfidenceRange(0.50, 0.80),
    "habit": ConfidenceRange(0.0, 0.0),  # told by what was counted: see learn/habits/habit.py
}
_DEFAULT_CONFIDENCE_RANGE = ConfidenceRange(0.50, 0.85)
# Seen four times more, in three more sessions: as sure as this source can make it.
_FULL_STRENGTH, _FULL_SESSIONS = 4, 3


def confidence_of(source: str, strength: int, sessions: int) -> float:
    scale = _CONFIDENCE_RANGES.get(source, _DEFAULT_CONFIDENCE_RANGE)
    by_strength = min(max(strength - 1, 0) / _FULL_STRENGTH, 1.0)
    by_sessions = min(max(sessions - 1, 0) / _FULL_SESSIONS, 1.0)
    return round(scale.base + (scale.cap - scale.base) * (0.6 * by_strength + 0.4 * by_sessions), 2)


# Whose word holds without asking: what a person said directly, or vouched for.


def may_add_directly(provenance: Provenance) -> bool:
    """Whether an `add` from this source needs no one's accept. A model's `add` is a suggestion."""
    return provenance is Provenance.USER_DIRECT


def may_activate(actor: str, provenance: Provenance) -> bool:
    """Whether somebody other than the person makes something active: rules a person set and repositories a person
    trusts, and those only on what comes from the person's own words or files."""
    return actor in (POLICY, REPOSITORY) and provenance >= Provenance.USER_FILE


# A memory is never stored: it is the fold of every judgement that names its claim.
#
# `evolve` hears one judgement; `recollect` hears a whole log, in any order and with repetitions, because it sorts by
# id, drops doubles and leaves out what was undone before it folds.

_TRAILING_PUNCTUATION = ".!?… "


class Evidence(Record):
    """Why somebody says so: the words, and the event they stand in."""

    event: EventId
    day: date
    text: str


class Memory(Record):
    """A claim with everything that was ever said about it."""

    claim: Claim
    status: Status
    source: str
    provenance: Provenance
    first_at: datetime
    last_at: datetime
    last: EventId
    day: date
    strength: int = 0
    evidence: tuple[Evidence, ...] = ()
    sessions: frozenset[str] = frozenset()
    decided_by: str = ""
    reason: str = ""
    reason_evidence: str = ""
    suggested: bool = False
    replaced_by: ClaimId | None = None
    touched_by_user: bool = False
    claimed: float = 0.0
    first: EventId = EventId("")  # the event it was first heard of in
    kept_event: EventId | None = None  # the decision that it stands beside whatever opposed it by then
    shared: bool | None = None

    @property
    def id(self) -> ClaimId:
        return self.claim.id

    @property
    def kind(self) -> Kind:
        return self.claim.kind

    @property
    def is_live(self) -> bool:
        """Neither forgotten nor dismissed."""
        return self.status in (Status.ACTIVE, Status.PENDING)

    @property
    def is_kept(self) -> bool:
        """A person said that it contradicts nothing."""
        return self.kept_event is not None

    @property
    def is_in_fact_file(self) -> bool:
        """Whether a project's fact file has a line for it, unless another answer overrules it: the person shared it,
        or the repository brought it."""
        is_brought = self.decided_by == REPOSITORY and not self.touched_by_user
        return is_project_scope(self.claim.scope) and self.status is Status.ACTIVE and (bool(self.shared) or is_brought)

    @property
    def is_unreviewed(self) -> bool:
        """Active because a setting says so: the person has not spoken of it yet."""
        return self.decided_by == POLICY and not self.touched_by_user

    @property
    def confidence(self) -> float:
        return max(self.claimed, confidence_of(self.source, self.strength, len(self.sessions)))


def fold_memories(events: Iterable[Event]) -> dict[ClaimId, Memory]:
    """Every memory of a log. The order in which the events come does not matter."""
    memories: dict[ClaimId, Memory] = {}
    for event in effective_events(events):
        for claim in touched_claims(event):
            memories[claim] = evolve(memories.get(claim), event, claim)
    return memories


def fold_memory(events: Iterable[Event], claim: ClaimId) -> Memory | None:
    """One memory, from the events that touch it; nothing when all of them were undone."""
    memory: Memory | None = None
    for event in effective_events(events):
        if claim in touched_claims(event):
            memory = evolve(memory, event, claim)
    return memory


def effective_events(events: Iterable[Event]) -> list[Event]:
    """The events in order, each once, without those that were undone."""
    unique = {event.id: event for event in events}
    if len(unique) == 1:
        return list(unique.values())
    ordered = [unique[name] for name in sorted(unique)]
    void = undone_ids(ordered)
    return [event for event in ordered if event.id not in void] if void else ordered


def undone_ids(ordered: Sequence[Event]) -> set[EventId]:
    """The ids that count as not said. Latest first, so an `Undone` that was itself undone has no effect.

    A person takes back anything, anybody else their own words, and the policy what a repository said that is no
    longer what was trusted.
    """
    void: set[EventId] = set()
    takebacks = [event for event in ordered if isinstance(event.body, EventsUndone)]
    if not takebacks:
        return void
    actors = {event.id: event.origin.actor for event in ordered}
    for event in reversed(takebacks):
        assert isinstance(event.body, EventsUndone)
        if event.id not in void:
            earlier = (target for target in event.body.targets if target < event.id)
            void |= {target for target in earlier if event.is_by_user or _may_undo(event, actors.get(target))}
    return void


def _may_undo(event: Event, actor: str | None) -> bool:
    return actor == event.origin.actor or (event.origin.actor, actor) == (POLICY, REPOSITORY)


def touched_claims(event: Event) -> tuple[ClaimId, ...]:
    """The claims whose memory this event changes (an `Undone` changes none by itself)."""
    match event.body:
        case ClaimProposed(claim=claim) | ClaimDecided(claim=claim, instead=None):
            return (claim.id,)
        case ClaimDecided(claim=claim, instead=Claim() as instead):
            return tuple(dict.fromkeys((claim.id, instead.id)))
    return ()


def evolve(memory: Memory | None, event: Event, claim: ClaimId) -> Memory:
    """What is known of `claim` after one more judgement."""
    after = _apply_judgement(memory, event, claim)
    if not event.is_by_user:
        return after
    shared = _shared_after(after, event.body)
    return (
        after
        if after.touched_by_user and shared is after.shared
        else after._replace(touched_by_user=True, shared=shared)
    )


def _shared_after(memory: Memory, body: EventBody) -> bool | None:
    """Whether the person shares the claim with its project, after one more of their judgements; None: never did.

    Judgements from before there was sharing have no `private`: what a person held true then is shared.
    """
    match body:
        case ClaimDecided(verdict=Verdict.SHARED | Verdict.UNSHARED as verdict):
            return verdict is Verdict.SHARED
        case ClaimProposed(private=False) | ClaimDecided(private=False) if memory.status is Status.ACTIVE:
            return True
    return memory.shared


def _apply_judgement(memory: Memory | None, event: Event, claim: ClaimId) -> Memory:
    body = event.body
    assert isinstance(body, ClaimProposed | ClaimDecided)
    if isinstance(body, ClaimProposed):
        return _apply_proposal(memory, event, body)
    if body.instead is not None and body.instead.id == claim:
        return _apply_replacement(memory, event, body, body.instead)
    return _apply_decision(memory, event, body)


def _apply_proposal(memory: Memory | None, event: Event, body: ClaimProposed) -> Memory:
    seen = memory or _new_memory(body.claim, event, body.source)
    if body.verdict is Verdict.SUGGESTED:  # a learner's notice of what was observed, not one more observation
        return seen._replace(suggested=True, claimed=max(seen.claimed, body.confidence))
    is_added = body.verdict is Verdict.ADDED and _may_decide(memory, event)
    return _add_support(
        seen,
        event,
        body.evidence,
        _strength_gain(seen, event),
        claim=_merged_wording(seen, event, body.claim),
        status=Status.ACTIVE if is_added else _status_after_proposal(memory, event),
        source=body.source if is_added else seen.source,
        provenance=_merged_provenance(seen, event),
        claimed=max(seen.claimed, body.confidence),
        decided_by=event.origin.actor if is_added else seen.decided_by,
    )


def _strength_gain(seen: Memory, event: Event) -> int:
    """Each observation counts once. But nobody of a lower class makes what a person has spoken of stronger."""
    is_lesser = event.origin.provenance < seen.provenance
    return 0 if seen.touched_by_user and not event.is_by_user and is_lesser else 1


def _merged_provenance(seen: Memory, event: Event) -> Provenance:
    """The least of all sources; but what a person has spoken of loses none by being repeated."""
    if seen.touched_by_user and not event.is_by_user:
        return seen.provenance
    return min(seen.provenance, event.origin.provenance)


def _status_after_proposal(memory: Memory | None, event: Event) -> Status:
    if memory is None:
        return Status.PENDING
    # Dismissed or forgotten stays so until a person speaks again.
    if memory.is_live or not event.is_by_user:
        return memory.status
    return Status.PENDING


def _apply_decision(memory: Memory | None, event: Event, body: ClaimDecided) -> Memory:
    known = memory or _new_memory(body.claim, event, "decision")
    if not _may_decide(memory, event) or body.verdict in (Verdict.SHARED, Verdict.UNSHARED):
        return known
    known = known._replace(
        claim=_merged_wording(known, event, body.claim),
        decided_by=event.origin.actor,
        reason=body.reason,
        reason_evidence=body.evidence,
        replaced_by=None,
    )
    match body.verdict:
        case Verdict.ACCEPTED | Verdict.RESTORED:
            return _add_support(known, event, body.evidence, 0, status=Status.ACTIVE)
        case Verdict.DISMISSED:
            return known._replace(status=Status.DISMISSED)
        case Verdict.KEPT:
            return known._replace(kept_event=event.id)
        case Verdict.REVISED:
            replaced_by = body.instead.id if body.instead else None
            return known._replace(status=Status.RETIRED, day=event.day, replaced_by=replaced_by)
        case _:
            return known._replace(status=Status.RETIRED, day=event.day)


def _apply_replacement(memory: Memory | None, event: Event, body: ClaimDecided, instead: Claim) -> Memory:
    """The memory whose claim was put in another's place (or that only got new words)."""
    known = memory or _new_memory(instead, event, "edit")
    if not _may_decide(memory, event):
        return known
    carried = tuple(Evidence(event.id, event.day, text) for text in body.carried_evidence)
    source = event.origin.provenance if body.carried_provenance is None else body.carried_provenance
    status = Status.ACTIVE if body.active else known.status
    if memory is not None and not memory.is_live and not body.active:
        status = Status.PENDING
    least = min(known.provenance, event.origin.provenance, source)
    inherited = known._replace(evidence=known.evidence + carried, provenance=least, replaced_by=None)
    return _add_support(inherited, event, "", body.carried_strength, claim=instead, status=status)


def _new_memory(claim: Claim, event: Event, source: str) -> Memory:
    return Memory(
        claim=claim,
        status=Status.PENDING,
        source=source,
        provenance=event.origin.provenance,
        first_at=event.at,
        last_at=event.at,
        last=event.id,
        day=event.day,
        first=event.id,
    )


def _add_support(memory: Memory, event: Event, evidence: str, weight: int, **changes: Any) -> Memory:
    """One more observation: strength, sessions, evidence, the time it was last asserted, and what else changed."""
    day = memory.day if memory.last == event.id else event.day  # a blank one was made from this very event
    if not (memory.touched_by_user and not event.is_by_user):
        # When others repeat what a person said, the person's answer does not become newer by it.
        changes |= {"last_at": max(memory.last_at, event.at), "last": event.id, "day": day}
    return memory._replace(
        strength=memory.strength + weight,
        evidence=(*memory.evidence, Evidence(event.id, day, evidence)) if evidence else memory.evidence,
        sessions=memory.sessions | {event.origin.session or day.isoformat()},
        touched_by_user=memory.touched_by_user or event.is_by_user,
        **changes,
    )


def _merged_wording(memory: Memory, event: Event, claim: Claim) -> Claim:
    """The latest wording of a person wins; a learner may reword only what no person has spoken of."""
    if claim == memory.claim:
        return claim
    if memory.touched_by_user and not event.is_by_user:
        return memory.claim
    if _is_only_emphasis(claim.sentence, memory.claim.sentence):
        claim = claim._replace(sentence=memory.claim.sentence, triple=memory.claim.triple)
    return claim._replace(tags=tuple(dict.fromkeys((*memory.claim.tags, *claim.tags))))


def _is_only_emphasis(new: str, known: str) -> bool:
    """The same words once more, with more blanks or capitals: said with emphasis, not said better (S6)."""
    return normalize_text(new).rstrip(_TRAILING_PUNCTUATION) == normalize_text(known).rstrip(
        _TRAILING_PUNCTUATION
    ) and _untidiness(new) > _untidiness(known)


def _untidiness(text: str) -> tuple[int, int, int]:
    """Runs of blanks, words in capitals that could be in small letters, and signs at the end."""
    words = text.split()
    shouted = sum(len(word) > 2 and word.isalpha() and word.isupper() for word in words)
    return (
        len(text.split(" ")) - len(words) + text.count("\n"),
        shouted,
        len(text) - len(text.rstrip(_TRAILING_PUNCTUATION)),
    )


def _may_decide(memory: Memory | None, event: Event) -> bool:
    """A person always. Others never against a person, and never on what came from less than a person's own file."""
    if event.is_by_user:
        return True
    if memory is None:
        return may_activate(event.origin.actor, event.origin.provenance)
    least = min(memory.provenance, event.origin.provenance)
    is_open = not memory.touched_by_user and memory.status is Status.PENDING
    return is_open and may_activate(event.origin.actor, least)
