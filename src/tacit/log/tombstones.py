"""Tombstones: what was purged stays purged, whichever old copy of a line comes back.

A replay of our own log looks at the events a tombstone names, and at claims that are gone. Lines from elsewhere are
looked at whole, because the same text may stand there under ids that nobody here has seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from tacit.log.log import Cursor, Log
from tacit.model.event import Event
from tacit.model.ids import ClaimId, EventId
from tacit.model.memory import touched_claims
from tacit.model.observation import MemoryPurged, PurgedStub
from tacit.model.purge import PurgeTarget, purge_bound, purge_event, purge_target_of
from tacit.record import Record

_TOMBSTONE_MARKER = b'"type":"memory.purged"'


class Tombstone(Record):
    """One of them: its place in the order, what it says, and what it cuts."""

    id: EventId
    body: MemoryPurged
    target: PurgeTarget

    def applies_to(self, event: Event) -> bool:
        """A purge speaks of what was there before it; a person may say it anew."""
        return event.id < purge_bound(self.id, self.body)


class Tombstones:
    """All of a log."""

    def __init__(self, events: Iterable[Event]) -> None:
        self.all = [Tombstone(name, body, purge_target_of(body)) for name, body in _merge_tombstones(events)]
        self._by_event: dict[EventId, list[Tombstone]] = {}
        self._by_claim: dict[str, list[Tombstone]] = {}
        for tombstone in self.all:
            for name in tombstone.body.events:
                self._by_event.setdefault(name, []).append(tombstone)
            for claim in tombstone.body.claims:
                self._by_claim.setdefault(claim, []).append(tombstone)

    def apply(self, event: Event) -> Event:
        """What a replay may see of an event of this log. Cheap: only what is named is looked at."""
        for tombstone in self._by_event.get(event.id, ()):
            event = purge_event(event, tombstone.target)
        if self._by_claim:
            for tombstone in [*self._for_claims(touched_claims(event))]:
                event = purge_event(event, tombstone.target) if tombstone.applies_to(event) else event
        return event

    def apply_fully(self, event: Event) -> Event:
        """The same, with every word of it compared with every print."""
        for tombstone in self.all:
            if tombstone.applies_to(event) or tombstone in self._by_event.get(event.id, ()):
                event = purge_event(event, tombstone.target)
        return event

    def filter_import(self, event: Event) -> Event | None:
        """What may come in of an event from elsewhere, whenever it was said there: deletion wins.

        Nothing when it is about a purged claim; otherwise the event, without what was purged.
        """
        left = event
        for tombstone in self.all:
            left = purge_event(left, tombstone.target)
        return None if isinstance(left.body, PurgedStub) and not isinstance(event.body, PurgedStub) else left

    def rejects(self, event: Event) -> bool:
        """Whether an event from elsewhere holds anything that was purged here."""
        return self.filter_import(event) != event

    def has_event(self, event: EventId) -> bool:
        return event in self._by_event

    def _for_claims(self, claims: Iterable[ClaimId]) -> Iterator[Tombstone]:
        for claim in claims:
            yield from self._by_claim.get(claim, ())


def _merge_tombstones(events: Iterable[Event]) -> Iterator[tuple[EventId, MemoryPurged]]:
    """Each tombstone; what one purge had to spread over several lines is one again."""
    found: dict[tuple[str, str], tuple[EventId, MemoryPurged]] = {}
    for event in sorted(events, key=lambda event: event.id):
        if isinstance(event.body, MemoryPurged):
            name, first = found.get((event.op, event.body.before), (event.id, MemoryPurged()))
            found[event.op, event.body.before] = (name, _join_bodies(first, event.body))
    return iter(found.values())


def _join_bodies(one: MemoryPurged, other: MemoryPurged) -> MemoryPurged:
    return other._replace(
        events=one.events + other.events,
        claims=one.claims + other.claims,
        moved=one.moved + other.moved,
        prints=tuple(dict.fromkeys(one.prints + other.prints)),
    )


def load_tombstones(log: Log, since: datetime | None = None) -> Tombstones | None:
    """The tombstones of a log, or those that are dated `since` or later; None where there are none."""
    events = (
        event
        for segment in log.tombstone_segments()
        for event in log.events_containing(segment, Cursor(), _TOMBSTONE_MARKER)
    )
    found = Tombstones(event for event in events if since is None or event.at >= since)
    return found if found.all else None
