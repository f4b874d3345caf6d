"""The processes that a command leaves behind to follow what it recorded: who waits for pages waits for them."""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Iterator
from pathlib import Path

# One end of a pipe for each command, and its home. The other end is open as long as a process lives that it left.
_ends: dict[int, str] = {}


@contextlib.contextmanager
def watched(home: Path) -> Iterator[int]:
    """A descriptor for every process that is started meanwhile. A fork inherits it, a new program needs `pass_fds`."""
    ours, theirs = os.pipe()
    try:
        yield theirs
    finally:
        os.close(theirs)
        _ends[ours] = str(home)
        for end in [*_ends]:  # also of homes that are not looked at again
            _forget_if_ended(end, 0)


def wait_for_followers(home: Path, seconds: float) -> None:
    """Wait until no process is left of those that were watched."""
    until = time.monotonic() + seconds
    for end in [end for end, its_home in _ends.items() if its_home == str(home)]:
        _forget_if_ended(end, max(until - time.monotonic(), 0))


def is_anybody_told_of(home: Path) -> bool:
    """Whether a program runs that was started with this home in its environment, such as a hook."""
    wanted = f"TACIT_HOME={home}\0".encode()
    return any(wanted in _environment(process) for process in Path("/proc").glob("[0-9]*"))


def _forget_if_ended(end: int, seconds: float) -> None:
    poll = select.poll()
    poll.register(end, select.POLLIN)
    if poll.poll(seconds * 1000):
        os.close(end)
        del _ends[end]


def _environment(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:  # it has ended, or is somebody else's
        return b""
