"""No port, no daemon, no network: no command opens a socket, and none leaves a process behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.chaos.strace import need_strace

_WALK = """
import contextlib, io, os, sys
from tacit.surfaces.cli import main
source = os.environ["HOME"] + "/out"
for words in (
    "init", "add use-pnpm", "remember a-thing --evidence e", "log --task t --summary s", "recall pnpm", "brief", "list",
    "status", "improve", "evaluate", "review", "suggestions", "conflicts", "doctor", "verify", "reindex", "sync",
    "export --to " + source, "import " + source + " --mine", "import " + source, "purge --text use-pnpm --yes", "undo",
):
    sys.stdin = io.StringIO()
    main(words.split())
"""
_NETWORK = re.compile(r"^\d+ +(?:socket|connect|bind|listen|accept4?|sendto|recvfrom|sendmsg)\(", re.MULTILINE)
_STARTED = re.compile(r"^\d+ +(?:execve|fork|vfork|clone3?)\(", re.MULTILINE)


def _trace(program: str, tmp_path: Path) -> str:
    need_strace()
    told = tmp_path / "calls"
    system = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    environment = {**system, "HOME": str(tmp_path), "TACIT_HOME": str(tmp_path / "home"), "LC_ALL": "C.UTF-8"}
    calls = ["strace", "-f", "-qq", "-e", "trace=%network,%process", "-o", str(told)]
    subprocess.run(
        [*calls, sys.executable, "-c", program],
        env=environment,
        cwd=tmp_path,
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    return told.read_text(errors="replace")


def test_no_command_opens_a_socket_or_starts_a_process(tmp_path: Path) -> None:
    calls = _trace(_WALK, tmp_path)
    assert _NETWORK.findall(calls) == []
    assert len(_STARTED.findall(calls)) == 1  # the one that was started here


def test_a_program_that_does_would_be_seen(tmp_path: Path) -> None:
    calls = _trace("import socket, os; socket.socket().close(); os.system('true')", tmp_path)
    assert _NETWORK.findall(calls)
    assert len(_STARTED.findall(calls)) > 1
