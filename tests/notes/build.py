"""A memory for a page, said in one line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import settings

from tacit.model.claim import GLOBAL, Claim, Kind, Provenance, Scope
from tacit.model.event import Body, Decided, Event, Origin, Proposed, Verdict
from tacit.model.ids import ClaimId, event_id
from tacit.model.memory import recollect
from tacit.model.statement import claim_from
from tacit.pages.long_term import Noted

unhurried = settings(deadline=None)  # a slow machine is no finding
NOON = datetime(2024, 3, 1, 12, tzinfo=UTC)


def says(text: str, scope: Scope = GLOBAL, *, kind: Kind | None = None, tags: tuple[str, ...] = ()) -> Claim:
    return claim_from(text, scope, kind=kind, tags=tags)


def event(body: Body, *, number: int = 1, scope: Scope = GLOBAL) -> Event:
    name = event_id(number, bytes(10))
    origin = Origin(NOON + timedelta(hours=number), 0, "host", "", "user", Provenance.USER_DIRECT)
    return Event(name, name, origin, scope, body)


def noted(claim: Claim, *said: Body, overruled_by: ClaimId | None = None, conflict: bool = False) -> Noted:
    memory = recollect([event(body, number=number) for number, body in enumerate(said, 1)])[claim.id]
    return Noted(memory, overruled_by, conflict)


def active(claim: Claim, *evidence: str, overruled_by: ClaimId | None = None, conflict: bool = False) -> Noted:
    """Said once for each piece of evidence."""
    said = [Proposed(claim, Verdict.ADDED, "user_direct", text) for text in evidence or ("",)]
    return noted(claim, *said, overruled_by=overruled_by, conflict=conflict)


def pending(claim: Claim) -> Noted:
    return noted(claim, Proposed(claim, Verdict.PROPOSED, "remember", "a test"))


def retired(claim: Claim, reason: str, evidence: str) -> Noted:
    said = Proposed(claim, Verdict.ADDED, "user_direct", "first")
    return noted(claim, said, Decided(claim, Verdict.RETIRED, reason, evidence))


def dismissed(claim: Claim) -> Noted:
    return noted(claim, Proposed(claim, Verdict.PROPOSED, "remember"), Decided(claim, Verdict.DISMISSED))
