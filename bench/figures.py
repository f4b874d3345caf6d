"""What was measured: a name, a target, a number, and whether it holds. Every bench yields these and prints a table."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.homes import DEFAULT


@dataclass(frozen=True, slots=True)
class Figure:
    """One row. Where nothing was promised, `target` is empty and `ok` is nothing."""

    name: str
    measured: str
    target: str = ""
    ok: bool | None = None


def at_most(name: str, value: float, target: float, unit: str, note: str = "") -> Figure:
    """A row for a number that must not be larger than its target."""
    measured = f"{amount(value)}{unit}" + (f" ({note})" if note else "")
    return Figure(name, measured, f"≤ {target:g}{unit}", value <= target)


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
        ok = {True: "yes", False: "**no**", None: ""}[figure.ok]
        yield f"| {figure.name} | {figure.target} | {figure.measured} | {ok} |"


def encoded(figure: Figure) -> str:
    return json.dumps(asdict(figure))


def decoded(line: str) -> Figure:
    return Figure(**json.loads(line))


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
