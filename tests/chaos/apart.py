"""A process, a folder, a small disk and a network of one's own.

A test run has threads, and only a process without them may fork; so whatever forks is run apart.
"""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar, cast

from harness.followers import wait_for_followers

P = TypeVar("P")
R = TypeVar("R")

_ROOT = Path(__file__).resolve().parents[2]
_MEMORY = "/dev/shm"
_MAX_WAIT_SECONDS = 10.0
_SMALL = 1 << 20  # bytes of a small disk


def apart(work: Callable[[P], R], plan: P, *, within: Sequence[str] = ()) -> R:
    """`work(plan)`. Function, plan and result are pickled; what goes to standard error is seen as ever.

    `within` is a command that runs another, such as `unshare`.
    """
    command = [*within, sys.executable, "-m", "tests.chaos.apart"]
    done = subprocess.run(command, input=pickle.dumps((work, plan)), stdout=subprocess.PIPE, cwd=_ROOT, check=True)
    return cast(R, pickle.loads(done.stdout))


@contextmanager
def folder_in_memory() -> Iterator[Path]:
    """A throw-away folder on a file system in memory; on any other, where there is none. It is removed once no command
    draws pages in it any more."""
    with TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None) as folder:
        yield Path(folder)
        wait_for_followers(_MAX_WAIT_SECONDS)


def namespace(sort: str = "--mount") -> tuple[str, ...]:
    """The command that may mount, or with `--net` one without any network; nothing where that is forbidden."""
    trial = ("mount", "-t", "tmpfs", "tmpfs", "/mnt") if sort == "--mount" else ("true",)
    for command in (("unshare", sort), ("unshare", sort, "--map-root-user")):
        if not subprocess.run([*command, *trial], capture_output=True, check=False).returncode:
            return command
    return ()


def small_disk(folder: str) -> Path:
    """A file system of a megabyte. It vanishes with the name space that it is mounted in."""
    disk = Path(folder) / "disk"
    disk.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_SMALL},mode=0700", "tmpfs", str(disk)], check=True)
    return disk


def filled(disk: Path, room: int) -> Path:
    """A file that takes all but this room."""
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(max(shutil.disk_usage(disk).free - room, 0)))
    return ballast


@contextmanager
def attacker(module: str, *words: str, within: Sequence[str] = ()) -> Iterator[subprocess.Popen[bytes]]:
    """`python -m module words` beside what is tested, from its first line of output on; it must not give up."""
    command = [*within, sys.executable, "-m", module, *words]
    process = subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        process.stdout.readline()
        yield process
        assert process.poll() is None, "the attacker has given up: this shows nothing"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def _main() -> None:
    work, plan = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps(work(plan)))


if __name__ == "__main__":
    _main()
