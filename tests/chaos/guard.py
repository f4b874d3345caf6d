"""Whether two processes are ever inside the same files at once: their system calls, in the order the tracer saw them.

Whoever writes to the index holds `write.lock`, whoever appends to the log `log.lock`. A lock is held from the moment
`flock` has said yes until the last descriptor of its file is closed. A thread may wait for it on a copy of the
descriptor: what a thread does counts for its process.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile

from tests.chaos import workload
from tests.chaos.outcome import Outcome
from tests.chaos.strace import need_strace
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
            if resumed["name"] == "flock":
                self._flock(self._process(resumed["pid"]), fd, path, resumed["rest"])
            elif fd and resumed["name"] == "fcntl":
                self._copy(self._process(resumed["pid"]), fd, resumed["rest"])
        elif found := _LINE.match(line):
            call, pid = found["name"], self._process(found["pid"])
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

    def _process(self, pid: str) -> str:
        return self.processes.get(pid, pid)

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


def guard(plan: workload.Plan, *, mutant: bool = False) -> Outcome:
    """Several processes use one home under the tracer's eyes; with `mutant`, locks keep nobody out."""
    need_strace()
    with NamedTemporaryFile("r", encoding="utf-8", errors="replace") as file:
        crew = [sys.executable, "-m", "tests.chaos.guard", plan.home, plan.project, str(plan.processes)]
        more = [str(plan.operations), "mutant" if mutant else ""]
        told = ["strace", "-f", "-qq", "--seccomp-bpf", "-y", "-s", "0", "-o", file.name, "-e", f"trace={_CALLS}"]
        subprocess.run(
            [*told, *crew, *more], cwd=_ROOT, check=not mutant, stderr=subprocess.DEVNULL if mutant else None
        )
        return _outcome(plan, file)


def _outcome(plan: workload.Plan, lines: Iterable[str]) -> Outcome:
    seen = [line.rstrip("\n") for line in lines]
    watch = Watch({found["thread"]: found["pid"] for line in seen if (found := _THREAD.match(line))})
    for line in seen:
        watch.see(line)
    note = f"{watch.writes:,} writes and syncs, each by the holder of {watch.taken:,} locks"
    return Outcome(plan.processes * plan.operations, 0, 0, tuple(watch.faults), note if watch.writes else "")


def _main(words: list[str]) -> Iterator[int]:
    home, project, processes, operations, mutant = words
    plan = workload.Plan(home, project, int(processes), int(operations))
    if mutant:
        from tests.chaos.mutated import no_lock

        no_lock()
        yield from finish([start(partial(_work, plan, number)) for number in range(plan.processes)])
    else:
        workload.live(plan)


def _work(plan: workload.Plan, number: int, acknowledge: Acknowledge) -> None:
    workload.live(replace(plan, project=f"{plan.project}-{number}", processes=1))


if __name__ == "__main__":
    list(_main(sys.argv[1:]))
