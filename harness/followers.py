"""The processes that a command leaves behind to follow what it recorded: who waits for pages waits for them."""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

# By home, one end of the pipe of each command. The other end is open as long as a process lives that the command left.
_ends: defaultdict[str, list[int]] = defaultdict(list)


@contextlib.contextmanager
def watched(home: Path) -> Iterator[int]:
    """A descriptor for every process that is started meanwhile. A fork inherits it, a new program needs `pass_fds`."""
    ours, theirs = os.pipe()
    try:
        yield theirs
    finally:
        os.close(theirs)
        known = _ends[str(home)]
        known[:] = [*(end for end in known if not _has_ended(end, 0)), ours]


def wait_for_followers(home: Path, seconds: float) -> None:
    """Wait until no process is left of those that were watched."""
    until = time.monotonic() + seconds
    known = _ends.pop(str(home), [])
    _ends[str(home)] = [end for end in known if not _has_ended(end, max(until - time.monotonic(), 0))]


def is_anybody_told_of(home: Path) -> bool:
    """Whether a program runs that was started with this home in its environment, such as a hook."""
    wanted = f"TACIT_HOME={home}\0".encode()
    return any(wanted in _environment(process) for process in Path("/proc").glob("[0-9]*"))


def _has_ended(end: int, seconds: float) -> bool:
    if not select.select([end], [], [], seconds)[0]:
        return False
    os.close(end)
    return True


def _environment(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:  # it has ended, or is somebody else's
        return b""
