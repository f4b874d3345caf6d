"""CPU of this process and of all that it started, those that still run included."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu() -> float:
    """Seconds, user and system."""
    own = os.times()
    spent = own.user + own.system + own.children_user + own.children_system
    return spent + sum(_ticks(fields) for fields in _below(os.getpid())) / _TICKS


def _below(parent: int) -> list[list[str]]:
    """What the kernel says of every process that descends from this one."""
    known = {fields[0]: fields for fields in _processes()}
    below = {str(parent)}
    while more := {name for name, fields in known.items() if fields[2] in below} - below:
        below |= more
    return [known[name] for name in below - {str(parent)}]


def _processes() -> list[list[str]]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            name, _, rest = path.read_text("utf-8", "replace").rpartition(") ")
            found.append([name.partition(" ")[0], name, *rest.split()[1:]])
    return found


def _ticks(fields: list[str]) -> int:
    """User and system time of a process and of its children that have ended; the first two fields are id and name."""
    return sum(int(value) for value in fields[12:16])
