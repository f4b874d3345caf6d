"""`evaluations/DATE.md`: how well memory is kept, measure by measure."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.core.event import Event
from tacit.core.observation import Evaluated
from tacit.notes.escape import escape


def render(day: str, events: Iterable[Event]) -> list[str]:
    lines: list[str] = []
    for event in events:
        body = event.body
        assert isinstance(body, Evaluated)
        points = sum(score.points for score in body.scores)
        lines += [f"# Evaluation of {day}: {points} of {2 * len(body.scores)} points", ""]
        lines += [f"- {escape(score.name)}: {score.points}/2, {escape(score.reason)}" for score in body.scores]
    return lines
