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

from tacit.index.doc_ids import LEAST, PAGES, realm_of, run_of
from tacit.index.postings import COVERING
from tacit.record import Record
from tacit.text.words import ROOTS

# With the longest root in bytes, a block still lies within one page of the file: SQLite cannot tell when what spills
# over from a page is lost, and words would go missing from answers without anybody noticing.
_BLOCK = 80
_MOST_GATHERED = 3_000_000  # entries, which take some 100 MB
_BITS = 8  # of an entry, for how often: a number and that in one integer take half the time of two
_MOST = (1 << _BITS) - 1

_NEXT = "SELECT first FROM place WHERE root = ? AND first > ? ORDER BY first LIMIT 1"
_INSERT = "INSERT INTO place VALUES (?, ?, ?, ?)"
_COUNT = "INSERT INTO root VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count"
_LENGTH = "INSERT INTO length VALUES (?, ?) ON CONFLICT DO UPDATE SET words = words + excluded.words"
_ADD = "UPDATE meta SET value = value + ? WHERE name = ?"


class Wording(Record):
    """Words that something is found by: what it says, and what stands beside it, separated by blanks."""

    number: int
    text: str
    extra: str

    @property
    def words(self) -> list[str]:
        return f"{self.text} {self.extra}".split()


class Lists:
    """Takes wordings in and out; `settle` writes the lists."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._forget()

    def _forget(self) -> None:
        self._come: dict[str, list[int]] = defaultdict(list)  # numbers by root, of memories and pages
        self._said: dict[str, list[int]] = defaultdict(list)  # entries by root, of messages
        self._gone: dict[str, set[int]] = defaultdict(set)  # numbers by root
        self._fresh: set[int] = set()  # numbers of what is not written yet
        self._runs: dict[int, int] = defaultdict(int)  # words of sessions
        self._count = self._texts = self._words = 0

    def put(self, wordings: Iterable[Wording], *, fresh: bool) -> None:
        """`fresh` ones are known not to be there yet."""
        new = list(wordings) if fresh else [one for one in wordings if self._took_out(one)]
        for one in new:
            self._gather(one)
        self._connection.executemany("INSERT INTO wording VALUES (?, ?, ?)", new)
        if self._count > _MOST_GATHERED:
            self.settle()

    def take_out(self, number: int) -> None:
        known = self._known(number)
        if known is not None:
            self._drop(known)

    def _known(self, number: int) -> Wording | None:
        row = self._connection.execute("SELECT number, text, extra FROM wording WHERE number = ?", (number,)).fetchone()
        return Wording(*row) if row else None

    def _took_out(self, wording: Wording) -> bool:
        """Make room for other words; says whether they are other words at all."""
        known = self._known(wording.number)
        if known == wording:
            return False
        if known is not None:
            self._drop(known)
        return True

    def _drop(self, known: Wording) -> None:
        if known.number in self._fresh:
            self.settle()
        for query in ("DELETE FROM wording WHERE number = ?", "DELETE FROM measure WHERE number = ?"):
            self._connection.execute(query, (known.number,))
        words = known.words
        for root in {ROOTS[word] for word in words}:
            self._gone[root].add(known.number)
        self._measure(known.number, -1, len(words))

    def _gather(self, wording: Wording) -> None:
        number, words = wording.number, wording.words
        roots = map(ROOTS.__getitem__, words)
        if number < 0:
            self._gather_said(number, len(words), Counter(roots))
        else:
            come = self._come
            for root in set(roots):
                come[root].append(number)
        self._count += len(words)
        self._fresh.add(number)
        self._measure(number, 1, len(words))

    def _gather_said(self, number: int, size: int, counts: Counter[str]) -> None:
        for root, count in counts.items():
            self._said[root].append(number << _BITS | min(count, _MOST))
        self._connection.execute("INSERT INTO measure VALUES (?, ?)", (number, size))

    def _measure(self, number: int, sign: int, size: int) -> None:
        self._texts += sign
        self._words += sign * size
        if number < 0:
            self._runs[run_of(number)] += sign * size

    def settle(self) -> None:
        """Write what was gathered."""
        known = self._roots_there()
        blocks: list[_Block] = []
        counts: list[tuple[str, int]] = []
        for root in sorted({*self._come, *self._said, *self._gone}):
            come, said = sorted(self._come.get(root, ())), sorted(self._said.get(root, ()))
            if root in known:
                self._change(root, come, said, self._gone.get(root, set()))
            else:
                blocks += _made(root, come, said)
                counts.append((root, len(come) + len(said)))
        self._connection.executemany(_INSERT, blocks)
        self._connection.executemany("INSERT INTO root VALUES (?, ?)", counts)
        self._connection.executemany(_LENGTH, self._runs.items())
        self._connection.executemany("DELETE FROM length WHERE first = ? AND words = 0", [(run,) for run in self._runs])
        self._connection.execute(_ADD, (self._texts, "texts"))
        self._connection.execute(_ADD, (self._words, "words"))
        self._forget()

    def _roots_there(self) -> set[str]:
        """Of the roots that were gathered, those that have a list already."""
        if self._connection.execute("SELECT 1 FROM root LIMIT 1").fetchone() is None:
            return set()
        query = "SELECT 1 FROM root WHERE root = ?"
        gathered = self._come.keys() | self._said.keys()
        return {root for root in gathered if self._connection.execute(query, (root,)).fetchone()} | self._gone.keys()

    def _change(self, root: str, come: Sequence[int], said: Sequence[int], gone: set[int]) -> None:
        """Block by block, those that are touched."""
        entries = dict.fromkeys(come, 1) | {entry >> _BITS: entry & _MOST for entry in said}
        numbers, at, more = sorted(gone | entries.keys()), 0, 0
        while at < len(numbers):
            base, end = realm_of(numbers[at])
            found = self._connection.execute(COVERING, (root, base, numbers[at])).fetchone()
            first, block = (found[0], _read(*found[1:])) if found else (base, {})
            after = self._connection.execute(_NEXT, (root, first)).fetchone()
            upto = bisect_left(numbers, min(after[0], end) if after else end, at)
            before = len(block)
            block.update((number, entries.get(number, 0)) for number in numbers[at:upto])
            left = [number for number in sorted(block) if block[number]]
            often = bytes([block[number] for number in left]) if base < 0 else b""
            self._connection.execute("DELETE FROM place WHERE root = ? AND first = ?", (root, first))
            self._connection.executemany(_INSERT, _blocks(root, first, array("q", left), often))
            more += len(left) - before
            at = upto
        self._connection.execute(_COUNT, (root, more))
        self._connection.execute("DELETE FROM root WHERE root = ? AND count = 0", (root,))


class _Block(Record):
    root: str
    first: int
    numbers: bytes
    counts: bytes


def _made(root: str, come: Sequence[int], said: Sequence[int]) -> Iterator[_Block]:
    """The blocks of a list that was not there before; none reaches from one sort of numbers into another."""
    if said:
        numbers = array("q", [entry >> _BITS for entry in said])
        yield from _blocks(root, LEAST, numbers, bytes([entry & _MOST for entry in said]))
    pages = bisect_left(come, PAGES)
    if pages:
        yield from _blocks(root, 0, array("q", come[:pages]))
    if pages < len(come):
        yield from _blocks(root, PAGES, array("q", come[pages:]))


def _blocks(root: str, first: int, numbers: array[int], counts: bytes = b"") -> Iterator[_Block]:
    """One or several, about as long as each other."""
    size = len(numbers)
    pieces = -(-size // _BLOCK)
    for piece in range(pieces):
        low, high = size * piece // pieces, size * (piece + 1) // pieces
        yield _Block(root, numbers[low] if low else first, numbers[low:high].tobytes(), counts[low:high])


def _read(numbers: bytes, counts: bytes) -> dict[int, int]:
    there = array("q", numbers)
    return dict(zip(there, counts or bytes([1]) * len(there), strict=True))
