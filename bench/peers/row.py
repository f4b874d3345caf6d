"""One peer in the table: what was measured of it, or why nothing was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bench.figures import Figure, amount


@dataclass(frozen=True, slots=True)
class Measured:
    name: str
    version: str
    how: str
    hit_rate: float
    first: float
    """CPU seconds of a process that gives one answer."""
    bare: float
    """CPU seconds of `python -I -c pass` in the same rounds."""
    add_cpu: float
    add_wall: float
    search: float
    """Seconds, p50."""


@dataclass(frozen=True, slots=True)
class NotRun:
    name: str
    how: str
    reason: str


Row = Measured | NotRun


def table(rows: Iterable[Row], *, documents: int) -> Iterator[str]:
    """Rows of Markdown, the best hit rate first, those that did not run last."""
    yield (
        f"| memory | searches by | hit rate@5 | CPU of a first answer | adding {documents:,}: CPU | wall | search p50 |"
    )
    yield "|---|---|---|---|---|---|---|"
    for row in sorted(rows, key=_order):
        yield _cells(row)


def _order(row: Row) -> tuple[float, str]:
    return (-row.hit_rate if isinstance(row, Measured) else 1, row.name)


def _cells(row: Row) -> str:
    if isinstance(row, NotRun):
        return f"| {row.name} | {row.how} | not run: {row.reason.replace('|', ' ')} | | | | |"
    first = f"{amount(row.first)} s ({amount(row.first / row.bare)} ×)"
    adding = f"{amount(row.add_cpu)} s | {amount(row.add_wall)} s"
    return (
        f"| {row.name} {row.version} | {row.how} | {row.hit_rate:.3f} | {first} "
        f"| {adding} | {amount(row.search * 1000)} ms |"
    )


HIT_RATE, FIRST, SEARCH, NOT_RUN = "hit rate@5", "CPU of a first answer", "search p50", "not run"


def figures(row: Row, *, documents: int) -> Iterator[Figure]:
    """A row as figures, each named by its peer; what a peer searches by is the note of its hit rate."""
    if isinstance(row, NotRun):
        yield Figure(f"{row.name}: {NOT_RUN}", f"{row.how}: {row.reason}")
        return
    name = f"{row.name} {row.version}"
    yield Figure(f"{name}: {HIT_RATE}", f"{row.hit_rate:.3f} ({row.how})")
    yield Figure(f"{name}: {FIRST}", f"{amount(row.first)} s ({amount(row.first / row.bare)} ×)")
    yield Figure(f"{name}: adding {documents:,}, CPU", f"{amount(row.add_cpu)} s")
    yield Figure(f"{name}: adding {documents:,}, wall", f"{amount(row.add_wall)} s")
    yield Figure(f"{name}: {SEARCH}", f"{amount(row.search * 1000)} ms")
