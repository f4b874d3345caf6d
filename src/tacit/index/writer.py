"""Catching up with the log: each event is filed once, and only what it touches is folded again.

The result must be the same whether the events came one by one or all at once; a law test holds it to that.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from tacit.index.commands import shell_execution, store_commands
from tacit.index.database import transaction
from tacit.index.habits import store_shell_commands
from tacit.index.memories import MemoryWriter, add_pages, hide_undone_entries
from tacit.index.postings_writer import PostingsWriter
from tacit.index.reader import IMPORTANCE_ORDER, IS_EFFECTIVE, Decode
from tacit.index.session_writer import IndexedSessionEvent as Said
from tacit.index.session_writer import SessionWriter
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventsUndone
from tacit.model.observation import (
    SESSION_TYPES,
    BriefInjected,
    CommandRan,
    EvaluationCreated,
    ProjectSeen,
    RecallAsked,
    RepositoryDistrusted,
    RepositoryTrusted,
    WorkflowDropped,
    WorkflowRan,
    WorkflowSaved,
    WorkLogged,
)
from tacit.record import Record

_CHUNK_SIZE = 50_000
_WORKFLOW_BODIES = (WorkflowSaved, WorkflowDropped, WorkflowRan)
_FOLDED_BODIES = (
    ClaimProposed,
    ClaimDecided,
    EventsUndone,
    WorkLogged,
    EvaluationCreated,
    RepositoryTrusted,
    RepositoryDistrusted,
    *_WORKFLOW_BODIES,
)
# Made after the rows of a new index are in, which is twice as fast as keeping them up row by row.
_CREATE_INDEXES = (
    "CREATE INDEX IF NOT EXISTS memory_ruled ON memory (number) WHERE conflict OR overruled_by IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS memory_scope ON memory (scope, status)",
    f"CREATE INDEX IF NOT EXISTS memory_leading ON memory (scope, {IMPORTANCE_ORDER}) WHERE {IS_EFFECTIVE}",
)
_INSERT_EVENT = "INSERT OR IGNORE INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
# What was learned in passing comes between two commands of a person; nobody means it by "the latest".
_BACKGROUND_ACTORS = ("learner:habit", "learner:talk")


class IndexedEvent(Record):
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
        return (event.id, op, self.type, event.origin.actor in _BACKGROUND_ACTORS, *self[2:])


class SegmentCursor(Record):
    """How far a segment was read."""

    segment: str
    offset: int
    lines: int
    mark: str


def apply_events(
    connection: sqlite3.Connection, filed: Iterable[IndexedEvent], reached: Iterable[SegmentCursor], decode: Decode
) -> None:
    """File the events and remember how far the log was read, all or nothing."""
    with transaction(connection):
        lists = PostingsWriter(connection)
        memories, sessions = MemoryWriter(connection, lists, decode), SessionWriter(connection, lists, decode)
        chunk: list[IndexedEvent] = []
        for entry in filed:
            chunk.append(entry)
            if len(chunk) == _CHUNK_SIZE:
                _index_chunk(connection, memories, lists, chunk, decode)
                sessions.add_events(_session_events(chunk))
                chunk = []
        _index_chunk(connection, memories, lists, chunk, decode)
        sessions.add_events(_session_events(chunk))
        for index in _CREATE_INDEXES:
            connection.execute(index)
        memories.flush()
        sessions.flush()
        lists.flush()
        connection.executemany("INSERT OR REPLACE INTO applied VALUES (?, ?, ?, ?)", reached)


def _index_chunk(
    connection: sqlite3.Connection,
    memories: MemoryWriter,
    lists: PostingsWriter,
    chunk: Sequence[IndexedEvent],
    decode: Decode,
) -> None:
    _index_unfolded(connection, chunk)
    ran = [entry for entry in chunk if isinstance(entry.event.body, CommandRan)]
    store_shell_commands(connection, (one.event for one in ran if one.event.is_by_user))  # habits are a person's alone
    store_commands(connection, [shell_execution(one.event, one.segment, one.line) for one in ran])
    new = _insert_events(connection, [entry for entry in chunk if isinstance(entry.event.body, _FOLDED_BODIES)])
    memories.add_events(new)
    add_pages(connection, lists, [event for event in new if isinstance(event.body, WorkLogged | EvaluationCreated)])
    if any(isinstance(event.body, EventsUndone | WorkLogged) for event in new):
        hide_undone_entries(connection, decode)


def _session_events(chunk: Sequence[IndexedEvent]) -> list[Said]:
    """What agents' transcripts told, and what was said about them."""
    return [Said(one.event, *one[2:]) for one in chunk if isinstance(one.event.body, SESSION_TYPES)]


def _insert_events(connection: sqlite3.Connection, entries: Sequence[IndexedEvent]) -> list[Event]:
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


def _index_unfolded(connection: sqlite3.Connection, entries: Iterable[IndexedEvent]) -> None:
    """What is only counted, what was put into prompts, and where projects lie."""
    for entry in entries:
        event = entry.event
        if isinstance(event.body, _FOLDED_BODIES):
            continue
        match event.body:
            case RecallAsked(hits=hits):
                _add_metrics(connection, event, asked=1, missed=0 if hits else 1)
            case BriefInjected(tokens=tokens):
                _add_metrics(connection, event, briefs=1, tokens=tokens)
                row = (event.id, event.origin.session, entry.segment, entry.offset, entry.length, entry.raw)
                connection.execute("INSERT OR IGNORE INTO given VALUES (?, ?, ?, ?, ?, ?)", row)
            case ProjectSeen(root=root):
                connection.execute("INSERT OR IGNORE INTO project VALUES (?, ?)", (event.scope, root))


def _add_metrics(connection: sqlite3.Connection, event: Event, **amounts: int) -> None:
    rows = [(event.id, name, amount) for name, amount in amounts.items()]
    connection.executemany("INSERT OR IGNORE INTO tally VALUES (?, ?, ?)", rows)
