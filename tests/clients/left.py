"""Processes that a run left behind, known by the home folder in their environment."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

_PATIENCE = 30.0


def running(home: Path) -> dict[int, str]:
    """Number and command line of every process with this home folder."""
    sign = f"HOME={home}".encode()
    found = {}
    for number in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        with contextlib.suppress(OSError):
            if sign in Path(f"/proc/{number}/environ").read_bytes().split(b"\0"):
                words = Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ")
                found[number] = words.decode(errors="replace").strip()
    return found


def wait_until_gone(home: Path, patience: float = _PATIENCE) -> dict[int, str]:
    """Wait for what finishes by itself, such as a capture that was handed on; end the rest and say what it was."""
    until = time.monotonic() + patience
    while (left := running(home)) and time.monotonic() < until:
        time.sleep(0.05)
    for number in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    return left
