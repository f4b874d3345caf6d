"""What a home knows of its remotes.

It has a private file for each remote, with its keys and how far both sides have come, below `.tacit/remotes`, which no
purge changes and no export copies. These files are written after the lines they speak of are durable, so whatever is
lost of them is read or written once more.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

from tacit.disk.files import OsDisk, list_folder, make_folder, read_file, replace_file
from tacit.disk.lock import FileLock
from tacit.errors import KeysError, NotFoundError, StoreError, TacitError, UsageError
from tacit.home.paths import REMOTES_FOLDER, HomePaths
from tacit.record import Record
from tacit.remotes import keys
from tacit.remotes.faults import Fault, FaultKind, fault_from_fields
from tacit.remotes.keys import MachineKeys, Member, Ring
from tacit.remotes.manifests import Manifest, manifest_fields, manifest_from_fields, short_id
from tacit.text.display import clip, printable

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


def add_command(name: str, url: str) -> str:
    """Return what to type to add a remote, or to type its phrase again."""
    return f"tacit remote add {name} {shlex.quote(url)}"


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
