"""What safety costs: `tacit remember` as it is, against the same without redaction and without waiting for the disk.

Both are whole processes on the same home of 1,000 memories, in turn; wall time, because waiting for the disk is part of
it. The careless one is the same program with the guard against secrets and every sync replaced by nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure, at_most, median, show
from bench.homes import copy_of

ROUNDS, WARM_UP = 60, 5
MEMORIES, TARGET = 1_000, 1.3
_RUN = "import sys; from tacit.cli import main; sys.exit(main(sys.argv[1:]))"
_CARELESS = f"""
import os, tacit.secrets.redact as redaction
redaction.find = lambda text: []
os.fsync = os.fdatasync = lambda fd: None
{_RUN}
"""


def measure(folder: Path) -> Iterator[Figure]:
    with copy_of(folder, MEMORIES) as safe, copy_of(folder, MEMORIES) as careless:
        rounds = [(_took(_RUN, safe, at), _took(_CARELESS, careless, at)) for at in range(ROUNDS + WARM_UP)]
    with_it, without = (median(column) for column in zip(*rounds[WARM_UP:], strict=True))
    note = f"{with_it * 1000:.0f} ms against {without * 1000:.0f} ms"
    yield at_most("`tacit remember` against the same without redaction and sync", with_it / without, TARGET, " ×", note)


def _took(program: str, home: Path, at: int) -> float:
    words = ("remember", f"look at case {at} of the cache before a release", "--evidence", "a bench")
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(home.parent), "TACIT_HOME": str(home)}
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", program, *words], env=environment, cwd=home.parent, check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - began


if __name__ == "__main__":
    show("What safety costs.", measure)
