"""The real program in a process of its own: what a test starts, watches, kills and starts again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

NOW = "2026-03-02T12:00:00+00:00"
_MUTATED = Path(__file__).with_name("mutated.py")
_DEFERRED = Path(__file__).with_name("deferred.py")
_SYSTEM = ("PATH", "VIRTUAL_ENV", "TMPDIR", "LD_LIBRARY_PATH")
_LONGEST = 120.0  # after which it counts as hanging


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
    return _python(*([str(_MUTATED), mutant] if mutant else ["-m", "tacit"]), *words)


def deferred(*words: str) -> list[str]:
    """The halves of a command whose pages are drawn later: `add TEXT`, then `draw`."""
    return _python(str(_DEFERRED), *words)


def _python(*words: str) -> list[str]:
    return [sys.executable, "-I", "-X", "frozen_modules", *words]


def environment(home: Path, **more: str) -> dict[str, str]:
    """That of a person whose folder is the one the home lies in."""
    system = {name: os.environ[name] for name in _SYSTEM if name in os.environ}
    ours = {"TACIT_HOME": str(home), "TACIT_NOW": NOW, "TACIT_PAGES_BACKGROUND": "off"}
    return {**system, "LC_ALL": "C.UTF-8", "HOME": str(home.parent), **ours, **more}


def run(command: Sequence[str], home: Path, *, cwd: Path | None = None, more: Mapping[str, str] | None = None) -> Ended:
    """To its end. A process that hangs raises `subprocess.TimeoutExpired`."""
    done = subprocess.run(
        command,
        cwd=cwd or home.parent,
        env=environment(home, **(more or {})),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_LONGEST,
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
