"""What was measured last, kept in one file: each figure with its command, its day and the machine. One figure a line.

Documents and plots are drawn from it. A run replaces the figures of the benches that it ran and of no other.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.figures import Figure
from bench.suite import NAMES, Bench

PATH = Path(__file__).with_name("results.json")


@dataclass(frozen=True, slots=True)
class Machine:
    cores: int
    system: str
    python: str
    sqlite: str

    def __str__(self) -> str:
        return f"{self.cores} cores, {self.system}, Python {self.python}, SQLite {self.sqlite}"


@dataclass(frozen=True, slots=True)
class Result:
    bench: str
    name: str
    value: float | None
    unit: str
    target: str
    ok: bool | None
    note: str
    command: str
    date: str
    machine: Machine

    @property
    def figure(self) -> Figure:
        return Figure(self.name, self.measured, self.target, self.ok)

    @property
    def measured(self) -> str:
        return f"{self.amount} ({self.note})" if self.amount and self.note else self.amount or self.note

    @property
    def amount(self) -> str:
        """The number with its unit. Shares of one have three digits, so that columns of them can be compared."""
        if self.value is None:
            return ""
        share = not self.unit and 0 < self.value < 1
        number = (
            f"{self.value:,.0f}" if abs(self.value) >= 1000 else f"{self.value:.3f}" if share else f"{self.value:g}"
        )
        return f"{number} {self.unit}".rstrip()


def this_machine() -> Machine:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Machine(cores, _system(), platform.python_version(), sqlite3.sqlite_version)


def _system() -> str:
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return f"{platform.system()} ({platform.machine()})"
    return f"{release['NAME'].split()[0]} {release.get('VERSION_ID', '')} ({platform.machine()})".replace("  ", " ")


def results(bench: Bench, figures: Iterable[Figure], *, date: str, machine: Machine) -> Iterator[Result]:
    for figure in figures:
        value, unit, note = figure.parts
        yield Result(bench.name, figure.name, value, unit, figure.target, figure.ok, note, bench.command, date, machine)


def merged(before: Iterable[Result], now: Iterable[Result]) -> list[Result]:
    """Those of the benches that ran now, and those of all others as they were; in the order of the suite."""
    found = list(now)
    others = set(NAMES) - {result.bench for result in found}
    both = [*(result for result in before if result.bench in others), *found]
    return sorted(both, key=lambda result: NAMES.index(result.bench))


def load(path: Path = PATH) -> list[Result]:
    """Empty where nothing was measured yet."""
    if not path.exists():
        return []
    rows = json.loads(path.read_text("utf-8"))
    return [Result(**{**row, "machine": Machine(**row["machine"])}) for row in rows]


def save(found: Iterable[Result], path: Path = PATH) -> None:
    lines = (json.dumps(asdict(result), ensure_ascii=False) for result in found)
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")
