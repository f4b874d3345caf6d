"""Workflows as the index holds them: the events they are folded from, and their runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from tacit.index.reader import EVENT_LINE, SELECT_UNDONE, Decode
from tacit.model.event import USER
from tacit.model.ids import EventId
from tacit.model.observation import WorkflowRan
from tacit.model.workflow import PastRun, RunReference, Workflow, fold_workflows

_SELECT_SAVED_OR_DROPPED = f"SELECT {EVENT_LINE} FROM event WHERE type IN ('workflow.saved', 'workflow.dropped')"
# Only the names are read of all runs: a person who runs one every hour soon has thousands.
_SELECT_RUNS = f"""
  SELECT id, json_extract(line, '$.body.name')
  FROM (SELECT id, CAST({EVENT_LINE} AS TEXT) AS line FROM event WHERE type = 'workflow.ran')
  WHERE json_extract(line, '$.actor') = ?
"""


def load_workflows(connection: sqlite3.Connection, decode: Decode) -> list[Workflow]:
    """The workflows that stand, each with its last run. What others than the person ran tells nothing."""
    said = [decode(raw) for (raw,) in connection.execute(_SELECT_SAVED_OR_DROPPED)]
    if not said:
        return []
    said += [decode(raw) for (raw,) in connection.execute(SELECT_UNDONE)]
    ran = [RunReference(EventId(event), name or "") for event, name in connection.execute(_SELECT_RUNS, (USER,))]
    return [_with_last_run(connection, one, decode) for one in fold_workflows(said, ran)]


def load_runs(connection: sqlite3.Connection, events: Iterable[EventId], decode: Decode) -> Iterator[PastRun]:
    for event in events:
        row = connection.execute(f"SELECT {EVENT_LINE} FROM event WHERE id = ?", (event,)).fetchone()
        ran = decode(row[0]) if row else None
        if ran and isinstance(ran.body, WorkflowRan):
            yield PastRun(ran.at, ran.body)


def _with_last_run(connection: sqlite3.Connection, workflow: Workflow, decode: Decode) -> Workflow:
    return workflow._replace(last_run=next(load_runs(connection, workflow.runs[-1:], decode), None))
