"""A network that ends at this machine: a namespace with only a loopback interface, in which the stub listens.

Where no namespaces are allowed, clients run without; they are told the address of the stub all the same.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_PATIENCE = 30.0


@cache
def _apart() -> tuple[str, ...] | None:
    """The words that start a program in such a namespace; none where that is forbidden."""
    words = ("unshare", "--net") if os.geteuid() == 0 else ("unshare", "--net", "--map-root-user")
    try:
        done = subprocess.run([*words, "true"], capture_output=True, check=False)
    except FileNotFoundError:
        return None
    return words if done.returncode == 0 else None


class Offline:
    """A stub at work, and the way to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        apart = _apart()
        words = [sys.executable, "-m", "tests.clients.stub", str(folder), *(["--alone"] if apart else [])]
        self._stub = subprocess.Popen([*(apart or ()), *words], cwd=_ROOT, stdin=subprocess.PIPE)
        self._within = apart is not None
        self.port = self._wait_for_port()

    @property
    def within(self) -> list[str]:
        """The words that run a program where the stub is."""
        if not self._within:
            return []
        users = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        return ["nsenter", "--target", str(self._stub.pid), *users, "--net"]

    def close(self) -> None:
        self._stub.kill()
        self._stub.communicate()

    def _wait_for_port(self) -> int:
        until = time.monotonic() + _PATIENCE
        while not (self.folder / "port").exists():
            assert self._stub.poll() is None and time.monotonic() < until, "the stub did not start"
            time.sleep(0.02)
        return int((self.folder / "port").read_text())
