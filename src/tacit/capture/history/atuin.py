"""The history of Atuin: a table of SQLite, which alone tells how a command ended, where it ran and in which session.

It is opened so that nothing is written, neither to it nor beside it. Each row is read by itself: a damaged page or a
value without end costs the rows that it holds. What Atuin took over from another history says so by the directory
`unknown`, and its status and session are of no more worth.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import BinaryIO

from tacit.capture.history.entry import (
    LONGEST_LINE,
    NO_TIME,
    NOT_TEXT,
    TOO_LONG,
    UNREADABLE,
    Entry,
    Read,
    Unread,
    text_of,
)
from tacit.core.observation import UNKNOWN_STATUS
from tacit.core.text import clean
from tacit.disk.databases import has_tables, is_plain_beside, stop_late
from tacit.disk.ops import sqlite_address

_MAGIC = b"SQLite format 3\0"
_COLUMNS = ("command", "timestamp", "duration", "exit", "cwd", "session", "hostname")
_BY_TIME = "SELECT rowid FROM history ORDER BY timestamp, rowid"
_BY_ROW = "SELECT rowid FROM history ORDER BY rowid"
_TAKEN_OVER = "unknown"
_LONGEST_NAME = 4096
_LONGEST_RUN = 10**12  # milliseconds
_FARTHEST = 10**18 * 10  # nanoseconds that still fit into what is stored

Row = tuple[object, ...]


def looks_like(head: bytes) -> bool:
    return head.startswith(_MAGIC)


def read(file: BinaryIO) -> Iterator[Read]:
    """The stream is only asked for its name: SQLite opens files itself."""
    try:
        with closing(_opened(os.fsdecode(file.name))) as connection:
            yield from rows(connection)
    except (sqlite3.Error, UnicodeDecodeError):  # what SQLite says of a damaged file need not be text
        yield Unread(UNREADABLE)


def rows(connection: sqlite3.Connection) -> Iterator[Read]:
    """The commands in the order of their times; those that were deleted are gone."""
    known = {_name(row[1]) for row in connection.execute("PRAGMA table_info(history)")}
    if "command" not in known or not has_tables(connection, "history"):
        yield Unread(UNREADABLE)
        return
    ordered = connection.execute(_BY_TIME) if "timestamp" in known else connection.execute(_BY_ROW)
    for (row,) in ordered:
        try:
            yield from _entry(_row(connection.execute("SELECT * FROM history WHERE rowid = ?", (row,))))
        except sqlite3.DataError:
            yield Unread(TOO_LONG)
        except (sqlite3.Error, UnicodeDecodeError):
            yield Unread(UNREADABLE)


def _row(cursor: sqlite3.Cursor) -> Row | None:
    """The columns that we know, in our order; nothing for one that is missing, and for a row that was deleted."""
    values = cursor.fetchone()
    if values is None:
        return None
    named = dict(zip((column[0] for column in cursor.description), values, strict=True))
    return None if named.get("deleted_at") is not None else tuple(named.get(name) for name in _COLUMNS)


def _entry(row: Row | None) -> Iterator[Read]:
    if row is None:
        return
    command, at, took, status, directory, session, host = row
    if not isinstance(command, bytes):
        yield Unread(NOT_TEXT)
        return
    if not command.strip():
        return
    text = text_of(command)
    if isinstance(text, Unread):
        yield text
        return
    place = _name(directory)
    if place == _TAKEN_OVER:
        place, status, session = "", UNKNOWN_STATUS, None
    took_ms = min(max(_number(took), 0) // 1_000_000, _LONGEST_RUN)
    when = max(_number(at), 0) // 1000 or NO_TIME
    machine = _name(host).partition(":")[0]
    yield Entry(text, when, took_ms, _number(status, UNKNOWN_STATUS), place, _name(session)[:128], machine[:64])


def _number(value: object, otherwise: int = 0) -> int:
    return value if isinstance(value, int) and abs(value) < _FARTHEST else otherwise


def _name(value: object) -> str:
    """A path or a name; nothing where it is none."""
    if not isinstance(value, bytes) or len(value) > _LONGEST_NAME:
        return ""
    text = clean(value.decode("utf-8", "replace"))
    return text if text.isprintable() else ""


def _opened(path: str) -> sqlite3.Connection:
    """Without a write-ahead log the file is all there is, and SQLite need not put anything beside it."""
    alone = "" if _has_more(path) else "&immutable=1"
    connection = sqlite3.connect(sqlite_address(path, "ro") + alone, uri=True, timeout=5, isolation_level=None)
    connection.text_factory = bytes
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    stop_late(connection)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_LINE * 4)
    return connection


def _has_more(path: str) -> bool:
    try:
        return is_plain_beside(path) and os.stat(path + "-wal").st_size > 0
    except OSError:
        return False
