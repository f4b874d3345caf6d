"""What is reported of remotes and machines, and how it follows from manifests."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from tacit.errors import TacitError
from tacit.record import Record
from tacit.remotes.manifest import Manifest

_CLOCK_TOLERANCE = timedelta(minutes=5)


class MachineReport(Record):
    """A machine on a remote.

    `new` events came from it in this sync, `waiting` are not taken yet. Of its segments `missing` are not there yet,
    and lines `held` wait for a newer version of Tacit or a right clock. `clock_seconds` is how far its clock is ahead
    of ours, negative if it is behind, 0 if that is not known. Of our purges it has not confirmed `unconfirmed`. With
    `has_old_keys` it has not synced since the keys were changed.
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


class RemoteReport(Record):
    """A remote after a sync, or before one (`status`).

    `sent` lines went there, `unsent` wait. `applied_purges` of other machines were done here, too. `foreign` areas
    cannot be read with the keys of this machine. `notes` say what else happened. If there is a `problem`, the remote
    was not reached, and the rest is what is known of it.
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

    @property
    def unconfirmed(self) -> int:
        return sum(machine.unconfirmed for machine in self.machines)


def report_machine(manifest: Manifest, own_id: str, purges: Collection[str], now: datetime) -> MachineReport:
    """Return what a manifest tells about a machine. `purges` are the operations of all tombstones of this home."""
    return MachineReport(
        manifest.machine,
        manifest.name,
        manifest.at,
        unconfirmed=len(set(purges) - set(manifest.purges)),
        clock_seconds=_clock_difference(manifest, own_id, now),
    )


def _clock_difference(manifest: Manifest, own_id: str, now: datetime) -> int:
    """Return the least difference that is certain.

    A manifest from the future shows a clock that is ahead. One that is older than what it was written after, by our
    own clock, shows a clock that is behind.
    """
    seen = manifest.seen_at(own_id)
    if manifest.at > now + _CLOCK_TOLERANCE:
        return int((manifest.at - now).total_seconds())
    if seen is not None and manifest.at < seen - _CLOCK_TOLERANCE:
        return int((manifest.at - seen).total_seconds())
    return 0
