"""No port, no daemon, no network: no command opens a socket, and none leaves a process behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from harness.person import Person

from tacit.shell.install import recorder_argv
from tests.chaos.offline import namespace, suite
from tests.chaos.program import tacit
from tests.chaos.strace import need_strace
from tests.support.hook_calls import ALL_CALLS, Given, Scene, faults

_RECORD = b"tacit1\0zsh\x001.2\x000\0\x0015\0/\0make test\0\0\0"
_ASKED = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{"query":"push"}}}\n'

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


def _tracing(told: Path) -> tuple[str, ...]:
    need_strace()
    return ("strace", "-A", "-f", "-qq", "-e", "trace=%network,%process", "-o", str(told))


def _trace(program: str, tmp_path: Path, background: str = "off") -> str:
    """Run to the end of the last process that it starts, and return the calls of all of them."""
    need_strace()
    told = tmp_path / "calls"
    system = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    environment = {**system, "HOME": str(tmp_path), "TACIT_HOME": str(tmp_path / "home"), "LC_ALL": "C.UTF-8"}
    environment["TACIT_PAGES_BACKGROUND"] = background
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


def test_what_draws_pages_in_the_background_opens_no_socket_and_runs_no_other_program(tmp_path: Path) -> None:
    calls = _trace(_WALK, tmp_path, background="")
    assert _NETWORK.findall(calls) == []
    assert len(_STARTED.findall(calls)) > 1
    assert len(re.findall(r"^\d+ +execve\(", calls, re.MULTILINE)) == 1


def test_no_hook_no_recorder_and_no_server_opens_a_socket(tmp_path: Path) -> None:
    """All that is attached to agents and shells, with what it leaves running."""
    scene = Scene(tmp_path / "person")
    scene.prepare()
    traced, every = _tracing(tmp_path / "calls"), [call for calls in ALL_CALLS.values() for call in calls]
    for call in every[:: len(every) // 8]:
        assert faults(scene.run(call, Given(prefix=traced))) == []
    for command, given in (
        (recorder_argv(), _RECORD),
        (tacit("mcp"), _ASKED),
        (tacit("install", "claude", "--yes"), b""),
    ):
        environment = Person(scene.folder).environment()
        done = subprocess.run([*traced, *command], input=given, env=environment, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
    scene.settle()
    calls = (tmp_path / "calls").read_text(errors="replace")
    assert _NETWORK.findall(calls) == []
    assert calls.count("execve(") > 10


def test_what_is_tested_needs_no_network() -> None:
    """A few that start processes; the whole suite is in `make chaos`."""
    if not namespace():
        pytest.skip("nobody may leave the network here")
    found = suite("tests/shell/test_record_light.py", processes=0)
    assert found.faults == ()
    assert found.acknowledged > 2


@pytest.mark.chaos
def test_a_program_that_does_would_be_seen(tmp_path: Path) -> None:
    calls = _trace("import socket, os; socket.socket().close(); os.system('true')", tmp_path)
    assert _NETWORK.findall(calls)
    assert len(_STARTED.findall(calls)) > 1
