"""The processes that a command leaves behind to follow what it recorded: who waits for pages waits for them.

A process with thousands of tests is large, and takes long to fork. A command that runs within one lets a small process
fork its follower, which is started once and has imported what followers need.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import tacit
from tacit import cli
from tacit.home.follower import wait_for_threads

# One end of a pipe for each command. The other end is open as long as a process lives that the command left.
_ends: list[int] = []
_MAX_REQUEST_BYTES = 1 << 20


@contextlib.contextmanager
def watched() -> Iterator[int]:
    """A descriptor for every process that is started meanwhile. A fork inherits it, a new program needs `pass_fds`."""
    ours, theirs = os.pipe()
    try:
        yield theirs
    finally:
        os.close(theirs)
        _ends.append(ours)
        wait_for_followers(0)


@contextlib.contextmanager
def forked_elsewhere() -> Iterator[None]:
    """The followers of commands that run here are forked by the small process, and watched."""

    def start(home_root: str | None) -> None:
        asked = {"home_root": home_root, "cwd": os.getcwd(), "environment": dict(os.environ)}
        socket.send_fds(_forking(), [json.dumps(asked).encode()], [watching])

    with watched() as watching, pytest.MonkeyPatch.context() as patch:
        patch.setattr(cli, "_follow_in_background", start)
        yield


def wait_for_followers(seconds: float) -> None:
    """Wait until no process is left of those that were watched."""
    until = time.monotonic() + seconds
    for end in [*_ends]:
        poll = select.poll()
        poll.register(end, select.POLLIN)
        if poll.poll(max(until - time.monotonic(), 0) * 1000):
            os.close(end)
            _ends.remove(end)


def is_anybody_told_of(home: Path) -> bool:
    """Whether a program runs that was started with this home in its environment, such as a hook."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or is somebody else's
            if f"TACIT_HOME={home}\0".encode() in (process / "environ").read_bytes():
                return True
    return False


@cache
def _forking() -> socket.socket:
    """A connection to the process that forks."""
    ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "harness.followers", str(theirs.fileno())]
    subprocess.Popen(command, pass_fds=[theirs.fileno()], cwd=Path(__file__).parents[1])
    theirs.close()
    return ours


def _serve(connection: socket.socket) -> None:
    """Fork a follower for each request, which comes with the descriptor to keep open."""
    _warm_up()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    while True:
        asked, descriptors, *_ = socket.recv_fds(connection, _MAX_REQUEST_BYTES, 1)
        if not asked:
            return
        if not os.fork():
            _follow(**json.loads(asked))
        os.close(descriptors[0])


def _warm_up() -> None:
    """Import what a follower imports, by following once."""
    with tempfile.TemporaryDirectory() as folder:
        with tacit.open(os.path.join(folder, "home"), cwd=folder) as vault:
            vault.add("a first memory")
        wait_for_threads()


def _follow(home_root: str | None, cwd: str, environment: dict[str, str]) -> None:
    try:
        os.setsid()
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(cwd)
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        cli.follow(home_root)
    finally:
        os._exit(0)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
