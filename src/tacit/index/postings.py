"""Read postings: for each term the ids of the documents that contain it, for messages also how often.

Ids are in order, so the latest messages come first. Nothing here ranks. Reading the first postings of a term costs the
same whatever their number.
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

_SELECT_BLOCKS = (
    "SELECT doc_ids, term_freqs FROM postings WHERE term = ? AND first_doc_id >= ? AND first_doc_id < ?"
    " ORDER BY first_doc_id"
)
# The block of a term that a document belongs to, if the term has it at all.
SELECT_COVERING_BLOCK = (
    "SELECT first_doc_id, doc_ids, term_freqs FROM postings WHERE term = ? AND first_doc_id BETWEEN ? AND ?"
    " ORDER BY first_doc_id DESC LIMIT 1"
)
MAX_INT64 = (1 << 63) - 1
_DOC_ID_BYTES = 8


class CorpusStats(Record):
    """The number of documents and their average number of words."""

    doc_count: int
    avg_doc_length: float


class PostingList(Record):
    """Messages in order, and how often the term occurs in each."""

    doc_ids: Sequence[int]
    term_freqs: bytes

    def by_session(self) -> Iterator[tuple[int, PostingList]]:
        """Yield the first id of each session, and its postings."""
        low = 0
        while low < len(self.doc_ids):
            start_id = start_id_of(self.doc_ids[low])
            high = bisect_left(self.doc_ids, start_id + IDS_PER_SESSION, low)
            yield start_id, PostingList(self.doc_ids[low:high], self.term_freqs[low:high])
            low = high


def corpus_stats(connection: sqlite3.Connection) -> CorpusStats:
    """Return the size of the corpus."""
    query = "SELECT value FROM meta WHERE name IN ('doc_count', 'total_length') ORDER BY name"
    doc_count, total_length = (int(value) for (value,) in connection.execute(query).fetchall())
    return CorpusStats(doc_count, total_length / doc_count if doc_count > 0 else 1.0)


def doc_freq(connection: sqlite3.Connection, term: str) -> int:
    """Return how many documents contain a term."""
    row = connection.execute("SELECT doc_freq FROM terms WHERE term = ?", (term,)).fetchone()
    return row[0] if row else 0


def memory_postings(connection: sqlite3.Connection, term: str, limit: int, *, memories: bool) -> Sequence[int]:
    """Return the memories and pages, or with `memories` the memories alone, that contain a term.

    Raise IndexUnusableError if the postings are damaged.
    """
    blocks, room = [], limit * _DOC_ID_BYTES
    for block, term_freqs in connection.execute(_SELECT_BLOCKS, (term, 0, FIRST_PAGE_ID if memories else MAX_INT64)):
        if term_freqs:
            raise IndexUnusableError("a posting list is damaged")
        blocks.append(block)
        room -= len(block)
        if room <= 0:
            break
    return array("q", b"".join(blocks))[:limit]


def message_postings(connection: sqlite3.Connection, term: str, limit: int) -> PostingList:
    """Return the latest messages that contain a term. Raise IndexUnusableError if the postings are damaged."""
    return _read_message_postings(connection, term, MIN_DOC_ID, 0, limit)


def message_postings_between(connection: sqlite3.Connection, term: str, first: int, last: int) -> PostingList:
    """Return the messages from `first` to `last` that contain a term. Raise IndexUnusableError if the postings are
    damaged."""
    block = connection.execute(SELECT_COVERING_BLOCK, (term, id_range_of(first)[0], first)).fetchone()
    postings = _read_message_postings(connection, term, block[0] if block else first, last + 1, MAX_INT64)
    low, high = bisect_left(postings.doc_ids, first), bisect_left(postings.doc_ids, last + 1)
    return PostingList(postings.doc_ids[low:high], postings.term_freqs[low:high])


def _read_message_postings(connection: sqlite3.Connection, term: str, first: int, end: int, limit: int) -> PostingList:
    """Read the blocks that begin from `first` on and before `end`."""
    doc_ids, term_freqs = array("q"), bytearray()
    for block, block_freqs in connection.execute(_SELECT_BLOCKS, (term, first, end)):
        doc_ids.frombytes(block)
        term_freqs += block_freqs
        if len(doc_ids) >= limit:
            break
    if len(term_freqs) != len(doc_ids):
        raise IndexUnusableError("a posting list is damaged")
    return PostingList(doc_ids[:limit], bytes(term_freqs[:limit]))


def has_term(connection: sqlite3.Connection, term: str, doc_id: int) -> bool:
    """Whether a memory or page contains a term. Reads one block."""
    row = connection.execute(SELECT_COVERING_BLOCK, (term, id_range_of(doc_id)[0], doc_id)).fetchone()
    return row is not None and contains_id(array("q", row[1]), doc_id)


def contains_id(doc_ids: Sequence[int], doc_id: int) -> bool:
    """Whether sorted ids contain one."""
    index = bisect_left(doc_ids, doc_id)
    return index < len(doc_ids) and doc_ids[index] == doc_id


def doc_lengths_between(connection: sqlite3.Connection, first: int, last: int) -> list[tuple[int, int]]:
    """Return (id, number of words) of the messages from `first` to `last`."""
    query = "SELECT doc_id, length FROM doc_lengths WHERE doc_id BETWEEN ? AND ? ORDER BY doc_id"
    return connection.execute(query, (first, last)).fetchall()


def load_documents(connection: sqlite3.Connection, doc_ids: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Return (text, extra) of documents: their words in order, separated by blanks."""
    query = "SELECT doc_id, text, extra FROM documents WHERE doc_id IN (SELECT value FROM json_each(?))"
    return {doc_id: (text, extra) for doc_id, text, extra in connection.execute(query, (json.dumps(doc_ids),))}


def session_length(connection: sqlite3.Connection, start_id: int) -> int:
    """Return the number of words of a session, 1 if it is unknown."""
    row = connection.execute("SELECT length FROM session_lengths WHERE start_id = ?", (start_id,)).fetchone()
    return row[0] if row else 1
