"""The rows of pages: entries of the worklog, and the latest evaluation of each day."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from tacit.core.event import Event, timestamp
from tacit.core.judgement import Undone
from tacit.core.memory import undone
from tacit.core.observation import Evaluated, WorkLogged
from tacit.core.text import words
from tacit.index.lists import Lists, Wording
from tacit.index.parts import page_number
from tacit.index.reader import LINE, TAKEN_BACK, Decode
from tacit.index.rows import mark_stale
from tacit.record import Record

_SUPERSEDE = """
  UPDATE page SET void = event <> (SELECT max(event) FROM page WHERE kind = 'evaluation' AND day = :day)
  WHERE kind = 'evaluation' AND day = :day
"""


_ENTRY = f"""
  SELECT event.id, day, void, {LINE} FROM page JOIN event ON event.id = page.event
  WHERE page.event = ? AND kind = 'worklog'
"""


class _Page(Record):
    kind: str
    day: str
    title: str
    text: str


def add_pages(connection: sqlite3.Connection, lists: Lists, events: Sequence[Event]) -> None:
    for event in events:
        page = _page(event)
        number = page_number(event.id)
        row = (number, event.id, page.kind, event.scope, page.day, timestamp(event.at), page.title)
        connection.execute("INSERT OR IGNORE INTO page VALUES (?, ?, ?, ?, ?, ?, ?, 0)", row)
        if page.kind == "evaluation":
            connection.execute(_SUPERSEDE, {"day": page.day})
        lists.put([Wording(number, " ".join(words(page.title)), " ".join(words(page.text)))], fresh=True)
        mark_stale(connection, [f"{page.kind} {page.day}"])


def weigh_undone(connection: sqlite3.Connection, decode: Decode) -> None:
    """Worklog entries can be undone too. There are few undone events; all of them are weighed together."""
    rows = connection.execute(TAKEN_BACK).fetchall()
    takebacks = [decode(raw) for (raw,) in rows]
    named = {target for event in takebacks if isinstance(event.body, Undone) for target in event.body.targets}
    entries = [row for target in sorted(named) if (row := connection.execute(_ENTRY, (target,)).fetchone())]
    void = undone(sorted([*takebacks, *(decode(raw) for *_, raw in entries)], key=lambda event: event.id))
    for name, day, was_void, _ in entries:
        if bool(was_void) != (name in void):
            connection.execute("UPDATE page SET void = ? WHERE event = ?", (name in void, name))
            mark_stale(connection, [f"worklog {day}"])


def _page(event: Event) -> _Page:
    match event.body:
        case WorkLogged(task, summary, changes, evidence, following):
            title = f"{task}: {summary}" if task else summary
            return _Page("worklog", event.day.isoformat(), title, "\n".join((changes, evidence, following)))
        case Evaluated(day, scores):
            points, most = sum(score.points for score in scores), 2 * len(scores)
            text = "\n".join(f"{score.name} {score.reason}" for score in scores)
            return _Page("evaluation", day, f"Evaluation of {day}: {points} of {most} points", text)
    raise TypeError(type(event.body).__name__)
