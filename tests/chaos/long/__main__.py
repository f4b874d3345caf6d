"""The long form of tests/chaos, tests/hostile and the laws: one table, each test beside its mutants.

    python -m tests.chaos.long                  all of it, two rows at a time
    python -m tests.chaos.long --short          a quick look
    python -m tests.chaos.long --only T31       the rows whose name holds this

`lost` counts what was acknowledged and is gone, `found` everything that is wrong, that included. Both are 0 where
Tacit is itself. A mutant leaves out one step on purpose, and something must be found there. Exit code 1 otherwise.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from tests.chaos.long import (
    attached,
    conversations,
    durability,
    faults,
    forged,
    hostile,
    learners,
    lives,
    machines,
    poison,
    purge,
)
from tests.chaos.long.rows import HEAD, Test, shown

_AT_ONCE = 2


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a quick look")
    parser.add_argument("--only", default="", metavar="WORD", help="rows whose name holds this")
    parser.add_argument("--row", type=int, help="one row, by its number, in this process")
    given = parser.parse_args()
    tests = _tests(given.short)
    if given.row is not None:
        return 0 if shown(tests[given.row]) else 1
    chosen = [number for number, test in enumerate(tests) if given.only in test.name]
    return _all(chosen, tests, given.short)


def _tests(short: bool) -> list[Test]:
    every = (durability, faults, purge, poison, hostile, forged, conversations, attached, learners, machines, lives)
    return [test for rows in every for test in rows.tests(short)]


def _all(chosen: list[int], tests: list[Test], short: bool) -> int:
    """Each row in a process of its own, printed in order as soon as it and those before it are done; those that are to
    be alone at the end."""
    print(HEAD, "|" + "|".join("-" * len(cell) for cell in HEAD.split("|")[1:-1]) + "|", sep="\n", flush=True)
    began, held = time.monotonic(), True
    for alone in (False, True):
        numbers = [number for number in chosen if tests[number].alone == alone]
        with ThreadPoolExecutor(1 if alone else _AT_ONCE) as pool:
            for done in pool.map(lambda number: _row(number, short), numbers):
                print(done.stdout.rstrip("\n") or f"| row ended with exit code {done.returncode} |", flush=True)
                held = held and done.returncode == 0
    print(f"\n{len(chosen)} rows in {(time.monotonic() - began) / 60:.0f} minutes: {'all held' if held else 'FAILED'}")
    return 0 if held else 1


def _row(number: int, short: bool) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.chaos.long", "--row", str(number), *(["--short"] if short else [])]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main())
