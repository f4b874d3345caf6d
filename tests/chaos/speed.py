"""How fast this machine is now. Limits in seconds are stated for a machine that is not held back."""

from __future__ import annotations

import os
import sys

_START_SECONDS = 0.020  # CPU that starting Python takes on such a machine
_TRIES = 5


def slowdown() -> float:
    """Return how many times slower this machine is, at least 1: the CPU of starting Python, the best of several."""
    return max(1.0, min(_start_seconds() for _ in range(_TRIES)) / _START_SECONDS)


def _start_seconds() -> float:
    child = os.posix_spawn(sys.executable, [sys.executable, "-I", "-S", "-c", "pass"], {})
    _, _, used = os.wait4(child, 0)
    return used.ru_utime + used.ru_stime
