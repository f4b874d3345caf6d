"""Writing where words stand: for each root, the numbers of all that hold it, in order; of messages also how often it is
there, for sessions are weighed by that before any is read.

What is put in and taken out is gathered first and written in one go: a list is then opened once, however many numbers
it gets. A list is kept in blocks, and one more number touches one of them, whatever the length of the list.
"""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from tacit.index.doc_ids import FIRST_PAGE_ID, MIN_DOC_ID, id_range_of, start_id_of
from tacit.index.postings import SELECT_COVERING_BLOCK
from tacit.record import Record
from tacit.text.words import STEMS

# With the longest root in bytes, a block still lies within one page of the file: SQLite cannot tell when what spills
# over from a page is lost, and words would go missing from answers without anybody noticing.
_BLOCK_SIZE = 80
_MAX_GATHERED = 3_000_000  # entries, which take some 100 MB
_FREQ_BITS = 8  # of an entry, for how often: a number and that in one integer take half the time of two
_MAX_FREQ = (1 << _FREQ_BITS) - 1

_SELECT_NEXT_BLOCK = "SELECT first FROM place WHERE root = ? AND first > ? ORDER BY first LIMIT 1"
_INSERT_BLOCK = "INSERT INTO place VALUES (?, ?, ?, ?)"
_ADD_DOC_FREQ = "INSERT INTO root VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count"
_ADD_SESSION_LENGTH = "INSERT INTO length VALUES (?, ?) ON CONFLICT DO UPDATE SET words = words + excluded.words"
_ADD_TO_META = "UPDATE meta SET value = value + ? WHERE name = ?"


class IndexedDocument(Record):
    """Words that something is found by: what it says, and what stands beside it, separated by blanks."""

    doc_id: int
    text: str
    extra: str

    @property
    def words(self) -> list[str]:
        return f"{self.text} {self.extra}".split()


class PostingsWriter:
    """Takes wordings in and out; `settle` writes the lists."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._reset()

    def _reset(self) -> None:
        self._added: dict[str, list[int]] = defaultdict(list)  # numbers by root, of memories and pages
        self._added_messages: dict[str, list[int]] = defaultdict(list)  # entries by root, of messages
        self._removed: dict[str, set[int]] = defaultdict(set)  # numbers by root
        self._unwritten: set[int] = set()  # numbers of what is not written yet
        self._session_lengths: dict[int, int] = defaultdict(int)  # words of sessions
        self._gathered = self._doc_count = self._total_length = 0

    def add(self, wordings: Iterable[IndexedDocument], *, fresh: bool) -> None:
        """`fresh` ones are known not to be there yet."""
        new = list(wordings) if fresh else [one for one in wordings if self._remove_if_changed(one)]
        for one in new:
            self._gather(one)
        self._connection.executemany("INSERT INTO wording VALUES (?, ?, ?)", new)
        if self._gathered > _MAX_GATHERED:
            self.flush()

    def remove(self, number: int) -> None:
        known = self._stored_document(number)
        if known is not None:
            self._remove_stored(known)

    def _stored_document(self, number: int) -> IndexedDocument | None:
        row = self._connection.execute("SELECT number, text, extra FROM wording WHERE number = ?", (number,)).fetchone()
        return IndexedDocument(*row) if row else None

    def _remove_if_changed(self, wording: IndexedDocument) -> bool:
        """Make room for other words; says whether they are other words at all."""
        known = self._stored_document(wording.doc_id)
        if known == wording:
            return False
        if known is not None:
            self._remove_stored(known)
        return True

    def _remove_stored(self, known: IndexedDocument) -> None:
        if known.doc_id in self._unwritten:
            self.flush()
        for query in ("DELETE FROM wording WHERE number = ?", "DELETE FROM measure WHERE number = ?"):
            self._connection.execute(query, (known.doc_id,))
        words = known.words
        for root in {STEMS[word] for word in words}:
            self._removed[root].add(known.doc_id)
        self._add_length(known.doc_id, -1, len(words))

    def _gather(self, wording: IndexedDocument) -> None:
        number, words = wording.doc_id, wording.words
        roots = map(STEMS.__getitem__, words)
        if number < 0:
            self._gather_message(number, len(words), Counter(roots))
        else:
            come = self._added
            for root in set(roots):
                come[root].append(number)
        self._gathered += len(words)
        self._unwritten.add(number)
        self._add_length(number, 1, len(words))

    def _gather_message(self, number: int, size: int, counts: Counter[str]) -> None:
        for root, count in counts.items():
            self._added_messages[root].append(number << _FREQ_BITS | min(count, _MAX_FREQ))
        self._connection.execute("INSERT INTO measure VALUES (?, ?)", (number, size))

    def _add_length(self, number: int, sign: int, size: int) -> None:
        self._doc_count += sign
        self._total_length += sign * size
        if number < 0:
            self._session_lengths[start_id_of(number)] += sign * size

    def flush(self) -> None:
        """Write what was gathered."""
        known = self._known_terms()
        blocks: list[_PostingBlock] = []
        counts: list[tuple[str, int]] = []
        for root in sorted({*self._added, *self._added_messages, *self._removed}):
            come, said = sorted(self._added.get(root, ())), sorted(self._added_messages.get(root, ()))
            if root in known:
                self._update_term(root, come, said, self._removed.get(root, set()))
            else:
                blocks += _new_blocks(root, come, said)
                counts.append((root, len(come) + len(said)))
        self._connection.executemany(_INSERT_BLOCK, blocks)
        self._connection.executemany("INSERT INTO root VALUES (?, ?)", counts)
        self._connection.executemany(_ADD_SESSION_LENGTH, self._session_lengths.items())
        self._connection.executemany(
            "DELETE FROM length WHERE first = ? AND words = 0", [(run,) for run in self._session_lengths]
        )
        self._connection.execute(_ADD_TO_META, (self._doc_count, "texts"))
        self._connection.execute(_ADD_TO_META, (self._total_length, "words"))
        self._reset()

    def _known_terms(self) -> set[str]:
        """Of the roots that were gathered, those that have a list already."""
        if self._connection.execute("SELECT 1 FROM root LIMIT 1").fetchone() is None:
            return set()
        query = "SELECT 1 FROM root WHERE root = ?"
        gathered = self._added.keys() | self._added_messages.keys()
        return {root for root in gathered if self._connection.execute(query, (root,)).fetchone()} | self._removed.keys()

    def _update_term(self, root: str, come: Sequence[int], said: Sequence[int], gone: set[int]) -> None:
        """Block by block, those that are touched."""
        entries = dict.fromkeys(come, 1) | {entry >> _FREQ_BITS: entry & _MAX_FREQ for entry in said}
        numbers, at, more = sorted(gone | entries.keys()), 0, 0
        while at < len(numbers):
            base, end = id_range_of(numbers[at])
            found = self._connection.execute(SELECT_COVERING_BLOCK, (root, base, numbers[at])).fetchone()
            first, block = (found[0], _decode_block(*found[1:])) if found else (base, {})
            after = self._connection.execute(_SELECT_NEXT_BLOCK, (root, first)).fetchone()
            upto = bisect_left(numbers, min(after[0], end) if after else end, at)
            before = len(block)
            block.update((number, entries.get(number, 0)) for number in numbers[at:upto])
            left = [number for number in sorted(block) if block[number]]
            often = bytes([block[number] for number in left]) if base < 0 else b""
            self._connection.execute("DELETE FROM place WHERE root = ? AND first = ?", (root, first))
            self._connection.executemany(_INSERT_BLOCK, _split_into_blocks(root, first, array("q", left), often))
            more += len(left) - before
            at = upto
        self._connection.execute(_ADD_DOC_FREQ, (root, more))
        self._connection.execute("DELETE FROM root WHERE root = ? AND count = 0", (root,))


class _PostingBlock(Record):
    term: str
    first_doc_id: int
    doc_ids: bytes
    term_freqs: bytes


def _new_blocks(root: str, come: Sequence[int], said: Sequence[int]) -> Iterator[_PostingBlock]:
    """The blocks of a list that was not there before; none reaches from one sort of numbers into another."""
    if said:
        numbers = array("q", [entry >> _FREQ_BITS for entry in said])
        yield from _split_into_blocks(root, MIN_DOC_ID, numbers, bytes([entry & _MAX_FREQ for entry in said]))
    pages = bisect_left(come, FIRST_PAGE_ID)
    if pages:
        yield from _split_into_blocks(root, 0, array("q", come[:pages]))
    if pages < len(come):
        yield from _split_into_blocks(root, FIRST_PAGE_ID, array("q", come[pages:]))


def _split_into_blocks(root: str, first: int, numbers: array[int], counts: bytes = b"") -> Iterator[_PostingBlock]:
    """One or several, about as long as each other."""
    size = len(numbers)
    pieces = -(-size // _BLOCK_SIZE)
    for piece in range(pieces):
        low, high = size * piece // pieces, size * (piece + 1) // pieces
        yield _PostingBlock(root, numbers[low] if low else first, numbers[low:high].tobytes(), counts[low:high])


def _decode_block(numbers: bytes, counts: bytes) -> dict[int, int]:
    there = array("q", numbers)
    return dict(zip(there, counts or bytes([1]) * len(there), strict=True))
