"""A segment that gets more lines at its end, all of them or none.

The old lines are copied and the new ones written behind them as they come, to a file beside it that takes its place
when everything is on the disk: memory stays small however much there is, and a crash leaves the old segment.
"""

from __future__ import annotations

import os
from contextlib import suppress

from tacit.disk.ops import PRIVATE_FILE, Disk, OsDisk, make_folder, open_plain, write_all
from tacit.log.log import Log

_CHUNK = 1 << 20


class Grown:
    """Only while nobody else changes the home. Nothing is made before there is something to write."""

    def __init__(self, log: Log, segment: str, disk: Disk | None = None) -> None:
        self._log = log
        self._path = log.path(segment)
        self._disk = disk or OsDisk(log.path("").rstrip(os.sep))
        folder, name = os.path.split(self._path)
        self._new = os.path.join(folder, f".{name}.tacit-new")
        self._fd: int | None = None

    def write(self, lines: list[bytes]) -> None:
        if lines:
            write_all(self._disk, self._begun(), b"".join(lines))

    def finish(self) -> None:
        """Make it durable and put it in its place."""
        if self._fd is None:
            return
        self._disk.sync_data(self._fd)
        self._close()
        with self._log.alone():
            self._disk.rename(self._new, self._path)
        self._disk.sync_folder(os.path.dirname(self._path))

    def abandon(self) -> None:
        """Leave everything as it was; after `finish` there is nothing left to do."""
        if self._fd is not None:
            self._close()
            self._disk.remove(self._new)

    def _close(self) -> None:
        if self._fd is not None:
            self._disk.close(self._fd)
            self._fd = None

    def _begun(self) -> int:
        if self._fd is None:
            folder = os.path.dirname(self._path)
            make_folder(folder, below=os.path.dirname(folder))
            self._log.begin_signing()
            with suppress(FileNotFoundError):  # what a crash left is of no use
                self._disk.remove(self._new)
            self._fd = self._disk.open(self._new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
            self._copy_old(self._fd)
        return self._fd

    def _copy_old(self, fd: int) -> None:
        last = b"\n"
        with suppress(FileNotFoundError), open_plain(self._path) as file:
            while chunk := file.read(_CHUNK):
                write_all(self._disk, fd, chunk)
                last = chunk[-1:]
        if last != b"\n":
            write_all(self._disk, fd, b"\n")
