"""The real program in a process of its own: what a test starts, watches, kills and starts again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.followers import can_be_forked, run_forked

NOW = "2026-03-02T12:00:00+00:00"
_MUTATED = Path(__file__).with_name("mutated.py")
_SYSTEM = ("PATH", "VIRTUAL_ENV", "TMPDIR", "LD_LIBRARY_PATH")
_LONGEST = 120.0  # after which it counts as hanging
_START_SECONDS = 0.020  # CPU that starting Python takes on a machine that is not held back
_TRIES = 5


class Ended(NamedTuple):
    """How a process ended; the code is minus the signal for a killed one."""

    code: int
    out: str = ""
    err: str = ""

    @property
    def killed(self) -> bool:
        return self.code < 0


def tacit(*words: str, mutant: str = "") -> list[str]:
    """The command; with a mutant, the same program with one step left out (see `mutated.py`)."""
    program = [str(_MUTATED), mutant] if mutant else ["-m", "tacit"]
    return [sys.executable, "-I", "-X", "frozen_modules", *program, *words]


def recorder(mutant: str) -> list[str]:
    """The recorder of shells with one step left out."""
    return [sys.executable, "-I", "-S", str(_MUTATED), mutant, "--record"]


def environment(home: Path, **more: str) -> dict[str, str]:
    """That of a person whose folder is the one the home lies in."""
    system = {name: os.environ[name] for name in _SYSTEM if name in os.environ}
    ours = {"TACIT_HOME": str(home), "TACIT_NOW": NOW, "TACIT_PAGES_BACKGROUND": "off"}
    return {**system, "LC_ALL": "C.UTF-8", "HOME": str(home.parent), **ours, **more}


def run(
    command: Sequence[str],
    home: Path,
    *,
    cwd: Path | None = None,
    more: Mapping[str, str] | None = None,
    given: bytes = b"",
    seconds: float = _LONGEST,
    memory: int = 0,
) -> Ended:
    """To its end. A process that hangs raises `subprocess.TimeoutExpired`. `memory` limits its address space."""
    given_environment = environment(home, **(more or {}))
    plain = tacit()
    if [*command[: len(plain)]] == plain and not given and seconds <= _LONGEST and can_be_forked(given_environment):
        return Ended(*run_forked(command[len(plain) :], cwd or home.parent, given_environment, memory))
    done = subprocess.run(
        ["prlimit", f"--as={memory}", *command] if memory else command,
        cwd=cwd or home.parent,
        env=given_environment,
        input=given,
        capture_output=True,
        timeout=seconds,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


def wrong_end(ended: Ended) -> str | None:
    """What is wrong with how it ended: a refusal has a code and a message, success has neither."""
    if "Traceback" in ended.err:
        return f"ended with a traceback: {ended.err.splitlines()[-1]}"
    if ended.code > 0 and not ended.err.startswith("tacit: "):
        return f"exit code {ended.code} without a word"
    return None


def peak_memory(process: int) -> int:
    """The most memory in MB that a running process has had; 0 when it has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return next((int(row.split()[1]) >> 10 for row in status.splitlines() if row.startswith("VmHWM:")), 0)


def slowdown() -> float:
    """How many times slower than stated this machine is now, at least 1: the CPU of starting Python, best of several.
    Limits in seconds are stated for a machine that is not held back."""
    return max(1.0, min(_start_seconds() for _ in range(_TRIES)) / _START_SECONDS)


def _start_seconds() -> float:
    child = os.posix_spawn(sys.executable, [sys.executable, "-I", "-S", "-c", "pass"], {})
    _, _, used = os.wait4(child, 0)
    return used.ru_utime + used.ru_stime
