"""Rows of `make chaos` about people: L1, stories through the surfaces that people use, with default settings.

`runs` counts stories, `found` is 1 where one of them went wrong; its script, shrunk, goes to standard error.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tests.chaos.apart import apart
from tests.chaos.long.rows import Result, Test, result
from tests.lives.long import MACHINES, Plan, stories

_STORIES = 500  # of each machine


def tests(short: bool) -> Iterator[Test]:
    for machine in MACHINES:
        yield Test(f"L1 lives: {machine}", partial(_stories, machine, 3 if short else _STORIES))


def _stories(machine: str, count: int, home: str) -> Result:
    return result(apart(stories, Plan(machine, count)))
