"""What each verb concludes: from what is known to the judgements to record. Nothing is written here."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.errors import RefusedError
from tacit.model.claim import Claim, Kind, Provenance, Status, is_project_scope
from tacit.model.event import Attribution, ClaimDecided, ClaimProposed, Draft, Event, EventsUndone, Verdict
from tacit.model.memory import Memory, may_add_directly, touched_claims
from tacit.text.display import clip, printable


def propose(
    known: Memory | None,
    claim: Claim,
    *,
    source: str,
    evidence: str,
    reason: str = "",
    voice: Attribution | None = None,
) -> list[Draft]:
    """One more observation; nothing when the same words were given with the same evidence before."""
    if known and known.is_live and evidence in {given.text for given in known.evidence}:
        return []
    return [Draft(ClaimProposed(claim, Verdict.PROPOSED, source, evidence, reason), claim.scope, voice)]


def add(claim: Claim, *, provenance: Provenance, evidence: str, shared: bool = False) -> Draft:
    """Active at once when a person says so, a suggestion otherwise; said again, it is stronger.

    `shared` puts it into the fact file of its project. A suggestion is never shared.
    """
    if not may_add_directly(provenance):
        return Draft(ClaimProposed(claim, Verdict.PROPOSED, "agent", evidence), claim.scope)
    return Draft(ClaimProposed(claim, Verdict.ADDED, "user_direct", evidence, private=not shared), claim.scope)


def accept(memory: Memory, *, kind: Kind | None = None, evidence: str = "", reason: str = "") -> Draft:
    if memory.status is Status.ACTIVE and kind in (None, memory.kind) and not memory.is_unreviewed:
        raise RefusedError(f"{memory.id} is active already: {printable(clip(memory.claim.sentence, 80))}")
    claim = memory.claim._replace(kind=kind) if kind else memory.claim
    return _verdict_draft(claim, Verdict.ACCEPTED, reason, evidence)


def promote(claim: Claim, *, evidence: str) -> list[Draft]:
    """Something nobody had proposed before: the observation and the verdict on it."""
    return [
        Draft(ClaimProposed(claim, Verdict.PROPOSED, "promote", evidence), claim.scope),
        _verdict_draft(claim, Verdict.ACCEPTED, "", ""),
    ]


def dismiss(memory: Memory, *, reason: str = "") -> Draft:
    if memory.status is Status.ACTIVE and not memory.is_unreviewed:
        raise RefusedError(
            f"{memory.id} is an active memory, not a suggestion",
            f"tacit forget {memory.id}",
        )
    if not memory.is_live:
        raise RefusedError(f"{memory.id} is {memory.status.value} already")
    return _verdict_draft(memory.claim, Verdict.DISMISSED, reason, "")


def forget(memory: Memory, *, reason: str, evidence: str) -> Draft:
    if not memory.is_live:
        raise RefusedError(f"{memory.id} is {memory.status.value} already", f"tacit restore {memory.id}")
    return _verdict_draft(memory.claim, Verdict.RETIRED, reason, evidence)


def restore(memory: Memory, *, reason: str = "") -> Draft:
    if memory.is_live:
        raise RefusedError(f"{memory.id} is {memory.status.value}, nothing to restore")
    return _verdict_draft(memory.claim, Verdict.RESTORED, reason, "")


def keep(memory: Memory, *, reason: str = "") -> Draft:
    """Not an answer to the question it was thought to answer."""
    return _verdict_draft(memory.claim, Verdict.KEPT, reason, "")


def share(memory: Memory) -> Draft:
    """Put a memory into the fact file of its project. Raises `Refused` where there is nothing to share."""
    if not is_project_scope(memory.claim.scope):
        raise RefusedError(f"{memory.id} is global: it belongs to no project whose fact file could have it")
    if memory.status is not Status.ACTIVE:
        first = "accept" if memory.status is Status.PENDING else "restore"
        raise RefusedError(
            f"{memory.id} is {memory.status.value}; only an active memory can be shared", f"tacit {first} {memory.id}"
        )
    if memory.is_in_fact_file:
        raise RefusedError(f"{memory.id} is shared already: {printable(clip(memory.claim.sentence, 80))}")
    return _verdict_draft(memory.claim, Verdict.SHARED, "", "")


def unshare(memory: Memory) -> Draft:
    """Take a memory out of the fact file of its project; it stays in the home. Raises `Refused` where it is not in
    the file, or where the repository brought it."""
    if not memory.shared:
        if memory.is_in_fact_file:
            raise RefusedError(
                f"{memory.id} came with the repository; somebody else shared it",
                f"to do without it: tacit forget {memory.id}",
            )
        raise RefusedError(f"{memory.id} is not shared: {printable(clip(memory.claim.sentence, 80))}")
    return _verdict_draft(memory.claim, Verdict.UNSHARED, "", "")


def revise(memory: Memory, claim: Claim, *, activate: bool = False, reason: str = "") -> Draft:
    """Other words, kind or tags for the same memory; with other words it is another claim, and inherits. What was
    shared stays shared."""
    if claim == memory.claim and not activate:
        raise RefusedError(f"{memory.id} reads so already; nothing to change")
    return _replacement_draft(memory, claim, active=activate or memory.status is Status.ACTIVE, reason=reason)


def merge(memory: Memory, into: Memory, *, reason: str = "") -> Draft:
    """One memory's evidence and strength go over to another that says the same."""
    if memory.id == into.id:
        raise RefusedError(f"{memory.id} cannot be merged with itself")
    if not into.is_live:
        raise RefusedError(f"{into.id} is {into.status.value}", f"tacit restore {into.id}")
    return _replacement_draft(memory, into.claim, active=False, reason=reason or "merged")


def undo(operation: Sequence[Event], label: str) -> Draft:
    """Take back all events of one operation."""
    claims = dict.fromkeys(claim for event in operation for claim in _claims_touched_by(event))
    targets = tuple(event.id for event in operation)
    return Draft(EventsUndone(targets, tuple(claims), label), operation[0].scope)


def suggest(memory: Memory, *, source: str, reason: str, evidence: str) -> Draft:
    """A learner's notice on a pending memory: it counts as no observation."""
    body = ClaimProposed(memory.claim, Verdict.SUGGESTED, source, evidence, reason, memory.confidence)
    return Draft(body, memory.claim.scope, Attribution(f"learner:{source}", memory.provenance))


def _replacement_draft(memory: Memory, claim: Claim, *, active: bool, reason: str) -> Draft:
    private = not memory.is_in_fact_file
    if claim.id == memory.id:
        body = ClaimDecided(memory.claim, Verdict.REVISED, reason, instead=claim, active=active, private=private)
        return Draft(body, claim.scope)
    body = ClaimDecided(
        memory.claim,
        Verdict.REVISED,
        reason,
        instead=claim,
        active=active,
        carried_strength=memory.strength,
        carried_evidence=tuple(dict.fromkeys(given.text for given in memory.evidence)),
        carried_provenance=memory.provenance,
        private=private,
    )
    return Draft(body, claim.scope)


def _claims_touched_by(event: Event) -> Sequence[str]:
    return event.body.claims if isinstance(event.body, EventsUndone) else touched_claims(event)


def _verdict_draft(claim: Claim, verdict: Verdict, reason: str, evidence: str) -> Draft:
    return Draft(ClaimDecided(claim, verdict, reason, evidence), claim.scope)
