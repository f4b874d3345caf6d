"""Queries of workflows: folded from their events, each with its last run."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from tacit.index.reader import EVENT_LINE, SELECT_UNDONE, Decode, select_events
from tacit.model.event import USER
from tacit.model.ids import EventId
from tacit.model.observation import WorkflowRan
from tacit.model.workflow import PastRun, RunReference, Workflow, fold_workflows

_SELECT_SAVED_OR_DROPPED = f"SELECT {EVENT_LINE} FROM events WHERE type IN ('workflow.saved', 'workflow.dropped')"
# Only the names of runs are read: a workflow that runs every hour soon has thousands.
_SELECT_RUNS = f"""
  SELECT id, json_extract(line, '$.body.name')
  FROM (SELECT id, CAST({EVENT_LINE} AS TEXT) AS line FROM events WHERE type = 'workflow.ran')
  WHERE json_extract(line, '$.actor') = ?
"""


def load_workflows(connection: sqlite3.Connection, decode: Decode) -> list[Workflow]:
    """Return the saved workflows, each with its last run. Only runs by the person count."""
    events = select_events(connection, decode, _SELECT_SAVED_OR_DROPPED)
    if not events:
        return []
    events += select_events(connection, decode, SELECT_UNDONE)
    runs = [RunReference(EventId(event), name or "") for event, name in connection.execute(_SELECT_RUNS, (USER,))]
    return [
        workflow._replace(last_run=next(load_runs(connection, workflow.runs[-1:], decode), None))
        for workflow in fold_workflows(events, runs)
    ]


def load_runs(connection: sqlite3.Connection, events: Iterable[EventId], decode: Decode) -> Iterator[PastRun]:
    """Yield the runs that these events record. Missing events are skipped."""
    for event_id in events:
        row = connection.execute(f"SELECT {EVENT_LINE} FROM events WHERE id = ?", (event_id,)).fetchone()
        event = decode(row[0]) if row else None
        if event and isinstance(event.body, WorkflowRan):
            yield PastRun(event.at, event.body)
