"""What a question, a process, one more event and the index cost as a home grows, from 10,000 to 1,000,000 memories.

    python -m bench.scale [--sizes 10000 100000 1000000] [--json]

A home is made once and kept (see bench/homes.py); one of a million takes some minutes. Times of questions are of CPU,
which a busy machine disturbs less.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import tacit
from bench.figures import Figure, amount, at_most, cpu_with_children, encoded, median, quantile, sized_arguments, table
from bench.homes import copy_of, events, events_of, queries_of
from bench.startup import cpu_of
from tacit.index.database import checkpoint_and_close
from tacit.log.segment import MEMORY_SEGMENT
from tacit.model.event import Draft
from tacit.vault.vault import Vault

SIZES = (10_000, 100_000, 1_000_000)
P50, P99, COLD, ON_DISK, REBUILT = 5, 20, 10, 2, 12_000  # at the largest size
_WARM_UP, _COLD_ROUNDS, _EVENTS = 20, 9, 25
_TACIT = os.path.join(os.path.dirname(sys.executable), "tacit")


def measure(folder: Path, size: int) -> Iterator[Figure]:
    with copy_of(folder, size) as home:
        queries = queries_of(folder, size)
        with tacit.open(home, cwd=home.parent) as vault:
            yield from _questions(vault, queries, size)
        yield _on_disk(home, size)
        yield _cold(home, queries, size)
        with tacit.open(home, cwd=home.parent) as vault:
            yield Figure(f"{size:,}: catch-up after one event", f"{amount(_catch_up(vault))} ms")
            yield from _rebuild(vault, home, size)  # last: whoever asks after it draws every page first


def _questions(vault: Vault, queries: list[str], size: int) -> Iterator[Figure]:
    took = []
    for query in queries:
        start = time.process_time()
        vault.recall(query)
        took.append((time.process_time() - start) * 1000)
    for share, target in ((0.5, P50), (0.99, P99)):
        value = quantile(took[_WARM_UP:], share)
        yield at_most(f"{size:,}: `vault.recall`, p{share * 100:.0f} of {len(took) - _WARM_UP}", value, target, " ms")


def _catch_up(vault: Vault) -> float:
    """Milliseconds to bring the index up to date after one event."""
    store, took = vault.home.store, []
    for event in events(_EVENTS, seed="scale"):
        store.log.append([Draft(event.body, event.scope)], event.origin)
        with store._exclusive():
            start = time.process_time()
            checkpoint_and_close(store.writable_index.open())
            took.append((time.process_time() - start) * 1000)
    return median(took[5:])


def _rebuild(vault: Vault, home: Path, size: int) -> Iterator[Figure]:
    store = vault.home.store
    with store._exclusive():
        start, began = cpu_with_children(), time.perf_counter()
        checkpoint_and_close(store.indexer.rebuild())
        cpu, took = cpu_with_children() - start, time.perf_counter() - began
    speed = events_of(home) / cpu
    note = f"{speed:,.0f} ({took:.1f} s)"
    yield Figure(f"{size:,}: events a second of CPU in a rebuild", note, f"≥ {REBUILT:,}", speed >= REBUILT)


def _on_disk(home: Path, size: int) -> Figure:
    index = sum(path.stat().st_size for path in home.rglob("index*") if path.is_file())
    log = (home / MEMORY_SEGMENT).stat().st_size
    note = f"{index >> 20} MB against {log >> 20} MB"
    return at_most(f"{size:,}: index against log on disk", index / log, ON_DISK, " ×", note)


def _cold(home: Path, queries: list[str], size: int) -> Figure:
    bare = (sys.executable, "-I", "-c", "pass")
    with_answers = [query for query in queries if len(query.split()) > 1][: 4 * _COLD_ROUNDS]
    rounds = []
    for query in with_answers:
        try:
            rounds.append((cpu_of(bare, home), cpu_of((_TACIT, "recall", query), home)))
        except SystemExit:  # nothing matches: another question
            continue
        if len(rounds) == _COLD_ROUNDS:
            break
    base, value = (median(column) for column in zip(*rounds, strict=True))
    note = f"{value * 1000:.0f} ms against {base * 1000:.0f} ms"
    return at_most(f"{size:,}: CPU of `tacit recall` against bare Python", value / base, COLD, " ×", note)


def main() -> int:
    given = sized_arguments("scale", __doc__, SIZES)
    missed = False
    for size in given.sizes:  # each as soon as it is measured: a million takes a while
        figures = list(measure(given.homes.resolve(), size))
        print("\n".join(map(encoded, figures) if given.json else table(figures)), flush=True)
        missed = missed or any(figure.ok is False for figure in figures)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
