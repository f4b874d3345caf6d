"""The kill storm: four processes append to one log and are killed at random moments, again and again.

Whatever was acknowledged before a kill must be there afterwards, once and readable.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tacit.disk.files import OsDisk
from tacit.log.segment import MEMORY_SEGMENT
from tacit.secrets import secret_kind
from tests.chaos import mutants
from tests.chaos.apart import apart
from tests.chaos.logs import LARGE, NOTHING, SMALL, Audit, audit, everything, open_log, operation, origin, text_of
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row
from tests.chaos.workload import catch_up, fingerprint, open_store
from tests.chaos.writers import Acknowledge, Writer, kill, listen, start

_WRITERS = 4
_GUSTS = 3  # between them the index catches up
_LONGEST_PAUSE, _LONGEST_AIM, _LONGEST_LIFE = 0.12, 0.02, 120.0
_HUGE = (150_000, 200_000)


@dataclass(frozen=True, slots=True)
class Plan:
    """A `mean` storm writes only huge lines, and strikes when a writer was killed in the middle of one: some write is
    torn for certain, however slow the machine. No `seal`: the mutant."""

    home: str
    kills: int
    seed: int = 1
    mean: bool = False
    seal: bool = True
    index: bool = True

    def mutation(self) -> AbstractContextManager[None]:
        return nullcontext() if self.seal else mutants.no_seal()


class Storm(NamedTuple):
    """What was killed, what the log held afterwards, and whether three indexes of it were the same."""

    kills: int
    audit: Audit
    rebuilt_alike: bool

    def outcome(self) -> Outcome:
        """A write leaves a fragment at most where it was killed."""
        unacknowledged = self.audit.found - (self.audit.acknowledged - self.audit.lost)
        note = f"{self.audit.fragments} sealed fragments; {unacknowledged} there without acknowledgement"
        faults = ["the index is not what the log says"] * (not self.rebuilt_alike)
        faults += ["more fragments than kills"] * (self.audit.fragments > self.kills)
        return self.audit.outcome(self.kills, note, *faults)


def storm(plan: Plan) -> Storm:
    gusts = _Gusts(plan)
    for gust in range(1, _GUSTS + 1):
        gusts.blow(until=plan.kills * gust // _GUSTS)
        if plan.index:
            catch_up(open_store(plan.home))
    found = audit(open_log(plan.home), [*gusts.acknowledged, *_append_once_more(plan)])
    return Storm(gusts.kills, found, _rebuilt_alike(plan.home) if plan.index else True)


def storms_until_a_write_is_torn(plan: Plan) -> Storm:
    """Small storms, each on a log of its own, until one has left a fragment or lost a line."""
    total = Storm(0, NOTHING, True)
    for number in itertools.count():
        one = storm(replace(plan, home=os.path.join(plan.home, str(number)), kills=40, seed=plan.seed + number))
        total = Storm(total.kills + one.kills, total.audit + one.audit, total.rebuilt_alike and one.rebuilt_alike)
        if total.audit.fragments or total.audit.lost or total.kills >= plan.kills:
            break
    return total


class _Gusts:
    """The writers that live, and what the dead ones had acknowledged."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._rng = random.Random(plan.seed)
        self._numbers = itertools.count()
        self._writers: list[Writer] = []
        self.acknowledged: list[str] = []
        self.kills = 0
        secret_kind(text_of(self._rng, _HUGE))  # what is loaded once is loaded here: writers are to be killed writing

    def blow(self, *, until: int) -> None:
        """Start the writers and kill until so many were killed in all; in the end nobody lives."""
        while self.kills < until:
            self._writers += [self._start() for _ in range(_WRITERS - len(self._writers))]
            self._strike()
        self._kill(list(self._writers))

    def _strike(self) -> None:
        if self._plan.mean:
            _await_death(self._writers)
            self._kill(list(self._writers))
            return
        listen(self._writers, self._rng.uniform(0, _LONGEST_PAUSE))
        aim = self._rng.choice(["one", "all", "all while one writes"])
        if aim == "all while one writes":
            _await_growth(os.path.join(self._plan.home, MEMORY_SEGMENT))
        self._kill([self._rng.choice(self._writers)] if aim == "one" else list(self._writers))

    def _kill(self, doomed: list[Writer]) -> None:
        kill(doomed)
        self.kills += len(doomed)
        self.acknowledged += [name for writer in doomed for line in writer.acknowledged for name in line.split()]
        self._writers = [writer for writer in self._writers if writer not in doomed]

    def _start(self) -> Writer:
        return start(partial(_write, self._plan, next(self._numbers)))


def _write(plan: Plan, number: int, acknowledge: Acknowledge) -> None:
    """Append for ever. An id is told only after `append` has returned it."""
    rng = random.Random(f"{plan.seed} {number}")
    log = open_log(plan.home, disk=_TearingDisk(rng) if plan.mean else None)
    with plan.mutation():
        for count in itertools.count():
            sizes = _HUGE if plan.mean else rng.choices([SMALL, LARGE], weights=[9, 1])[0]
            drafts = operation(rng, f"{number}.{count}", text_of(rng, sizes))
            acknowledge(" ".join(event.id for event in log.append(drafts, origin(str(number)))))


def _append_once_more(plan: Plan) -> list[str]:
    with plan.mutation():
        written = open_log(plan.home).append(everything("last", "the end"), origin("last"))
    return [event.id for event in written]


class _TearingDisk(OsDisk):
    """After one or two writes, a part of the next one is written, and then the process is killed."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self._whole, self._share = rng.randint(1, 2), rng.uniform(0.01, 0.99)

    def write(self, fd: int, data: bytes) -> int:
        self._whole -= 1
        if self._whole < 0 and len(data) > 1:
            super().write(fd, data[: max(int(len(data) * self._share), 1)])
            os.kill(os.getpid(), signal.SIGKILL)
        return super().write(fd, data)


def _await_death(writers: list[Writer]) -> None:
    """Until one of them has ended by itself."""
    until = time.monotonic() + _LONGEST_LIFE
    while not any(os.waitid(os.P_PID, one.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) for one in writers):
        assert time.monotonic() < until, "no writer was killed while it wrote: this storm shows nothing"
        listen(writers, 0.005)


def _await_growth(path: str) -> None:
    """Return as soon as somebody writes: the meanest moment for a kill."""
    until = time.monotonic() + _LONGEST_AIM
    with suppress(FileNotFoundError):
        before = os.stat(path).st_size
        while os.stat(path).st_size == before and time.monotonic() < until:
            pass


def _rebuilt_alike(home: str) -> bool:
    """The index that was kept while the storm went on, and two made afterwards."""
    with closing(open_store(home)) as store, closing(store.indexer.in_memory_index()) as one:
        catch_up(store)
        with closing(store.indexer.in_memory_index()) as other:
            return store.read(fingerprint) == fingerprint(one) == fingerprint(other)


@pytest.mark.chaos
def test_a_kill_storm_loses_nothing_on_disk(home: str) -> None:
    assert_held(apart(storm, Plan(home, kills=60)).outcome(), acknowledged=1)


def test_a_kill_storm_loses_nothing_in_memory(memory_home: str) -> None:
    assert_held(apart(storm, Plan(memory_home, kills=20, seed=2)).outcome(), acknowledged=1)


def test_torn_writes_are_sealed_and_lose_nothing(memory_home: str) -> None:
    found = apart(storms_until_a_write_is_torn, Plan(memory_home, 40, seed=3, mean=True, index=False))
    assert_held(found.outcome(), acknowledged=1)
    assert found.audit.fragments > 0, "no write was torn: this storm shows nothing"


def rows(short: bool) -> Iterator[Row]:
    kills, torn = (60, 80) if short else (1_000, 400)

    def stormy(at: Path, **more: Any) -> Outcome:
        return apart(storm, Plan(str(at / "home"), **more)).outcome()

    yield Row("T01 kill storm on disk", partial(stormy, kills=kills), on_disk=True)
    # So many lines that indexing them would take longer than the storm.
    yield Row("T01 kill storm in memory", partial(stormy, kills=kills, seed=2, index=False))
    yield Row("T01 kills in the middle of writes", partial(stormy, kills=torn, seed=3, mean=True, index=False))
    plan = partial(Plan, kills=10 * torn, seed=3, mean=True, index=False, seal=False)
    yield mutant_row(
        "T01 mutant: no seal",
        lambda at: apart(storms_until_a_write_is_torn, plan(str(at / "home"))).outcome(),
        "unreadable",
    )
