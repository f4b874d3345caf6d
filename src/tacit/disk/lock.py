"""Locks between processes: `flock` on a file that is never deleted. The kernel drops them at kill -9."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from tacit.core.errors import LockBusy, ReadOnly
from tacit.disk.ops import PRIVATE_FILE, link_refused, make_folder, open_folder

# Whoever lets go may take it again at once; with longer pauses others wait too long for their turn.
_LONGEST_PAUSE = 0.002
_UNWRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)


class Lock(Protocol):
    """Something that keeps others out for the length of a `with`."""

    def held(self) -> AbstractContextManager[None]: ...


class FileLock:
    """An exclusive lock with a deadline."""

    def __init__(self, path: str, deadline: float) -> None:
        self.path = path
        self.deadline = deadline

    @contextmanager
    def held(self) -> Iterator[None]:
        fd = self._open()
        try:
            self._wait(fd)
            yield
        finally:
            os.close(fd)

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            folder, name = os.path.split(self.path)
            make_folder(folder, below=os.path.dirname(folder))
            parent = open_folder(folder, os.path.dirname(folder))
            try:
                return os.open(name, flags, PRIVATE_FILE, dir_fd=parent)
            finally:
                os.close(parent)
        except OSError as error:
            if error.errno in _UNWRITABLE:
                raise read_only(os.path.dirname(self.path)) from error
            if error.errno == errno.ELOOP:  # the folder, or the lock itself
                raise link_refused(OSError(error.errno, "", _link_in(self.path))) or error from error
            raise

    def _wait(self, fd: int) -> None:
        until, pause = time.monotonic() + self.deadline, 0.0005
        while True:
            try:
                return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise LockBusy(
                        f"another process has held {self.path} for more than {self.deadline:g} s",
                        "wait for it to end, or look for it with: fuser -v " + self.path,
                    ) from None
                time.sleep(pause)
                pause = min(pause * 1.5, _LONGEST_PAUSE)


def _link_in(path: str) -> str:
    return path if os.path.islink(path) else os.path.dirname(path)


def read_only(place: str) -> ReadOnly:
    return ReadOnly(f"{place} cannot be written to", "choose a home you own: tacit --home PATH …, or set TACIT_HOME")


def refuses_writes(error: OSError) -> bool:
    """Whether an error means that the place takes no writes, as opposed to a fault."""
    return error.errno in _UNWRITABLE
