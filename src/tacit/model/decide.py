"""Verbs as pure functions: from what is known to the judgements to record. Nothing is written here."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.errors import RefusedError
from tacit.model.claim import Claim, Kind, Provenance, Status, is_project_scope
from tacit.model.event import Attribution, ClaimDecided, ClaimProposed, Draft, Event, EventsUndone, Verdict
from tacit.model.ids import EventId
from tacit.model.memory import Memory, claims_of_event, may_add_directly
from tacit.text.display import clip, printable


def propose(
    known: Memory | None,
    claim: Claim,
    *,
    source: str,
    evidence: str,
    reason: str = "",
    events: tuple[EventId, ...] = (),
    attribution: Attribution | None = None,
    kind_inferred: bool = False,
) -> list[Draft]:
    """Return one more observation of a claim, or nothing if it is live and has this evidence already.

    `events` are those it was concluded from. `kind_inferred` says that nobody named the kind of the claim.
    """
    if known and known.is_live and any(evidence == given.text for given in known.evidence):
        return []
    body = ClaimProposed(claim, Verdict.PROPOSED, source, evidence, reason, events=events, kind_inferred=kind_inferred)
    return [Draft(body, claim.scope, attribution)]


def add(
    claim: Claim,
    *,
    provenance: Provenance,
    evidence: str,
    shared: bool = False,
    kind_inferred: bool = False,
    others: int = 0,
) -> Draft:
    """Return an addition that is active at once if a person says so, else a suggestion. Repeated, it adds strength.

    `shared` puts the claim into the fact file of its project. A suggestion is never shared. `others` is how often
    others have stated the claim there and this home does not count yet.
    """
    body = ClaimProposed(claim, Verdict.PROPOSED, "agent", evidence, kind_inferred=kind_inferred)
    if may_add_directly(provenance):
        body = body._replace(verdict=Verdict.ADDED, source="user_direct", private=not shared, carried_strength=others)
    return Draft(body, claim.scope)


def accept(memory: Memory, *, kind: Kind | None = None, evidence: str = "", reason: str = "") -> Draft:
    """Make a memory active, with another `kind` if one is given. Raise RefusedError if it is active already."""
    if memory.status is Status.ACTIVE and kind in (None, memory.kind) and not memory.is_unreviewed:
        raise RefusedError(f"{memory.id} is active already: {printable(clip(memory.claim.sentence, 80))}")
    claim = memory.claim._replace(kind=kind) if kind else memory.claim
    return _decided(claim, Verdict.ACCEPTED, reason, evidence, kind_inferred=False)  # the person has read it


def promote(claim: Claim, *, evidence: str) -> list[Draft]:
    """Return the observation of a claim that nobody had proposed before, and the verdict that accepts it."""
    return [
        Draft(ClaimProposed(claim, Verdict.PROPOSED, "promote", evidence), claim.scope),
        _decided(claim, Verdict.ACCEPTED, kind_inferred=False),
    ]


def dismiss(memory: Memory, *, reason: str = "") -> Draft:
    """Dismiss a suggestion. Raise RefusedError if a person accepted it, or if it is not live."""
    if memory.status is Status.ACTIVE and not memory.is_unreviewed:
        raise RefusedError(f"{memory.id} is an active memory, not a suggestion", f"tacit forget {memory.id}")
    if not memory.is_live:
        raise RefusedError(f"{memory.id} is {memory.status.value} already")
    return _decided(memory.claim, Verdict.DISMISSED, reason)


def forget(memory: Memory, *, reason: str, evidence: str) -> Draft:
    """Retire a memory. Raise RefusedError if it is not live."""
    if not memory.is_live:
        raise RefusedError(f"{memory.id} is {memory.status.value} already", f"tacit restore {memory.id}")
    return _decided(memory.claim, Verdict.RETIRED, reason, evidence)


def restore(memory: Memory, *, reason: str = "") -> Draft:
    """Make a dismissed or forgotten memory active again. Raise RefusedError if it is live."""
    if memory.is_live:
        raise RefusedError(f"{memory.id} is {memory.status.value}, nothing to restore")
    return _decided(memory.claim, Verdict.RESTORED, reason)


def keep(memory: Memory, *, reason: str = "") -> Draft:
    """Decide that a memory contradicts nothing: it does not answer the question it was thought to answer."""
    return _decided(memory.claim, Verdict.KEPT, reason)


def keep_despite(memory: Memory, missing: Sequence[str]) -> Draft:
    """Decide that a memory holds although the work tree does not have what it names."""
    body = ClaimDecided(memory.claim, Verdict.KEPT, missing=tuple(missing), kind_inferred=True)
    return Draft(body, memory.claim.scope)


def share(memory: Memory, *, has_line: bool = True) -> Draft:
    """Put a memory into the fact file of its project. Raise RefusedError if it cannot be or is shared already.

    What is shared can be shared again where the file has no line for it: it may be that of another branch.
    """
    if not is_project_scope(memory.claim.scope):
        raise RefusedError(f"{memory.id} is global: it belongs to no project whose fact file could have it")
    if memory.status is not Status.ACTIVE:
        first = "accept" if memory.status is Status.PENDING else "restore"
        raise RefusedError(
            f"{memory.id} is {memory.status.value}; only an active memory can be shared", f"tacit {first} {memory.id}"
        )
    if memory.is_in_fact_file and has_line:
        raise RefusedError(f"{memory.id} is shared already: {printable(clip(memory.claim.sentence, 80))}")
    return _decided(memory.claim, Verdict.SHARED)


def unshare(memory: Memory) -> Draft:
    """Take a memory out of the fact file of its project. It stays in the home.

    Raise RefusedError if it is not in the file, or if the repository brought it.
    """
    if not memory.shared:
        if memory.is_in_fact_file:
            raise RefusedError(
                f"{memory.id} came with the repository; somebody else shared it",
                f"to do without it: tacit forget {memory.id}",
            )
        raise RefusedError(f"{memory.id} is not shared: {printable(clip(memory.claim.sentence, 80))}")
    return _decided(memory.claim, Verdict.UNSHARED)


def revise(memory: Memory, claim: Claim, *, activate: bool = False, reason: str = "") -> Draft:
    """Give a memory other words, another kind or other tags. Raise RefusedError if that changes nothing.

    Other words are another claim, which inherits. What was shared stays shared.
    """
    if claim == memory.claim and not activate:
        raise RefusedError(f"{memory.id} reads so already; nothing to change")
    is_active = activate or memory.status is Status.ACTIVE
    return Draft(_replacement(memory, claim, active=is_active, reason=reason), claim.scope)


def accept_globally(memory: Memory, claim: Claim, *, evidence: str = "") -> Draft:
    """Make a candidate active everywhere, with the words and kind of `claim`. Raise RefusedError if it is none."""
    if memory.status is not Status.PENDING:
        raise RefusedError(f"{memory.id} is {memory.status.value}, not a candidate", f"tacit show {memory.id}")
    if claim.id == memory.id:  # it is global already
        return accept(memory, kind=claim.kind, evidence=evidence)
    body = _replacement(memory, claim, active=True, reason="accepted for all projects")
    carried = (*body.carried_evidence, *([evidence] if evidence else ()))
    return Draft(body._replace(carried_evidence=carried), claim.scope)


def merge(memory: Memory, into: Memory, *, reason: str = "") -> Draft:
    """Give a memory's evidence and strength to another that says the same.

    Raise RefusedError if the other is not live, or the same memory.
    """
    if memory.id == into.id:
        raise RefusedError(f"{memory.id} cannot be merged with itself")
    if not into.is_live:
        raise RefusedError(f"{into.id} is {into.status.value}", f"tacit restore {into.id}")
    body = _replacement(memory, into.claim, active=False, reason=reason or "merged")
    return Draft(body._replace(kind_inferred=not into.is_kind_stated), into.claim.scope)


def undo(operation: Sequence[Event], label: str) -> Draft:
    """Take back all events of one operation."""
    claims = dict.fromkeys(claim for event in operation for claim in claims_of_event(event))
    targets = tuple(event.id for event in operation)
    return Draft(EventsUndone(targets, tuple(claims), label), operation[0].scope)


def suggest(memory: Memory, *, source: str, reason: str, evidence: str) -> Draft:
    """Return a learner's notice on a pending memory. It does not count as an observation."""
    body = ClaimProposed(memory.claim, Verdict.SUGGESTED, source, evidence, reason, memory.confidence)
    return Draft(body, memory.claim.scope, Attribution(f"learner:{source}", memory.provenance))


def _replacement(memory: Memory, claim: Claim, *, active: bool, reason: str) -> ClaimDecided:
    """Put `claim` in the place of a memory's claim. Another claim inherits; the same one has everything already."""
    body = ClaimDecided(
        memory.claim,
        Verdict.REVISED,
        reason,
        instead=claim,
        active=active,
        private=not memory.is_in_fact_file,
        kind_inferred=claim.kind is memory.kind and not memory.is_kind_stated,
    )
    if claim.id == memory.id:
        return body
    return body._replace(
        carried_strength=memory.strength,
        carried_evidence=tuple(dict.fromkeys(given.text for given in memory.evidence)),
        carried_provenance=memory.provenance,
    )


def _decided(claim: Claim, verdict: Verdict, reason: str = "", evidence: str = "", kind_inferred: bool = True) -> Draft:
    return Draft(ClaimDecided(claim, verdict, reason, evidence, kind_inferred=kind_inferred), claim.scope)
