"""Manifests: what one machine says about itself on a remote, and what is reported of machines because of it.

A manifest is written after everything else that its machine wrote there. It lists the segments, so that missing and
foreign files are told apart, and has a fresh random token at each writing: a machine that finds a token it did not
write knows that another copy of its home writes under the same id.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any

from tacit.errors import TacitError, UsageError
from tacit.model.event import timestamp
from tacit.record import Record
from tacit.remotes import keys
from tacit.remotes.faults import Fault, FaultKind
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
