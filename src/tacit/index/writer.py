"""Apply events of the log to the index: each event is stored once, and only what it touches is folded again.

The result does not depend on how events are split into batches (tests/laws/test_index.py).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from tacit.index.commands import latest_shell_executions, store_commands
from tacit.index.database import insert_rows, transaction
from tacit.index.habits import store_shell_commands
from tacit.index.memories import MemoryWriter, add_pages, hide_undone_entries, remove_pages
from tacit.index.postings_writer import PostingsWriter
from tacit.index.reader import IMPORTANCE_ORDER, IS_CANDIDATE, IS_EFFECTIVE, IS_RULED, Decode
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventsUndone, is_of_team
from tacit.model.observation import (
    SESSION_TYPES,
    BriefInjected,
    CommandRan,
    EvaluationCreated,
    MemoryChecked,
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

if TYPE_CHECKING:
    from tacit.index.session_writer import SessionWriter

_CHUNK_SIZE = 50_000
FOLDED_BODIES = (
    ClaimProposed,
    ClaimDecided,
    EventsUndone,
    WorkLogged,
    EvaluationCreated,
    RepositoryTrusted,
    RepositoryDistrusted,
    WorkflowSaved,
    WorkflowDropped,
    WorkflowRan,
)
_METRIC_BODIES = (RecallAsked, MemoryChecked, BriefInjected, ProjectSeen)
# Created after the rows of a new index are inserted, which takes half the time of updating them row by row.
_CREATE_INDEXES = (
    f"CREATE INDEX IF NOT EXISTS memories_ruled ON memories (doc_id) WHERE {IS_RULED}",
    "CREATE INDEX IF NOT EXISTS memories_latest ON memories (status, last_event_id DESC, doc_id DESC)",
    "CREATE INDEX IF NOT EXISTS memories_scope ON memories (scope, status, last_event_id DESC, doc_id DESC, kind)",
    "CREATE INDEX IF NOT EXISTS memories_kind ON memories (status, kind, last_event_id DESC, doc_id DESC)",
    "CREATE INDEX IF NOT EXISTS memories_tagged ON memories (status, last_event_id DESC, doc_id DESC) WHERE tags <> ''",
    "CREATE INDEX IF NOT EXISTS memories_candidates ON memories"
    f" (confidence DESC, last_event_id DESC, doc_id DESC, kind, scope, status, is_habit) WHERE {IS_CANDIDATE}",
    f"CREATE INDEX IF NOT EXISTS memories_shared ON memories (scope, id) WHERE is_shared AND {IS_EFFECTIVE}",
    "CREATE INDEX IF NOT EXISTS memories_habits ON memories (status) WHERE is_habit",
    f"CREATE INDEX IF NOT EXISTS memories_importance ON memories (scope, {IMPORTANCE_ORDER}) WHERE {IS_EFFECTIVE}",
)
_INSERT_EVENT = "INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ADD_METRIC = "INSERT INTO metric_totals VALUES (?, ?) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount"
# These learners and the team write between two commands of a person, who never means their events by "the latest".
_BACKGROUND_ACTORS = ("learner:habit", "learner:talk")


EventRow = tuple[str | int | bytes | None, ...]


class IndexedEvent(Record):
    """An event and the position of its line in the log. `raw` replaces the line if tombstones changed the event."""

    event: Event
    type: str
    segment: str
    line: int
    offset: int
    length: int
    raw: bytes | None

    @property
    def is_folded(self) -> bool:
        """Whether memories, pages, workflows or trust are folded from it."""
        return isinstance(self.event.body, FOLDED_BODIES)

    @property
    def row(self) -> EventRow:
        """The columns of the table `events`."""
        event = self.event
        op = None if event.op == event.id else event.op
        actor = event.origin.actor
        return (event.id, op, self.type, actor in _BACKGROUND_ACTORS or is_of_team(actor), *self[2:])


class SegmentCursor(Record):
    """How far a segment of the log was read."""

    segment: str
    offset: int
    lines: int
    tail: str


def apply_events(
    connection: sqlite3.Connection,
    events: Iterable[IndexedEvent],
    cursors: Iterable[SegmentCursor],
    decode: Decode,
    removed: Sequence[Event] = (),
) -> None:
    """Apply events to all tables and store how far the log was read, in one transaction.

    `cursors` is iterated after the last event, so it may be filled while `events` is read. `removed` are events whose
    own rows are gone, and from which memories and pages are not to be folded any more.
    """
    with transaction(connection):
        postings = PostingsWriter(connection)
        memories = MemoryWriter(connection, postings, decode)
        others = OtherEventsWriter(connection, postings, decode)
        memories.remove_events(removed)
        remove_pages(connection, postings, removed)
        remaining = iter(events)
        while chunk := list(islice(remaining, _CHUNK_SIZE)):
            folded = [entry for entry in chunk if entry.is_folded]
            entries: Sequence[IndexedEvent] = chunk
            if folded and (is_new := insert_events(connection, [entry.row for entry in folded])) is not None:
                entries = new_entries(chunk, is_new)
                folded = [entry for entry in entries if entry.is_folded]
            memories.add_events([entry.event for entry in folded])
            others.add_events(entries, has_undo=any(isinstance(entry.event.body, EventsUndone) for entry in folded))
        create_indexes(connection)
        memories.flush()
        others.flush()
        postings.flush()
        connection.executemany("INSERT OR REPLACE INTO log_cursors VALUES (?, ?, ?, ?)", cursors)


def create_indexes(connection: sqlite3.Connection) -> None:
    """Create the SQL indexes of `memories` if they are missing."""
    for statement in _CREATE_INDEXES:
        connection.execute(statement)


def insert_events(connection: sqlite3.Connection, rows: Sequence[EventRow]) -> list[bool] | None:
    """Insert rows of `events`. Return for each whether it was not stored before; None if no row was."""
    return insert_rows(connection, _INSERT_EVENT, rows)


def new_entries(entries: Sequence[IndexedEvent], is_new: Sequence[bool] | None) -> Sequence[IndexedEvent]:
    """Return the entries without those whose row `insert_events` did not insert. Other writers ignore known events."""
    if is_new is None:
        return entries
    flags = iter(is_new)
    return [entry for entry in entries if not entry.is_folded or next(flags)]


class OtherEventsWriter:
    """Writes what is not about memories: pages, sessions, commands and metrics."""

    def __init__(self, connection: sqlite3.Connection, postings: PostingsWriter, decode: Decode) -> None:
        self._connection = connection
        self._postings = postings
        self._decode = decode
        self._sessions: SessionWriter | None = None
        self._hides_entries = False

    def add_events(self, entries: Sequence[IndexedEvent], *, has_undo: bool) -> None:
        """Write new events. `has_undo` says that some entry of the worklog may have been undone."""
        present = {type(entry.event.body) for entry in entries}
        if not present.isdisjoint(_METRIC_BODIES):
            _store_metrics(self._connection, entries)
        if CommandRan in present:
            _store_commands(self._connection, [entry for entry in entries if isinstance(entry.event.body, CommandRan)])
        if not present.isdisjoint(FOLDED_BODIES):
            add_pages(self._connection, self._postings, [entry.event for entry in entries if entry.is_folded])
        self._hides_entries |= has_undo or WorkLogged in present
        if not present.isdisjoint(SESSION_TYPES):
            from tacit.index.session_writer import IndexedSessionEvent, SessionWriter  # `tacit add` needs none

            of_sessions = [entry for entry in entries if isinstance(entry.event.body, SESSION_TYPES)]
            self._sessions = self._sessions or SessionWriter(self._connection, self._postings, self._decode)
            self._sessions.add_events([IndexedSessionEvent(entry.event, *entry[2:]) for entry in of_sessions])

    def flush(self) -> None:
        """Write what depends on several events."""
        if self._hides_entries:
            hide_undone_entries(self._connection, self._decode)
        if self._sessions:
            self._sessions.flush()


def _store_commands(connection: sqlite3.Connection, entries: Sequence[IndexedEvent]) -> None:
    """Store commands for search, and those that a person ran for the learners of habits."""
    store_shell_commands(connection, (entry.event for entry in entries if entry.event.is_by_user))
    store_commands(connection, latest_shell_executions((entry.event, entry.segment, entry.line) for entry in entries))


def _store_metrics(connection: sqlite3.Connection, entries: Iterable[IndexedEvent]) -> None:
    """Store usage counts, injected briefs and the directories of projects."""
    for entry in entries:
        event = entry.event
        match event.body:
            case RecallAsked(hits=hits):
                _add_metrics(connection, event, asked=1, missed=0 if hits else 1)
            case MemoryChecked():
                from tacit.index.adherence import store_check  # `tacit add` needs none

                store_check(connection, event.id, event.body)
            case BriefInjected(tokens=tokens, agent=agent, memories=memories):
                if agent:  # a brief that a person printed told no agent anything
                    rows = [(claim, event.id, event.origin.session) for claim in memories]
                    connection.executemany("INSERT OR IGNORE INTO injected_memories VALUES (?, ?, ?)", rows)
                _add_metrics(connection, event, briefs=1, tokens=tokens)
                row = (event.id, event.origin.session, entry.segment, entry.offset, entry.length, entry.raw)
                connection.execute("INSERT OR IGNORE INTO injections VALUES (?, ?, ?, ?, ?, ?)", row)
            case ProjectSeen(root=root):
                connection.execute("INSERT OR IGNORE INTO project_roots VALUES (?, ?)", (event.scope, root))


def _add_metrics(connection: sqlite3.Connection, event: Event, **amounts: int) -> None:
    for name, amount in amounts.items():
        row = (event.id, name, amount)
        if connection.execute("INSERT OR IGNORE INTO metrics VALUES (?, ?, ?)", row).rowcount:
            connection.execute(_ADD_METRIC, (name, amount))
