"""The manifest: what one machine says about itself on a remote, written after everything else it wrote there.

It lists the segments, so that missing and foreign files are told apart, and has a fresh random token at each writing:
a machine that finds a token it did not write knows that another copy of its home writes under the same id.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

from tacit.model.event import timestamp
from tacit.record import Record
from tacit.remotes.keys import MANIFEST_KIND, MachineKeys, Ring, seal, unseal
from tacit.text.display import clean, clip

VERSION = 1
AREA_NAME = re.compile(r"[0-9a-f]{32}")
SEGMENT_FILE = re.compile(r"[0-9a-f]{32}\.age")
MANIFEST_FILE, RING_FILE, HANDOVER_FILE = "manifest.age", "ring.age", "keys.age"
_MAX_NAME_CHARS = 60
_SEGMENT_NAME = re.compile(r"[0-9a-f]{32}")


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
    behind. `token` is random.
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

    def seen_at(self, machine: str) -> datetime | None:
        return dict(self.seen).get(machine)


def seal_manifest(ring: Ring, manifest: Manifest) -> bytes:
    return seal(ring, MANIFEST_KIND, json.dumps(manifest_fields(manifest), sort_keys=True).encode("utf-8"))


def unseal_manifest(ring: Ring, data: bytes) -> Manifest | None:
    """Return the manifest; None if the file is torn, or nobody with this ring wrote it."""
    content = unseal(ring, MANIFEST_KIND, data)
    try:
        return None if content is None else manifest_from_fields(json.loads(content))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return None


def manifest_fields(manifest: Manifest) -> dict[str, object]:
    return {
        **manifest._asdict(),
        "at": timestamp(manifest.at),
        "seen": {machine: timestamp(at) for machine, at in manifest.seen},
        "segments": [list(entry) for entry in manifest.segments],
        "v": VERSION,
    }


def manifest_from_fields(fields: Any) -> Manifest:
    """Return a manifest from JSON. Raise ValueError, KeyError or TypeError if it is none."""
    machine, segments = str(fields["machine"]), [SegmentEntry(*entry) for entry in fields["segments"]]
    if not AREA_NAME.fullmatch(machine) or not all(_SEGMENT_NAME.fullmatch(entry.name) for entry in segments):
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
    )


def short_id(machine: str) -> str:
    """Return the beginning of a machine's id, as people type it."""
    return machine[:8]


def default_name(host: str, machine: MachineKeys) -> str:
    """Return what a machine is called in reports: its host name, else the beginning of its id."""
    return clip(clean(host), _MAX_NAME_CHARS) or short_id(machine.id)


def _parse_time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError("a time without a zone")
    return time
