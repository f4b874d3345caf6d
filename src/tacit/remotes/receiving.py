"""What lies on a remote, recognised by its content: manifests and segments of machines, whatever their files are named.

Sync programs tear files, bring them in any order, and rename copies. A file that does not decrypt with the ring, or is
not what a manifest lists, is left alone; what a manifest lists and is not there yet is missing and will come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tacit.errors import RemoteError
from tacit.log.codec import DamagedLine, decode
from tacit.model.event import Event
from tacit.model.ids import EventId
from tacit.model.observation import UnknownBody
from tacit.record import Record
from tacit.remotes.keys import MachineKeys, Ring, decrypt, segment_name, take_over
from tacit.remotes.manifest import (
    AREA_NAME,
    HANDOVER_FILE,
    RING_FILE,
    SEGMENT_FILE,
    Manifest,
    SegmentEntry,
    unseal_manifest,
)
from tacit.remotes.publishing import unpack
from tacit.remotes.transport import Transport

_MAX_MANIFEST_BYTES = 4 << 20
_MAX_LINE_BYTES = 256 << 10
_MAX_RENAMED_TRIES = 64  # files of the right size that are tried for a missing segment


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
    manifests: dict[str, list[tuple[str, Manifest]]] = {}
    unread: set[str] = set()
    for folder, names in _by_folder(files).items():
        candidates = [
            name for name in names if not SEGMENT_FILE.fullmatch(name) and name not in (RING_FILE, HANDOVER_FILE)
        ]
        found = [
            manifest
            for name in candidates
            if files[f"{folder}/{name}"] <= _MAX_MANIFEST_BYTES
            and (data := transport.read(f"{folder}/{name}")) is not None
            and (manifest := unseal_manifest(ring, data)) is not None
        ]
        for manifest in found:
            manifests.setdefault(manifest.machine, []).append((folder, manifest))
        if not found:
            unread.add(folder)
    areas = [_make_area(machine, found) for machine, found in sorted(manifests.items())]
    return RemoteView(files, tuple(areas), tuple(sorted(unread)))


def _make_area(machine: str, found: list[tuple[str, Manifest]]) -> Area:
    found = sorted(found, key=lambda pair: (pair[1].sequence, pair[1].at, pair[1].token), reverse=True)
    by_token = {manifest.token: manifest for _, manifest in reversed(found)}
    manifests = sorted(by_token.values(), key=lambda one: (one.sequence, one.at, one.token), reverse=True)
    return Area(machine, found[0][0], tuple(manifests))


def _by_folder(files: Iterable[str]) -> dict[str, list[str]]:
    folders: dict[str, list[str]] = {}
    for path in sorted(files):
        folder, _, name = path.partition("/")
        if AREA_NAME.match(folder):
            folders.setdefault(folder, []).append(name)
    return folders


# The ring


def locked_rings(transport: Transport) -> list[bytes]:
    """Return the files that a recovery phrase may open, each once, also copies under other names."""
    found: dict[bytes, None] = {}
    prefix = RING_FILE.removesuffix(".age")
    for path, size in transport.files().items():
        if (
            path.partition("/")[2].lstrip(".#").startswith(prefix)
            and size <= _MAX_MANIFEST_BYTES
            and (data := transport.read(path))
        ):
            found.setdefault(data)
    return list(found)


class NewKeys(Record):
    """A ring that another machine hands over, and the file for machines that join."""

    ring: Ring
    locked_ring: bytes


def find_new_keys(transport: Transport, ring: Ring, machine: MachineKeys) -> NewKeys | None:
    """Return the ring that takes the place of this one, if another machine of it hands one over to this machine.

    Raise RemoteError if two machines hand over different ones. Both had the old ring, and so has a machine that was
    removed; only the person knows which one holds.
    """
    found: dict[Ring, NewKeys] = {}
    for path in transport.files():
        folder, _, name = path.partition("/")
        if name == HANDOVER_FILE and (data := transport.read(path)) and (new := take_over(data, ring, machine)):
            locked = transport.read(f"{folder}/{RING_FILE}")
            if locked and new.epoch > ring.epoch:
                found[new] = NewKeys(new, locked)
    if len(found) > 1:
        raise RemoteError(
            "two machines changed the keys at once", "type the phrase that holds: tacit remote add NAME URL"
        )
    return next(iter(found.values()), None)


# Lines


class ReceivedSegment(Record):
    """A segment that was found: its name, its events, and how many of its lines wait (see `is_held`)."""

    name: str
    events: tuple[Event, ...]
    held: int


class Received(Record):
    """What came from one machine: segments by the manifest that lists them, and how many of the latest are missing."""

    area: Area
    segments: tuple[tuple[Manifest, ReceivedSegment], ...]
    missing: int


def receive(
    transport: Transport, view: RemoteView, area: Area, ring: Ring, taken: Iterable[str], latest: EventId
) -> Received:
    """Read the segments of a machine that were not `taken` before."""
    known, missing = set(taken), 0
    found: list[tuple[Manifest, ReceivedSegment]] = []
    for manifest in area.manifests:
        for entry in manifest.segments:
            if entry.name in known:
                continue
            content = _find_content(transport, view, area, ring, entry)
            if content is not None:
                known.add(entry.name)
                found.append((manifest, _read_segment(entry, content, latest)))
            elif manifest is area.manifests[0]:
                missing += 1
    return Received(area, tuple(found), missing)


def _find_content(transport: Transport, view: RemoteView, area: Area, ring: Ring, entry: SegmentEntry) -> bytes | None:
    """Return the lines of a segment, wherever its file is: its name is tried first, then all files of its size."""
    path = f"{area.folder}/{entry.file}"
    renamed = [name for name, size in view.files.items() if size == entry.size and name != path]
    for name in [path, *renamed[:_MAX_RENAMED_TRIES]]:
        data = transport.read(name) if name in view.files else None
        content = open_segment(ring, area.machine, entry.name, data) if data else None
        if content is not None:
            return content
    return None


def open_segment(ring: Ring, machine: str, name: str, data: bytes) -> bytes | None:
    """Return the lines of a file if it is this segment of this machine; None if it is torn or another one."""
    plain = decrypt(ring, data)
    content = unpack(plain) if plain is not None else None
    return content if content is not None and segment_name(ring, machine, content) == name else None


def _read_segment(entry: SegmentEntry, content: bytes, latest: EventId) -> ReceivedSegment:
    records = [_decode_line(line) for line in content.split(b"\n") if line]
    events = [record for record in records if isinstance(record, Event) and not is_held(record, latest)]
    return ReceivedSegment(entry.name, tuple(events), len(records) - len(events))


def _decode_line(line: bytes) -> Event | DamagedLine:
    return decode(line) if len(line) < _MAX_LINE_BYTES else DamagedLine("longer than any line we write")


def is_held(event: Event, latest: EventId) -> bool:
    """Return whether an event has to wait: it is of a newer version of Tacit, or of a clock that is years ahead."""
    return isinstance(event.body, UnknownBody) or event.id > latest


def unread_segments(view: RemoteView, area: Area, taken: Sequence[str]) -> Iterator[tuple[SegmentEntry, bool]]:
    """Yield the segments of a machine that were not taken, and whether the file of each is there."""
    known = set(taken)
    for entry in area.manifests[0].segments:
        if entry.name not in known:
            yield entry, view.files.get(f"{area.folder}/{entry.file}") == entry.size
