"""Processes that are measured: what the kernel counted of a command, and cores that something else keeps busy."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tacit.hooks import agent

TACIT = os.path.join(os.path.dirname(sys.executable), "tacit")
BARE = (sys.executable, "-I", "-c", "pass")


class Usage(NamedTuple):
    """Seconds of CPU, user and system; seconds by the clock; and megabytes that it had at most."""

    cpu: float
    wall: float
    memory: float


def run(
    command: tuple[str, ...],
    environment: Mapping[str, str] = os.environ,
    *,
    given: bytes = b"",
    exit_codes: Collection[int] = (0,),
) -> Usage:
    """Run a command with `given` on its input and its output thrown away. End the bench if it fails."""
    reading, writing = os.pipe()
    os.write(writing, given)
    os.close(writing)
    actions = [
        (os.POSIX_SPAWN_DUP2, reading, 0),
        *((os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)),
    ]
    start = time.perf_counter()
    child = os.posix_spawn(command[0], command, environment, file_actions=actions)
    os.close(reading)
    _, status, used = os.wait4(child, 0)
    wall = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) not in exit_codes:
        raise SystemExit(f"{' '.join(command)} failed")
    return Usage(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024)


def environment_of(home: Path) -> dict[str, str]:
    """The variables of a person with that home, and nothing else."""
    return {"PATH": os.environ.get("PATH", ""), "HOME": str(home.parent), "TACIT_HOME": str(home)}


def hook_command(work: str, event: str, *, home: Path) -> tuple[str, ...]:
    """A hook of an agent as its host starts it."""
    return (sys.executable, "-I", "-S", str(agent.__file__), "claude", work, event, "--home", str(home))


@contextmanager
def busy_cores() -> Iterator[int]:
    """Keep every core busy with something else. Yields their number."""
    count = os.cpu_count() or 1
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield count
    finally:
        for process in busy:
            process.kill()
            process.wait()
