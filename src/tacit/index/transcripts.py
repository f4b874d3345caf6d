"""How far transcripts were read. Not derived from the log, and of no weight: without it all is read again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from tacit.record import Record


class Reached(Record):
    """A transcript as it was when it was read: `settled` bytes of it need not be read again, `mark` tells whether they
    are still the same."""

    path: str
    inode: int
    size: int
    changed: int
    settled: int
    mark: str


def reached(connection: sqlite3.Connection, path: str) -> Reached | None:
    row = connection.execute("SELECT * FROM transcript WHERE path = ?", (path,)).fetchone()
    return Reached(*row) if row else None


def remember(connection: sqlite3.Connection, read: Iterable[Reached]) -> None:
    connection.executemany("INSERT OR REPLACE INTO transcript VALUES (?, ?, ?, ?, ?, ?)", read)
