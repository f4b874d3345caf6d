"""Reading a history that a test has written out."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from io import BytesIO

from tacit.shell.history_formats import FORMATS, SECOND, HistoryEntry, SkippedEntry

AT = 1_700_000_000


def entries(shell: str, data: bytes) -> list[HistoryEntry]:
    return [one for one in FORMATS[shell].read(BytesIO(data)) if isinstance(one, HistoryEntry)]


def commands(shell: str, data: bytes) -> list[str]:
    return [entry.command for entry in entries(shell, data)]


def timed(shell: str, data: bytes) -> list[tuple[int, str]]:
    return [(entry.at // SECOND, entry.command) for entry in entries(shell, data)]


def unread(shell: str, data: bytes) -> Counter[str]:
    return Counter(one.reason for one in FORMATS[shell].read(BytesIO(data)) if isinstance(one, SkippedEntry))


def dump_habits(connection: sqlite3.Connection) -> Iterator[str]:
    """Every count of habits, in an order that does not depend on how commands arrived."""
    queries = (
        "SELECT 'habit', kind, key, runs, sessions, last_event_id FROM habits WHERE runs > 0 ORDER BY kind, key",
        "SELECT 'directory', kind, key, directory, counts.runs, counts.sessions, counts.last_event_id"
        " FROM habit_directory_counts AS counts JOIN habits ON habits.id = habit_id"
        " WHERE counts.runs > 0 ORDER BY kind, key, directory",
        "SELECT 'total', kind, runs FROM habit_totals WHERE runs > 0 ORDER BY kind",
    )
    return (repr(row) for query in queries for row in connection.execute(query))
