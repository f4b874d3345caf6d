"""Comparing an index with another one that was made anew.

SQLite compares the rows, which takes a third of the time of loading them. Each table has a primary key, so two tables
are the same if they have as many rows and none that the other has not.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby, zip_longest
from operator import itemgetter

from tacit.disk.files import sqlite_uri
from tacit.index.commands import joined_command_postings

# What follows from the log alone, and is the same in two indexes of it: columns, and the table they are read from.
_ANSWERS = (
    *(
        ("*", table)
        for table in (
            *("events", "claim_events", "memories", "memory_counts", "memory_agents", "memory_topics"),
            *("opposed_pairs", "rulings", "pages", "project_roots", "sessions", "session_groups", "documents"),
            *("doc_lengths", "session_lengths", "terms", "messages", "claim_sources", "vectors"),
        )
    ),
    ("event_id, session_number, segment, line, offset, length, raw", "session_events"),
    ("name, value", "meta WHERE name IN ('doc_count', 'total_length')"),
)
# What may lag behind in an index that follows the log, because nobody waits for it.
_LAGGING = (
    (
        "event_id, name, ran_at, command, directory, exit_status, duration_ms, shell, expanded_command,"
        " unedited_command",
        "shell_commands JOIN shell_sessions ON shell_sessions.id = shell_session_id",
    ),
    *(
        ("*", table)
        for table in (
            *("log_cursors", "metrics", "metric_totals", "injected_memories", "memory_checks", "injections"),
            *("commands", "trial_sessions"),
        )
    ),
)
_SELECT_POSTINGS = "SELECT term, doc_ids, term_freqs FROM postings ORDER BY term, first_doc_id"


def has_same_answers(stored: sqlite3.Connection, path: str, fresh: sqlite3.Connection) -> bool:
    """Return whether an index, open as `stored` and at `path`, has the rows of a fresh one that answers come from."""
    with _attached(fresh, path) as is_attached:
        if not is_attached:
            pairs = zip_longest(dump_rows(stored, answers_only=True), dump_rows(fresh, answers_only=True))
            return all(one == other for one, other in pairs)
        if not all(_is_same(fresh, columns, table) for columns, table in _ANSWERS):
            return False
        # Postings may be cut into other blocks.
        return _is_same(fresh, "*", "postings") or all(
            one == other for one, other in zip_longest(_joined_postings(stored), _joined_postings(fresh))
        )


def _is_same(connection: sqlite3.Connection, columns: str, table: str) -> bool:
    """Return whether a table, of which no row is there twice, has the same rows in both indexes."""
    one, other = f"SELECT {columns} FROM main.{table}", f"SELECT {columns} FROM stored.{table}"
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


def dump_rows(connection: sqlite3.Connection, *, answers_only: bool = False) -> Iterator[tuple[str, object]]:
    """Yield every derived row with its table, in order. Two indexes of the same log yield the same.

    `answers_only` leaves out what may lag behind.
    """
    for columns, table in _ANSWERS if answers_only else _ANSWERS + _LAGGING:
        rows = connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2")
        yield from ((table, row) for row in rows)
    yield from (("postings", row) for row in _joined_postings(connection))
    if not answers_only:
        yield from (("command_postings", row) for row in joined_command_postings(connection))


def _joined_postings(connection: sqlite3.Connection) -> Iterator[tuple[str, list[bytes]]]:
    """Yield each term with its postings, whose cuts into blocks depend on the order in which they were added."""
    for term, blocks in groupby(connection.execute(_SELECT_POSTINGS), key=itemgetter(0)):
        yield term, [b"".join(column) for column in zip(*(block[1:] for block in blocks), strict=True)]
