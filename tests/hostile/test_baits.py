"""Secrets of every group are hidden, ordinary lines stay, and no line of 64 KiB is dear."""

from __future__ import annotations

import json
import time
import timeit
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from harness.hostile_lines import hostile_lines

from tacit.secrets import redacted
from tests.chaos.program import slowdown

SETS = Path(__file__).parents[2] / "bench" / "secrets"
ENOUGH = 95  # per cent of a set
LIMIT = 0.250  # seconds of CPU for 64 KiB


class Kept(NamedTuple):
    """A secret that was not hidden, or a line that lost something."""

    what: str
    text: str


def not_hidden(hide: Callable[[str], str]) -> list[Kept]:
    """Secrets of the sets that stay readable, if they are more than allowed; ordinary lines that change."""
    found: list[Kept] = []
    for path in sorted(SETS.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        kept = [Kept("kept", row["text"]) for row in rows if row["secret"] in hide(row["text"])]
        if len(kept) * 100 > len(rows) * (100 - ENOUGH):
            found += kept
    for path in sorted(SETS.glob("*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        found += [Kept("changed", line) for line in lines if hide(line) != line]
    return found


def slow(hide: Callable[[str], object]) -> Iterator[tuple[str, float]]:
    """Hostile lines that take too long, with the seconds of CPU; the best of three runs counts."""
    slower = slowdown()
    for name, text in hostile_lines():
        took = min(timeit.repeat(partial(hide, text), number=1, repeat=3, timer=time.process_time)) / slower
        if took > LIMIT:
            yield name, took


def test_secrets_of_every_group_are_hidden_and_ordinary_lines_stay() -> None:
    assert not_hidden(redacted) == []


def test_a_reader_that_hides_nothing_is_noticed() -> None:
    assert not_hidden(str)


def test_no_hostile_line_takes_long() -> None:
    """Also where the letters are not plain ones. A machine may be eight times slower than the one of the limit."""
    assert [name for name, took in slow(redacted) if took > LIMIT * 8] == []
