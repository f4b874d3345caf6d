"""`evaluations/DATE.md`: how well memory is kept, measure by measure."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.core.event import Event
from tacit.core.observation import Evaluated
from tacit.notes.escape import escape


def heading(event: Event) -> str:
    """The first line of a day's evaluation."""
    assert isinstance(event.body, Evaluated)
    points = sum(score.points for score in event.body.scores)
    return f"# Evaluation of {event.body.day}: {points} of {2 * len(event.body.scores)} points"


def render(_day: str, events: Iterable[Event]) -> list[str]:
    lines: list[str] = []
    for event in events:
        body = event.body
        assert isinstance(body, Evaluated)
        lines += [heading(event), ""]
        lines += [f"- {escape(score.name)}: {score.points}/2, {escape(score.reason)}" for score in body.scores]
    return lines
