"""What is wrong with a file of another machine on a remote, and since when.

A fault is kept with the remote until it is gone, so that it is told without asking anybody. Some are ordinary for a
while, because sync programs bring files in any order and in pieces; what stays for long is asked for again.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from tacit.record import Record

MANIFEST = "manifest"  # in the place of the name of a segment


class FaultKind(StrEnum):
    """A file that a manifest lists is MISSING, ARRIVING (it has another size), or DAMAGED (its content is not what its
    name proves; or a manifest that cannot be read). A manifest is ROLLED_BACK if this home saw a later one, and BEHIND
    if only another machine did."""

    MISSING = "missing"
    ARRIVING = "arriving"
    DAMAGED = "damaged"
    ROLLED_BACK = "rolled_back"
    BEHIND = "behind"


# How long a fault may be the work of a sync program.
_PATIENCE = {
    FaultKind.MISSING: timedelta(days=1),
    FaultKind.ARRIVING: timedelta(hours=6),
    FaultKind.DAMAGED: timedelta(),
    FaultKind.ROLLED_BACK: timedelta(days=1),
    FaultKind.BEHIND: timedelta(days=1),
}


class Fault(Record):
    """A file with a fault: whose it is, the name of the segment or `MANIFEST`, and the size it has, -1 without one."""

    machine: str
    name: str
    kind: FaultKind
    size: int
    since: datetime

    def is_overdue(self, now: datetime) -> bool:
        """Return whether it will not go by itself. A clock that was set back makes it so, too."""
        return not timedelta() <= now - self.since < _PATIENCE[self.kind]

    def is_loss(self, now: datetime) -> bool:
        """Return whether this home lacks something that is damaged or lost. Of what was rolled back it lacks nothing:
        it had seen more."""
        return self.kind is not FaultKind.ROLLED_BACK and self.is_overdue(now)


def since_before(faults: Iterable[Fault], before: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return faults with the time since which they are as they are."""
    known = {fault[:4]: fault.since for fault in before}
    return tuple(fault._replace(since=known.get(fault[:4], fault.since)) for fault in faults)


def wanted_files(faults: Iterable[Fault], now: datetime) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return what the other machines shall write again, by machine."""
    wanted: dict[str, list[str]] = {}
    for fault in faults:
        if fault.is_overdue(now):
            wanted.setdefault(fault.machine, []).append(fault.name)
    return tuple((machine, tuple(sorted(names))) for machine, names in sorted(wanted.items()))


def fault_from_fields(fields: Any) -> Fault:
    """Return a fault from JSON. Raise ValueError or TypeError if it is none."""
    machine, name, kind, size, since = fields
    return Fault(str(machine), str(name), FaultKind(kind), int(size), datetime.fromisoformat(since))
