"""Read postings: for each term the ids of the documents that contain it, for messages also how often.

Ids are in order, so the latest messages come first. Nothing here ranks. Reading the first postings of a term costs the
same whatever their number.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from bisect import bisect_left, bisect_right
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
_IDS_PER_BLOCK = 40  # at least, in most blocks: they are cut in halves when they are full
_IDS_AT_ONCE, _MAX_IDS_AT_ONCE = 2_000, 40_000


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


class PostingStream:
    """The memories and pages, or with `memories` the memories alone, that contain a term, read as far as needed.

    At most `limit` are read. `known` are the postings if they were read before.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        term: str,
        limit: int,
        *,
        memories: bool,
        known: Sequence[int] | None = None,
    ) -> None:
        self._room = limit
        self._next_ids = array("q")
        self._cursor: sqlite3.Cursor | None = None
        if known is not None:
            self._next_ids.extend(known[: min(limit, bisect_left(known, FIRST_PAGE_ID)) if memories else limit])
        else:
            end = FIRST_PAGE_ID if memories else MAX_INT64
            self._cursor = connection.execute(_SELECT_BLOCKS, (term, 0, end))

    @property
    def is_at_end(self) -> bool:
        """Whether everything was taken. It may take another reading to notice that."""
        return not self._next_ids and (self._cursor is None or self._room <= 0)

    def take(self, size: int) -> Sequence[int]:
        """Return the next `size` postings, fewer at the end. Raise IndexUnusableError if they are damaged."""
        while len(self._next_ids) < size and self._read_on(size - len(self._next_ids)):
            pass
        return self._cut(size)

    def take_through(self, doc_id: int) -> Sequence[int]:
        """Return the next postings up to `doc_id`. Raise IndexUnusableError if they are damaged."""
        while (not self._next_ids or self._next_ids[-1] <= doc_id) and self._read_on(_IDS_AT_ONCE):
            pass
        return self._cut(bisect_right(self._next_ids, doc_id))

    def _cut(self, size: int) -> Sequence[int]:
        if size >= len(self._next_ids):
            taken, self._next_ids = self._next_ids, array("q")
            return taken
        taken, self._next_ids = self._next_ids[:size], self._next_ids[size:]
        return taken

    def _read_on(self, size: int) -> bool:
        """Read about `size` more postings. Return False at the end."""
        if self._cursor is None or self._room <= 0:
            return False
        rows = self._cursor.fetchmany(min(size, self._room, _MAX_IDS_AT_ONCE) // _IDS_PER_BLOCK + 1)
        if any(term_freqs for _, term_freqs in rows):
            raise IndexUnusableError("a posting list is damaged")
        before = len(self._next_ids)
        self._next_ids.frombytes(b"".join([block for block, _ in rows]))
        del self._next_ids[before + self._room :]
        self._room -= len(self._next_ids) - before
        if not rows:
            self._cursor = None
        return bool(rows)


def memory_postings(connection: sqlite3.Connection, term: str, limit: int, *, memories: bool) -> Sequence[int]:
    """Return the memories and pages, or with `memories` the memories alone, that contain a term.

    Raise IndexUnusableError if the postings are damaged.
    """
    return PostingStream(connection, term, limit, memories=memories).take(limit)


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


def common_ids(few: Sequence[int], many: Sequence[int]) -> Iterator[int]:
    """Yield the ids that are in both of two sorted sequences, of which one is much shorter."""
    low, size = 0, len(many)
    for doc_id in few:
        low = bisect_left(many, doc_id, low)
        if low < size and many[low] == doc_id:
            yield doc_id


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
