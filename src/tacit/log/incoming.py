"""Lines from elsewhere: which events of one home are for another home of the same person, which are new there, and
where they go.

`tacit import --mine` and remotes use the same rules, so that a home is the same whichever way its lines came.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from tacit.disk.files import make_folder, read_file
from tacit.log import Log
from tacit.log.codec import DamagedLine, encode, id_in_line
from tacit.log.reader import Cursor, LogReader, PurgeFilter
from tacit.log.rewrite import replace_segment
from tacit.log.segment import IMPORTED_FOLDER, MEMORY_BODIES, PURGED_SEGMENT, received_segment, redact_events
from tacit.model import observation
from tacit.model.event import REPOSITORY, Event, Verdict
from tacit.model.ids import EventId, sha256

# Events that are true of one machine only: where projects are, what was trusted there, how its files were repaired.
_MACHINE_LOCAL_EVENTS = (
    observation.LogSealed,
    observation.ProjectSeen,
    observation.RepositoryTrusted,
    observation.RepositoryDistrusted,
)
# Lines that each machine gets for itself: of a repository's fact file, and of a team's server.
_LOCAL_ACTORS = (REPOSITORY, "team")
_VERDICTS = frozenset(verdict.value for verdict in Verdict)


def is_portable(event: Event) -> bool:
    """Return whether an event is for other machines of the person, too. Tombstones are."""
    return not isinstance(event.body, _MACHINE_LOCAL_EVENTS) and event.origin.actor.split(":")[0] not in _LOCAL_ACTORS


def is_about_memory(event: Event) -> bool:
    """Return whether an event is a judgement, a workflow, an evaluation or a tombstone: no command, prompt or reply."""
    if isinstance(event.body, observation.PurgedStub):
        return event.body.was in _VERDICTS
    return isinstance(event.body, (*MEMORY_BODIES, observation.MemoryPurged))


class IncomingFilter:
    """Chooses the events of another home that are new here, and counts those that it leaves out.

    `latest` is the greatest id to take: one that is far ahead of this machine's clock would push all later ids there.
    """

    def __init__(self, log: LogReader, latest: EventId) -> None:
        self._known_ids = {event_id for segment in log.segments() for event_id in log.ids(segment, Cursor())}
        self._latest = latest
        self.known = self.damaged = self.refused = self.purged = 0

    def new_events(
        self, records: Iterable[Event | DamagedLine], tombstones: PurgeFilter | None, applied: PurgeFilter | None = None
    ) -> list[Event]:
        """Return the events to take, redacted and in order. They count as known from then on.

        `tombstones` hold for events of any time, `applied` ones for events that are older or that they name.
        """
        events: dict[EventId, Event] = {}
        for record in records:
            if (event := self._admit(record, tombstones)) is not None:
                events.setdefault(event.id, applied.apply_fully(event) if applied else event)
        self._known_ids.update(events)
        return redact_events([events[name] for name in sorted(events)])

    def is_known(self, line: bytes) -> bool:
        """Return whether the event of a line is here. The line is not decoded."""
        return id_in_line(line) in self._known_ids

    def new_tombstones(self, records: Iterable[Event | DamagedLine]) -> list[Event]:
        """Return the tombstones of the other home that are new. They hold here too: deletion wins."""
        new = {
            record.id: record
            for record in records
            if isinstance(record, Event)
            and isinstance(record.body, observation.MemoryPurged)
            and record.id not in self._known_ids
        }
        return [new[name] for name in sorted(new)]

    def _admit(self, record: Event | DamagedLine, tombstones: PurgeFilter | None) -> Event | None:
        if isinstance(record, DamagedLine):
            self.damaged += 1
            return None
        if record.id in self._known_ids:
            self.known += 1
            return None
        if isinstance(record.body, observation.MemoryPurged) or not is_portable(record):
            return None
        if record.id > self._latest:
            self.refused += 1
            return None
        event = tombstones.filter_import(record) if tombstones else record
        self.purged += event is None
        return event


# Writing


def import_events(log: Log, name: str, events: Sequence[Event]) -> None:
    """Write events of another home of the same person, sorted by id, to a segment of their own.

    The person vouches for them, so this home signs them.
    """
    make_folder(os.path.join(log.home, IMPORTED_FOLDER), below=log.home)
    with log.exclusive() as locked:
        locked.begin_signing()
        replace_segment(locked, f"{IMPORTED_FOLDER}/{name}.jsonl", _encode_all(locked, events))


def import_tombstones(log: Log, tombstones: Sequence[Event]) -> None:
    """Add tombstones of another home of the same person, signed by this home."""
    with log.exclusive() as locked:
        locked.begin_signing()
        data = read_file(locked.path(PURGED_SEGMENT)) or b""
        if data and not data.endswith(b"\n"):
            data += b"\n"
        replace_segment(locked, PURGED_SEGMENT, data + _encode_all(locked, tombstones))


def append_received(log: Log, machine: str, events: Sequence[Event], day: str) -> None:
    """Append events of another machine of the same person to the segments of that machine. They are durable then.

    The last judgement in a segment must have the greatest id of it, because new ids are made greater than the last
    one. Judgements that come late, all with smaller ids, get a sorted segment of their own, named after the `day`.
    """
    judgements = sorted(
        (event for event in events if isinstance(event.body, MEMORY_BODIES)), key=lambda event: event.id
    )
    others = [event for event in events if not isinstance(event.body, MEMORY_BODIES)]
    segment = received_segment(machine)
    with log.locked():
        log.begin_signing()
        last = log.last_id(segment) if os.path.exists(log.path(segment)) else None
        if judgements and last is not None and judgements[-1].id < last:
            data = _encode_all(log, judgements)
            replace_segment(log, f"{IMPORTED_FOLDER}/{day}-{sha256(data).hexdigest()[:12]}.jsonl", data)
            judgements = []
        for name, group in ((segment, judgements), (received_segment(machine, activity=True), others)):
            if group:
                log.append_to(name, group)


def _encode_all(log: Log, events: Sequence[Event]) -> bytes:
    return b"".join([encode(event, log.sign) for event in events])
