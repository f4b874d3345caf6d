"""Segments: the lines of a log as they lie on a remote, cut for others and recognised by their content.

A machine publishes everything in its log but the lines that other machines of the same remote publish themselves. So
lines of a machine that was lost, or that only meets this one on another remote, are passed on. A segment on the remote
covers a range of one file of the log; small ones at the end are joined from time to time, so that their number stays
small and a sync still sends little more than what is new.

Sync programs tear files, bring them in any order, and rename copies. A file that does not decrypt with the ring, or is
not what a manifest lists, is left alone; what a manifest lists and is not there yet is missing and will come.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice

from tacit.disk.files import open_plain
from tacit.errors import RemoteError
from tacit.log import Log
from tacit.log.codec import decode, split_mac, with_checksum
from tacit.log.incoming import is_about_memory, is_portable
from tacit.log.reader import TOMBSTONE_TYPE, Cursor, RawLine, line_tail, read_lines
from tacit.log.segment import is_of_judgements, received_segment
from tacit.model.event import Event
from tacit.model.ids import EventId
from tacit.model.observation import UnknownBody
from tacit.record import Record
from tacit.remotes.keys import Ring, decrypt, encrypt, segment_name
from tacit.remotes.manifests import (
    AREA_NAME,
    EPOCH_FILE,
    HANDOVER_FILE,
    RING_FILE,
    SEGMENT_FILE,
    Manifest,
    SegmentEntry,
    unseal_manifest,
)
from tacit.remotes.state import PublishedPart, RemoteState
from tacit.remotes.transport import Transport

_MAX_PLAIN_BYTES = 1 << 20  # of a segment, before it is compressed
_SMALL_BYTES = 256 << 10  # segments below this are joined
_MAX_SMALL = 8  # small segments that a file may have at its end
_MAX_INFLATED_BYTES = 16 << 20
_MAX_MANIFEST_BYTES = 4 << 20
_MAX_LINE_BYTES = 256 << 10
_MAX_RENAMED_TRIES = 64  # files of the right size that are tried for a missing segment
_IDS = re.compile(rb'"id":"([0-9a-f-]{36})","op":"')


def seal_segment(ring: Ring, content: bytes) -> bytes:
    """Return the file of a segment with these lines."""
    return encrypt(ring, zlib.compress(content, 6))


def open_segment(ring: Ring, machine: str, name: str, data: bytes) -> bytes | None:
    """Return the lines of a file if it is this segment of this machine; None if it is torn or another one."""
    plain, inflater = decrypt(ring, data), zlib.decompressobj()
    try:
        content = inflater.decompress(plain or b"", _MAX_INFLATED_BYTES)
    except zlib.error:
        return None
    is_whole = inflater.eof  # else it is cut off, or larger than any that is written
    return content if is_whole and segment_name(ring, machine, content) == name else None


# Publishing


class OutgoingPart(Record):
    """A part to publish. `content` are its lines, None if they were published before."""

    part: PublishedPart
    content: bytes | None = None


class SegmentReader:
    """Reads the lines of a log that are for other machines on a remote, as segments of this machine."""

    def __init__(self, log: Log, state: RemoteState, machine: str, now: datetime) -> None:
        self._log = log
        self._state = state
        self._machine = machine
        self._now = now

    def plan(self, purges: Collection[str]) -> Iterator[OutgoingPart]:
        """Yield all parts that the remote should have, old and new.

        If there were `purges` since the last manifest, parts that were published are compared with the log: any of its
        lines may have changed.
        """
        state, skipped = self._state, received_segments(self._state.publishers(self._now))
        for segment in self._log.segments():
            if segment not in skipped and (state.everything or is_of_judgements(segment)):
                known = _without_small_tail([part for part in state.parts if part.segment == segment])
                verify = state.written is None or state.has_new_purges(purges)
                yield from self._plan_segment(segment, known, verify)

    def seal(self, outgoing: OutgoingPart) -> tuple[PublishedPart, bytes]:
        """Return a part with its size, and its file. Raise RemoteError if the log was changed meanwhile."""
        part, content = outgoing
        if content is None:  # the file vanished on the remote
            with open_plain(self._log.path(part.segment)) as file:
                lines = (line for line in read_lines(file, offset=part.start) if line.end <= part.end)
                content = b"".join(self._published_lines(lines))
            if self._name(content) != part.name:
                raise RemoteError("the log was changed meanwhile", "tacit sync")
        data = seal_segment(self._state.ring, content)
        return part._replace(size=len(data)), data

    def _plan_segment(self, segment: str, known: list[PublishedPart], verify: bool) -> Iterator[OutgoingPart]:
        end = known[-1] if known else None
        valid = end is None or self._log.is_cursor_valid(segment, Cursor(end.end, 0, end.tail))
        with open_plain(self._log.path(segment)) as file:
            if valid and not verify:
                yield from (OutgoingPart(part) for part in known)
                lines = read_lines(file, offset=end.end if end else 0)
            else:
                lines = read_lines(file)
                # A purge changes lines and seldom removes one, so most other parts are as they were.
                for part in known:
                    if raw := list(islice(lines, part.raw)):
                        now = self._make_part(segment, raw)
                        is_same = now.part.name == part.name
                        yield OutgoingPart(now.part._replace(size=part.size)) if is_same else now
            batch: list[RawLine] = []
            for line in lines:
                batch.append(line)
                if line.end - batch[0].offset >= _MAX_PLAIN_BYTES:
                    yield self._make_part(segment, batch)
                    batch = []
            if batch:
                yield self._make_part(segment, batch)

    def _make_part(self, segment: str, raw: Sequence[RawLine]) -> OutgoingPart:
        lines, first, last = list(self._published_lines(raw)), raw[0], raw[-1]
        content = b"".join(lines)
        name = self._name(content) if content else ""
        tail = line_tail(last.data)
        part = PublishedPart(segment, first.offset, last.end, len(raw), tail, name, len(lines), len(content), 0)
        return OutgoingPart(part, content)

    def _name(self, content: bytes) -> str:
        return segment_name(self._state.ring, self._machine, content)

    def _published_lines(self, lines: Iterable[RawLine]) -> Iterator[bytes]:
        """Yield the lines for others, without the MAC of this home."""
        for line in lines:
            event = decode(line.data)
            if isinstance(event, Event) and is_portable(event) and (self._state.everything or is_about_memory(event)):
                yield with_checksum(split_mac(line.data)[0] + b"}")


def received_segments(machines: Iterable[str]) -> set[str]:
    """Return the files of the log that hold lines of these machines, and nothing else."""
    return {received_segment(machine, activity=activity) for machine in machines for activity in (False, True)}


def _without_small_tail(parts: list[PublishedPart]) -> list[PublishedPart]:
    """Return the parts without small ones at the end, if these are so many that they should become one."""
    small = 0
    while small < len(parts) and parts[len(parts) - 1 - small].plain < _SMALL_BYTES:
        small += 1
    return parts[: len(parts) - small] if small > _MAX_SMALL else parts


# What lies on a remote


class Area(Record):
    """The files of one machine. `manifests` are all that were found, the latest first: a copy of a home that writes
    under the same id leaves two."""

    machine: str
    folder: str
    manifests: tuple[Manifest, ...]


class RemoteView(Record):
    """What a remote holds, for machines with the ring. `foreign` are areas that nothing here can read."""

    files: Mapping[str, int]
    areas: tuple[Area, ...]
    foreign: tuple[str, ...]

    def area(self, machine: str) -> Area | None:
        return next((area for area in self.areas if area.machine == machine), None)


def view_remote(transport: Transport, ring: Ring) -> RemoteView:
    """Return what is there. Manifests are looked for among all files that have no name of a segment."""
    files = transport.files()
    folders: dict[str, bool] = {}  # whether a manifest was found in it
    found: dict[str, list[tuple[Manifest, str]]] = {}
    for path, size in sorted(files.items()):
        folder, _, name = path.partition("/")
        if not AREA_NAME.match(folder):
            continue
        folders.setdefault(folder, False)
        is_other = SEGMENT_FILE.fullmatch(name) or EPOCH_FILE.fullmatch(name) or name in (RING_FILE, HANDOVER_FILE)
        data = None if is_other or size > _MAX_MANIFEST_BYTES else transport.read(path)
        if data is not None and (manifest := unseal_manifest(ring, data)) is not None:
            folders[folder] = True
            found.setdefault(manifest.machine, []).append((manifest, folder))
    areas: list[Area] = []
    for machine, manifests in sorted(found.items()):
        manifests.sort(key=lambda pair: (pair[0].sequence, pair[0].at, pair[0].token), reverse=True)
        by_token: dict[str, Manifest] = {}
        for manifest, _ in manifests:
            by_token.setdefault(manifest.token, manifest)
        areas.append(Area(machine, manifests[0][1], tuple(by_token.values())))
    foreign = sorted(folder for folder, is_known in folders.items() if not is_known)
    return RemoteView(files, tuple(areas), tuple(foreign))


# Receiving


class ReceivedSegment(Record):
    """A segment that was found: the manifest that lists it, its name, and its lines, compressed because there may be
    many, and gone once they were read. `tombstones` are wanted before all others, and `last` is the greatest id."""

    manifest: Manifest
    name: str
    packed: list[bytes]
    latest: EventId
    tombstones: tuple[Event, ...] = ()
    last: bytes = b""

    def read(self, is_known: Callable[[bytes], bool]) -> tuple[list[Event], int]:
        """Return the events of lines that are not known, and how many lines wait, because they are of a newer version
        of Tacit, or of a clock that is years ahead."""
        events, held = [], 0
        for line in zlib.decompress(self.packed.pop()).split(b"\n"):
            if not line or is_known(line):
                continue
            record = decode(line) if len(line) < _MAX_LINE_BYTES else None
            if isinstance(record, Event) and record.id <= self.latest and not isinstance(record.body, UnknownBody):
                events.append(record)
            else:
                held += 1
        return events, held


class Received(Record):
    """What came from one machine."""

    area: Area
    segments: tuple[ReceivedSegment, ...] = ()


def receive(
    transport: Transport, view: RemoteView, area: Area, ring: Ring, taken: Iterable[str], latest: EventId
) -> Received:
    """Read the segments of a machine that were not `taken` before. Events after the id `latest` wait."""
    known = set(taken)
    found: list[ReceivedSegment] = []
    for manifest in area.manifests:
        for entry in manifest.segments:
            if entry.name in known:
                continue
            content = find_content(transport, view, area, ring, entry)
            if content is not None:
                known.add(entry.name)
                found.append(_unread_segment(manifest, entry.name, content, latest))
    return Received(area, tuple(found))


def _unread_segment(manifest: Manifest, name: str, content: bytes, latest: EventId) -> ReceivedSegment:
    marked = [line for line in content.split(b"\n") if TOMBSTONE_TYPE in line] if TOMBSTONE_TYPE in content else []
    tombstones = tuple(event for line in marked if isinstance(event := decode(line), Event) and event.id <= latest)
    last = max(_IDS.findall(content), default=b"")
    return ReceivedSegment(manifest, name, [zlib.compress(content, 1)], latest, tombstones, last)


def find_content(transport: Transport, view: RemoteView, area: Area, ring: Ring, entry: SegmentEntry) -> bytes | None:
    """Return the lines of a segment, wherever its file is: its name is tried first, then all files of its size."""
    path = f"{area.folder}/{entry.file}"
    renamed = [name for name, size in view.files.items() if size == entry.size and name != path]
    for name in [path, *renamed[:_MAX_RENAMED_TRIES]]:
        data = transport.read(name) if name in view.files else None
        content = open_segment(ring, area.machine, entry.name, data) if data else None
        if content is not None:
            return content
    return None
