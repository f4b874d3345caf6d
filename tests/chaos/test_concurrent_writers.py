"""Many processes append to one log at once: every line once, whole, and in the order its writer wrote."""

from __future__ import annotations

import math
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tacit.disk.files import OsDisk
from tacit.disk.lock import FileLock, Lock
from tacit.home.paths import HomePaths
from tacit.log import Log
from tacit.log.segment import MAX_EVENT_BYTES, MEMORY_SEGMENT
from tacit.model.event import ClaimProposed
from tests.chaos.apart import apart
from tests.chaos.logs import Audit, audit, events, judgement, name_of, open_log, origin, text_of
from tests.chaos.mutants import NoLock
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row
from tests.chaos.writers import Acknowledge, finish, start

_SMALLEST, _LARGEST = 10, 200_000
_LOCK_SECONDS = 60.0
_PIECE = 512


@dataclass(frozen=True, slots=True)
class Plan:
    """Without a `lock`, and with records written `in_pieces`, it is the mutant."""

    home: str
    writers: int
    appends: int
    seed: int = 1
    lock: bool = True
    in_pieces: bool = False


class Crowd(NamedTuple):
    """`misplaced` counts writers whose lines are not all there in their own order; waits are in seconds."""

    audit: Audit
    failed: int
    misplaced: int
    waits: list[float]

    def outcome(self) -> Outcome:
        waits = [sorted(self.waits)[math.ceil(len(self.waits) * share) - 1] * 1000 for share in (0.5, 0.99, 1)]
        note = "lock waited for: p50 {:.1f} ms, p99 {:.0f} ms, at most {:.0f} ms".format(*waits)
        wrong = ["failed"] * self.failed + ["misplaced"] * self.misplaced + ["a fragment"] * self.audit.fragments
        return self.audit.outcome(len(self.waits), note, *wrong)


def crowd(plan: Plan) -> Crowd:
    writers = [start(partial(_write, plan, number)) for number in range(plan.writers)]
    failed = sum(1 for code in finish(writers) if code != 0)
    acknowledged = [line.split() for writer in writers for line in writer.acknowledged]
    log = open_log(plan.home)
    return Crowd(
        audit=audit(log, [name for name, _wait in acknowledged]),
        failed=failed,
        misplaced=_misplaced(log, plan),
        waits=[float(wait) for _name, wait in acknowledged],
    )


def _write(plan: Plan, number: int, acknowledge: Acknowledge) -> None:
    """All appends of one process; each acknowledgement says how long the lock was waited for."""
    rng = random.Random(f"{plan.seed} {number}")
    lock = TimedLock(FileLock(HomePaths(plan.home).log_lock, _LOCK_SECONDS) if plan.lock else NoLock())
    log = open_log(plan.home, disk=PiecemealDisk() if plan.in_pieces else OsDisk(), lock=lock)
    for count in range(plan.appends):
        draft = judgement(f"{number}.{count}", text_of(rng, _sizes(rng)))
        (event,) = log.append([draft], origin(str(number)))
        acknowledge(f"{event.id} {lock.waited:.6f}")


class PiecemealDisk(OsDisk):
    """A disk that takes a few bytes at a time, so that one record becomes many writes."""

    def write(self, fd: int, data: bytes) -> int:
        return super().write(fd, data[:_PIECE])


class TimedLock:
    """Another lock, and how long it was waited for the last time."""

    def __init__(self, lock: Lock) -> None:
        self._lock = lock
        self.waited = 0.0

    @contextmanager
    def acquire(self, timeout: float | None = None) -> Iterator[None]:
        began = time.monotonic()
        with self._lock.acquire(timeout):
            self.waited = time.monotonic() - began
            yield


def _sizes(rng: random.Random) -> tuple[int, int]:
    """Mostly short texts, every order of magnitude alike."""
    size = round(math.exp(rng.uniform(math.log(_SMALLEST), math.log(_LARGEST))))
    return size, size


def _misplaced(log: Log, plan: Plan) -> int:
    orders: dict[str, list[int]] = {str(number): [] for number in range(plan.writers)}
    for event in events(log, MEMORY_SEGMENT):
        if isinstance(event.body, ClaimProposed):
            orders[event.origin.session].append(int(name_of(event).split(".")[1]))
    return sum(1 for order in orders.values() if order != list(range(plan.appends)))


def test_the_lock_also_protects_records_that_the_disk_takes_in_pieces(home: str) -> None:
    found = apart(crowd, Plan(home, writers=4, appends=15, in_pieces=True))
    assert_held(found.outcome())
    assert (found.audit.acknowledged, found.audit.found) == (60, 60)


@pytest.mark.parametrize("excess", [0, 1])
def test_an_event_may_be_so_large_and_no_larger(home: str, excess: int) -> None:
    log = open_log(home)
    log.append([judgement("0.0", "x")], origin("0"))
    size = log.size(MEMORY_SEGMENT)
    room = MAX_EVENT_BYTES - size + 1  # everything but the text is as long as before
    if excess:
        with pytest.raises(ValueError, match="larger than"):
            log.append([judgement("0.1", "x" * (room + 1))], origin("0"))
        assert log.size(MEMORY_SEGMENT) == size
    else:
        log.append([judgement("0.1", "x" * room)], origin("0"))
        assert os.stat(log.path(MEMORY_SEGMENT)).st_size == size + MAX_EVENT_BYTES


def rows(short: bool) -> Iterator[Row]:
    def crowded(at: Path, **more: Any) -> Outcome:
        return apart(crowd, Plan(str(at / "home"), 16, **more)).outcome()

    yield Row("T03 sixteen writers", partial(crowded, appends=40 if short else 1_000), on_disk=True)
    mixed = partial(crowded, appends=40 if short else 100, lock=False, in_pieces=True)
    yield mutant_row("T03 mutant: in pieces, no lock", mixed, "unreadable")
