"""What a home knows of its remotes: one private file for each, with its keys and how far both sides have come.

The files are below `.tacit/remotes`, which no purge changes and no export copies. They are written after the lines they
speak of are durable, so whatever is lost of them is read or written once more.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

from tacit.disk.files import OsDisk, list_folder, make_folder, read_file, replace_file
from tacit.disk.lock import FileLock
from tacit.errors import NotFoundError, StoreError, UsageError
from tacit.home.paths import REMOTES_FOLDER, HomePaths
from tacit.record import Record
from tacit.remotes.keys import MachineKeys, Ring, make_machine, ring_fields, ring_from_fields
from tacit.remotes.manifest import Manifest, manifest_fields, manifest_from_fields

_MACHINE_FILE, _LOCK_FILE = "machine.key", "sync.lock"
_SUFFIX, _LEFT_SUFFIX = ".json", ".left"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_LOCK_SECONDS = 600.0
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
    taken, and how many of its segments were missing and lines held back."""

    manifest: Manifest
    fingerprint: str
    taken: tuple[str, ...] = ()
    missing: int = 0
    held: int = 0


class RemoteState(Record):
    """A remote as this home knows it.

    `locked_ring` is the file for machines that join, `handover` that for machines that stay after a change of keys.
    `written` is the last manifest of this machine, `pending_token` that of one which may or may not have been written.
    """

    name: str
    url: str
    everything: bool
    ring: Ring
    locked_ring: bytes
    handover: bytes = b""
    written: Manifest | None = None
    pending_token: str = ""
    parts: tuple[PublishedPart, ...] = ()
    peers: tuple[PeerState, ...] = ()
    forgotten: tuple[str, ...] = ()
    synced_at: datetime | None = None

    def peer(self, machine: str) -> PeerState | None:
        return next((peer for peer in self.peers if peer.manifest.machine == machine), None)

    def members(self) -> list[str]:
        """Return the other machines that have the keys of now."""
        return [peer.manifest.machine for peer in self.peers if peer.fingerprint == self.ring.fingerprint]

    def has_new_purges(self, purges: Collection[str]) -> bool:
        """Return whether `purges`, operations of tombstones, are others than the last manifest confirms."""
        return self.written is not None and set(purges) != set(self.written.purges)

    def with_new_keys(self, ring: Ring, locked_ring: bytes, handover: bytes = b"") -> RemoteState:
        """Return the state after a change of keys: everything has to be published anew."""
        return self._replace(ring=ring, locked_ring=locked_ring, handover=handover, parts=(), written=None)


class RemoteStore:
    """Reads and writes the files of a home about remotes."""

    def __init__(self, paths: HomePaths) -> None:
        self._root = paths.root
        self._folder = paths.path(REMOTES_FOLDER)
        self._disk = OsDisk(paths.root)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from working on remotes. Raise LockBusyError if one does for long."""
        make_folder(self._folder, below=self._root)
        with FileLock(self._path(_LOCK_FILE), _LOCK_SECONDS).acquire():
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
            "ring": ring_fields(state.ring),
            "synced_at": state.synced_at.isoformat() if state.synced_at else None,
            "v": 1,
            "written": manifest_fields(state.written) if state.written else None,
        }
        self._write(state.name + _SUFFIX, fields)

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
            machine = make_machine()
            self.save_machine(machine)
            return machine
        try:
            fields = json.loads(data)
            return MachineKeys(str(fields["id"]), str(fields["identity"]), tuple(map(str, fields["former"])))
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
    values = {name: fields[name] for name in RemoteState._fields}
    return RemoteState(**values)._replace(
        ring=ring_from_fields(fields["ring"]),
        locked_ring=b64decode(fields["locked_ring"]),
        handover=b64decode(fields["handover"]),
        written=manifest_from_fields(fields["written"]) if fields["written"] else None,
        parts=tuple(PublishedPart(*part) for part in fields["parts"]),
        peers=tuple(_parse_peer(peer) for peer in fields["peers"]),
        forgotten=tuple(fields["forgotten"]),
        synced_at=datetime.fromisoformat(fields["synced_at"]) if fields["synced_at"] else None,
    )


def _parse_peer(fields: Any) -> PeerState:
    manifest = manifest_from_fields(fields["manifest"])
    return PeerState(manifest, fields["fingerprint"], tuple(fields["taken"]), fields["missing"], fields["held"])
