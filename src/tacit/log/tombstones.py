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
from tacit.model.memory import touched
from tacit.model.observation import Purged, Stub
from tacit.model.purge import Cut, bound, cut_of, purged
from tacit.record import Record

_PURGED = b'"type":"memory.purged"'


class Tombstone(Record):
    """One of them: its place in the order, what it says, and what it cuts."""

    id: EventId
    body: Purged
    cut: Cut

    def is_about(self, event: Event) -> bool:
        """A purge speaks of what was there before it; a person may say it anew."""
        return event.id < bound(self.id, self.body)


class Tombstones:
    """All of a log."""

    def __init__(self, events: Iterable[Event]) -> None:
        self.all = [Tombstone(name, body, cut_of(body)) for name, body in _whole(events)]
        self._named: dict[EventId, list[Tombstone]] = {}
        self._gone: dict[str, list[Tombstone]] = {}
        for tombstone in self.all:
            for name in tombstone.body.events:
                self._named.setdefault(name, []).append(tombstone)
            for claim in tombstone.body.claims:
                self._gone.setdefault(claim, []).append(tombstone)

    def left_of(self, event: Event) -> Event:
        """What a replay may see of an event of this log. Cheap: only what is named is looked at."""
        for tombstone in self._named.get(event.id, ()):
            event = purged(event, tombstone.cut)
        if self._gone:
            for tombstone in [*self._on_claims(touched(event))]:
                event = purged(event, tombstone.cut) if tombstone.is_about(event) else event
        return event

    def thoroughly(self, event: Event) -> Event:
        """The same, with every word of it compared with every print."""
        for tombstone in self.all:
            if tombstone.is_about(event) or tombstone in self._named.get(event.id, ()):
                event = purged(event, tombstone.cut)
        return event

    def admitted(self, event: Event) -> Event | None:
        """What may come in of an event from elsewhere, whenever it was said there: deletion wins.

        Nothing when it is about a purged claim; otherwise the event, without what was purged.
        """
        left = event
        for tombstone in self.all:
            left = purged(left, tombstone.cut)
        return None if isinstance(left.body, Stub) and not isinstance(event.body, Stub) else left

    def keeps_out(self, event: Event) -> bool:
        """Whether an event from elsewhere holds anything that was purged here."""
        return self.admitted(event) != event

    def names(self, event: EventId) -> bool:
        return event in self._named

    def _on_claims(self, claims: Iterable[ClaimId]) -> Iterator[Tombstone]:
        for claim in claims:
            yield from self._gone.get(claim, ())


def _whole(events: Iterable[Event]) -> Iterator[tuple[EventId, Purged]]:
    """Each tombstone; what one purge had to spread over several lines is one again."""
    found: dict[tuple[str, str], tuple[EventId, Purged]] = {}
    for event in sorted(events, key=lambda event: event.id):
        if isinstance(event.body, Purged):
            name, first = found.get((event.op, event.body.before), (event.id, Purged()))
            found[event.op, event.body.before] = (name, _joined(first, event.body))
    return iter(found.values())


def _joined(one: Purged, other: Purged) -> Purged:
    return other._replace(
        events=one.events + other.events,
        claims=one.claims + other.claims,
        moved=one.moved + other.moved,
        prints=tuple(dict.fromkeys(one.prints + other.prints)),
    )


def tombstones(log: Log, since: datetime | None = None) -> Tombstones | None:
    """The tombstones of a log, or those that are dated `since` or later; None where there are none."""
    events = (event for segment in log.burials() for event in log.events_like(segment, Cursor(), _PURGED))
    found = Tombstones(event for event in events if since is None or event.at >= since)
    return found if found.all else None
