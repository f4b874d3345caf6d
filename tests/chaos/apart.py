"""A process and a folder of one's own.

A test run has threads, and only a process without them may fork; so whatever forks is run apart.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar, cast

P = TypeVar("P")
R = TypeVar("R")

_ROOT = Path(__file__).resolve().parents[2]
_MEMORY = "/dev/shm"


def apart(work: Callable[[P], R], plan: P, *, within: Sequence[str] = ()) -> R:
    """`work(plan)`. Function, plan and result are pickled; what goes to standard error is seen as ever.

    `within` is a command that runs another, such as `unshare`.
    """
    command = [*within, sys.executable, "-m", "tests.chaos.apart"]
    done = subprocess.run(command, input=pickle.dumps((work, plan)), stdout=subprocess.PIPE, cwd=_ROOT, check=True)
    return cast(R, pickle.loads(done.stdout))


@contextmanager
def folder_in_memory() -> Iterator[Path]:
    """A throw-away folder on a file system in memory; on any other, where there is none."""
    with TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None) as folder:
        yield Path(folder)


def _main() -> None:
    work, plan = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps(work(plan)))


if __name__ == "__main__":
    _main()
