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
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tacit.index.doc_ids import FIRST_PAGE_ID, MIN_DOC_ID, id_range_of, start_id_of
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
_INSERT_BLOCK = "INSERT INTO postings VALUES (?, ?, ?, ?)"
_ADD_DOC_FREQ = "INSERT INTO terms VALUES (?, ?) ON CONFLICT DO UPDATE SET doc_freq = doc_freq + excluded.doc_freq"
_ADD_SESSION_LENGTH = (
    "INSERT INTO session_lengths VALUES (?, ?) ON CONFLICT DO UPDATE SET length = length + excluded.length"
)
_ADD_TO_META = "UPDATE meta SET value = value + ? WHERE name = ?"


class IndexedDocument(Record):
    """The words that a document is found by, separated by blanks: `text` is what it says, `extra` what describes it."""

    doc_id: int
    text: str
    extra: str

    @property
    def words(self) -> list[str]:
        return f"{self.text} {self.extra}".split()


class _PostingBlock(Record):
    term: str
    first_doc_id: int
    doc_ids: bytes
    term_freqs: bytes


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
        """Write the gathered changes."""
        known = self._known_terms()
        blocks: list[tuple[str | int | bytes, ...]] = []
        doc_freqs: list[tuple[str, int]] = []
        for run in posting_runs(self._added, self._added_messages):
            term = run[0]
            if term not in known:
                doc_freq, rows = merged_blocks(term, [run])
                blocks += rows
                doc_freqs.append((term, doc_freq))
        for term in sorted(known):
            added, messages = sorted(self._added.get(term, ())), sorted(self._added_messages.get(term, ()))
            self._update_term(term, added, messages, self._removed.get(term, set()))
        insert_postings(self._connection, blocks, doc_freqs)
        self._write_lengths()
        self._reset()

    def _write_lengths(self) -> None:
        self._connection.executemany(_ADD_SESSION_LENGTH, self._session_lengths.items())
        start_ids = [(start_id,) for start_id in self._session_lengths]
        self._connection.executemany("DELETE FROM session_lengths WHERE start_id = ? AND length = 0", start_ids)
        add_to_corpus(self._connection, self._doc_count, self._total_length)

    def _known_terms(self) -> set[str]:
        """Return the gathered terms that have postings already."""
        if self._connection.execute("SELECT 1 FROM terms LIMIT 1").fetchone() is None:
            return set()
        query = "SELECT 1 FROM terms WHERE term = ?"
        gathered = self._added.keys() | self._added_messages.keys()
        return {term for term in gathered if self._connection.execute(query, (term,)).fetchone()} | self._removed.keys()

    def _update_term(self, term: str, added: Sequence[int], messages: Sequence[int], removed: set[int]) -> None:
        """Rewrite the blocks of a term that the changes fall into."""
        freqs = dict.fromkeys(added, 1) | {entry >> _FREQ_BITS: entry & _MAX_FREQ for entry in messages}
        changed, low, growth = sorted(removed | freqs.keys()), 0, 0
        while low < len(changed):
            range_start, range_end = id_range_of(changed[low])
            row = self._connection.execute(SELECT_COVERING_BLOCK, (term, range_start, changed[low])).fetchone()
            first, block = (row[0], _decode_block(*row[1:])) if row else (range_start, {})
            next_row = self._connection.execute(_SELECT_NEXT_BLOCK, (term, first)).fetchone()
            high = bisect_left(changed, min(next_row[0], range_end) if next_row else range_end, low)
            growth -= len(block)
            block.update((doc_id, freqs.get(doc_id, 0)) for doc_id in changed[low:high])
            doc_ids = [doc_id for doc_id in sorted(block) if block[doc_id]]
            term_freqs = bytes([block[doc_id] for doc_id in doc_ids]) if range_start < 0 else b""
            query = "DELETE FROM postings WHERE term = ? AND first_doc_id = ?"
            self._connection.execute(query, (term, first))
            self._connection.executemany(
                _INSERT_BLOCK, _split_into_blocks(term, first, array("q", doc_ids), term_freqs)
            )
            growth += len(doc_ids)
            low = high
        self._connection.execute(_ADD_DOC_FREQ, (term, growth))
        self._connection.execute("DELETE FROM terms WHERE term = ? AND doc_freq = 0", (term,))


def insert_postings(
    connection: sqlite3.Connection,
    blocks: Iterable[tuple[str | int | bytes, ...]],
    doc_freqs: Iterable[tuple[str, int]],
) -> None:
    """Insert the blocks and document frequencies of terms that have none yet."""
    connection.executemany(_INSERT_BLOCK, blocks)
    connection.executemany("INSERT INTO terms VALUES (?, ?)", doc_freqs)


def add_to_corpus(connection: sqlite3.Connection, doc_count: int, total_length: int) -> None:
    """Count documents and their words."""
    connection.execute(_ADD_TO_META, (doc_count, "doc_count"))
    connection.execute(_ADD_TO_META, (total_length, "total_length"))


PostingRun = tuple[str, bytes, bytes, bytes]  # a term, ids of memories and pages, ids of messages, their frequencies


def posting_runs(added: Mapping[str, Sequence[int]], messages: Mapping[str, Sequence[int]]) -> list[PostingRun]:
    """Return gathered postings in the order of their terms. `messages` are packed ids and frequencies."""
    if not messages:
        return [(term, array("q", sorted(added[term])).tobytes(), b"", b"") for term in sorted(added)]
    return [
        (term, array("q", sorted(added[term])).tobytes() if term in added else b"", *_unpacked(messages.get(term, ())))
        for term in sorted(added.keys() | messages.keys())
    ]


def _unpacked(messages: Sequence[int]) -> tuple[bytes, bytes]:
    if not messages:
        return b"", b""
    ordered = sorted(messages)
    doc_ids = array("q", [entry >> _FREQ_BITS for entry in ordered])
    return doc_ids.tobytes(), bytes([entry & _MAX_FREQ for entry in ordered])


def merged_blocks(term: str, runs: Sequence[PostingRun]) -> tuple[int, list[tuple[str | int | bytes, ...]]]:
    """Return the document frequency of a term, and its blocks. No document may be in two runs."""
    if len(runs) == 1 and not runs[0][1] and len(runs[0][3]) <= _BLOCK_SIZE:  # most terms of sessions
        return len(runs[0][3]), [(term, MIN_DOC_ID, *runs[0][2:])]
    added = array("q", b"".join([run[1] for run in runs]))
    doc_ids = array("q", b"".join([run[2] for run in runs]))
    freqs = b"".join([run[3] for run in runs])
    if len(runs) > 1:
        added = array("q", sorted(added))
        if doc_ids:
            entries = sorted(zip(doc_ids, freqs, strict=True))
            doc_ids, freqs = array("q", [entry[0] for entry in entries]), bytes([entry[1] for entry in entries])
    return len(added) + len(doc_ids), [tuple(block) for block in _new_blocks(term, added, doc_ids, freqs)]


def _new_blocks(term: str, added: array[int], messages: array[int], freqs: bytes) -> Iterator[_PostingBlock]:
    """Yield the blocks of a new term. No block spans two sorts of documents."""
    if messages:
        yield from _split_into_blocks(term, MIN_DOC_ID, messages, freqs)
    pages = bisect_left(added, FIRST_PAGE_ID)
    if pages:
        yield from _split_into_blocks(term, 0, added[:pages])
    if pages < len(added):
        yield from _split_into_blocks(term, FIRST_PAGE_ID, added[pages:])


def _split_into_blocks(term: str, first: int, doc_ids: array[int], term_freqs: bytes = b"") -> Iterator[_PostingBlock]:
    """Yield blocks of about equal size."""
    size = len(doc_ids)
    count = -(-size // _BLOCK_SIZE)
    for block in range(count):
        low, high = size * block // count, size * (block + 1) // count
        yield _PostingBlock(term, doc_ids[low] if low else first, doc_ids[low:high].tobytes(), term_freqs[low:high])


def _decode_block(doc_ids: bytes, term_freqs: bytes) -> dict[int, int]:
    ids = array("q", doc_ids)
    return dict(zip(ids, term_freqs or bytes([1]) * len(ids), strict=True))
