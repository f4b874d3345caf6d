"""Many processes append to one log at once: every line once, whole, and in the order its writer wrote."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from tacit.disk.files import OsDisk
from tacit.disk.lock import FileLock, Lock
from tacit.home.paths import HomePaths
from tacit.log.log import Log
from tacit.log.segment import MEMORY_SEGMENT
from tacit.model.event import ClaimProposed
from tests.chaos.audit import Audit, audit, events
from tests.chaos.material import judgement, name_of, open_log, origin, text_of
from tests.chaos.mutants import NoLock, PiecemealDisk
from tests.chaos.writers import Acknowledge, finish, start

_SMALLEST, _LARGEST = 10, 200_000
_LOCK_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Plan:
    """Without a `lock`, and with records written `in_pieces`, it is the mutant."""

    home: str
    writers: int
    appends: int
    seed: int = 1
    lock: bool = True
    in_pieces: bool = False


class Outcome(NamedTuple):
    """`misplaced` counts writers whose lines are not all there in their own order; waits are in seconds."""

    audit: Audit
    failed: int
    misplaced: int
    waits: list[float]

    def wait(self, share: float) -> float:
        """So long did that share of all appends wait for the lock at most."""
        return sorted(self.waits)[math.ceil(len(self.waits) * share) - 1]


def crowd(plan: Plan) -> Outcome:
    writers = [start(partial(_write, plan, number)) for number in range(plan.writers)]
    failed = sum(1 for code in finish(writers) if code != 0)
    acknowledged = [line.split() for writer in writers for line in writer.acknowledged]
    log = open_log(plan.home)
    return Outcome(
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
