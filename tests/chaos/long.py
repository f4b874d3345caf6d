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
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.chaos.apart import apart, folder_in_memory
from tests.chaos.outcome import Row
from tests.lives.long import MACHINES, Plan, stories

_AT_ONCE = 2
_MODULES = (
    *("test_kill_storm", "test_power_cut", "test_concurrent_writers", "test_rebuild_identity", "test_damage_sweep"),
    *("test_killed_commands", "test_full_disk", "test_failed_calls", "test_backup", "test_waiting"),
    *("test_lock_holders", "test_sick_index", "test_no_permission", "test_names", "test_obstacles", "test_links"),
    *("test_strays", "test_spooling", "test_trust_races", "test_consent", "test_forged_lines", "test_hook_storm"),
    *("test_echo", "test_replay", "test_learning", "test_mcp_storm", "test_giant_transcripts", "test_hook_contract"),
    *("test_year", "test_clocks_and_locales", "test_installs", "test_network", "test_machines", "test_key_changes"),
    *("test_remote_damage", "test_departures", "test_team_line"),
)
_ROWS = (*(f"tests.chaos.{name}" for name in _MODULES), "tests.laws.long", "tests.hostile.long")
_PARTS, _STORIES = 5, 100  # of each machine of tests/lives: a fault ends a part, and the next one begins anew
_HEAD = f"| {'test':36} |   runs | acknowledged |   lost |  found | seconds | verdict | notes |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a quick look")
    parser.add_argument("--only", default="", metavar="WORD", help="rows whose name holds this")
    parser.add_argument("--list", action="store_true", help="the names of the rows alone")
    parser.add_argument("--row", type=int, help="one row, by its number, in this process")
    given = parser.parse_args()
    every = rows(given.short)
    if given.row is not None:
        return 0 if run(every[given.row]) else 1
    chosen = [number for number, row in enumerate(every) if given.only in row.name]
    if given.list:
        print(*(every[number].name for number in chosen), sep="\n")
        return 0
    return _run_all(chosen, every, given.short)


def rows(short: bool) -> list[Row]:
    """Of every module; those of tests/lives are stories through what people use, with default settings, whose scripts
    go to standard error where they went wrong."""
    every = [row for module in _ROWS for row in import_module(module).rows(short)]
    for machine, part in product(MACHINES, range(1, 2 if short else _PARTS + 1)):
        plan = Plan(machine, 3 if short else _STORIES)
        name = f"L1 lives: {machine}, part {part}"
        every.append(Row(name, lambda _at, plan=plan: apart(stories, plan)))  # type: ignore[misc]
    return every


def run(row: Row) -> bool:
    """Run it and print its line; whether it came out as it must. The first fault is told in full."""
    began = time.monotonic()
    with TemporaryDirectory() if row.on_disk else folder_in_memory() as folder:
        outcome = row.run(Path(folder))
    held, found = row.has_held(outcome), len(outcome.faults)
    verdict = ("caught" if row.mutant else "held") if held else "FAILED"
    counts = f"{outcome.runs:6,} | {outcome.acknowledged:12,} | {outcome.lost:6,} | {found:6,}"
    note = outcome.faults[0][:200].replace("\n", " ") if outcome.faults else row.note or outcome.note
    print(f"| {row.name:36} | {counts} | {time.monotonic() - began:7.1f} | {verdict:7} | {note} |", flush=True)
    return held


def _run_all(chosen: list[int], every: list[Row], short: bool) -> int:
    """Each row in a process of its own, printed in order as soon as it and those before it are done; those that are to
    be alone at the end."""
    print(_HEAD, "|" + "|".join("-" * len(cell) for cell in _HEAD.split("|")[1:-1]) + "|", sep="\n", flush=True)
    began, held = time.monotonic(), True
    for alone in (False, True):
        numbers = [number for number in chosen if every[number].alone == alone]
        with ThreadPoolExecutor(1 if alone else _AT_ONCE) as pool:
            for done in pool.map(partial(_run_apart, short=short), numbers):
                print(done.stdout.rstrip("\n") or f"| row ended with exit code {done.returncode} |", flush=True)
                held = held and done.returncode == 0 and bool(done.stdout)
    print(f"\n{len(chosen)} rows in {(time.monotonic() - began) / 60:.0f} minutes: {'all held' if held else 'FAILED'}")
    return 0 if held else 1


def _run_apart(number: int, *, short: bool) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.chaos.long", "--row", str(number), *(["--short"] if short else [])]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main())
