"""Where words stand: the numbers of what holds them, the latest first, and how many there are.

Nothing here ranks. The full-text index hands out the beginning of a list at the same price whatever its length, and
that of what ranks by itself grows with every row that matches.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_SESSIONS = "SELECT rowid FROM words WHERE words MATCH ? AND rowid < 0 ORDER BY rowid LIMIT ?"
_OTHERS = "SELECT rowid FROM words WHERE words MATCH ? AND rowid >= 0 ORDER BY rowid LIMIT ?"
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
_BETWEEN = "SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?"
_TEXTS = "SELECT id, c0, c1 FROM words_content WHERE id IN (SELECT value FROM json_each(?))"
_MOST_COUNTED = 20_000


def phrase(word: str) -> str:
    """A word as a query of the full-text index."""
    return '"' + word.replace('"', '""') + '"'


class Stock(NamedTuple):
    """How many texts there are, and how many words one has on the average."""

    texts: int
    usual: float


def stock(connection: sqlite3.Connection) -> Stock:
    """The index counts this in its first record."""
    row = connection.execute("SELECT block FROM words_data WHERE id = 1").fetchone()
    texts, *tokens = list(_varints(row[0])) if row and row[0] else [0]
    return Stock(texts, sum(tokens) / texts if texts else 1.0)


def in_sessions(connection: sqlite3.Connection, word: str, most: int) -> list[int]:
    return [number for (number,) in connection.execute(_SESSIONS, (phrase(word), most))]


def elsewhere(connection: sqlite3.Connection, match: str, most: int) -> list[int]:
    """Memories and pages, by a query of the full-text index."""
    return [number for (number,) in connection.execute(_OTHERS, (match, most))]


def count(connection: sqlite3.Connection, word: str) -> int:
    """In how many it is; beyond what can be told apart it is not counted."""
    found: int = connection.execute(_COUNT, (phrase(word), _MOST_COUNTED)).fetchone()[0]
    return found


def within(connection: sqlite3.Connection, word: str, first: int, last: int) -> list[int]:
    return [number for (number,) in connection.execute(_BETWEEN, (phrase(word), first, last))]


def sizes_between(connection: sqlite3.Connection, first: int, last: int) -> list[tuple[int, int]]:
    """Each number there is in between, with how many words it holds."""
    query = "SELECT id, sz FROM words_docsize WHERE id BETWEEN ? AND ? ORDER BY id"
    return [(number, sum(_varints(sizes))) for number, sizes in connection.execute(query, (first, last))]


def texts(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, tuple[str, str]]:
    """The words of these, in order: what they say, and what stands beside it."""
    rows = connection.execute(_TEXTS, (json.dumps(numbers),))
    return {number: (text, extra) for number, text, extra in rows}


def _varints(block: bytes) -> Iterator[int]:
    value = 0
    for byte in block:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            yield value
            value = 0
