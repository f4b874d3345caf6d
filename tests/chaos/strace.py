"""System calls of a process: counted, and at a chosen one the process is killed or told a lie.

`strace` counts each call by its name and from the start of the process, so a moment is a name and a number. A first
run without interference says which moments there are; only calls that change something are moments, because between
two of them a kill leaves the same files behind.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

import pytest

from tests.chaos.program import Ended, run

# Names that only some machines have are asked for with a question mark.
_CHANGING = (
    *("write", "pwrite64", "writev", "?pwritev", "ftruncate", "?truncate", "fallocate", "fsync", "fdatasync"),
    *("?open", "openat", "?creat", "?rename", "renameat", "renameat2", "?unlink", "unlinkat", "?rmdir"),
    *("?mkdir", "mkdirat", "?link", "linkat", "?symlink", "symlinkat", "fchmod", "?chmod", "fchmodat", "flock"),
)
_LINE = re.compile(r"^(?P<pid>\d+) +(?P<name>\w+)\((?P<words>.*)\) += (?P<result>.+)$")
_QUIETLY = ("strace", "-f", "-qq")


class Call(NamedTuple):
    """One system call: its name, its number among those of its name, and how it was called and answered."""

    name: str
    number: int
    words: str
    result: str = "0"

    @property
    def changes(self) -> bool:
        """An open counts only where it may make or empty a file."""
        return not self.name.startswith("open") or "O_CREAT" in self.words or "O_TRUNC" in self.words

    @property
    def failed(self) -> bool:
        return self.result.startswith("-1")


@cache
def need_strace() -> None:
    """Without the tool a test fails; where tracing is forbidden by the machine it is left out."""
    assert shutil.which("strace"), "strace is missing: apt-get install strace (make test does it)"
    if subprocess.run([*_QUIETLY, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine forbids to trace processes")


def traced(
    command: Sequence[str], home: Path, *, cwd: Path | None = None, inject: str = ""
) -> tuple[Ended, list[Call]]:
    """Run to the end; what it did from the moment it first looked into the home's folder."""
    need_strace()
    with NamedTemporaryFile("r", encoding="utf-8", errors="replace") as file:
        injected = ["-e", f"inject={inject}"] if inject else []
        options = ["-y", "-s", "4096", "-o", file.name, "-e", "trace=" + ",".join(_CHANGING)]
        ended = run([*_QUIETLY, *options, *injected, *command], home, cwd=cwd)
        lines = file.read().splitlines()
    numbers: Counter[str] = Counter()
    calls: list[Call] = []
    for found in filter(None, map(_LINE.match, lines)):
        numbers[found["name"]] += 1
        if calls or str(home) in found["words"]:
            calls.append(Call(found["name"], numbers[found["name"]], found["words"], found["result"]))
    return ended, calls


def moments(command: Sequence[str], home: Path, *, cwd: Path | None = None) -> list[Call]:
    """The calls of a run without interference that change something."""
    ended, calls = traced(command, home, cwd=cwd)
    assert ended.code == 0, ended
    return [call for call in calls if call.changes]


def killed_at(call: Call, command: Sequence[str], home: Path, *, cwd: Path | None = None) -> Ended:
    """SIGKILL when it is about to make this call; the call is not carried out."""
    return interfered(f"{call.name}:signal=SIGKILL:when={call.number}", call.name, command, home, cwd=cwd)


def interfered(inject: str, name: str, command: Sequence[str], home: Path, *, cwd: Path | None = None) -> Ended:
    """Run to the end, with this done to calls of that name."""
    return run([*_QUIETLY, "-o", "/dev/null", "-e", f"trace={name}", "-e", f"inject={inject}", *command], home, cwd=cwd)
