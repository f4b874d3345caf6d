"""Who tells what at a prompt: Tacit as its hooks do, and the last sessions of the project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from bench.briefing.home import Given, Item, ReplayHome
from bench.briefing.recorded import Part, RecordedSession
from tacit.index.sessions import SessionRow
from tacit.text.display import clip
from tacit.text.words import estimate_tokens

_TITLE, _OUTCOME = 100, 160  # characters


class Moment(NamedTuple):
    """A prompt, and what is known before it. `already` are the ids that this session was given by the same policy and
    has not forgotten."""

    recorded: RecordedSession
    part: Part
    start: bool
    source: str
    sessions: Sequence[SessionRow]  # the latest first
    already: frozenset[str] = frozenset()


class Policy(Protocol):
    @property
    def name(self) -> str: ...

    def give(self, moment: Moment) -> Given: ...


class Tacit:
    """What the hooks at the start of a session and at a prompt would say."""

    name = "Tacit"

    def __init__(self, home: ReplayHome) -> None:
        self._home = home

    def give(self, moment: Moment) -> Given:
        return self._home.give(moment.recorded, moment.part, start=moment.start, source=moment.source)


class LastSessions(NamedTuple):
    """At the start of a session, the last ones of the project."""

    name: str
    sessions: int

    def give(self, moment: Moment) -> Given:
        rows = [row for row in moment.sessions[: self.sessions] if row.id not in moment.already] if moment.start else []
        items = tuple(Item(row.id, _session_line(row)) for row in rows)
        return Given(items, estimate_tokens("\n".join(item.line for item in items)))


def _session_line(row: SessionRow) -> str:
    outcome = f" Outcome: {clip(row.outcome, _OUTCOME)}" if row.outcome else ""
    return f"- [{row.ended_at[:10]}] {clip(row.title, _TITLE)}{outcome} ({row.id})"
