"""Reading a whole home: searching it for a purge, checking its log, and `doctor` against a rebuild of the index.

    python -m bench.maintenance [--homes DIR] [--json]

Searches are measured in this process, on the log alone: rewriting it and the new index that follows cost what a rebuild
costs. Commands are measured as processes, with whatever they start.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import tacit
from bench.figures import Figure, amount, at_most, median, show
from bench.homes import copy_of
from tacit.log.log import Log
from tacit.model.claim import GLOBAL
from tacit.model.event import Event
from tacit.model.ids import EventId
from tacit.model.observation import MemoryPurged
from tacit.purge.matcher import TextFinder
from tacit.purge.plan import LogSearch, PurgePlan
from tacit.purge.prints import make_fingerprint
from tacit.purge.remains import PurgeTarget
from tacit.purge.tombstones import Tombstones

MEMORIES = 100_000
SEARCH_TARGET, CHECK_TARGET, DOCTOR_TARGET, QUICK_TARGET, MEMORY_TARGET = 20, 50, 1.2, 1, 200
ROUNDS = 3
WORD, SENTENCE = "walrush", "walrush in the dark sea"  # in no memory
_TACIT = os.path.join(os.path.dirname(sys.executable), "tacit")


def measure(folder: Path) -> Iterator[Figure]:
    with copy_of(folder, MEMORIES) as home:
        _close_to_others(home)
        size = sum(path.stat().st_size for path in home.glob("*/*.jsonl")) / 1e6
        with tacit.open(home, cwd=home.parent) as vault:
            yield from _searches(vault.home.store.log, size)
        check, _ = _command(home, "doctor", "--log")
        yield _rate(f"`tacit doctor --log`, log of {size:.0f} MB", size / check, CHECK_TARGET)
        rebuild, _ = _command(home, "doctor", "--reindex")
        doctor, used = _command(home, "doctor")
        note = f"{doctor:.1f} s against {rebuild:.1f} s, {used:.0f} MB"
        yield at_most("`tacit doctor` against `tacit doctor --reindex`", doctor / rebuild, DOCTOR_TARGET, " ×", note)
        quick, _ = _command(home, "doctor", "--quick")
        yield at_most("`tacit doctor --quick`", quick, QUICK_TARGET, " s")


def _close_to_others(home: Path) -> None:
    """Homes to measure on are made with the permissions of any file, which `doctor` would report."""
    for path in (home, *home.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)


def _searches(log: Log, size: float) -> Iterator[Figure]:
    for text in (WORD, SENTENCE):
        by_text, by_print = partial(_search, log, text), partial(_search_again, log, text)
        letters = f"{len(text)} letters"
        yield _rate(f"purge: search for a text of {letters}", size / _median_cpu(by_text), SEARCH_TARGET)
        yield _rate(f"purge again: search for the print of {letters}", size / _median_cpu(by_print), SEARCH_TARGET)
    used = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    yield at_most("resident memory after these searches", used, MEMORY_TARGET, " MB")


def _search(log: Log, text: str) -> PurgePlan:
    return LogSearch(PurgeTarget(TextFinder([text]))).plan(log)


def _search_again(log: Log, text: str) -> PurgePlan:
    return LogSearch(Tombstones([_tombstone(log, text)])).plan(log)


def _tombstone(log: Log, text: str) -> Event:
    """A tombstone of a text that is later than all lines."""
    line = next(log.events())
    body = MemoryPurged(prints=(make_fingerprint(text, os.urandom(16)),), everywhere=True)
    return line._replace(id=EventId("f" + line.id[1:]), scope=GLOBAL, body=body)


def _median_cpu(work: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return median(times)


def _rate(name: str, value: float, target: float) -> Figure:
    return Figure(name, f"{amount(value)} MB per CPU s", f"≥ {target:g} MB per CPU s", value >= target)


def _command(home: Path, *words: str) -> tuple[float, float]:
    """Seconds of CPU and megabytes that a command took, in no project. What it finds is of no interest."""
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(home.parent), "TACIT_HOME": str(home)}
    silence = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    before = os.getcwd()
    os.chdir(home.parent)
    try:
        child = os.posix_spawn(_TACIT, (_TACIT, *words), environment, file_actions=silence)
    finally:
        os.chdir(before)
    _, _, used = os.wait4(child, 0)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


if __name__ == "__main__":
    show("Reading a whole home.", measure)
