"""Locks between processes: `flock` on files that are never deleted. The kernel releases them at kill -9.

A lock has two files: `NAME.lock`, held by the process that works, and `NAME.lock.queue`, held by the process that is
next in line. Everybody goes through the queue, so a process that releases the lock and wants it again lines up behind
those that wait already. Waiters block in the kernel, which wakes them in the order in which they came; nobody polls.
"""

from __future__ import annotations

import _thread
import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from tacit.disk.files import PRIVATE_FILE, link_error, make_folder, open_folder
from tacit.errors import LockBusyError, ReadOnlyError

_UNWRITABLE_ERRORS = (errno.EROFS, errno.EACCES, errno.EPERM)
# A wait up to this long polls: it starts no thread, and whoever is in such a hurry may fork soon.
_SHORT_WAIT_SECONDS, _POLL_SECONDS = 1.0, 0.005
_PROC_LOCKS = "/proc/locks"  # Linux only


class Lock(Protocol):
    """Something that keeps others out for the length of a `with`. `patience` replaces the lock's own, in seconds."""

    def acquire(self, patience: float | None = None) -> AbstractContextManager[None]: ...


class FileLock:
    """An exclusive lock.

    `patience` is how long to wait while nothing moves, `longest` how long at all: while holders change, the queue moves
    and it is worth waiting (where the system says who holds a lock: Linux). By default both are the same. `LockBusy` is
    raised when either has passed.
    """

    def __init__(self, path: str, patience: float, longest: float | None = None) -> None:
        self.path = path
        self.timeout = patience
        self.max_wait = longest

    @contextmanager
    def acquire(self, patience: float | None = None) -> Iterator[None]:
        fd = _open_lock_file(self.path)
        try:
            self._lock(fd, patience)
            yield
        finally:
            os.close(fd)

    def _lock(self, fd: int, patience: float | None) -> None:
        seconds = self.timeout if patience is None else patience
        longest = self.max_wait if self.max_wait is not None and patience is None else seconds
        until = time.monotonic() + longest
        queue = _open_lock_file(_queue_path(self.path))
        try:
            for place in (queue, fd):
                self._wait(place, seconds, until)
        finally:
            os.close(queue)

    def _wait(self, fd: int, seconds: float, until: float) -> None:
        """Take one of the two files. Give up at `until`, or when one holder has had the lock for so many seconds."""
        if _try_lock(fd):
            return
        if seconds <= _SHORT_WAIT_SECONDS:
            give_up = min(until, time.monotonic() + seconds)
            while (left := give_up - time.monotonic()) > 0:
                time.sleep(min(_POLL_SECONDS, left))
                if _try_lock(fd):
                    return
            raise self._busy_error(seconds)
        taken = _lock_in_thread(fd)
        while True:
            before = _holder_and_waiters(self.path)
            left = until - time.monotonic()
            if left > 0 and taken.acquire(timeout=min(seconds, left)):
                return
            if left <= 0 or _holder_and_waiters(self.path) == before:
                raise self._busy_error(seconds)

    def _busy_error(self, seconds: float) -> LockBusyError:
        pid, others = _holder_and_waiters(self.path)
        who = f"process {pid} holds it" if pid else "another process holds it"
        waiting = f", {len(others)} other{'s are' if len(others) != 1 else ' is'} waiting" if others else ""
        look = f"ps -fp {pid}" if pid else f"fuser -v {self.path}"
        return LockBusyError(
            f"{self.path} is busy: {who}{waiting}; gave up after {seconds:g} s",
            f"try again when that has ended; to see what it is: {look}",
        )


def _holder_and_waiters(path: str) -> tuple[int, frozenset[int]]:
    """Who holds a lock now, and who else waits for it; nobody where the system does not say."""
    try:
        lock, queue = str(os.stat(path).st_ino), str(os.stat(_queue_path(path)).st_ino)
        with open(_PROC_LOCKS, encoding="ascii", errors="replace") as file:
            lines = [line.replace("->", "").split() for line in file if " FLOCK " in line and " WRITE " in line]
    except OSError:
        return 0, frozenset()
    # A line: number, FLOCK, ADVISORY, WRITE, process, device:device:inode, start, end. The holder comes first.
    at_lock, in_queue = ([int(one[4]) for one in lines if one[5].endswith(f":{inode}")] for inode in (lock, queue))
    holder = at_lock[0] if at_lock else 0
    return holder, frozenset({*at_lock[1:], *in_queue} - {holder, os.getpid()})


def _queue_path(path: str) -> str:
    return path + ".queue"


def _open_lock_file(path: str) -> int:
    """Open a lock file. Neither it nor its folder may be a symbolic link."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    folder, name = os.path.split(path)
    try:
        make_folder(folder, below=os.path.dirname(folder))
        parent = open_folder(folder, os.path.dirname(folder))
        try:
            return os.open(name, flags, PRIVATE_FILE, dir_fd=parent)
        finally:
            os.close(parent)
    except OSError as error:
        if error.errno in _UNWRITABLE_ERRORS:
            raise read_only_error(folder) from error
        if error.errno == errno.ELOOP:
            link = path if os.path.islink(path) else folder
            raise link_error(OSError(error.errno, "", link)) or error from error
        raise


def _try_lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_in_thread(fd: int) -> _thread.LockType:
    """Block on a lock in a thread, since `flock` knows no time limit; what is returned can be waited for with one.

    The thread works on a descriptor of its own for the same open file. A caller that gives up only closes its
    descriptor: the lock, should it come, is released when the thread closes the last one.
    """
    taken = _thread.allocate_lock()
    taken.acquire()
    own = os.dup(fd)

    def block() -> None:
        try:
            fcntl.flock(own, fcntl.LOCK_EX)
            taken.release()
        except OSError:  # the caller gives up when its time is over
            pass
        finally:
            os.close(own)

    _thread.start_new_thread(block, ())
    return taken


def read_only_error(place: str) -> ReadOnlyError:
    return ReadOnlyError(
        f"{place} cannot be written to", "choose a home you own: tacit --home PATH …, or set TACIT_HOME"
    )


def is_read_only_error(error: OSError) -> bool:
    """Whether an error means that the place takes no writes, as opposed to a fault."""
    return error.errno in _UNWRITABLE_ERRORS
