"""A memory for a page, said in one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from hypothesis import settings

from tacit.model.claim import GLOBAL, Claim, Kind, Provenance, Scope
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventBody, EventOrigin, Verdict
from tacit.model.ids import ClaimId, event_id
from tacit.model.memory import fold_memories
from tacit.model.statement import claim_from
from tacit.pages.long_term import SECTIONS, LongTermEntry, MemoryView, bullets, parse_entry, update_long_term

unhurried = settings(deadline=None)  # a slow machine is no finding
NOON = datetime(2024, 3, 1, 12, tzinfo=UTC)


def says(text: str, scope: Scope = GLOBAL, *, kind: Kind | None = None, tags: tuple[str, ...] = ()) -> Claim:
    return claim_from(text, scope, kind=kind, tags=tags)


def event(body: EventBody, *, number: int = 1, scope: Scope = GLOBAL) -> Event:
    name = event_id(number, bytes(10))
    origin = EventOrigin(NOON + timedelta(hours=number), 0, "host", "", "user", Provenance.USER_DIRECT)
    return Event(name, name, origin, scope, body)


def noted(claim: Claim, *said: EventBody, overruled_by: ClaimId | None = None, conflict: bool = False) -> MemoryView:
    memory = fold_memories([event(body, number=number) for number, body in enumerate(said, 1)])[claim.id]
    return MemoryView(memory, overruled_by, conflict)


def active(claim: Claim, *evidence: str, overruled_by: ClaimId | None = None, conflict: bool = False) -> MemoryView:
    """Said once for each piece of evidence."""
    said = [ClaimProposed(claim, Verdict.ADDED, "user_direct", text) for text in evidence or ("",)]
    return noted(claim, *said, overruled_by=overruled_by, conflict=conflict)


def pending(claim: Claim) -> MemoryView:
    return noted(claim, ClaimProposed(claim, Verdict.PROPOSED, "remember", "a test"))


def retired(claim: Claim, reason: str, evidence: str) -> MemoryView:
    said = ClaimProposed(claim, Verdict.ADDED, "user_direct", "first")
    return noted(claim, said, ClaimDecided(claim, Verdict.RETIRED, reason, evidence))


def dismissed(claim: Claim) -> MemoryView:
    return noted(claim, ClaimProposed(claim, Verdict.PROPOSED, "remember"), ClaimDecided(claim, Verdict.DISMISSED))


def render_long_term(views: Iterable[MemoryView]) -> list[str]:
    """The whole page."""
    return update_long_term([], views)


def parse_entries(page: Iterable[str]) -> Iterator[LongTermEntry]:
    """The entries in sections that Tacit knows."""
    return (parse_entry(section, line) for section, line in bullets(page) if section in SECTIONS)
