"""Small logs for examples: who said what, one event after the other."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import settings

from tacit.log.codec import encode
from tacit.log.segment import MEMORY_SEGMENT
from tacit.model.claim import GLOBAL, Claim, Kind, Provenance, Scope
from tacit.model.event import USER, ClaimDecided, ClaimProposed, Event, EventBody, EventOrigin, Verdict
from tacit.model.ids import EventId, event_id
from tacit.model.memory import Memory, fold_memories
from tacit.model.statement import claim_from

unhurried = settings(deadline=None)  # a slow machine is no finding
START = datetime(2024, 3, 1, 12, tzinfo=UTC)


def says(text: str, scope: Scope = GLOBAL, *, kind: Kind | None = None, tags: tuple[str, ...] = ()) -> Claim:
    return claim_from(text, scope, kind=kind, tags=tags)


def numbered(number: int) -> EventId:
    return event_id(number, bytes(10))


def event(
    number: int, body: EventBody, actor: str = USER, *, session: str = "", provenance: Provenance | None = None
) -> Event:
    """The event of this number: later numbers are later events, an hour apart."""
    if provenance is None:
        provenance = Provenance.USER_DIRECT if actor == USER else Provenance.MODEL
    origin = EventOrigin(START + timedelta(hours=number), 0, "host", session, actor, provenance)
    return Event(numbered(number), numbered(number), origin, GLOBAL, body)


def write_home(home: Path, log: Iterable[Event]) -> Path:
    """A home whose log has these events, as Tacit writes them. The first command makes its index."""
    segment = home / MEMORY_SEGMENT
    segment.parent.mkdir(parents=True)
    segment.write_bytes(b"".join(map(encode, log)))
    return home


def added(claim: Claim, evidence: str = "") -> ClaimProposed:
    return ClaimProposed(claim, Verdict.ADDED, "user_direct", evidence)


def proposed(claim: Claim, evidence: str = "") -> ClaimProposed:
    return ClaimProposed(claim, Verdict.PROPOSED, "remember", evidence)


def history(*said: EventBody) -> list[Event]:
    """One event for each thing a person said, in this order."""
    return [event(number, body) for number, body in enumerate(said, 1)]


def memory_of(claim: Claim, *said: EventBody) -> Memory:
    """The memory of a claim after these judgements of a person."""
    return fold_memories(history(*said))[claim.id]


def active(text: str = "use pnpm") -> Memory:
    return memory_of(says(text), added(says(text)))


def pending(text: str = "use pnpm") -> Memory:
    return memory_of(says(text), proposed(says(text), "a test"))


def dismissed(text: str = "use pnpm") -> Memory:
    return memory_of(says(text), proposed(says(text)), ClaimDecided(says(text), Verdict.DISMISSED))


def forgotten(text: str = "use pnpm") -> Memory:
    return memory_of(says(text), added(says(text)), ClaimDecided(says(text), Verdict.RETIRED))
