"""Whether two processes are ever inside the same files at once: their system calls, in the order the tracer saw them.

Whoever writes to the index holds `write.lock`, whoever appends to the log `log.lock`. A lock is held from the moment
`flock` has said yes until the last descriptor of its file is closed. A thread may wait for it on a copy of the
descriptor: what a thread does counts for its process.
"""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from harness.person import Person

from tests.chaos.mutated import no_lock
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row
from tests.chaos.strace import need_strace
from tests.chaos.workload import Plan, live
from tests.chaos.writers import Acknowledge, finish, start

_ROOT = Path(__file__).resolve().parents[2]
_CALLS = "flock,close,fcntl,write,pwrite64,ftruncate,fdatasync,fsync,?clone,?clone3"
# A thread is started with `clone3`, with which Python starts nothing else, or on some machines with `clone`.
_THREAD = re.compile(
    r"^(?P<pid>\d+) +(?:clone3\(|<\.\.\. clone3 resumed>|clone\(.*CLONE_THREAD|<\.\.\. clone resumed>, .*tls=).*"
    r" = (?P<thread>\d+)$"
)
_LINE = re.compile(r"^(?P<pid>\d+) +(?P<name>\w+)\((?P<fd>\d+)<(?P<path>[^>]*)>(?P<rest>.*)$")
_COPIED = re.compile(r" = (?P<fd>\d+)<")
_RESUMED = re.compile(r"^(?P<pid>\d+) +<\.\.\. (?P<name>\w+) resumed>(?P<rest>.*)$")
_GUARDS = {
    "write.lock": ("index.sqlite", "index.sqlite-wal", "index.sqlite-file", "index.sqlite.new"),
    "log.lock": (".jsonl",),
}
ALONE = "without holding"


@dataclass(slots=True)
class Watch:
    """Who holds which lock, line by line."""

    processes: dict[str, str]  # of threads
    holders: dict[str, tuple[str, set[str]]] = field(default_factory=dict)  # the process and its descriptors
    waiting: dict[str, tuple[str, str]] = field(default_factory=dict)
    copies: dict[tuple[str, str], set[str]] = field(default_factory=dict)  # descriptors of one open file
    faults: list[str] = field(default_factory=list)
    writes: int = 0
    taken: int = 0

    def see(self, line: str) -> None:
        if resumed := _RESUMED.match(line):
            fd, path = self.waiting.pop(resumed["pid"], ("", ""))
            process = self.processes.get(resumed["pid"], resumed["pid"])
            if resumed["name"] == "flock":
                self._flock(process, fd, path, resumed["rest"])
            elif fd and resumed["name"] == "fcntl":
                self._copy(process, fd, resumed["rest"])
        elif found := _LINE.match(line):
            call, pid = found["name"], self.processes.get(found["pid"], found["pid"])
            fd, path = found["fd"], found["path"]
            if call == "fcntl" and "F_DUPFD" not in found["rest"]:
                return
            if call in ("flock", "fcntl") and "unfinished" in found["rest"]:
                self.waiting[found["pid"]] = (fd, path)
            elif call == "flock":
                self._flock(pid, fd, path, found["rest"])
            elif call == "fcntl":
                self._copy(pid, fd, found["rest"])
            elif call == "close":
                self._close(pid, fd, path)
            else:
                self._write(pid, call, path)

    def _flock(self, pid: str, fd: str, path: str, rest: str) -> None:
        if not rest.endswith("= 0"):
            return
        self.taken += 1
        if path in self.holders:
            self.faults.append(f"{pid} and {self.holders[path][0]} hold {path}")
        self.holders[path] = (pid, self.copies.setdefault((pid, fd), {fd}))

    def _copy(self, pid: str, fd: str, rest: str) -> None:
        if copied := _COPIED.search(rest):
            same = self.copies.setdefault((pid, fd), {fd})
            same.add(copied["fd"])
            self.copies[pid, copied["fd"]] = same

    def _close(self, pid: str, fd: str, path: str) -> None:
        same = self.copies.pop((pid, fd), {fd})
        same.discard(fd)
        if path in self.holders and self.holders[path] == (pid, set()):
            del self.holders[path]

    def _write(self, pid: str, call: str, path: str) -> None:
        for lock, endings in _GUARDS.items():
            if path.endswith(endings):
                self.writes += 1
                held = [holder for name, (holder, _) in self.holders.items() if name.endswith(lock)]
                if held != [pid]:
                    self.faults.append(f"{pid} is at {call} of {path} {ALONE} {lock} (held by {held})")


def guard(plan: Plan, *, mutant: bool = False) -> Outcome:
    """Several processes use one home under the tracer's eyes; with `mutant`, locks keep nobody out."""
    need_strace()
    with NamedTemporaryFile("r", encoding="utf-8", errors="replace") as file:
        crew = [sys.executable, "-m", "tests.chaos.test_lock_holders", plan.home, plan.project, str(plan.processes)]
        more = [str(plan.operations), "mutant" if mutant else ""]
        told = ["strace", "-f", "-qq", "--seccomp-bpf", "-y", "-s", "0", "-o", file.name, "-e", f"trace={_CALLS}"]
        stderr = subprocess.DEVNULL if mutant else None
        subprocess.run([*told, *crew, *more], cwd=_ROOT, check=not mutant, stderr=stderr)
        seen = [line.rstrip("\n") for line in file]
    watch = Watch({found["thread"]: found["pid"] for line in seen if (found := _THREAD.match(line))})
    for line in seen:
        watch.see(line)
    note = f"{watch.writes:,} writes and syncs, each by the holder of {watch.taken:,} locks"
    return Outcome(plan.processes * plan.operations, 0, 0, tuple(watch.faults), note if watch.writes else "")


def _main(home: str, project: str, processes: str, operations: str, mutant: str) -> None:
    plan = Plan(home, project, int(processes), int(operations))
    if mutant:
        no_lock()
        finish([start(partial(_work, plan, number)) for number in range(plan.processes)])
    else:
        live(plan)


def _work(plan: Plan, number: int, acknowledge: Acknowledge) -> None:
    live(replace(plan, project=f"{plan.project}-{number}", processes=1))


def _crew(folder: Path, processes: int, operations: int) -> Plan:
    return Plan(str(folder / "home"), str(folder / "project"), processes, operations)


def test_nobody_writes_to_index_or_log_without_holding_its_lock(tmp_path: Path) -> None:
    found = guard(_crew(tmp_path, processes=6, operations=12))
    assert found.note, "nobody has written: this shows nothing"
    assert_held(found)


@pytest.mark.parametrize(
    ("version", "has_the_race"),
    [
        *[(version, True) for version in [(3, 40, 1), (3, 44, 5), (3, 45, 0), (3, 50, 6), (3, 51, 0), (3, 51, 2)]],
        *[(version, False) for version in [(3, 44, 6), (3, 44, 9), (3, 50, 7), (3, 51, 3), (3, 52, 0), (4, 0, 0)]],
    ],
)
def test_the_doctor_knows_which_sqlite_has_the_race(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], has_the_race: bool
) -> None:
    person = Person(tmp_path)
    person.tacit("init")
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    assert ("known race" in person.tacit("doctor").out) is has_the_race


def rows(short: bool) -> Iterator[Row]:
    operations = 10 if short else 120
    yield Row("T10 six processes, locks traced", lambda at: guard(_crew(at, 6, operations)))
    yield mutant_row("T10 mutant: no lock", lambda at: guard(_crew(at, 2, 4), mutant=True), ALONE)


if __name__ == "__main__":
    _main(*sys.argv[1:])
