"""Reads and writes that memories, pages, sessions and habits share."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


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
