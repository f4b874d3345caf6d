"""`worklog/DATE.md`: what was done on a day, one heading an entry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tacit.core.claim import project_name
from tacit.core.event import Event, local_time
from tacit.core.observation import WorkLogged
from tacit.notes.escape import escape


def render(day: str, events: Iterable[Event]) -> list[str]:
    return [f"# Worklog {day}", *(line for event in events for line in _entry(event))]


def heading(event: Event) -> str:
    """The line by which an entry is found again."""
    assert isinstance(event.body, WorkLogged)
    task = f"{escape(event.body.task)}: " if event.body.task else ""
    return f"## {local_time(event.origin):%H:%M} {task}{escape(event.body.summary)}"


def _entry(event: Event) -> Iterator[str]:
    body = event.body
    assert isinstance(body, WorkLogged)
    yield ""
    yield heading(event)
    yield ""
    if name := project_name(event.scope):
        yield f"- Project: {escape(name)}"
    for label, text in (("Changes", body.changes), ("Evidence", body.evidence), ("Next", body.next)):
        if text:
            yield f"- {label}: {escape(text)}"
