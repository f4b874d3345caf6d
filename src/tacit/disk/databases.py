"""Databases of SQLite that other programs keep.

SQLite opens files by itself, so what it would open is looked at before, and what it does is limited in time: a view in
the place of a table can have rows without end.
"""

from __future__ import annotations

import os
import sqlite3
import time

_SECONDS = 60.0  # for all that is asked of one connection
_STEPS = 100_000  # of SQLite's machine between two looks at the clock
_TABLE = "SELECT type, sql FROM sqlite_master WHERE name = ?"


def beside(path: str) -> tuple[str, ...]:
    """The files that SQLite may keep beside a database."""
    return (f"{path}-wal", f"{path}-shm", f"{path}-journal")


def is_plain_beside(path: str) -> bool:
    """Whether only plain files lie there: SQLite would open a named pipe and wait for its other end."""
    return all(os.path.isfile(one) or not os.path.lexists(one) for one in beside(path))


def has_tables(connection: sqlite3.Connection, *names: str) -> bool:
    """Whether all of these are tables, no views and no virtual ones."""
    return all(_is_table(connection.execute(_TABLE, (name,)).fetchone()) for name in names)


def stop_late(connection: sqlite3.Connection) -> None:
    """Let a question that takes too long fail with sqlite3.OperationalError."""
    until = time.monotonic() + _SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)


def _is_table(row: tuple[object, object] | None) -> bool:
    """The texts may come as bytes, by the connection's own factory."""
    kind, sql = (_text(value) for value in row) if row else ("", "")
    return kind == "table" and not sql.upper().startswith("CREATE VIRTUAL")


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
