"""The rows of `make chaos`: a test, what it came to, and whether that is as it must be."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.chaos.apart import folder_in_memory
from tests.chaos.outcome import Outcome

HEAD = f"| {'test':36} |   runs | acknowledged |   lost |  found | seconds | verdict | notes |"


class Result(NamedTuple):
    """`least` is what must be found in a mutant."""

    runs: int
    acknowledged: int
    lost: int
    found: int
    note: str = ""
    least: int = 1


@dataclass(frozen=True, slots=True)
class Test:
    """`run` gets the path of a home to be made: in memory, unless how a disk behaves is part of what is looked at.
    What times are part of is run alone: beside another row they come out longer."""

    name: str
    run: Callable[[str], Result]
    mutant: bool = False
    on_disk: bool = False
    alone: bool = False


def shown(test: Test) -> bool:
    """Run it and print its row; whether it came out as it must."""
    began = time.monotonic()
    with _folder_on_disk() if test.on_disk else folder_in_memory() as folder:
        result = test.run(str(folder / "home"))
    held = result.found >= result.least if test.mutant else result.found == 0
    verdict = ("caught" if test.mutant else "held") if held else "FAILED"
    counts = f"{result.runs:6,} | {result.acknowledged:12,} | {result.lost:6,} | {result.found:6,}"
    print(f"| {test.name:36} | {counts} | {time.monotonic() - began:7.1f} | {verdict:7} | {result.note} |", flush=True)
    return held


def result(outcome: Outcome, note: str = "") -> Result:
    """The first fault is told in full, so that one knows where to look."""
    told = outcome.faults[0][:200].replace("\n", " ") if outcome.faults else note or outcome.note
    return Result(outcome.runs, outcome.acknowledged, outcome.lost, len(outcome.faults), told)


@contextmanager
def _folder_on_disk() -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        yield Path(folder)
