"""Bring an index up to date with a log in which lines were rewritten, as by a purge. The rest of the log is not read.

The events of these lines are removed from all tables and applied again as they are now, and the positions of all other
lines move. The result is that of a new index (tests/index/test_rewriting.py), but for what would have to be counted or
read again. What was removed may still be in free parts of the file: only a copy made by `VACUUM` is without.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from tacit.errors import IndexUnusableError
from tacit.index.commands import agent_execution, remove_commands, shell_execution
from tacit.index.database import transaction
from tacit.index.habits import forget_habits
from tacit.index.reader import Decode
from tacit.index.writer import IndexedEvent, SegmentCursor, apply_events
from tacit.model.ids import claim_number
from tacit.model.observation import (
    SESSION_TYPES,
    BriefInjected,
    CommandRan,
    MemoryChecked,
    ProjectSeen,
    session_id,
)
from tacit.record import Record


class RewrittenLine(Record):
    """A line that was rewritten: where it was, and how many bytes and lines more are there now."""

    offset: int
    number: int
    bytes_more: int
    lines_more: int


class ReplacedEvent(Record):
    """An event as it is in the index, and as it is in the log now, each with its position."""

    old: IndexedEvent
    new: IndexedEvent


def apply_rewritten(
    connection: sqlite3.Connection,
    rewritten: Mapping[str, Sequence[RewrittenLine]],
    replaced: Sequence[ReplacedEvent],
    cursors: Iterable[SegmentCursor],
    decode: Decode,
) -> None:
    """Apply the events of rewritten lines again, and move the positions of all others.

    `rewritten` are all such lines by segment, in order, also those that hold no event. Raise IndexUnusableError if the
    index has to be built anew: it has an event by another line, or the event belongs to another session now.
    """
    with transaction(connection):
        command_ids = dict(
            row
            for old, _ in replaced
            for row in connection.execute("SELECT event_id, id FROM shell_commands WHERE event_id = ?", (old.event.id,))
        )
        for pair in replaced:
            _remove_event(connection, pair)
        _remove_executions(connection, [old for old, _ in replaced])
        for segment, lines in rewritten.items():
            _move_positions(connection, segment, lines)
        removed = [old.event for old, _ in replaced]
        apply_events(connection, [new for _, new in replaced], cursors, decode, removed=removed)
        if command_ids:  # they keep their places in the order
            rows = [(number, event_id) for event_id, number in command_ids.items()]
            connection.executemany("UPDATE shell_commands SET id = ? WHERE event_id = ?", rows)
            forget_habits(connection)
        connection.execute("DELETE FROM fact_files")  # they are compared again


def _remove_event(connection: sqlite3.Connection, pair: ReplacedEvent) -> None:
    """Remove the rows of an event. Those that are folded from several are written again when it is applied."""
    old, new = pair
    event, run = old.event, connection.execute
    place = (event.id, old.segment, old.offset)
    if old.is_folded and run("DELETE FROM events WHERE id = ? AND segment = ? AND offset = ?", place).rowcount != 1:
        raise IndexUnusableError("an event is in the index by another line")
    match event.body:
        case CommandRan():
            run("DELETE FROM shell_commands WHERE event_id = ?", (event.id,))
        case BriefInjected():
            run("DELETE FROM injections WHERE event_id = ?", (event.id,))
            run("DELETE FROM injected_memories WHERE event_id = ?", (event.id,))
        case MemoryChecked():
            run("DELETE FROM memory_checks WHERE event_id = ?", (event.id,))
        case ProjectSeen(root=root):
            run("DELETE FROM project_roots WHERE scope = ? AND root = ?", (event.scope, root))
    if isinstance(event.body, SESSION_TYPES):
        query = "DELETE FROM session_events WHERE event_id = ? AND segment = ? AND offset = ?"
        is_moved = not isinstance(new.event.body, SESSION_TYPES) or _session_of(old) != _session_of(new)
        if is_moved or run(query, place).rowcount != 1:
            raise IndexUnusableError("an event is in the index by another line, or of another session")
        # What was learned from it without a model is learned again.
        number = (claim_number(session_id(*_session_of(old))),)
        run("DELETE FROM session_choices WHERE session_number = ?", number)
        run("DELETE FROM learned_sessions WHERE session_number = ? AND model = ''", number)


def _session_of(entry: IndexedEvent) -> tuple[str, str]:
    assert isinstance(entry.event.body, SESSION_TYPES)
    return entry.event.body.agent, entry.event.origin.session


def _remove_executions(connection: sqlite3.Connection, entries: Iterable[IndexedEvent]) -> None:
    """Remove commands of which one of these events is the last run."""
    runs = [
        shell_execution(event, segment, line)
        if isinstance(event.body, CommandRan)
        else agent_execution(event, segment, line)
        for event, _, segment, line, *_ in entries
    ]
    remove_commands(connection, [run for run in runs if run])


def _move_positions(connection: sqlite3.Connection, segment: str, lines: Sequence[RewrittenLine]) -> None:
    """Move the positions of all lines behind the rewritten ones of a segment."""
    offsets, numbers = [line.offset for line in lines], [line.number for line in lines]
    bytes_more = [0, *accumulate(line.bytes_more for line in lines)]
    lines_more = [0, *accumulate(line.lines_more for line in lines)]
    connection.create_function("moved_offset", 1, lambda at: at + bytes_more[bisect_left(offsets, at)])
    connection.create_function("moved_line", 1, lambda at: at + lines_more[bisect_left(numbers, at)])
    behind = (segment, offsets[0])
    for table in ("events", "session_events", "injections"):
        connection.execute(f"UPDATE {table} SET offset = moved_offset(offset) WHERE segment = ? AND offset > ?", behind)
    if any(lines_more):
        for table in ("events", "session_events", "commands"):
            connection.execute(f"UPDATE {table} SET line = moved_line(line) WHERE segment = ?", (segment,))
