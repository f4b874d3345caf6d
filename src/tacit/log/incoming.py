"""Lines from elsewhere: which events of one home are for another home of the same person, and which are new there.

`tacit import --mine` and remotes use the same rules, so that a home is the same whichever way its lines came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tacit.disk.files import open_plain
from tacit.log.codec import DamagedLine, id_in_line
from tacit.log.log import MEMORY_BODIES, Cursor, Log, read_lines
from tacit.log.redact import redact_body
from tacit.log.tombstones import TOMBSTONE_MARKER, Tombstones
from tacit.model.event import REPOSITORY, Event, Verdict
from tacit.model.ids import EventId
from tacit.model.observation import (
    LogSealed,
    MemoryPurged,
    ProjectSeen,
    PurgedStub,
    RepositoryDistrusted,
    RepositoryTrusted,
)

# Events that are true of one machine only: where projects are, what was trusted there, how its files were repaired.
_MACHINE_LOCAL_EVENTS = (LogSealed, ProjectSeen, RepositoryTrusted, RepositoryDistrusted)
# Lines that each machine gets for itself: of a repository's fact file, and of a team's server.
_LOCAL_ACTORS = (REPOSITORY, "team")
_VERDICTS = frozenset(verdict.value for verdict in Verdict)


def is_portable(event: Event) -> bool:
    """Return whether an event is for other machines of the person, too. Tombstones are."""
    return not isinstance(event.body, _MACHINE_LOCAL_EVENTS) and event.origin.actor.split(":")[0] not in _LOCAL_ACTORS


def is_about_memory(event: Event) -> bool:
    """Return whether an event is a judgement, a workflow, an evaluation or a tombstone: no command, prompt or reply."""
    if isinstance(event.body, PurgedStub):
        return event.body.was in _VERDICTS
    return isinstance(event.body, (*MEMORY_BODIES, MemoryPurged))


class IncomingFilter:
    """Chooses the events of another home that are new here, and counts those that it leaves out.

    `latest` is the greatest id to take: one that is far ahead of this machine's clock would push all later ids there.
    """

    def __init__(self, log: Log, latest: EventId) -> None:
        self._known_ids = {name for segment in log.segments() for name in _event_ids(log, segment)}
        self._latest = latest
        self.known = self.damaged = self.refused = self.purged = 0

    def new_events(
        self,
        records: Iterable[Event | DamagedLine],
        tombstones: Tombstones | None,
        applied: Tombstones | None = None,
    ) -> list[Event]:
        """Return the events to take, redacted and in order. They count as known from then on.

        `tombstones` hold for events of any time, `applied` ones for events that are older or that they name.
        """
        events: dict[EventId, Event] = {}
        for record in records:
            if (event := self._admit(record, tombstones)) is not None:
                events.setdefault(event.id, applied.apply_fully(event) if applied else event)
        self._known_ids.update(events)
        return [events[name] for name in sorted(events)]

    def new_tombstones(self, records: Iterable[Event | DamagedLine]) -> list[Event]:
        """Return the tombstones of the other home that are new. They hold here too: deletion wins."""
        new = {
            record.id: record
            for record in records
            if isinstance(record, Event) and isinstance(record.body, MemoryPurged) and record.id not in self._known_ids
        }
        return [new[name] for name in sorted(new)]

    def _admit(self, record: Event | DamagedLine, tombstones: Tombstones | None) -> Event | None:
        if isinstance(record, DamagedLine):
            self.damaged += 1
            return None
        if record.id in self._known_ids:
            self.known += 1
            return None
        if isinstance(record.body, MemoryPurged) or not is_portable(record):
            return None
        if record.id > self._latest:
            self.refused += 1
            return None
        event = tombstones.filter_import(record) if tombstones else record
        self.purged += event is None
        return event and event._replace(body=redact_body(event.body))


def tombstone_events(log: Log) -> list[Event]:
    """Return the lines of all tombstones of a log."""
    return [
        event
        for segment in log.tombstone_segments()
        for event in log.events_containing(segment, Cursor(), TOMBSTONE_MARKER)
        if isinstance(event.body, MemoryPurged)
    ]


def _event_ids(log: Log, segment: str) -> Iterator[EventId]:
    with open_plain(log.path(segment)) as file:
        yield from (name for line in read_lines(file) if (name := id_in_line(line.data)))
