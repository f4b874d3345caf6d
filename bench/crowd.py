"""Many people at once: processes that do the same work against one server until the time is over."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from functools import cache
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import NamedTuple

from bench.figures import amount, quantile

_TICKS = os.sysconf("SC_CLK_TCK")


class Run(NamedTuple):
    """What a crowd did. `cpu` is the server's, in seconds."""

    milliseconds: list[float]
    units: int
    seconds: float
    cpu: float

    @property
    def rate(self) -> float:
        return self.units / self.seconds

    @property
    def cpu_each(self) -> float:
        return 1000 * self.cpu / max(self.units, 1)

    def __str__(self) -> str:
        p50, p95, p99 = (amount(quantile(self.milliseconds, share)) for share in (0.5, 0.95, 0.99))
        return f"{amount(self.rate)} a second, p50/p95/p99 {p50}/{p95}/{p99} ms, CPU {amount(self.cpu_each)} ms"


class Cores(NamedTuple):
    """Those of the server, and those of everybody else: the same ones where there are no more than two."""

    server: frozenset[int]
    others: frozenset[int]


@cache
def cores() -> Cores:
    """As they are when this is first asked."""
    every = sorted(os.sched_getaffinity(0))
    return Cores(frozenset(every[:2]), frozenset(every[2:] or every))


def processes_of(pid: int) -> list[int]:
    """A process and its children."""
    found = [pid]
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if int(_fields(int(entry.name))[1]) == pid:
                    found.append(int(entry.name))
            except (OSError, IndexError):
                continue
    return found


def _fields(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def cpu_of(pid: int) -> float:
    """Seconds of CPU of a process, of its children, and of those children that have ended."""
    ticks = 0
    for process in processes_of(pid):
        try:
            ticks += sum(map(int, _fields(process)[11:15]))
        except OSError:
            continue
    return ticks / _TICKS


def run_on(pid: int, where: frozenset[int]) -> None:
    """Keep a process and its children on some cores."""
    for process in processes_of(pid):
        try:
            os.sched_setaffinity(process, where)
        except OSError:
            continue


# Makes what one person does again and again; it returns how many units were done, such as pages.
Work = Callable[[int], Callable[[], int]]


def crowd(work: Work, size: int, seconds: float, server: int) -> Run:
    """Let so many people work at once. `work(nr)` is called in the process of person `nr`, before the clock starts."""
    fork = multiprocessing.get_context("fork")
    barrier = fork.Barrier(size + 1)
    pipes: list[Pipe] = []
    people = []
    for nr in range(size):
        ours, theirs = fork.Pipe(duplex=False)
        person = fork.Process(target=_person, args=(work, nr, seconds, barrier, theirs), daemon=True)
        person.start()
        theirs.close()
        pipes.append(ours)
        people.append(person)
    barrier.wait(120)
    before, start = cpu_of(server), time.perf_counter()
    found = [pipe.recv() for pipe in pipes]
    elapsed = time.perf_counter() - start
    run = Run([each for times, _ in found for each in times], sum(units for _, units in found), elapsed, 0.0)
    for person in people:
        person.join()
    time.sleep(0.2)  # until the server has counted the sessions that ended
    return run._replace(cpu=cpu_of(server) - before)


def _person(work: Work, nr: int, seconds: float, barrier: object, pipe: Pipe) -> None:
    os.sched_setaffinity(0, cores().others)
    act, times, units = work(nr), [], 0
    barrier.wait(120)  # type: ignore[attr-defined]
    end = time.perf_counter() + seconds
    while (start := time.perf_counter()) < end:
        units += act()
        times.append(1000 * (time.perf_counter() - start))
    pipe.send((times, units))
    pipe.close()
