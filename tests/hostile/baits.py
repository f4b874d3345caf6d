"""Texts that are made to cost a reader of secrets much, and secrets of every group that it must hide."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from harness.hostile_lines import hostile_lines

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
        took = min(_seconds(hide, text) for _ in range(3)) / slower
        if took > LIMIT:
            yield name, took


def _seconds(hide: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    hide(text)
    return time.process_time() - began
