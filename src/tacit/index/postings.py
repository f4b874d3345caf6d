"""Documents and their postings: for each term the ids of the documents that contain it, for messages also how often.

Ids of messages of sessions are below zero, then come memories, then pages. A session has a range of ids of its own, in
the order of its messages, so that neighbours are adjacent. Ranges of later days come first: reading ids in order reads
the latest messages first. A message has two ids, one for each role.

Postings are stored in blocks of sorted ids, so one more id changes one block, and reading the first ids of a term costs
the same, whatever their number. Nothing here ranks.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from tacit.errors import IndexUnusableError
from tacit.model.ids import EventId, claim_id, claim_number
from tacit.record import Record
from tacit.text.words import STEMS

PERSON, AGENT = 0, 1
_MESSAGES_PER_SESSION = 1 << 16
IDS_PER_SESSION = 2 * _MESSAGES_PER_SESSION
MAX_MESSAGE_INDEX = _MESSAGES_PER_SESSION - 1
_EPOCH = date(2000, 1, 1)
_MAX_DAYS, _SESSION_MASK = (1 << 15) - 1, (1 << 31) - 1
FIRST_PAGE_ID = 1 << 60  # the doc id of a memory is its claim id, which has 60 bits
MIN_DOC_ID, _MAX_DOC_ID = -(1 << 63), (1 << 63) - 1
_ID_RANGES = ((MIN_DOC_ID, 0), (0, FIRST_PAGE_ID), (FIRST_PAGE_ID, _MAX_DOC_ID))
_SELECT_BLOCKS = (
    "SELECT doc_ids, term_freqs FROM postings WHERE term = ? AND first_doc_id >= ? AND first_doc_id < ?"
    " ORDER BY first_doc_id"
)
_SELECT_NEXT_BLOCK = (
    "SELECT first_doc_id FROM postings WHERE term = ? AND first_doc_id > ? ORDER BY first_doc_id LIMIT 1"
)
# The block of a term that a document belongs to, if the term has it at all.
_SELECT_COVERING_BLOCK = (
    "SELECT first_doc_id, doc_ids, term_freqs FROM postings WHERE term = ? AND first_doc_id BETWEEN ? AND ?"
    " ORDER BY first_doc_id DESC LIMIT 1"
)
MAX_INT64 = (1 << 63) - 1
_IDS_PER_BLOCK = 40  # at least, in most blocks: they are cut in halves when they are full
_IDS_AT_ONCE, _MAX_IDS_AT_ONCE = 2_000, 40_000
# With the longest term in bytes, a block still fits into one page of the file. SQLite does not notice when an overflow
# page is lost, and answers would silently miss documents.
_BLOCK_SIZE = 80
_MAX_GATHERED = 500_000  # words of a change, which take about 10 MB
_FREQ_BITS = 8  # a message id and a frequency packed into one integer take half the time of two
_MAX_FREQ = (1 << _FREQ_BITS) - 1
_UPSERT_BLOCK = "INSERT OR REPLACE INTO postings VALUES (?, ?, ?, ?)"
_ADD_DOC_FREQ = "INSERT INTO terms VALUES (?, ?) ON CONFLICT DO UPDATE SET doc_freq = doc_freq + excluded.doc_freq"
_ADD_SESSION_LENGTH = (
    "INSERT INTO session_lengths VALUES (?, ?) ON CONFLICT DO UPDATE SET length = length + excluded.length"
)


# Document ids


def id_range_of(doc_id: int) -> tuple[int, int]:
    """Return where the ids of its sort begin and end: those of messages, of memories or of pages."""
    return _ID_RANGES[(doc_id >= 0) + (doc_id >= FIRST_PAGE_ID)]


def page_doc_id(event: EventId) -> int:
    """Return the id of the page that an event makes."""
    return FIRST_PAGE_ID + claim_number(claim_id("page", event))


def session_start_id(day: date, session: int) -> int:
    """Return the first id of a session, given the day it began and its id as a number."""
    days = min(max((day - _EPOCH).days, 0), _MAX_DAYS)
    return -((days << 31 | session & _SESSION_MASK) + 1) * IDS_PER_SESSION


def message_doc_id(start_id: int, index: int, role: int) -> int:
    """Return the id of a message. Messages beyond the last index share one."""
    return start_id + (min(index, MAX_MESSAGE_INDEX) << 1 | role)


def start_id_of(doc_id: int) -> int:
    """Return the first id of the session that a message belongs to."""
    return doc_id - doc_id % IDS_PER_SESSION


def message_index(doc_id: int) -> int:
    """Return the position of a message in its session."""
    return doc_id % IDS_PER_SESSION >> 1


def role_of(doc_id: int) -> int:
    """Return PERSON or AGENT for a message."""
    return doc_id & 1


# Reading


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


def most_frequent_term(connection: sqlite3.Connection, prefix: str) -> str:
    """Return the term in most documents of those that begin so; "" if there is none."""
    query = "SELECT term FROM terms WHERE term >= ? AND term < ? ORDER BY doc_freq DESC LIMIT 1"
    row = connection.execute(query, (prefix, f"{prefix}\U0010ffff")).fetchone()
    return row[0] if row else ""


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
    block = connection.execute(_SELECT_COVERING_BLOCK, (term, id_range_of(first)[0], first)).fetchone()
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
    row = connection.execute(_SELECT_COVERING_BLOCK, (term, id_range_of(doc_id)[0], doc_id)).fetchone()
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


# Writing


class IndexedDocument(Record):
    """The words that a document is found by, separated by blanks: `text` is what it says, `extra` what describes it."""

    doc_id: int
    text: str
    extra: str

    @property
    def words(self) -> list[str]:
        return f"{self.text} {self.extra}".split()


class PostingsWriter:
    """Adds and removes documents. `flush` writes the postings, those of each term at once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._reset()

    def _reset(self) -> None:
        self._added: dict[str, array[int]] = defaultdict(_new_ids)  # ids of memories and pages, by term
        self._added_messages: dict[str, list[int]] = defaultdict(list)  # packed ids and frequencies, by term
        self._removed: dict[str, set[int]] = defaultdict(set)  # ids by term
        self._unwritten: set[int] = set()  # ids whose postings are not written yet
        self._session_lengths: dict[int, int] = defaultdict(int)  # changes, by the first id of the session
        self._gathered = self._doc_count = self._total_length = 0

    def add(self, documents: Iterable[IndexedDocument], *, fresh: bool) -> None:
        """Add documents, or replace those that changed. `fresh` says that none of them is indexed yet."""
        new = (
            list(documents)
            if fresh
            else [document for document in documents if self.remove(document.doc_id, unless=document)]
        )
        for document in new:
            self._gather(document)
        self._connection.executemany("INSERT INTO documents VALUES (?, ?, ?)", new)
        if self._gathered > _MAX_GATHERED:
            self.flush()

    def remove(self, doc_id: int, unless: IndexedDocument | None = None) -> bool:
        """Remove a document if it is indexed, `unless` it is this one. Return whether it is not indexed now."""
        query = "SELECT doc_id, text, extra FROM documents WHERE doc_id = ?"
        row = self._connection.execute(query, (doc_id,)).fetchone()
        if row is None or row == unless:
            return row is None
        if doc_id in self._unwritten:
            self.flush()
        for query in ("DELETE FROM documents WHERE doc_id = ?", "DELETE FROM doc_lengths WHERE doc_id = ?"):
            self._connection.execute(query, (doc_id,))
        words = IndexedDocument(*row).words
        for term in {STEMS[word] for word in words}:
            self._removed[term].add(doc_id)
        self._add_length(doc_id, -1, len(words))
        return True

    def _gather(self, document: IndexedDocument) -> None:
        doc_id, words = document.doc_id, document.words
        terms = map(STEMS.__getitem__, words)
        if doc_id < 0:
            packed_id, added = doc_id << _FREQ_BITS, self._added_messages
            for term, count in Counter(terms).items():
                added[term].append(packed_id | (count if count < _MAX_FREQ else _MAX_FREQ))
            self._connection.execute("INSERT INTO doc_lengths VALUES (?, ?)", (doc_id, len(words)))
        else:
            for term in set(terms):
                self._added[term].append(doc_id)
        self._gathered += len(words)
        self._unwritten.add(doc_id)
        self._add_length(doc_id, 1, len(words))

    def _add_length(self, doc_id: int, sign: int, length: int) -> None:
        self._doc_count += sign
        self._total_length += sign * length
        if doc_id < 0:
            self._session_lengths[start_id_of(doc_id)] += sign * length

    def flush(self) -> None:
        """Write the gathered changes, in the order of the terms."""
        for term in sorted(self._added.keys() | self._added_messages.keys() | self._removed.keys()):
            freqs = {entry >> _FREQ_BITS: entry & _MAX_FREQ for entry in self._added_messages.get(term, ())}
            freqs.update(dict.fromkeys(self._added.get(term, ()), 1))
            self._update_term(term, freqs, self._removed.get(term, set()))
        self._connection.executemany(_ADD_SESSION_LENGTH, self._session_lengths.items())
        start_ids = [(start_id,) for start_id in self._session_lengths]
        self._connection.executemany("DELETE FROM session_lengths WHERE start_id = ? AND length = 0", start_ids)
        amounts = [(self._doc_count, "doc_count"), (self._total_length, "total_length")]
        self._connection.executemany("UPDATE meta SET value = value + ? WHERE name = ?", amounts)
        self._reset()

    def _update_term(self, term: str, freqs: Mapping[int, int], removed: set[int]) -> None:
        """Write the blocks of a term that the changes fall into. `freqs` are the frequencies in added documents."""
        changed, low, growth = sorted(freqs.keys() | removed), 0, 0
        while low < len(changed):
            range_start, range_end = id_range_of(changed[low])
            row = self._connection.execute(_SELECT_COVERING_BLOCK, (term, range_start, changed[low])).fetchone()
            first, block = (row[0], _decode_block(*row[1:])) if row else (range_start, {})
            high = low + 1
            if high < len(changed):
                next_row = self._connection.execute(_SELECT_NEXT_BLOCK, (term, first)).fetchone()
                high = bisect_left(changed, min(next_row[0], range_end) if next_row else range_end, low)
            growth -= len(block)
            block.update((doc_id, freqs.get(doc_id, 0)) for doc_id in changed[low:high])
            doc_ids = [doc_id for doc_id in sorted(block) if block[doc_id]]
            term_freqs = bytes([block[doc_id] for doc_id in doc_ids]) if range_start < 0 else b""
            if doc_ids:
                self._connection.executemany(_UPSERT_BLOCK, _blocks(term, first, array("q", doc_ids), term_freqs))
            else:
                self._connection.execute("DELETE FROM postings WHERE term = ? AND first_doc_id = ?", (term, first))
            growth += len(doc_ids)
            low = high
        self._connection.execute(_ADD_DOC_FREQ, (term, growth))
        if growth < 0:
            self._connection.execute("DELETE FROM terms WHERE term = ? AND doc_freq = 0", (term,))


def _new_ids() -> array[int]:
    return array("q")  # a fifth of the memory of a list


def _blocks(term: str, first: int, doc_ids: array[int], term_freqs: bytes) -> Iterator[tuple[str, int, bytes, bytes]]:
    """Yield the rows of blocks of about equal size. The first one begins with the id `first`."""
    size = len(doc_ids)
    count = -(-size // _BLOCK_SIZE)
    for number in range(count):
        low, high = size * number // count, size * (number + 1) // count
        yield term, doc_ids[low] if low else first, doc_ids[low:high].tobytes(), term_freqs[low:high]


def _decode_block(doc_ids: bytes, term_freqs: bytes) -> dict[int, int]:
    ids = array("q", doc_ids)
    return dict(zip(ids, term_freqs or bytes([1]) * len(ids), strict=True))
