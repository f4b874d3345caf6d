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

from tacit.disk.files import PRIVATE_FILE, closing_fd, link_error, make_folder, open_folder
from tacit.errors import LockBusyError, ReadOnlyError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

_UNWRITABLE_ERRORS = (errno.EROFS, errno.EACCES, errno.EPERM)
# A wait up to this long polls instead of starting a thread: a process in such a hurry may fork soon.
_SHORT_WAIT_SECONDS, _POLL_SECONDS = 1.0, 0.005
_PROC_LOCKS = "/proc/locks"  # Linux only


class Lock(Protocol):
    """Keeps others out for the length of a `with`. `timeout` replaces the lock's own, in seconds."""

    def acquire(self, timeout: float | None = None) -> AbstractContextManager[None]: ...


class FileLock:
    """An exclusive lock.

    `timeout` is how long to wait for one holder, `max_wait` how long in total: while holders change, the queue moves
    and it is worth waiting (only Linux says who holds a lock). By default both are the same.
    """

    def __init__(self, path: str, timeout: float, max_wait: float | None = None) -> None:
        self.path = path
        self.timeout = timeout
        self.max_wait = max_wait

    @contextmanager
    def acquire(self, timeout: float | None = None) -> Iterator[None]:
        """Hold the lock. Raise LockBusyError if it cannot be had in time, ReadOnlyError if its folder is read-only."""
        seconds = self.timeout if timeout is None else timeout
        max_wait = self.max_wait if self.max_wait is not None and timeout is None else seconds
        with closing_fd(_open_lock_file(self.path)) as fd:
            deadline = time.monotonic() + max_wait
            with closing_fd(_open_lock_file(_queue_path(self.path))) as queue_fd:
                for lock_fd in (queue_fd, fd):
                    self._wait(lock_fd, seconds, deadline)
            yield

    def _wait(self, fd: int, seconds: float, deadline: float) -> None:
        """Lock one of the two files. Give up at the deadline, or when one holder has had it for `seconds`."""
        if _try_lock(fd):
            return
        if seconds <= _SHORT_WAIT_SECONDS:
            deadline = min(deadline, time.monotonic() + seconds)
            while (left := deadline - time.monotonic()) > 0:
                time.sleep(min(_POLL_SECONDS, left))
                if _try_lock(fd):
                    return
            raise self._busy_error(seconds)
        locked, start = _lock_in_thread(fd), time.monotonic()
        while True:
            before = _holder_and_waiters(self.path)
            left = deadline - time.monotonic()
            if left > 0 and locked.acquire(timeout=min(seconds, left)):
                return
            if left <= 0 or _holder_and_waiters(self.path) == before:
                raise self._busy_error(round(time.monotonic() - start))

    def _busy_error(self, seconds: float) -> LockBusyError:
        pid, others = _holder_and_waiters(self.path)
        holder = f"process {pid} holds it" if pid else "another process holds it"
        waiting = f", {len(others)} other{'s are' if len(others) != 1 else ' is'} waiting" if others else ""
        command = f"ps -fp {pid}" if pid else f"fuser -v {self.path}"
        return LockBusyError(
            f"{self.path} is busy: {holder}{waiting}; gave up after {seconds:g} s",
            f"try again when that has ended; to see what it is: {command}",
        )


def _holder_and_waiters(path: str) -> tuple[int, frozenset[int]]:
    """Return the process that holds a lock (0 if unknown), and the other processes that wait for it."""
    try:
        lock, queue = str(os.stat(path).st_ino), str(os.stat(_queue_path(path)).st_ino)
        with open(_PROC_LOCKS, encoding="ascii", errors="replace") as file:
            rows = [line.replace("->", "").split() for line in file if " FLOCK " in line and " WRITE " in line]
    except OSError:
        return 0, frozenset()
    # A row: number, FLOCK, ADVISORY, WRITE, process, device:device:inode, start, end. The holder comes first.
    at_lock, in_queue = ([int(row[4]) for row in rows if row[5].endswith(f":{inode}")] for inode in (lock, queue))
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
        with closing_fd(open_folder(folder, os.path.dirname(folder))) as parent:
            return os.open(name, flags, PRIVATE_FILE, dir_fd=parent)
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
    """Block on a lock in a thread, since `flock` has no timeout. Return a thread lock that is released with success.

    The thread has a descriptor of its own for the same open file. A caller that gives up only closes its descriptor:
    if the lock comes later, it is released when the thread closes the last one.
    """
    locked = _thread.allocate_lock()
    locked.acquire()
    own_fd = os.dup(fd)

    def block() -> None:
        try:
            fcntl.flock(own_fd, fcntl.LOCK_EX)
            locked.release()
        except OSError:  # the caller gives up at its deadline
            pass
        finally:
            os.close(own_fd)

    _thread.start_new_thread(block, ())
    return locked


def read_only_error(path: str) -> ReadOnlyError:
    return ReadOnlyError(
        f"{path} cannot be written to", "choose a home you own: tacit --home PATH …, or set TACIT_HOME"
    )


def is_read_only_error(error: OSError) -> bool:
    """Return whether an error means that the path is read-only, as opposed to a fault."""
    return error.errno in _UNWRITABLE_ERRORS


def is_running(process: int) -> bool:
    """Whether a process has this id, which may be another one than the process that wrote the id down."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True
