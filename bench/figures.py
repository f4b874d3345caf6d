"""What was measured: a name, a target, a number, and whether it holds. Every bench yields these and prints a table."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from bench.homes import DEFAULT

_UNITS = ("MB per CPU s", "tokens", "ms", "µs", "MB", "GB", "kB", "s", "×", "%")
_AMOUNT = re.compile(rf"(-?[\d,]*\.?\d+)(?: ?({'|'.join(_UNITS)})(?!\w))?(?!\w)(.*)", re.DOTALL)


class Amount(NamedTuple):
    """A measured text taken apart: `6.4 × (96 ms against 15 ms)` is 6.4, `×` and what stands in brackets."""

    value: float | None
    unit: str
    note: str


@dataclass(frozen=True, slots=True)
class Figure:
    """One row. Where nothing was promised, `target` is empty and `ok` is nothing."""

    name: str
    measured: str
    target: str = ""
    ok: bool | None = None

    @property
    def parts(self) -> Amount:
        """A text that does not begin with a number is a note."""
        found = _AMOUNT.fullmatch(self.measured)
        if found is None:
            return Amount(None, "", self.measured)
        number, unit, rest = found.groups()
        return Amount(float(number.replace(",", "")), unit or "", _unwrapped(rest.lstrip(" ;:,")))


def _unwrapped(note: str) -> str:
    return note[1:-1] if note.startswith("(") and note.find(")") == len(note) - 1 else note


def cpu_with_children() -> float:
    """Seconds of CPU of this process and of those it started that have ended."""
    return sum(os.times()[:4])


def at_most(name: str, value: float, target: float, unit: str, note: str = "") -> Figure:
    """A row for a number that must not be larger than its target."""
    measured = f"{amount(value)}{unit}" + (f" ({note})" if note else "")
    return Figure(name, measured, f"≤ {target:g}{unit}", value <= target)


def at_least(name: str, share: float, target: float | None = None, note: str = "") -> Figure:
    """A row for a share that must not be smaller than its target, if there is one."""
    measured = f"{share:.3f}" + (f" ({note})" if note else "")
    return Figure(name, measured) if target is None else Figure(name, measured, f"≥ {target:g}", share >= target)


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which this share of the others lies."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def median(values: Sequence[float]) -> float:
    return quantile(values, 0.5)


def amount(value: float) -> str:
    """Three digits that mean something."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def table(figures: Iterable[Figure]) -> Iterator[str]:
    """Rows of Markdown."""
    yield "| figure | target | measured | ok |"
    yield "|---|---|---|---|"
    for figure in figures:
        yield f"| {figure.name} | {figure.target} | {figure.measured} | {MARKS[figure.ok]} |"


MARKS = {True: "yes", False: "**no**", None: ""}


def encoded(figure: Figure) -> str:
    return json.dumps(asdict(figure))


def decoded(line: str) -> Figure:
    return Figure(**json.loads(line))


def sized_arguments(name: str, description: str | None, sizes: Sequence[int]) -> argparse.Namespace:
    """The command line of a bench that measures homes of several sizes."""
    parser = argparse.ArgumentParser(prog=f"python -m bench.{name}", description=description)
    parser.add_argument("--homes", type=Path, default=DEFAULT, help="where homes are kept (default: %(default)s)")
    parser.add_argument("--sizes", type=int, nargs="+", default=sizes, help="memories (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="one object a line instead of a table")
    return parser.parse_args()


def show(description: str, measure: Callable[[Path], Iterable[Figure]]) -> None:
    """The command line of one bench."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--homes", type=Path, default=DEFAULT, help="where homes are kept (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="one object a line instead of a table")
    given = parser.parse_args()
    folder = given.homes.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    found = measure(folder)
    for line in map(encoded, found) if given.json else table(found):
        print(line, flush=True)
