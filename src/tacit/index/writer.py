"""Catching up with the log: each event is filed once, and only what it touches is folded again.

The result must be the same whether the events came one by one or all at once; a law test holds it to that.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from tacit.index.commands import keep_commands, typed
from tacit.index.database import transaction
from tacit.index.habits import file_commands
from tacit.index.memories import Memories, add_pages, weigh_undone
from tacit.index.postings_writer import Lists
from tacit.index.reader import LEADING, STANDING, Decode
from tacit.index.session_writer import Filed as Said
from tacit.index.session_writer import Sessions
from tacit.model.event import Decided, Event, Proposed, Undone
from tacit.model.observation import (
    OF_SESSIONS,
    CommandRan,
    Distrusted,
    Evaluated,
    Injected,
    ProjectSeen,
    Recalled,
    Trusted,
    WorkflowDropped,
    WorkflowRan,
    WorkflowSaved,
    WorkLogged,
)
from tacit.record import Record

_CHUNK = 50_000
_WORKFLOWS = (WorkflowSaved, WorkflowDropped, WorkflowRan)
_FOLDED = (Proposed, Decided, Undone, WorkLogged, Evaluated, Trusted, Distrusted, *_WORKFLOWS)
# Made after the rows of a new index are in, which is twice as fast as keeping them up row by row.
_INDEXES = (
    "CREATE INDEX IF NOT EXISTS memory_ruled ON memory (number) WHERE conflict OR overruled_by IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS memory_scope ON memory (scope, status)",
    f"CREATE INDEX IF NOT EXISTS memory_leading ON memory (scope, {LEADING}) WHERE {STANDING}",
)
_INSERT_EVENT = "INSERT OR IGNORE INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
# What was learned in passing comes between two commands of a person; nobody means it by "the latest".
_IN_PASSING = ("learner:habit", "learner:talk")


class Filed(Record):
    """An event and where it stands in the log; `raw` is what counts of its line where that is not what stands there."""

    event: Event
    type: str
    segment: str
    line: int
    offset: int
    length: int
    raw: bytes | None

    @property
    def row(self) -> tuple[str | int | bytes | None, ...]:
        event = self.event
        op = None if event.op == event.id else event.op
        return (event.id, op, self.type, event.origin.actor in _IN_PASSING, *self[2:])


class Reached(Record):
    """How far a segment was read."""

    segment: str
    offset: int
    lines: int
    mark: str


def apply(connection: sqlite3.Connection, filed: Iterable[Filed], reached: Iterable[Reached], decode: Decode) -> None:
    """File the events and remember how far the log was read, all or nothing."""
    with transaction(connection):
        lists = Lists(connection)
        memories, sessions = Memories(connection, lists, decode), Sessions(connection, lists, decode)
        chunk: list[Filed] = []
        for entry in filed:
            chunk.append(entry)
            if len(chunk) == _CHUNK:
                _take(connection, memories, lists, chunk, decode)
                sessions.hear(_said(chunk))
                chunk = []
        _take(connection, memories, lists, chunk, decode)
        sessions.hear(_said(chunk))
        for index in _INDEXES:
            connection.execute(index)
        memories.settle()
        sessions.settle()
        lists.settle()
        connection.executemany("INSERT OR REPLACE INTO applied VALUES (?, ?, ?, ?)", reached)


def _take(
    connection: sqlite3.Connection, memories: Memories, lists: Lists, chunk: Sequence[Filed], decode: Decode
) -> None:
    _note(connection, chunk)
    ran = [entry for entry in chunk if isinstance(entry.event.body, CommandRan)]
    file_commands(connection, (one.event for one in ran if one.event.by_person))  # habits are a person's alone
    keep_commands(connection, [typed(one.event, one.segment, one.line) for one in ran])
    new = _file(connection, [entry for entry in chunk if isinstance(entry.event.body, _FOLDED)])
    memories.hear(new)
    add_pages(connection, lists, [event for event in new if isinstance(event.body, WorkLogged | Evaluated)])
    if any(isinstance(event.body, Undone | WorkLogged) for event in new):
        weigh_undone(connection, decode)


def _said(chunk: Sequence[Filed]) -> list[Said]:
    """What agents' transcripts told, and what was said about them."""
    return [Said(one.event, *one[2:]) for one in chunk if isinstance(one.event.body, OF_SESSIONS)]


def _file(connection: sqlite3.Connection, entries: Sequence[Filed]) -> list[Event]:
    """Keep the lines that memories and pages are folded from; an event that is known already is not new."""
    connection.execute("SAVEPOINT filing")
    before = connection.total_changes
    connection.executemany(_INSERT_EVENT, [entry.row for entry in entries])
    if connection.total_changes - before == len(entries):  # the usual case: nothing was there before
        connection.execute("RELEASE filing")
        return [entry.event for entry in entries]
    connection.execute("ROLLBACK TO filing")
    connection.execute("RELEASE filing")
    return [entry.event for entry in entries if connection.execute(_INSERT_EVENT, entry.row).rowcount]


def _note(connection: sqlite3.Connection, entries: Iterable[Filed]) -> None:
    """What is only counted, what was put into prompts, and where projects lie."""
    for entry in entries:
        event = entry.event
        if isinstance(event.body, _FOLDED):
            continue
        match event.body:
            case Recalled(hits=hits):
                _tally(connection, event, asked=1, missed=0 if hits else 1)
            case Injected(tokens=tokens):
                _tally(connection, event, briefs=1, tokens=tokens)
                row = (event.id, event.origin.session, entry.segment, entry.offset, entry.length, entry.raw)
                connection.execute("INSERT OR IGNORE INTO given VALUES (?, ?, ?, ?, ?, ?)", row)
            case ProjectSeen(root=root):
                connection.execute("INSERT OR IGNORE INTO project VALUES (?, ?)", (event.scope, root))


def _tally(connection: sqlite3.Connection, event: Event, **amounts: int) -> None:
    rows = [(event.id, name, amount) for name, amount in amounts.items()]
    connection.executemany("INSERT OR IGNORE INTO tally VALUES (?, ?, ?)", rows)
