"""Lists that are loaded as they are read (ADR 70), the memories in them, and the words for what these are."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from tacit.errors import IndexUnusableError
from tacit.index import reader
from tacit.index.reader import MemoryRow
from tacit.log.codec import must_decode
from tacit.model.ids import ClaimId
from tacit.record import Record

if TYPE_CHECKING:
    from tacit.home.store import Store
    from tacit.model.memory import Memory

T = TypeVar("T")
S = TypeVar("S")
_CHUNK_SIZE = 100  # entries that are loaded together

# Words that the command line, the MCP server and the web page share
STATUS_LABELS = {"pending": "candidate", "retired": "forgotten"}
HABIT_LABELS = {
    "preferred_cwd": "a directory you work in",
    "recurring_command": "a command you run often",
    "workflow_pattern": "commands you run in order",
    "preference": "a correction you make",
}
# By `Provenance`, from 0 on.
PROVENANCE_LABELS = (
    "from outside: nobody vouches for it",
    "found by a program on this machine",
    "said by an agent",
    "from a file you vouched for",
    "said by you",
)


class Listing(Generic[T]):
    """The first entries of a list, or all of them.

    It can be iterated once and loads what it yields. `total` is the number of entries of the whole list. What is
    removed while somebody iterates is left out.
    """

    def __init__(self, entries: Iterable[T], total: int) -> None:
        self.entries = iter(entries)
        self.total = total

    def __iter__(self) -> Iterator[T]:
        return self.entries


def load_in_chunks(
    store: Store, keys: Sequence[S], load: Callable[[sqlite3.Connection, Sequence[S]], Iterable[T]]
) -> Iterator[T]:
    """Yield what `load` reads for a part of the keys after the other, in order."""
    for start in range(0, len(keys), _CHUNK_SIZE):
        with store.snapshot() as connection:
            loaded = list(load(connection, keys[start : start + _CHUNK_SIZE]))
        yield from loaded


def must_agree(doc_ids: Sequence[int], total: int, limit: int | None = None) -> None:
    """Raise IndexUnusableError if a list has not as many entries as were counted. SQLite does not notice lost pages."""
    if len(doc_ids) != (total if limit is None else min(limit, total)):
        raise IndexUnusableError("its tables disagree")


class HabitCounts(Record):
    """What was counted of a habit: its label, and how many runs in how many sessions up to which day.

    Without `has_times`, sessions and days are unknown. `steps` are the command lines of a sequence, as they would be
    saved as a workflow.
    """

    label: str
    runs: int
    sessions: int
    last_day: str
    has_times: bool = True
    steps: tuple[str, ...] = ()


class ListedMemory(Record):
    """A memory in a list, with the shortest prefix of its id that is unique, and the counts of a habit.

    A candidate also has the reason why it was proposed, and the active memories that it contradicts. Candidates and a
    memory that is shown alone also have the events whose evidence quotes the person, and the agent that concluded it if
    nothing of the person's supports it.
    """

    short: str
    memory: Memory
    overruled_by: ClaimId | None
    conflict: bool
    counts: HabitCounts | None = None
    reason: str = ""
    contradicts: tuple[MemoryRow, ...] = ()
    quoting_events: frozenset[str] = frozenset()
    concluded_by: str = ""


def load_chunk(connection: sqlite3.Connection, doc_ids: Sequence[int]) -> list[ListedMemory]:
    """Return the memories of doc ids that exist, in the given order."""
    rows = reader.rows_by_doc_id(connection, list(doc_ids))
    return [load_row(connection, row) for doc_id in doc_ids if isinstance(row := rows.get(doc_id), MemoryRow)]


def load_entry(connection: sqlite3.Connection, claim: ClaimId) -> ListedMemory:
    """Return a memory that is known to exist. Raise IndexUnusableError if the index does not have it."""
    row = reader.memory_row(connection, claim)
    if row is None:
        raise IndexUnusableError("its tables disagree")
    return load_row(connection, row)


def load_row(connection: sqlite3.Connection, row: MemoryRow) -> ListedMemory:
    memory = reader.load_memory(connection, row.id, must_decode)
    if memory is None:
        raise IndexUnusableError("its tables disagree")
    return ListedMemory(reader.short_id(connection, row.id), memory, row.overruled_by, row.is_conflicting)
