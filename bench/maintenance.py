"""Commands that read a whole home of 100,000 memories: CPU and memory of `tacit purge` and `tacit doctor`.

    python -m bench.maintenance [--homes DIR] [--json]

All are measured as processes, with whatever they start, outside of any project. A purge is measured whole: searching
the log, writing it again, and the index and the pages without the memory.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import tacit
from bench.figures import Figure, against_target, main_of
from bench.homes import copy_of
from bench.processes import TACIT, environment_of, run

MEMORIES = 100_000


def measure(folder: Path) -> Iterator[Figure]:
    with copy_of(folder, MEMORIES) as home:
        for path in (home, *home.rglob("*")):  # homes are made with the permissions of any file, which doctor reports
            path.chmod(0o700 if path.is_dir() else 0o600)
        size = sum(path.stat().st_size for path in home.glob("*/*.jsonl")) / 1e6
        with tacit.open(home, cwd=home.parent) as vault:
            (memory, *_), _ = vault.search.latest(limit=1, offset=MEMORIES // 3)
        environment = environment_of(home)
        with chdir(home.parent):
            check = run((TACIT, "doctor", "--log"), environment, exit_codes=(0, 3))  # 3: it has found something
            quick = run((TACIT, "doctor", "--quick"), environment, exit_codes=(0, 3))
            purge = run((TACIT, "purge", memory.id, "--yes"), environment)
    name = f"CPU of `tacit purge` of one memory, {MEMORIES:,} memories"
    yield against_target(name, purge.cpu, "s", f"{purge.wall:.1f} s by the clock")
    yield against_target(f"`tacit doctor --log`, log of {size:.0f} MB", size / check.cpu, "MB per CPU s")
    yield against_target("`tacit doctor --quick`", quick.cpu, "s")
    yield against_target("memory of these commands", max(each.memory for each in (check, quick, purge)), "MB")


if __name__ == "__main__":
    sys.exit(main_of("maintenance", __doc__, measure))
