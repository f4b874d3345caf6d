"""What is attached to agents and shells, and the tests themselves, on a machine that has no network but itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.person import Person

from tacit.shell.install import recorder_argv
from tests.chaos.apart import namespace
from tests.chaos.outcome import Outcome, Row, assert_held
from tests.chaos.program import tacit
from tests.chaos.strace import need_strace
from tests.support.hook_calls import ALL_CALLS, Given, Scene, faults

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


def suite(*words: str, processes: int = 2) -> Outcome:
    """The tests of this project, all of them or some; what fails without a network is told by its name."""
    quietly = ("-p", "no:cacheprovider", "--tb=no", *_LEFT_OUT)
    command = [*namespace("--net"), sys.executable, "-c", _WITH_LOOPBACK, sys.executable, "-m", "pytest"]
    command += ["-n", str(processes), *quietly, *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    counts = {sort: int(number) for number, sort in _SUMMARY.findall(done.stdout)}
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if done.returncode not in (0, 1) or not counts.get("passed"):
        failed.append(f"exit code {done.returncode}: {done.stdout[-200:]}{done.stderr[-200:]}")
    return Outcome(counts.get("passed", 0) + len(failed), counts.get("passed", 0), 0, tuple(failed))


_RECORD = b"tacit1\0zsh\x001.2\x000\0\x0015\0/\0make test\0\0\0"
_ASKED = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{"query":"push"}}}\n'

_WALK = """
import contextlib, io, os, sys
from tacit.cli import main
source = os.environ["HOME"] + "/out"
for words in (
    "init", "add use-pnpm", "remember a-thing --evidence e", "log --task t --summary s", "recall pnpm", "brief", "list",
    "status", "improve", "evaluate", "review", "suggestions", "conflicts", "doctor", "verify", "reindex", "sync",
    "export --to " + source, "import " + source + " --mine", "import " + source, "purge --text use-pnpm --yes", "undo",
):
    sys.stdin = io.StringIO()
    main(words.split())
"""
_STRACE = ("strace", "-f", "-qq", "-e", "trace=%network,%process")
_NETWORK = re.compile(r"^\d+ +(?:socket|connect|bind|listen|accept4?|sendto|recvfrom|sendmsg)\(", re.MULTILINE)
_STARTED = re.compile(r"^\d+ +(?:execve|fork|vfork|clone3?)\(", re.MULTILINE)


def _trace(program: str, tmp_path: Path, background: str = "off") -> str:
    """Run to the end of the last process that it starts, and return the calls of all of them."""
    need_strace()
    told = tmp_path / "calls"
    system = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    environment = {**system, "HOME": str(tmp_path), "TACIT_HOME": str(tmp_path / "home"), "LC_ALL": "C.UTF-8"}
    environment["TACIT_PAGES_BACKGROUND"] = background
    subprocess.run(
        [*_STRACE, "-o", str(told), sys.executable, "-c", program],
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
    need_strace()
    scene = Scene(tmp_path / "person").prepare()
    traced, every = (
        (*_STRACE, "-A", "-o", str(tmp_path / "calls")),
        [call for calls in ALL_CALLS.values() for call in calls],
    )
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
    if not namespace("--net"):
        pytest.skip("nobody may leave the network here")
    found = suite("tests/shell/test_shell_light.py", processes=0)
    assert_held(found, acknowledged=3)


@pytest.mark.chaos
def test_a_program_that_does_would_be_seen(tmp_path: Path) -> None:
    calls = _trace("import socket, os; socket.socket().close(); os.system('true')", tmp_path)
    assert _NETWORK.findall(calls)
    assert len(_STARTED.findall(calls)) > 1


def rows(short: bool) -> Iterator[Row]:
    """What other rows run in their long form is left out."""
    words = ["tests/shell/test_shell_light.py"] if short else ["--ignore=tests/chaos", "--ignore=tests/hostile"]
    if namespace("--net"):
        yield Row("T50 tests without a network", lambda _at: suite(*words))
