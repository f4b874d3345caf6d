"""The index made again from the log, brought up to date after one event, and `vault.add` in a loop.

    python -m bench.rebuild [--homes DIR] [--json]

Catch-up and `vault.add` are measured on two homes in turn: what they cost must depend on what is new, not on what is
there. The loop stands outside of any project, and what its follower spends on index and pages counts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import tacit
from bench.figures import Figure, against_target, amount, main_of, median
from bench.homes import copy_of, events, events_of
from tacit.home.follower import wait_for_threads
from tacit.index.database import checkpoint_and_close
from tacit.log.segment import MEMORY_SEGMENT
from tacit.model.event import Draft, Event
from tacit.vault import Vault

SMALL, LARGE, EVENTS = 1_000, 100_000, 100_000
ROUNDS, WARM_UP, ADDS = 100, 5, 200


def measure(folder: Path) -> Iterator[Figure]:
    with ExitStack() as stack:
        homes = [stack.enter_context(copy_of(folder, memories)) for memories in (SMALL, LARGE)]
        _keep_events(homes[1], EVENTS)
        small, large = (stack.enter_context(tacit.open(home, cwd=home.parent)) for home in homes)
        yield from _rebuild(large, events_of(homes[1]))
        yield _catch_up(small, large)
        for vault, memories in ((small, SMALL), (large, LARGE)):
            yield against_target(f"CPU of `vault.add` and what follows it, {memories:,} memories", _added(vault), "ms")


def _keep_events(home: Path, most: int) -> None:
    """The first lines of a log: the target speaks of events, of which a home has more than memories."""
    log = home / MEMORY_SEGMENT
    lines = log.read_bytes().split(b"\n")
    log.write_bytes(b"".join(line + b"\n" for line in lines[:most]))


def _rebuild(vault: Vault, count: int) -> Iterator[Figure]:
    """The two steps of `tacit doctor --reindex`, each timed."""
    store = vault.home.store
    with store._exclusive():
        start, start_cpu = time.perf_counter(), time.process_time()
        connection = store.indexer.rebuild()
        indexed, cpu = time.perf_counter() - start, time.process_time() - start_cpu
        start = time.perf_counter()
        store._draw_pages_and_close(connection)
        drawn = time.perf_counter() - start
    name = f"CPU of a rebuild of the index from {count:,} events"
    yield against_target(name, cpu, "s", f"{indexed:.1f} s by the clock")
    yield Figure(f"drawing every view of {LARGE:,} memories after it", f"{amount(drawn)} s")


def _catch_up(small: Vault, large: Vault) -> Figure:
    times: tuple[list[float], list[float]] = ([], [])
    for event in events(ROUNDS + WARM_UP, seed="catch-up"):
        for vault, own in zip((small, large), times, strict=True):
            own.append(_one_event(vault, event))
    few, many = (median(own[WARM_UP:]) * 1000 for own in times)
    name = f"catch-up of the index after one event, {LARGE:,} memories against {SMALL:,}"
    return against_target(name, many / few, "×", f"{amount(many)} ms against {amount(few)} ms")


def _one_event(vault: Vault, event: Event) -> float:
    """Append untimed, then time how the index is opened, brought up to date and closed."""
    store = vault.home.store
    store.log.append([Draft(event.body, event.scope)], event.origin)
    with store._exclusive():
        start = time.perf_counter()
        checkpoint_and_close(store.writable_index.open())
        return time.perf_counter() - start


def _added(vault: Vault) -> float:
    """Milliseconds of CPU for each of many additions, with the thread that follows them until it has ended."""
    vault.add("draw the views once before the others")
    wait_for_threads()
    start = time.process_time()
    for number in range(ADDS):
        vault.add(f"never measure the bench number {number} twice in a row")
    wait_for_threads()
    return (time.process_time() - start) / ADDS * 1000


if __name__ == "__main__":
    sys.exit(main_of("rebuild", __doc__, measure))
