"""The replay: turns in the order of their time. Each prompt is asked about before anything of its turn is known.

A turn is captured when it has ended, as a host's Stop hook has it done; sessions are learned from whenever one has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import IntEnum
from typing import NamedTuple

from bench.briefing.home import Given, Item, ReplayHome
from bench.briefing.judging import memory_bears, session_bears
from bench.briefing.sittings import Sitting
from bench.briefing.systems import Moment, System, said_in
from bench.briefing.traces import Everywhere, Traces, error_of, everywhere, traces
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
    sitting: Sitting
    place: int


class Answer(NamedTuple):
    """What a system gave at a prompt, and all that is before the agent by then."""

    given: Given
    seen: frozenset[str]


class Asked(NamedTuple):
    """A prompt: what bears on it, with the reasons; what each system gave; the lines of all that was known, and
    which of it are sessions."""

    sitting: Sitting
    place: int
    bearing: dict[str, frozenset[str]]
    answers: dict[str, Answer]
    known: dict[str, Item]
    sessions: frozenset[str]

    @property
    def prompt(self) -> str:
        return self.sitting.parts[self.place].prompt


def steps(sittings: Sequence[Sitting]) -> list[Step]:
    every = []
    for sitting in sittings:
        for place, part in enumerate(sitting.parts):
            if part.prompt:
                every.append(Step(part.began, What.ASKED, sitting, place))
            every.append(Step(part.ended, What.DONE, sitting, place))
        every.append(Step(sitting.parts[-1].ended, What.ENDED, sitting, len(sitting.parts)))
    return sorted(every, key=lambda step: (step.at, step.what, step.sitting.session.id, step.place))


class Replay:
    """One run over all sittings in one home."""

    def __init__(self, sittings: Sequence[Sitting], home: ReplayHome, systems: Sequence[System]) -> None:
        self._steps = steps(sittings)
        self._home = home
        self._systems = systems
        self._everywhere = everywhere(sittings)
        self._sittings = {str(one.session.id): one for one in sittings}
        self._done: dict[str, int] = {}  # turns of a session that are captured
        self._traces: dict[tuple[str, int, bool], Traces] = {}
        self._errors = dict(_errors(sittings))
        self._seen: dict[tuple[str, str], frozenset[str]] = {}  # by system and session

    def __iter__(self) -> Iterator[Asked]:
        for step in self._steps:
            self._home.at(step.at)
            if step.what is What.ASKED:
                yield self._asked(step.sitting, step.place)
            elif step.what is What.DONE:
                self._home.capture(step.sitting.parts[step.place])
                self._done[step.sitting.session.id] = step.place + 1
            else:
                self._home.learn()

    def _asked(self, sitting: Sitting, place: int) -> Asked:
        moment = self._moment(sitting, place)
        bearing = self._bearing(moment, place)
        answers = {
            system.name: self._answer(system, moment._replace(bearing=tuple(bearing))) for system in self._systems
        }
        names = [*(row.id for row in moment.sessions), *(entry.id for entry in moment.memories)]
        known = {item.id: item for item in moment.items(names)}
        return Asked(sitting, place, bearing, answers, known, frozenset(row.id for row in moment.sessions))

    def _moment(self, sitting: Sitting, place: int) -> Moment:
        session = sitting.session
        is_first = not any(part.prompt for part in sitting.parts[:place])
        forgot = sitting.is_compacted_before(place)
        rows = [row for row in self._home.rows(session.scope) if row.id != session.id]
        texts = {str(row.id): self._text(row.id) for row in rows}
        source = "compact" if forgot else "startup"
        part = sitting.parts[place]
        return Moment(sitting, part, is_first or forgot, source, rows, self._home.memories(session.scope), texts)

    def _text(self, name: str) -> str:
        sitting = self._sittings[name]
        return said_in(sitting.parts[: self._done[name]])

    def _bearing(self, moment: Moment, place: int) -> dict[str, frozenset[str]]:
        common = self._everywhere[moment.sitting.root]
        later = self._of(moment.sitting.session.id, place, common, later=True)
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
            sitting = self._sittings[name]
            parts = sitting.parts[place:] if later else sitting.parts[:place]
            after = sitting.parts[place].asked if later else None
            self._traces[key] = traces(sitting.session, parts, after=after).without(common)
        return self._traces[key]

    def _answer(self, system: System, moment: Moment) -> Answer:
        key = (system.name, moment.sitting.session.id)
        already = frozenset() if moment.source == "compact" else self._seen.get(key, frozenset())
        given = system.give(moment._replace(already=already))
        self._seen[key] = already | {item.id for item in given.items}
        return Answer(given, self._seen[key])


def _errors(sittings: Sequence[Sitting]) -> Iterator[tuple[EventId, str]]:
    for event in (event for one in sittings for part in one.parts for event in part.events):
        if isinstance(event.body, ToolUsed) and event.body.outcome is ToolOutcome.FAILED:
            yield event.id, error_of(event.body.result)
