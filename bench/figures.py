"""What was measured: a name, a target, a number, and whether it holds. Every bench yields these and prints a table."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from bench.homes import DEFAULT
from bench.targets import target_of

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
        note = rest.lstrip(" ;:,")
        if note.startswith("(") and note.find(")") == len(note) - 1:
            note = note[1:-1]
        return Amount(float(number.replace(",", "")), unit or "", note)


def against_target(name: str, value: float, unit: str = "", note: str = "") -> Figure:
    """A row for a number, with the target of that name if there is one. Shares of one have three digits."""
    number = f"{value:.3f}" if not unit and 0 < abs(value) < 1 else amount(value)
    measured = f"{number} {unit}".rstrip() + (f" ({note})" if note else "")
    target = target_of(name)
    return Figure(name, measured, target.limit, target.holds(value)) if target else Figure(name, measured)


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


def print_figures(figures: Iterable[Figure], *, as_json: bool) -> int:
    """Print figures as a table, or one object a line. Return the exit code: 1 if a target is missed."""
    found = list(figures)
    print("\n".join(map(encoded, found) if as_json else table(found)), flush=True)
    return 1 if any(figure.ok is False for figure in found) else 0


def home_arguments(name: str, description: str | None, sizes: Sequence[int] = ()) -> argparse.Namespace:
    """The command line of a bench that measures on homes, and of one that takes several sizes of them."""
    parser = argparse.ArgumentParser(prog=f"python -m bench.{name}", description=(description or "").split("\n")[0])
    parser.add_argument("--homes", type=Path, default=DEFAULT, help="where homes are kept (default: %(default)s)")
    if sizes:
        parser.add_argument("--sizes", type=int, nargs="+", default=sizes, help="memories (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="one object a line instead of a table")
    given = parser.parse_args()
    given.homes = given.homes.resolve()
    given.homes.mkdir(parents=True, exist_ok=True)
    return given


def main_of(name: str, description: str | None, measure: Callable[[Path], Iterable[Figure]]) -> int:
    """The whole command of a bench that measures on homes. Return its exit code."""
    given = home_arguments(name, description)
    return print_figures(measure(given.homes), as_json=given.json)
