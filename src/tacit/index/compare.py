"""Comparing an index with another one that was made anew.

SQLite compares the rows, which takes a third of the time of loading them. Each table has a primary key, so two tables
are the same if they have as many rows and none that the other has not.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest

from tacit.disk.files import sqlite_uri
from tacit.index.reader import FOLDED_TABLES, TEXT_TABLES, dump_rows, joined_postings

_PARTS = (  # of tables in which other columns or rows may differ
    (
        "SELECT event_id, session_number, segment, line, offset, length, raw FROM main.session_events",
        "SELECT event_id, session_number, segment, line, offset, length, raw FROM stored.session_events",
    ),
    (
        "SELECT name, value FROM main.meta WHERE name IN ('doc_count', 'total_length')",
        "SELECT name, value FROM stored.meta WHERE name IN ('doc_count', 'total_length')",
    ),
)


def has_same_answers(stored: sqlite3.Connection, path: str, fresh: sqlite3.Connection) -> bool:
    """Return whether an index, open as `stored` and at `path`, has the rows of a fresh one that answers come from."""
    with _attached(fresh, path) as is_attached:
        if not is_attached:
            pairs = zip_longest(dump_rows(stored, answers_only=True), dump_rows(fresh, answers_only=True))
            return all(one == other for one, other in pairs)
        for table in (*FOLDED_TABLES, *TEXT_TABLES):
            if not _is_same(fresh, f"SELECT * FROM main.{table}", f"SELECT * FROM stored.{table}"):
                return False
        return all(_is_same(fresh, *queries) for queries in _PARTS) and _has_same_postings(stored, fresh)


def _has_same_postings(stored: sqlite3.Connection, fresh: sqlite3.Connection) -> bool:
    if _is_same(fresh, "SELECT * FROM main.postings", "SELECT * FROM stored.postings"):
        return True
    return all(one == other for one, other in zip_longest(joined_postings(stored), joined_postings(fresh)))


def _is_same(connection: sqlite3.Connection, one: str, other: str) -> bool:
    """Return whether two queries, which yield no row twice, yield the same rows."""
    counts = connection.execute(f"SELECT (SELECT count(*) FROM ({one})) = (SELECT count(*) FROM ({other}))").fetchone()
    return counts == (1,) and connection.execute(f"{one} EXCEPT {other} LIMIT 1").fetchone() is None


@contextmanager
def _attached(connection: sqlite3.Connection, path: str) -> Iterator[bool]:
    """Attach the index at `path` as `stored`; False if that is not possible, as in a folder that cannot be written."""
    try:
        connection.execute("ATTACH ? AS stored", (sqlite_uri(path, "ro"),))
    except sqlite3.OperationalError:
        yield False
        return
    try:
        try:
            connection.execute("SELECT count(*) FROM stored.meta").fetchone()
        except sqlite3.OperationalError:
            yield False
        else:
            yield True
    finally:
        connection.execute("DETACH stored")
