"""Where words stand: the numbers of what holds them, the latest messages first, and how often they are there.

Nothing here ranks. The beginning of a list costs the same whatever its length.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from tacit.errors import IndexUnwell
from tacit.index.doc_ids import LEAST, PAGES, RUN, realm_of, run_of
from tacit.record import Record

_BLOCKS = "SELECT numbers, counts FROM place WHERE root = ? AND first >= ? AND first < ? ORDER BY first"
# The block of a list in which a number stands, if it is there at all.
COVERING = (
    "SELECT first, numbers, counts FROM place WHERE root = ? AND first BETWEEN ? AND ? ORDER BY first DESC LIMIT 1"
)
_BETWEEN = "SELECT number, size FROM measure WHERE number BETWEEN ? AND ? ORDER BY number"
_TEXTS = "SELECT number, text, extra FROM wording WHERE number IN (SELECT value FROM json_each(?))"
ENDLESS = (1 << 63) - 1
_NUMBER = 8  # bytes


class Stock(Record):
    """How many texts there are, and how many words one has on the average."""

    texts: int
    usual: float


class Places(Record):
    """Messages in order, and how often the word is in each."""

    numbers: Sequence[int]
    counts: bytes

    def by_session(self) -> Iterator[tuple[int, Places]]:
        """Those of each session, by where its messages begin."""
        at = 0
        while at < len(self.numbers):
            run = run_of(self.numbers[at])
            end = bisect_left(self.numbers, run + RUN, at)
            yield run, Places(self.numbers[at:end], self.counts[at:end])
            at = end


def stock(connection: sqlite3.Connection) -> Stock:
    row = connection.execute("SELECT value FROM meta WHERE name IN ('texts', 'words') ORDER BY name").fetchall()
    texts, words = (int(value) for (value,) in row)
    return Stock(texts, words / texts if texts > 0 else 1.0)


def count(connection: sqlite3.Connection, root: str) -> int:
    """In how many it is."""
    row = connection.execute("SELECT count FROM root WHERE root = ?", (root,)).fetchone()
    return row[0] if row else 0


def in_sessions(connection: sqlite3.Connection, root: str, most: int) -> Places:
    return _first_of(connection, root, LEAST, 0, most)


def elsewhere(connection: sqlite3.Connection, root: str, most: int, *, memories: bool) -> Sequence[int]:
    """In memories and pages, or in memories alone."""
    pieces, room = [], most * _NUMBER
    for block, often in connection.execute(_BLOCKS, (root, 0, PAGES if memories else ENDLESS)):
        if often:
            raise IndexUnwell("a list of places is damaged")
        pieces.append(block)
        room -= len(block)
        if room <= 0:
            break
    return array("q", b"".join(pieces))[:most]


def _first_of(connection: sqlite3.Connection, root: str, first: int, last: int, most: int) -> Places:
    """Of messages."""
    numbers, counts = array("q"), bytearray()
    for block, often in connection.execute(_BLOCKS, (root, first, last)):
        numbers.frombytes(block)
        counts += often
        if len(numbers) >= most:
            break
    if len(counts) != len(numbers):
        raise IndexUnwell("a list of places is damaged")
    return Places(numbers[:most], bytes(counts[:most]))


def within(connection: sqlite3.Connection, root: str, first: int, last: int) -> Places:
    """Between two messages."""
    begin = connection.execute(COVERING, (root, realm_of(first)[0], first)).fetchone()
    found = _first_of(connection, root, begin[0] if begin else first, last + 1, ENDLESS)
    low, high = bisect_left(found.numbers, first), bisect_left(found.numbers, last + 1)
    return Places(found.numbers[low:high], found.counts[low:high])


def holds(connection: sqlite3.Connection, root: str, number: int) -> bool:
    """Whether a memory or page holds a word; only a part of the list is read."""
    row = connection.execute(COVERING, (root, realm_of(number)[0], number)).fetchone()
    return row is not None and is_among(array("q", row[1]), number)


def is_among(numbers: Sequence[int], number: int) -> bool:
    """Whether it is one of these, which are in order."""
    at = bisect_left(numbers, number)
    return at < len(numbers) and numbers[at] == number


def sizes_between(connection: sqlite3.Connection, first: int, last: int) -> list[tuple[int, int]]:
    """Each number there is in between, with how many words it holds."""
    return connection.execute(_BETWEEN, (first, last)).fetchall()


def texts(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, tuple[str, str]]:
    """The words of these, in order: what they say, and what stands beside it."""
    rows = connection.execute(_TEXTS, (json.dumps(numbers),))
    return {number: (text, extra) for number, text, extra in rows}


def length(connection: sqlite3.Connection, run: int) -> int:
    """How many words a session has."""
    row = connection.execute("SELECT words FROM length WHERE first = ?", (run,)).fetchone()
    return row[0] if row else 1
