"""What is attached to agents and shells, and the tests themselves, on a machine that has no network but itself."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.chaos.outcome import Outcome

ROOT = Path(__file__).resolve().parents[2]
# The loopback of a new name space is down; tests of models ask a server of their own there.
_WITH_LOOPBACK = """
import fcntl, os, socket, struct, sys
with socket.socket() as one:
    fcntl.ioctl(one, 0x8914, struct.pack("16sh", b"lo", 1))
os.execv(sys.argv[1], sys.argv[1:])
"""
_SUMMARY = re.compile(r"(\d+) (passed|failed|error|errors|skipped)\b")
_LEFT_OUT = ("--deselect", "tests/clients")


def namespace() -> list[str]:
    """A command that runs another without any network; empty where that is forbidden."""
    for way in (["unshare", "-n"], ["unshare", "-rn"]):
        if not subprocess.run([*way, "true"], capture_output=True, check=False).returncode:
            return way
    return []


def without_network(command: list[str]) -> list[str]:
    return [*namespace(), sys.executable, "-c", _WITH_LOOPBACK, *command]


def suite(*words: str, processes: int = 2) -> Outcome:
    """The tests of this project, all of them or some; what fails without a network is told by its name."""
    quietly = ("-p", "no:cacheprovider", "--tb=no", *_LEFT_OUT)
    command = without_network([sys.executable, "-m", "pytest", "-n", str(processes), *quietly, *words])
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    counts = {sort: int(number) for number, sort in _SUMMARY.findall(done.stdout)}
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if done.returncode not in (0, 1) or not counts.get("passed"):
        failed.append(f"exit code {done.returncode}: {done.stdout[-200:]}{done.stderr[-200:]}")
    return Outcome(counts.get("passed", 0) + len(failed), counts.get("passed", 0), 0, tuple(failed))
