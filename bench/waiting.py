"""How long one waits for `vault.recall(query)` in a process that has the vault open.

Queries are varied (words of memories, everyday questions) and every answer is complete: ranked, with file and line,
and the question noted in the log as it is for a person.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from pathlib import Path

import tacit
from bench.figures import Figure, amount, at_most, median, quantile, show
from bench.homes import copy_of, queries_of

TARGETS = {10_000: 2, 100_000: 20}
WARM_UP = 20


def measure(folder: Path) -> Iterator[Figure]:
    for memories, target in TARGETS.items():
        waits, cpu = _times(folder, memories)
        p50, p99 = (quantile(waits, share) * 1000 for share in (0.5, 0.99))
        note = f"p99 {amount(p99)} ms; CPU p50 {amount(median(cpu) * 1000)} ms; peak memory {_peak():.0f} MB"
        yield at_most(f"`vault.recall`, {memories:,} memories, p50", p50, target, " ms", note)


def _times(folder: Path, memories: int) -> tuple[list[float], list[float]]:
    """Seconds that each query took by the clock, and of CPU: on a busy machine the second is the steadier."""
    waits, cpu = [], []
    with copy_of(folder, memories) as home, tacit.open(home, cwd=home.parent) as vault:
        for query in queries_of(folder, memories):
            start, start_cpu = time.perf_counter(), time.process_time()
            vault.recall(query)
            waits.append(time.perf_counter() - start)
            cpu.append(time.process_time() - start_cpu)
    return waits[WARM_UP:], cpu[WARM_UP:]


def _peak() -> float:
    """Megabytes this process has had at most. Homes are made by other processes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    show("Time of a recall inside a process.", measure)
