"""A memory for a page, said in one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tacit.model.claim import GLOBAL, Claim, Scope
from tacit.model.event import ClaimDecided, Event, EventBody, Verdict
from tacit.model.ids import ClaimId
from tacit.pages.long_term import SECTIONS, LongTermEntry, MemoryView, bullets, parse_entry, update_long_term
from tests.support import events

NOON, says, unhurried = events.START, events.says, events.unhurried


def event(body: EventBody, *, number: int = 1, scope: Scope = GLOBAL) -> Event:
    return events.event(number, body)._replace(scope=scope)


def noted(claim: Claim, *said: EventBody, overruled_by: ClaimId | None = None, conflict: bool = False) -> MemoryView:
    return MemoryView(events.memory_of(claim, *said), overruled_by, conflict)


def active(claim: Claim, *evidence: str, overruled_by: ClaimId | None = None, conflict: bool = False) -> MemoryView:
    """Said once for each piece of evidence."""
    said = [events.added(claim, text) for text in evidence or ("",)]
    return noted(claim, *said, overruled_by=overruled_by, conflict=conflict)


def pending(claim: Claim) -> MemoryView:
    return noted(claim, events.proposed(claim, "a test"))


def retired(claim: Claim, reason: str, evidence: str) -> MemoryView:
    return noted(claim, events.added(claim, "first"), ClaimDecided(claim, Verdict.RETIRED, reason, evidence))


def dismissed(claim: Claim) -> MemoryView:
    return noted(claim, events.proposed(claim), ClaimDecided(claim, Verdict.DISMISSED))


def render_long_term(views: Iterable[MemoryView]) -> list[str]:
    """The whole page."""
    return update_long_term([], views)


def parse_entries(page: Iterable[str]) -> Iterator[LongTermEntry]:
    """The entries in sections that Tacit knows."""
    return (parse_entry(section, line) for section, line in bullets(page) if section in SECTIONS)
