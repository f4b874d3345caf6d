"""What a question, the index on disk and its rebuild cost as a home grows, from 10,000 to 1,000,000 memories.

    python -m bench.scale [--sizes 10000 100000 1000000] [--json]

A home is made once and kept (see bench/homes.py); one of a million takes some minutes. Times are of CPU, which a busy
machine disturbs less.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import tacit
from bench.figures import Figure, against_target, home_arguments, print_figures, quantile
from bench.homes import copy_of, events_of, queries_of
from tacit.index.database import checkpoint_and_close
from tacit.log.segment import MEMORY_SEGMENT
from tacit.vault import Vault

SIZES = (10_000, 100_000, 1_000_000)
_WARM_UP = 20


def measure(folder: Path, size: int) -> Iterator[Figure]:
    with copy_of(folder, size) as home:
        with tacit.open(home, cwd=home.parent) as vault:
            yield from _questions(vault, queries_of(folder, size), size)
        index = sum(path.stat().st_size for path in home.rglob("index*") if path.is_file())
        log = (home / MEMORY_SEGMENT).stat().st_size
        note = f"{index >> 20} MB against {log >> 20} MB"
        yield against_target(f"{size:,}: index against log on disk", index / log, "×", note)
        with tacit.open(home, cwd=home.parent) as vault:
            yield _rebuild(vault, events_of(home), size)


def _questions(vault: Vault, queries: list[str], size: int) -> Iterator[Figure]:
    times = []
    for query in queries:
        start = time.process_time()
        vault.recall(query)
        times.append((time.process_time() - start) * 1000)
    for share in (0.5, 0.99):
        name = f"{size:,}: `vault.recall`, p{share * 100:.0f} of {len(times) - _WARM_UP}"
        yield against_target(name, quantile(times[_WARM_UP:], share), "ms")


def _rebuild(vault: Vault, events: int, size: int) -> Figure:
    store = vault.home.store
    with store._exclusive():
        start, start_cpu = time.perf_counter(), time.process_time()
        checkpoint_and_close(store.indexer.rebuild())
        cpu, wall = time.process_time() - start_cpu, time.perf_counter() - start
    return against_target(f"{size:,}: events a second of CPU in a rebuild", events / cpu, note=f"{wall:.1f} s")


def main() -> int:
    given = home_arguments("scale", __doc__, SIZES)
    # Each size is printed as soon as it is measured: a million takes a while.
    return max(print_figures(measure(given.homes, size), as_json=given.json) for size in given.sizes)


if __name__ == "__main__":
    sys.exit(main())
