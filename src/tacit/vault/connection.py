"""The connection that questions are asked over: opened at the first of them, and again when the file was replaced."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable

from tacit.index.store import Lines, open_for_reading

_NO_FILE = 0  # the inode of an index in memory


class Reading:
    """An index that is read, by its path; `lines` gives what looks up lines of the log as it is now."""

    def __init__(self, path: str, lines: Callable[[], Lines]) -> None:
        self._path = path
        self._lines = lines
        self._open: sqlite3.Connection | None = None
        self._inode = _NO_FILE

    @property
    def inode(self) -> int:
        """Which file lies there now, whether or not it is the one that is open."""
        try:
            return os.stat(self._path).st_ino
        except OSError:
            return -1

    def connection(self) -> sqlite3.Connection:
        if self._open and self._inode not in (_NO_FILE, self.inode):
            self.let_go()
        if self._open is None:
            self._open, self._inode = open_for_reading(self._path, self._lines()), self.inode
        return self._open

    def take(self, in_memory: sqlite3.Connection) -> None:
        """Answer from this one until it is let go."""
        self.let_go()
        self._open, self._inode = in_memory, _NO_FILE

    def let_go(self) -> None:
        if self._open:
            self._open.close()
            self._open = None
