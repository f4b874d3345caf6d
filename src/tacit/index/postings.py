"""Where words stand: the numbers of what holds them, the latest messages first, and how often they are there.

Nothing here ranks. The beginning of a list costs the same whatever its length.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from tacit.errors import IndexUnusableError
from tacit.index.doc_ids import FIRST_PAGE_ID, IDS_PER_SESSION, MIN_DOC_ID, id_range_of, start_id_of
from tacit.record import Record

_SELECT_BLOCKS = "SELECT numbers, counts FROM place WHERE root = ? AND first >= ? AND first < ? ORDER BY first"
# The block of a list in which a number stands, if it is there at all.
SELECT_COVERING_BLOCK = (
    "SELECT first, numbers, counts FROM place WHERE root = ? AND first BETWEEN ? AND ? ORDER BY first DESC LIMIT 1"
)
_SELECT_DOC_LENGTHS = "SELECT number, size FROM measure WHERE number BETWEEN ? AND ? ORDER BY number"
_SELECT_DOCUMENTS = "SELECT number, text, extra FROM wording WHERE number IN (SELECT value FROM json_each(?))"
MAX_INT64 = (1 << 63) - 1
_DOC_ID_BYTES = 8  # bytes


class CorpusStats(Record):
    """How many texts there are, and how many words one has on the average."""

    doc_count: int
    avg_doc_length: float


class PostingList(Record):
    """Messages in order, and how often the word is in each."""

    doc_ids: Sequence[int]
    term_freqs: bytes

    def by_session(self) -> Iterator[tuple[int, PostingList]]:
        """Those of each session, by where its messages begin."""
        at = 0
        while at < len(self.doc_ids):
            run = start_id_of(self.doc_ids[at])
            end = bisect_left(self.doc_ids, run + IDS_PER_SESSION, at)
            yield run, PostingList(self.doc_ids[at:end], self.term_freqs[at:end])
            at = end


def corpus_stats(connection: sqlite3.Connection) -> CorpusStats:
    row = connection.execute("SELECT value FROM meta WHERE name IN ('texts', 'words') ORDER BY name").fetchall()
    texts, words = (int(value) for (value,) in row)
    return CorpusStats(texts, words / texts if texts > 0 else 1.0)


def doc_freq(connection: sqlite3.Connection, root: str) -> int:
    """In how many it is."""
    row = connection.execute("SELECT count FROM root WHERE root = ?", (root,)).fetchone()
    return row[0] if row else 0


def message_postings(connection: sqlite3.Connection, root: str, most: int) -> PostingList:
    return _read_message_postings(connection, root, MIN_DOC_ID, 0, most)


def memory_postings(connection: sqlite3.Connection, root: str, most: int, *, memories: bool) -> Sequence[int]:
    """In memories and pages, or in memories alone."""
    pieces, room = [], most * _DOC_ID_BYTES
    for block, often in connection.execute(_SELECT_BLOCKS, (root, 0, FIRST_PAGE_ID if memories else MAX_INT64)):
        if often:
            raise IndexUnusableError("a list of places is damaged")
        pieces.append(block)
        room -= len(block)
        if room <= 0:
            break
    return array("q", b"".join(pieces))[:most]


def _read_message_postings(connection: sqlite3.Connection, root: str, first: int, last: int, most: int) -> PostingList:
    """Of messages."""
    numbers, counts = array("q"), bytearray()
    for block, often in connection.execute(_SELECT_BLOCKS, (root, first, last)):
        numbers.frombytes(block)
        counts += often
        if len(numbers) >= most:
            break
    if len(counts) != len(numbers):
        raise IndexUnusableError("a list of places is damaged")
    return PostingList(numbers[:most], bytes(counts[:most]))


def message_postings_between(connection: sqlite3.Connection, root: str, first: int, last: int) -> PostingList:
    """Between two messages."""
    begin = connection.execute(SELECT_COVERING_BLOCK, (root, id_range_of(first)[0], first)).fetchone()
    found = _read_message_postings(connection, root, begin[0] if begin else first, last + 1, MAX_INT64)
    low, high = bisect_left(found.doc_ids, first), bisect_left(found.doc_ids, last + 1)
    return PostingList(found.doc_ids[low:high], found.term_freqs[low:high])


def has_term(connection: sqlite3.Connection, root: str, number: int) -> bool:
    """Whether a memory or page holds a word; only a part of the list is read."""
    row = connection.execute(SELECT_COVERING_BLOCK, (root, id_range_of(number)[0], number)).fetchone()
    return row is not None and contains_id(array("q", row[1]), number)


def contains_id(numbers: Sequence[int], number: int) -> bool:
    """Whether it is one of these, which are in order."""
    at = bisect_left(numbers, number)
    return at < len(numbers) and numbers[at] == number


def doc_lengths_between(connection: sqlite3.Connection, first: int, last: int) -> list[tuple[int, int]]:
    """Each number there is in between, with how many words it holds."""
    return connection.execute(_SELECT_DOC_LENGTHS, (first, last)).fetchall()


def load_documents(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, tuple[str, str]]:
    """The words of these, in order: what they say, and what stands beside it."""
    rows = connection.execute(_SELECT_DOCUMENTS, (json.dumps(numbers),))
    return {number: (text, extra) for number, text, extra in rows}


def session_length(connection: sqlite3.Connection, run: int) -> int:
    """How many words a session has."""
    row = connection.execute("SELECT words FROM length WHERE first = ?", (run,)).fetchone()
    return row[0] if row else 1
