"""Write postings: for each term the ids of the documents that contain it, for messages also how often.

Sessions are scored by these frequencies before any message is read. Changes are gathered and written together, so that
the postings of a term are opened once, however many ids they get. They are stored in blocks, and one more id changes
one block, whatever their number.
"""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from tacit.index.doc_ids import id_range_of, start_id_of
from tacit.index.postings import SELECT_COVERING_BLOCK
from tacit.record import Record
from tacit.text.words import STEMS

# With the longest term in bytes, a block still fits into one page of the file. SQLite does not notice when an overflow
# page is lost, and answers would silently miss documents.
_BLOCK_SIZE = 80
_MAX_GATHERED = 1_000_000  # words, which take about 35 MB
_FREQ_BITS = 8  # a message id and a frequency packed into one integer take half the time of two
_MAX_FREQ = (1 << _FREQ_BITS) - 1

_SELECT_NEXT_BLOCK = (
    "SELECT first_doc_id FROM postings WHERE term = ? AND first_doc_id > ? ORDER BY first_doc_id LIMIT 1"
)
_UPSERT_BLOCK = "INSERT OR REPLACE INTO postings VALUES (?, ?, ?, ?)"
_ADD_DOC_FREQ = "INSERT INTO terms VALUES (?, ?) ON CONFLICT DO UPDATE SET doc_freq = doc_freq + excluded.doc_freq"
_ADD_SESSION_LENGTH = (
    "INSERT INTO session_lengths VALUES (?, ?) ON CONFLICT DO UPDATE SET length = length + excluded.length"
)


class IndexedDocument(Record):
    """The words that a document is found by, separated by blanks: `text` is what it says, `extra` what describes it."""

    doc_id: int
    text: str
    extra: str

    @property
    def words(self) -> list[str]:
        return f"{self.text} {self.extra}".split()


class PostingsWriter:
    """Adds and removes documents. `flush` writes the postings."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._reset()

    def _reset(self) -> None:
        self._added: dict[str, list[int]] = defaultdict(list)  # ids of memories and pages, by term
        self._added_messages: dict[str, list[int]] = defaultdict(list)  # packed ids and frequencies, by term
        self._removed: dict[str, set[int]] = defaultdict(set)  # ids by term
        self._unwritten: set[int] = set()  # ids whose postings are not written yet
        self._session_lengths: dict[int, int] = defaultdict(int)  # changes, by the first id of the session
        self._gathered = self._doc_count = self._total_length = 0

    def add(self, documents: Iterable[IndexedDocument], *, fresh: bool) -> None:
        """Add documents, or replace those that changed. `fresh` says that none of them is indexed yet."""
        new = list(documents) if fresh else [document for document in documents if self._remove_if_changed(document)]
        for document in new:
            self._gather(document)
        self._connection.executemany("INSERT INTO documents VALUES (?, ?, ?)", new)
        if self._gathered > _MAX_GATHERED:
            self.flush()

    def remove(self, doc_id: int) -> None:
        """Remove a document if it is indexed."""
        stored = self._stored_document(doc_id)
        if stored is not None:
            self._remove_stored(stored)

    def _stored_document(self, doc_id: int) -> IndexedDocument | None:
        query = "SELECT doc_id, text, extra FROM documents WHERE doc_id = ?"
        row = self._connection.execute(query, (doc_id,)).fetchone()
        return IndexedDocument(*row) if row else None

    def _remove_if_changed(self, document: IndexedDocument) -> bool:
        """Remove the old version of a document. Return whether it is new or changed."""
        stored = self._stored_document(document.doc_id)
        if stored == document:
            return False
        if stored is not None:
            self._remove_stored(stored)
        return True

    def _remove_stored(self, document: IndexedDocument) -> None:
        if document.doc_id in self._unwritten:
            self.flush()
        for query in ("DELETE FROM documents WHERE doc_id = ?", "DELETE FROM doc_lengths WHERE doc_id = ?"):
            self._connection.execute(query, (document.doc_id,))
        words = document.words
        for term in {STEMS[word] for word in words}:
            self._removed[term].add(document.doc_id)
        self._add_length(document.doc_id, -1, len(words))

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
            freqs = dict.fromkeys(self._added.get(term, ()), 1)
            for entry in self._added_messages.get(term, ()):
                freqs[entry >> _FREQ_BITS] = entry & _MAX_FREQ
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
            row = self._connection.execute(SELECT_COVERING_BLOCK, (term, range_start, changed[low])).fetchone()
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
