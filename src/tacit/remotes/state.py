"""Manifests, and what a home knows of its remotes.

A manifest is what one machine says about itself on a remote, written after everything else it wrote there. It lists the
segments, so that missing and foreign files are told apart, and has a fresh random token at each writing: a machine that
finds a token it did not write knows that another copy of its home writes under the same id. What is reported of
machines follows from their manifests.

A home has a private file for each remote, with its keys and how far both sides have come, below `.tacit/remotes`, which
no purge changes and no export copies. These files are written after the lines they speak of are durable, so whatever is
lost of them is read or written once more.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any

from tacit.disk.files import OsDisk, list_folder, make_folder, read_file, replace_file
from tacit.disk.lock import FileLock
from tacit.errors import KeysError, NotFoundError, StoreError, TacitError, UsageError
from tacit.home.paths import REMOTES_FOLDER, HomePaths
from tacit.model.event import timestamp
from tacit.record import Record
from tacit.remotes import keys
from tacit.remotes.faults import Fault, FaultKind, fault_from_fields
from tacit.remotes.keys import MachineKeys, Member, Ring
from tacit.text.display import clean, clip, printable

AREA_NAME = re.compile(r"[0-9a-f]{32}")
SEGMENT_FILE = re.compile(r"[0-9a-f]{32}\.age")
MANIFEST_FILE, RING_FILE, HANDOVER_FILE = "manifest.age", "ring.age", "keys.age"
SHORT_ID_CHARS = 8  # of a machine's id, as reports show it
EPOCH_FILE = re.compile(r"keys([0-9]{1,6})\.age")  # the same as HANDOVER_FILE; its name says which change it is
_MAX_NAME_CHARS = 60
_CLOCK_TOLERANCE = timedelta(minutes=5)


class SegmentEntry(Record):
    """A segment on the remote: its name, the size of its file, and how many lines it has."""

    name: str
    size: int
    lines: int

    @property
    def file(self) -> str:
        return f"{self.name}.age"


class Manifest(Record):
    """What a machine says.

    `purges` are the operations of all tombstones that it has applied to its log and to its segments here. `seen` are
    the manifests it had read, by machine, with the time that each named: from these the others know that a clock is
    behind. `token` is random. `sequences` are the greatest sequences it saw, by machine, and `wanted` the files that it
    asks a machine to write again.
    """

    machine: str
    name: str
    recipient: str
    sequence: int
    token: str
    at: datetime
    segments: tuple[SegmentEntry, ...] = ()
    purges: tuple[str, ...] = ()
    seen: tuple[tuple[str, datetime], ...] = ()
    former: tuple[str, ...] = ()
    everything: bool = False
    sequences: tuple[tuple[str, int], ...] = ()
    wanted: tuple[tuple[str, tuple[str, ...]], ...] = ()


def seal_manifest(ring: Ring, manifest: Manifest) -> bytes:
    return keys.seal(ring, keys.MANIFEST_KIND, json.dumps(manifest_fields(manifest), sort_keys=True).encode("utf-8"))


def unseal_manifest(ring: Ring, data: bytes) -> Manifest | None:
    """Return the manifest; None if the file is torn, or nobody with this ring wrote it."""
    content = keys.unseal(ring, keys.MANIFEST_KIND, data)
    try:
        return None if content is None else manifest_from_fields(json.loads(content))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return None


def manifest_fields(manifest: Manifest) -> dict[str, object]:
    return {
        **manifest._asdict(),
        "at": timestamp(manifest.at),
        "seen": {machine: timestamp(at) for machine, at in manifest.seen},
        "sequences": dict(manifest.sequences),
        "wanted": dict(manifest.wanted),
        "v": 1,
    }


def manifest_from_fields(fields: Any) -> Manifest:
    """Return a manifest from JSON. Raise ValueError, KeyError or TypeError if it is none."""
    machine, segments = str(fields["machine"]), [SegmentEntry(*entry) for entry in fields["segments"]]
    if not all(AREA_NAME.fullmatch(name) for name in (machine, *(entry.name for entry in segments))):
        raise ValueError("machine")
    return Manifest(
        machine,
        clip(clean(str(fields["name"])), _MAX_NAME_CHARS),
        str(fields["recipient"]),
        int(fields["sequence"]),
        str(fields["token"]),
        _parse_time(fields["at"]),
        tuple(segments),
        tuple(map(str, fields["purges"])),
        tuple((str(machine), _parse_time(at)) for machine, at in fields["seen"].items()),
        tuple(map(str, fields["former"])),
        fields["everything"] is True,
        # Versions before these two fields left them out.
        tuple((str(machine), int(number)) for machine, number in fields.get("sequences", {}).items()),
        tuple((str(machine), tuple(map(str, names))) for machine, names in fields.get("wanted", {}).items()),
    )


def _parse_time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError("a time without a zone")
    return time


def short_id(machine: str) -> str:
    """Return the beginning of a machine's id, as people type it."""
    return machine[:SHORT_ID_CHARS]


def add_command(name: str, url: str) -> str:
    """Return what to type to add a remote, or to type its phrase again."""
    return f"tacit remote add {name} {shlex.quote(url)}"


def default_name(host: str, machine: MachineKeys) -> str:
    """Return what a machine is called in reports: as the person says, else its host name or the beginning of its id."""
    return machine.name or clip(clean(host), _MAX_NAME_CHARS) or short_id(machine.id)


def check_machine_name(name: str) -> str:
    """Return a name for a machine. Raise UsageError if it is none."""
    cleaned = " ".join(name.split())
    if not cleaned or cleaned != printable(cleaned) or len(cleaned) > _MAX_NAME_CHARS:
        raise UsageError(
            f"a machine's name is a line of at most {_MAX_NAME_CHARS} characters", "tacit remote name-machine laptop"
        )
    return cleaned


# What is reported of remotes and machines


class MachineReport(Record):
    """A machine on a remote.

    `new` events came from it in this sync, `waiting` are not taken yet. Of its segments `missing` are not there yet,
    and lines `held` wait for a newer version of Tacit or a right clock. `clock_seconds` is how far its clock is ahead
    of ours, negative if it is behind, 0 if that is not known. Of our purges it has not confirmed `unconfirmed`. With
    `has_old_keys` it has not synced since the keys were changed. Of its files `damaged` are damaged or lost, and were
    asked for again. Its part `is_rolled_back` if it is older than what this home saw, and `is_incomplete` if it is
    older than what another machine saw.
    """

    id: str
    name: str
    last_seen: datetime
    new: int = 0
    waiting: int = 0
    missing: int = 0
    held: int = 0
    unconfirmed: int = 0
    clock_seconds: int = 0
    has_old_keys: bool = False
    damaged: int = 0
    is_rolled_back: bool = False
    is_incomplete: bool = False

    def with_faults(self, faults: Iterable[Fault], now: datetime) -> MachineReport:
        """Return the report with what is wrong with the files of this machine."""
        own = [fault for fault in faults if fault.machine == self.id]
        kinds = {fault.kind for fault in own}
        waits = (fault.kind in (FaultKind.MISSING, FaultKind.ARRIVING) and not fault.is_loss(now) for fault in own)
        return self._replace(
            missing=sum(waits),
            damaged=sum(fault.is_loss(now) for fault in own),
            is_rolled_back=FaultKind.ROLLED_BACK in kinds,
            is_incomplete=FaultKind.BEHIND in kinds,
        )


class RemoteReport(Record):
    """A remote after a sync, or before one (`status`).

    `sent` lines went there, `unsent` wait. `applied_purges` of other machines were done here, too. `foreign` areas
    cannot be read with the keys of this machine. `notes` say what else happened. If there is a `problem`, the remote
    was not reached, or its keys were changed without this machine (`KeysError`), and the rest is what is known of it.
    `unmet` machines stay, have not synced since the keys were changed, and this home has read nothing of them yet.
    """

    name: str
    url: str
    fingerprint: str
    machines: tuple[MachineReport, ...] = ()
    sent: int = 0
    unsent: int = 0
    foreign: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problem: TacitError | None = None
    synced_at: datetime | None = None
    applied_purges: int = 0
    unmet: tuple[Member, ...] = ()

    @property
    def damaged(self) -> int:
        """How many files of other machines are damaged or lost."""
        return sum(machine.damaged for machine in self.machines)


def report_machine(manifest: Manifest, own_id: str, purges: Collection[str], now: datetime) -> MachineReport:
    """Return what a manifest tells about a machine. `purges` are the operations of all tombstones of this home.

    The difference of its clock is the least that is certain: a manifest from the future shows a clock that is ahead,
    and one that is older than what it was written after, by our own clock, shows a clock that is behind.
    """
    seen, difference = dict(manifest.seen).get(own_id), timedelta()
    if manifest.at > now + _CLOCK_TOLERANCE:
        difference = manifest.at - now
    elif seen is not None and manifest.at < seen - _CLOCK_TOLERANCE:
        difference = manifest.at - seen
    return MachineReport(
        manifest.machine,
        manifest.name,
        manifest.at,
        unconfirmed=len(set(purges) - set(manifest.purges)),
        clock_seconds=int(difference.total_seconds()),
    )


# What this home knows of its remotes

_MACHINE_FILE, _LOCK_FILE = "machine.key", "sync.lock"
_SUFFIX, _LEFT_SUFFIX = ".json", ".left"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_LOCK_SECONDS = 600.0
_MAX_PROBLEM_CHARS = 300
_DAMAGE_ERRORS = (ValueError, KeyError, TypeError, AttributeError)


class PublishedPart(Record):
    """A range of a segment of the log that was published.

    `name` is that of the segment on the remote, "" if no line of the range is for others. `raw` counts all lines of the
    range, `lines` those that were published; `tail` is the end of the last one. `size` is that of the file.
    """

    segment: str
    start: int
    end: int
    raw: int
    tail: str
    name: str
    lines: int
    plain: int
    size: int


class PeerState(Record):
    """Another machine: its last manifest, the fingerprint of the ring that it was read with, the segments that were
    taken, and how many lines were held back."""

    manifest: Manifest
    fingerprint: str
    taken: tuple[str, ...] = ()
    held: int = 0


class RemoteState(Record):
    """A remote as this home knows it.

    `locked_ring` is the file for machines that join, `handover` that for machines that stay after a change of keys.
    `written` is the last manifest of this machine, with the keys `written_keys` ("" if those of now), `pending_token`
    that of one which may or may not have been written, `sequence` the greatest that either may have. `faults` are of
    files of other machines. `answered` are the manifests (machine and token) whose `wanted` files of this machine were
    written again. Own files were read at `checked_at`.
    `forgotten` machines were removed, here or by another machine. `keys_problem` says why nothing is exchanged until
    the person types a phrase, as one of the `KEYS_PROBLEMS`; it is "" if nothing is wrong. `strangers` are the areas
    that show it: those of machines with other keys.
    `problem` is why the last sync failed, "" if it did not.
    """

    name: str
    url: str
    everything: bool
    ring: Ring
    locked_ring: bytes
    handover: bytes = b""
    written: Manifest | None = None
    written_keys: str = ""
    pending_token: str = ""
    parts: tuple[PublishedPart, ...] = ()
    peers: tuple[PeerState, ...] = ()
    forgotten: tuple[str, ...] = ()
    synced_at: datetime | None = None
    problem: str = ""
    keys_problem: str = ""
    strangers: tuple[str, ...] = ()
    sequence: int = 0
    faults: tuple[Fault, ...] = ()
    answered: tuple[tuple[str, str], ...] = ()
    checked_at: datetime | None = None

    def peer(self, machine: str) -> PeerState | None:
        return next((peer for peer in self.peers if peer.manifest.machine == machine), None)

    def members(self) -> list[str]:
        """Return the other machines that have the keys of now, and publish for themselves."""
        machines = [peer.manifest.machine for peer in self.peers if peer.fingerprint == self.ring.fingerprint]
        return [machine for machine in machines if machine not in self.forgotten]

    def publishers(self, now: datetime) -> list[str]:
        """Return the members whose lines are on the remote, as far as is known: this machine passes on the others'.

        What was rolled back is repaired by whoever wrote it, unless that takes long.
        """
        gone = {fault.machine for fault in self.faults if fault.kind is FaultKind.ROLLED_BACK and fault.is_overdue(now)}
        return [machine for machine in self.members() if machine not in gone]

    def has_new_purges(self, purges: Collection[str]) -> bool:
        """Return whether `purges`, operations of tombstones, are others than the last manifest confirms."""
        return self.written is not None and set(purges) != set(self.written.purges)

    def with_new_keys(self, ring: Ring, locked_ring: bytes, handover: bytes = b"") -> RemoteState:
        """Return the state after a change of keys: everything has to be published anew.

        Without a file that this machine was handed, it hands over the ring itself: to the machines that whoever changed
        the keys knew, and to no other.
        """
        forgotten = {*self.forgotten, *ring.forgotten}
        return self._replace(
            ring=ring,
            locked_ring=locked_ring,
            handover=handover or (keys.hand_over(ring, locked_ring) if ring.members else b""),
            written=self.written._replace(segments=(), purges=()) if self.written else None,
            written_keys=self.written_keys or self.ring.fingerprint,
            parts=(),
            faults=(),
            answered=(),
            peers=tuple(peer for peer in self.peers if peer.manifest.machine not in forgotten),
            forgotten=tuple(sorted(forgotten)),
            keys_problem="",
            strangers=(),
        )

    def stayers(self, machine: MachineKeys) -> dict[str, Member]:
        """Return the other machines that stay when keys are changed: all that are known, whether they can be read or
        not, but for those that were removed, and for ids that a machine had before."""
        manifests = [peer.manifest for peer in self.peers]
        replaced = {*machine.former, *(former for manifest in manifests for former in manifest.former)}
        known = {member.id: member for member in self.ring.members if member.id not in replaced}
        for manifest in manifests:  # the key of a machine never changes
            recipient = known[manifest.machine].recipient if manifest.machine in known else manifest.recipient
            known[manifest.machine] = Member(manifest.machine, recipient, manifest.name)
        return {name: known[name] for name in sorted(known) if name not in {machine.id, *self.forgotten}}

    def unmet(self, machine: MachineKeys) -> tuple[Member, ...]:
        """Return the machines that were handed the keys and that this home knows from those alone."""
        known = {fault.machine for fault in self.faults} | {peer.manifest.machine for peer in self.peers}
        return tuple(member for member in self.stayers(machine).values() if member.id not in known)

    def keys_error(self) -> KeysError | None:
        """Return what is wrong with the keys, with what to type; None if nothing is known to be."""
        if not self.keys_problem:
            return None
        if self.keys_problem == GIVEN_TO_REMOVED:
            known = {member.id: member.name for member in self.ring.members}
            removed = ", ".join(f"{known.get(machine, '')} ({short_id(machine)})" for machine in self.strangers)
            hint = "; ".join(f"tacit remote forget-machine {short_id(machine)}" for machine in self.strangers)
            return KeysError(f"{removed} was removed and has the keys of now. Nothing is sent or taken", hint)
        message, hint = KEYS_PROBLEMS[self.keys_problem]
        hint += f": {add_command(self.name, self.url)}"
        if names := ", ".join(map(short_id, self.strangers)):
            message += f", as the files of {names} show"
            hint += "\n  If it is none of your machines: tacit remote forget-machine ID"
        return KeysError(f"{message}. Nothing is sent or taken", hint)


LEFT_BEHIND, TWO_CHANGES, GIVEN_TO_REMOVED = "left_behind", "two_changes", "given_to_removed"
_WHERE = "on each machine that shows another number in tacit remote list"
KEYS_PROBLEMS = {
    LEFT_BEHIND: (
        "the keys were changed, and this machine did not get them",
        f"sync again when your sync program has finished; if it stays so, type the newest phrase {_WHERE}",
    ),
    TWO_CHANGES: (
        "two machines changed the keys at once",
        f"decide on the phrase that one of them showed, and type it {_WHERE}",
    ),
}


class RemoteStore:
    """Reads and writes the files of a home about remotes."""

    def __init__(self, paths: HomePaths) -> None:
        self._root = paths.root
        self._folder = paths.path(REMOTES_FOLDER)
        self._disk = OsDisk(paths.root)

    @contextmanager
    def locked(self, timeout: float = _LOCK_SECONDS) -> Iterator[None]:
        """Keep other processes from working on remotes. Raise LockBusyError if one does for long."""
        make_folder(self._folder, below=self._root)
        with FileLock(self._path(_LOCK_FILE), timeout).acquire():
            yield

    def names(self) -> list[str]:
        return [name.removesuffix(_SUFFIX) for name in list_folder(self._folder) if name.endswith(_SUFFIX)]

    def load(self, name: str) -> RemoteState:
        """Return a remote. Raise NotFoundError if there is none, StoreError if its file is damaged."""
        path = self._path(name + _SUFFIX)
        data = read_file(path) if _NAME.fullmatch(name) else None
        if data is None:
            known = ", ".join(self.names())
            raise NotFoundError(
                f"there is no remote {name!r}", f"one of {known}" if known else "tacit remote add NAME URL"
            )
        try:
            return _parse_state(json.loads(data))
        except _DAMAGE_ERRORS:
            raise StoreError(
                f"{path} cannot be read", f"tacit remote remove {name}, then tacit remote add {name} URL"
            ) from None

    def all(self) -> list[RemoteState]:
        return [self.load(name) for name in self.names()]

    def save(self, state: RemoteState) -> None:
        fields = {
            **state._asdict(),
            "handover": b64encode(state.handover).decode("ascii"),
            "locked_ring": b64encode(state.locked_ring).decode("ascii"),
            "peers": [{**peer._asdict(), "manifest": manifest_fields(peer.manifest)} for peer in state.peers],
            "ring": keys.ring_fields(state.ring),
            "faults": [(*fault[:4], fault.since.isoformat()) for fault in state.faults],
            "checked_at": state.checked_at.isoformat() if state.checked_at else None,
            "synced_at": state.synced_at.isoformat() if state.synced_at else None,
            "v": 1,
            "written": manifest_fields(state.written) if state.written else None,
        }
        self._write(state.name + _SUFFIX, fields)

    def note_outcome(self, name: str, problem: TacitError | None) -> None:
        """Store why a sync failed, or that it did not. What else the sync has stored stays."""
        state, text = self.load(name), clip(printable(problem.message), _MAX_PROBLEM_CHARS) if problem else ""
        if state.problem != text:
            self.save(state._replace(problem=text))

    def remove(self, name: str) -> None:
        """Remove what is known of a remote, with its keys and the copy of its branches.

        What stays is the token that this machine wrote there last: if the person adds the remote again, the machine is
        still the same, and not a copy of it.
        """
        import shutil

        mirror = self.mirror(name)
        if os.path.isdir(mirror) and not os.path.islink(mirror):
            shutil.rmtree(mirror, ignore_errors=True)
        with suppress(StoreError):
            state = self.load(name)
            if state.written:
                self._write(name + _LEFT_SUFFIX, {"url": state.url, "written": manifest_fields(state.written)})
        self._disk.remove(self._path(name + _SUFFIX))

    def last_written(self, name: str, url: str) -> Manifest | None:
        """Return what this machine wrote last to a remote that was removed; None if that is not known."""
        try:
            fields = json.loads(read_file(self._path(name + _LEFT_SUFFIX)) or b"")
            return manifest_from_fields(fields["written"]) if fields["url"] == url else None
        except _DAMAGE_ERRORS:
            return None

    def mirror(self, name: str) -> str:
        """Return the folder in which a transport keeps what it fetched."""
        return self._path(f"{name}.git")

    def machine(self) -> MachineKeys:
        """Return the id and keys of this machine. They are made on first use."""
        path = self._path(_MACHINE_FILE)
        data = read_file(path)
        if data is None:
            machine = keys.make_machine()
            self.save_machine(machine)
            return machine
        try:
            fields = json.loads(data)
            former, name = tuple(map(str, fields["former"])), str(fields.get("name", ""))
            return MachineKeys(str(fields["id"]), str(fields["identity"]), former, name)
        except _DAMAGE_ERRORS:
            raise StoreError(f"{path} cannot be read", f"rm {path}: this machine gets a new id") from None

    def save_machine(self, machine: MachineKeys) -> None:
        self._write(_MACHINE_FILE, machine._asdict())

    def _path(self, file: str) -> str:
        return os.path.join(self._folder, file)

    def _write(self, file: str, fields: Mapping[str, object]) -> None:
        make_folder(self._folder, below=self._root)
        replace_file(self._disk, self._path(file), json.dumps(fields, sort_keys=True).encode("ascii"))


def check_name(name: str) -> str:
    """Return a name for a remote. Raise UsageError if it is none."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            "a remote is named with small letters, digits and dashes", "for example: tacit remote add home URL"
        )
    return name


def _parse_state(fields: Any) -> RemoteState:
    values = {name: fields[name] for name in RemoteState._fields if name in fields}
    return RemoteState(**values)._replace(
        ring=keys.ring_from_fields(fields["ring"]),
        locked_ring=b64decode(fields["locked_ring"]),
        handover=b64decode(fields["handover"]),
        written=manifest_from_fields(fields["written"]) if fields["written"] else None,
        parts=tuple(PublishedPart(*part) for part in fields["parts"]),
        peers=tuple(
            PeerState(manifest_from_fields(peer["manifest"]), peer["fingerprint"], tuple(peer["taken"]), peer["held"])
            for peer in fields["peers"]
        ),
        forgotten=tuple(fields["forgotten"]),
        strangers=tuple(fields.get("strangers", ())),
        synced_at=datetime.fromisoformat(fields["synced_at"]) if fields["synced_at"] else None,
        faults=tuple(map(fault_from_fields, fields.get("faults", ()))),
        answered=tuple((str(machine), str(token)) for machine, token in fields.get("answered", ())),
        checked_at=datetime.fromisoformat(at) if (at := fields.get("checked_at")) else None,
    )
