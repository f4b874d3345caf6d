"""What `tacit recall` and `tacit add` cost as processes, in CPU, against a bare interpreter in the same run.

    python -m bench.startup [--homes DIR] [--json]

Each round starts both sides once, so that whatever else the machine does falls on both alike. CPU is user plus system
time of the child as the kernel counted it; waiting for the disk is not in it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import chdir
from pathlib import Path

from harness.followers import is_anybody_told_of

import tacit
from bench.figures import Figure, against_target, main_of, median
from bench.homes import copy_of, queries_of
from bench.processes import BARE, TACIT, environment_of, run

ROUNDS, WARM_UP = 41, 3
MEMORIES, FEW_MEMORIES = 10_000, 100


def measure(folder: Path) -> Iterator[Figure]:
    with copy_of(folder, MEMORIES) as home:
        yield _against_bare(home, "recall", MEMORIES, _answered(home, queries_of(folder, MEMORIES)))
    with tempfile.TemporaryDirectory() as place:  # of a person who has just begun
        home = Path(place) / "home"
        with tacit.open(home, cwd=place) as vault:
            for number in range(FEW_MEMORIES):
                vault.add(f"keep the tests of module {number} below {number} seconds")
        sentences = (f"service {number} listens on port {4000 + number}" for number in range(ROUNDS + WARM_UP))
        yield _against_bare(home, "add", FEW_MEMORIES, sentences)
        while is_anybody_told_of(home):  # what follows the last commands still writes there
            time.sleep(0.05)


def _against_bare(home: Path, verb: str, memories: int, arguments: Iterable[str]) -> Figure:
    environment = environment_of(home)
    with chdir(home.parent):
        rounds = [(run(BARE, environment).cpu, run((TACIT, verb, each), environment).cpu) for each in arguments]
    name = f"CPU of `tacit {verb}` as a process, {memories:,} memories, against bare `python -I -c pass`"
    return against_bare(name, rounds[WARM_UP:])


def against_bare(name: str, rounds: Iterable[tuple[float, float]]) -> Figure:
    """How many starts of a bare interpreter something costs; of each round, the CPU of both."""
    bare, ours = (median(column) for column in zip(*rounds, strict=True))
    return against_target(name, ours / bare, "×", f"{ours * 1000:.1f} ms against {bare * 1000:.1f} ms")


def _answered(home: Path, queries: Sequence[str]) -> list[str]:
    """As many queries as there are rounds, of those that find something: a command without answers exits with 1."""
    with tacit.open(home, cwd=home.parent) as vault:
        found = [query for query in queries[: 2 * ROUNDS] if vault.search.recall(query, observe=False)]
    return found[: ROUNDS + WARM_UP]


if __name__ == "__main__":
    sys.exit(main_of("startup", __doc__, measure))
