"""Runs a command on its own: no keys, a home of its own, no network where the kernel allows that, and a time limit."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Container, Sequence
from functools import cache
from pathlib import Path

LIMIT = 600
# User, network and process namespaces: nothing is sent, and nothing that a peer left running outlives its run.
_UNSHARE = ("unshare", "-rnpf", "--kill-child", "--mount-proc")
_QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "BASIC_MEMORY_AUTO_UPDATE": "false",
    "BASIC_MEMORY_NO_PROMOS": "1",
    "DO_NOT_TRACK": "1",
    "FASTMCP_CHECK_FOR_UPDATES": "off",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    "MEM0_TELEMETRY": "False",
    "POSTHOG_DISABLED": "1",
    "TRANSFORMERS_OFFLINE": "1",
}


class Failed(Exception):
    """Why, in words for the table."""


@cache
def isolation() -> tuple[str, ...]:
    """What to put before a command so that it has no network; nothing where that is not allowed."""
    if not shutil.which(_UNSHARE[0]):
        return ()
    tried = subprocess.run([*_UNSHARE, sys.executable, "-c", "pass"], check=False, capture_output=True)
    return _UNSHARE if tried.returncode == 0 else ()


def run(command: Sequence[str], home: Path, *, limit: float = LIMIT, fine: Container[int] = (0,)) -> float:
    """Seconds of CPU that the command and its children took."""
    before = _children()
    output = home / "output.txt"
    with output.open("wb") as out:
        child = subprocess.Popen(
            [*isolation(), *command],
            cwd=home,
            env=_environment(home),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = child.wait(limit)
        except subprocess.TimeoutExpired as error:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            raise Failed(f"took longer than {limit:.0f} s") from error
    if code not in fine:
        raise Failed(_last_line(output))
    return _children() - before


def _environment(home: Path) -> dict[str, str]:
    """Nothing of ours but the path: no keys, no settings, no proxies."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return kept | {"HOME": str(home), "TMPDIR": str(home)} | _QUIET


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _last_line(output: Path) -> str:
    lines = [line.strip() for line in output.read_text("utf-8", "replace").splitlines() if line.strip()]
    return (lines or ["it failed and said nothing"])[-1][:160]
