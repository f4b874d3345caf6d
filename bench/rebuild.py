"""The index made again from the log, and brought up to date after one event.

Catch-up is measured on two homes in turn: what it costs must depend on what is new, not on what is there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import tacit
from bench.figures import Figure, amount, at_most, cpu_with_children, median, show
from bench.homes import copy_of, events, events_of
from tacit.index.database import checkpoint_and_close
from tacit.log.segment import MEMORY_SEGMENT
from tacit.model.event import Draft, Event
from tacit.vault.vault import Vault

SMALL, LARGE = 1_000, 100_000
EVENTS = 100_000
INDEX_TARGET, CATCH_UP_TARGET = 15, 1.5
ROUNDS, WARM_UP = 100, 5
ADDS = 5


def measure(folder: Path) -> Iterator[Figure]:
    with ExitStack() as stack:
        homes = [stack.enter_context(copy_of(folder, memories)) for memories in (SMALL, LARGE)]
        _keep_events(homes[1], EVENTS)
        small, large = (stack.enter_context(tacit.open(home, cwd=home.parent)) for home in homes)
        yield from _rebuild(large, events_of(homes[1]))
        yield _catch_up(small, large)
        yield from _added(small, large)


def _keep_events(home: Path, most: int) -> None:
    """The first lines of a log: the target speaks of events, of which a home has more than memories."""
    log = home / MEMORY_SEGMENT
    lines = log.read_bytes().split(b"\n")
    log.write_bytes(b"".join(line + b"\n" for line in lines[:most]))


def _rebuild(vault: Vault, count: int) -> Iterator[Figure]:
    """The two steps of `tacit doctor --reindex`, each timed."""
    store = vault.home.store
    with store._exclusive():
        start, start_cpu = time.perf_counter(), cpu_with_children()
        connection = store.indexer.rebuild()
        indexed, cpu = time.perf_counter() - start, cpu_with_children() - start_cpu
        start = time.perf_counter()
        store._draw_pages_and_close(connection)
        drawn = time.perf_counter() - start
    yield at_most(f"rebuild of the index from {count:,} events", indexed, INDEX_TARGET, " s", f"{cpu:.1f} s of CPU")
    yield Figure(f"drawing every view of {LARGE:,} memories after it", f"{amount(drawn)} s")


def _catch_up(small: Vault, large: Vault) -> Figure:
    times: tuple[list[float], list[float]] = ([], [])
    for event in events(ROUNDS + WARM_UP, seed="catch-up"):
        for vault, waits in zip((small, large), times, strict=True):
            waits.append(_one_event(vault, event))
    few, many = (median(waits[WARM_UP:]) * 1000 for waits in times)
    return at_most(
        f"catch-up of the index after one event, {LARGE:,} memories against {SMALL:,}",
        many / few,
        CATCH_UP_TARGET,
        " ×",
        f"{amount(many)} ms against {amount(few)} ms",
    )


def _one_event(vault: Vault, event: Event) -> float:
    """Append untimed, then time how the index is opened, brought up to date and closed."""
    store = vault.home.store
    store.log.append([Draft(event.body, event.scope)], event.origin)
    with store._exclusive():
        start = time.perf_counter()
        checkpoint_and_close(store.writable_index.open())
        return time.perf_counter() - start


def _added(small: Vault, large: Vault) -> Iterator[Figure]:
    """The whole of an `add`, with the readable views that follow; nothing was promised, people wait all the same."""
    for vault, memories in ((small, SMALL), (large, LARGE)):
        vault.add("draw the views once before the others")
        waits = [_one_add(vault, at) for at in range(ADDS)]
        yield Figure(f"`vault.add` with its views, {memories:,} memories", f"{amount(median(waits) * 1000)} ms")


def _one_add(vault: Vault, at: int) -> float:
    start = time.perf_counter()
    vault.add(f"never measure the bench number {at} twice in a row")
    return time.perf_counter() - start


if __name__ == "__main__":
    show("Rebuild of the index, and catch-up after one event.", measure)
