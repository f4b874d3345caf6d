"""The replay: turns in the order of their time. Each prompt is asked about before anything of its turn is known.

A turn is captured when it has ended, as a host's Stop hook has it done; sessions are learned from whenever one has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import IntEnum
from typing import NamedTuple

from bench.briefing.bearing import Everywhere, Traces, error_of, everywhere, memory_bears, session_bears, traces
from bench.briefing.home import Given, Item, ReplayHome
from bench.briefing.recorded import RecordedSession
from bench.briefing.systems import Moment, System, said_in
from tacit.model.ids import EventId
from tacit.model.observation import ToolOutcome, ToolUsed


class What(IntEnum):
    """In this order where the time is the same."""

    ASKED = 0
    DONE = 1
    ENDED = 2


class Step(NamedTuple):
    at: datetime
    what: What
    recorded: RecordedSession
    place: int


class Answer(NamedTuple):
    """What a system gave at a prompt, and all that is before the agent by then."""

    given: Given
    seen: frozenset[str]


class Asked(NamedTuple):
    """A prompt: what bears on it, with the reasons; what each system gave; the lines of all that was known, and
    which of it are sessions."""

    recorded: RecordedSession
    place: int
    bearing: dict[str, frozenset[str]]
    answers: dict[str, Answer]
    known: dict[str, Item]
    sessions: frozenset[str]

    @property
    def prompt(self) -> str:
        return self.recorded.parts[self.place].prompt


def steps(sessions: Sequence[RecordedSession]) -> list[Step]:
    every = []
    for recorded in sessions:
        for place, part in enumerate(recorded.parts):
            if part.prompt:
                every.append(Step(part.began, What.ASKED, recorded, place))
            every.append(Step(part.ended, What.DONE, recorded, place))
        every.append(Step(recorded.parts[-1].ended, What.ENDED, recorded, len(recorded.parts)))
    return sorted(every, key=lambda step: (step.at, step.what, step.recorded.session.id, step.place))


class Replay:
    """One run over all sessions in one home."""

    def __init__(self, sessions: Sequence[RecordedSession], home: ReplayHome, systems: Sequence[System]) -> None:
        self._steps = steps(sessions)
        self._home = home
        self._systems = systems
        self._everywhere = everywhere(sessions)
        self._recorded = {str(one.session.id): one for one in sessions}
        self._done: dict[str, int] = {}  # turns of a session that are captured
        self._traces: dict[tuple[str, int, bool], Traces] = {}
        self._errors = dict(_errors(sessions))
        self._seen: dict[tuple[str, str], frozenset[str]] = {}  # by system and session

    def __iter__(self) -> Iterator[Asked]:
        for step in self._steps:
            self._home.at(step.at)
            if step.what is What.ASKED:
                yield self._asked(step.recorded, step.place)
            elif step.what is What.DONE:
                self._home.capture(step.recorded.parts[step.place])
                self._done[step.recorded.session.id] = step.place + 1
            else:
                self._home.learn()

    def _asked(self, recorded: RecordedSession, place: int) -> Asked:
        moment = self._moment(recorded, place)
        bearing = self._bearing(moment, place)
        answers = {
            system.name: self._answer(system, moment._replace(bearing=tuple(bearing))) for system in self._systems
        }
        names = [*(row.id for row in moment.sessions), *(entry.id for entry in moment.memories)]
        known = {item.id: item for item in moment.items(names)}
        return Asked(recorded, place, bearing, answers, known, frozenset(row.id for row in moment.sessions))

    def _moment(self, recorded: RecordedSession, place: int) -> Moment:
        session = recorded.session
        is_first = not any(part.prompt for part in recorded.parts[:place])
        forgot = recorded.is_compacted_before(place)
        rows = [row for row in self._home.rows(session.scope) if row.id != session.id]
        texts = {str(row.id): self._text(row.id) for row in rows}
        source = "compact" if forgot else "startup"
        part = recorded.parts[place]
        return Moment(recorded, part, is_first or forgot, source, rows, self._home.memories(session.scope), texts)

    def _text(self, name: str) -> str:
        recorded = self._recorded[name]
        return said_in(recorded.parts[: self._done[name]])

    def _bearing(self, moment: Moment, place: int) -> dict[str, frozenset[str]]:
        common = self._everywhere[moment.recorded.root]
        later = self._of(moment.recorded.session.id, place, common, later=True)
        found = {
            str(row.id): session_bears(self._of(row.id, self._done[row.id], common, later=False), later)
            for row in moment.sessions
        }
        for entry in moment.memories:
            failed = {self._errors.get(name, "") for name in self._home.learned_from(entry.id)}
            found[entry.id] = memory_bears(entry.sentence, frozenset(filter(None, failed)), later)
        return {name: reasons for name, reasons in found.items() if reasons}

    def _of(self, name: str, place: int, common: Everywhere, *, later: bool) -> Traces:
        """The traces of a session up to a turn, or from it on."""
        key = (name, place, later)
        if key not in self._traces:
            recorded = self._recorded[name]
            parts = recorded.parts[place:] if later else recorded.parts[:place]
            after = recorded.parts[place].asked if later else None
            self._traces[key] = traces(recorded.session, parts, after=after).without(common)
        return self._traces[key]

    def _answer(self, system: System, moment: Moment) -> Answer:
        key = (system.name, moment.recorded.session.id)
        already = frozenset() if moment.source == "compact" else self._seen.get(key, frozenset())
        given = system.give(moment._replace(already=already))
        self._seen[key] = already | {item.id for item in given.items}
        return Answer(given, self._seen[key])


def _errors(sessions: Sequence[RecordedSession]) -> Iterator[tuple[EventId, str]]:
    for event in (event for one in sessions for part in one.parts for event in part.events):
        if isinstance(event.body, ToolUsed) and event.body.outcome is ToolOutcome.FAILED:
            yield event.id, error_of(event.body.result)
