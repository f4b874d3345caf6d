"""Reads and writes that memories, pages, sessions and habits share."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
Words = tuple[int, str, str]
_INSERT = "INSERT INTO words (rowid, text, extra) VALUES (?, ?, ?)"


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite has taken it back by itself where the disk is full
            connection.execute("ROLLBACK")
        raise


def snapshot(connection: sqlite3.Connection, question: Callable[[sqlite3.Connection], T]) -> T:
    """One question sees one state, however many queries it takes."""
    connection.execute("BEGIN")
    try:
        return question(connection)
    finally:
        connection.execute("ROLLBACK")


def mark_stale(connection: sqlite3.Connection, views: Iterable[str]) -> None:
    """These must be drawn again."""
    connection.executemany("INSERT OR IGNORE INTO stale VALUES (?)", [(view,) for view in views])


def put_words(connection: sqlite3.Connection, rows: Iterable[Words], *, fresh: bool) -> None:
    """The words to find these by. `fresh` rows are known not to have any yet."""
    changed = list(rows) if fresh else [row for row in rows if _took_out(connection, row)]
    connection.executemany(_INSERT, changed)


def _took_out(connection: sqlite3.Connection, row: Words) -> bool:
    """Make room for other words; says whether they are other words at all."""
    known = connection.execute("SELECT text, extra FROM words WHERE rowid = ?", row[:1]).fetchone()
    if known == row[1:]:
        return False
    connection.execute("DELETE FROM words WHERE rowid = ?", row[:1])
    return True
