"""Sessions, in the order of time: what each policy tells at each prompt, and what Tacit tells at each first edit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import IntEnum
from typing import NamedTuple

from bench.briefing.home import Given, Item, ReplayHome
from bench.briefing.policies import Moment, Policy, Tacit
from bench.briefing.recorded import RecordedSession
from tacit.model.observation import ToolAction


class What(IntEnum):
    """In this order where the time is the same."""

    ASKED = 0
    EDITED = 1
    DONE = 2
    ENDED = 3


class Step(NamedTuple):
    at: datetime
    what: What
    recorded: RecordedSession
    place: int
    path: str = ""  # of a file that is edited


class Asked(NamedTuple):
    """A prompt, or the first edit of a file in a session, and what each policy told there."""

    recorded: RecordedSession
    place: int
    path: str
    answers: dict[str, Given]

    @property
    def prompt(self) -> str:
        return self.recorded.parts[self.place].prompt

    @property
    def items(self) -> dict[str, Item]:
        """Everything that any policy told, by its id. Of several lines with one id, the last policy's."""
        return {item.id: item for given in self.answers.values() for item in given.items}


def steps(sessions: Sequence[RecordedSession]) -> list[Step]:
    every = []
    for recorded in sessions:
        edited: set[str] = set()
        for place, part in enumerate(recorded.parts):
            if part.prompt:
                every.append(Step(part.began, What.ASKED, recorded, place))
            calls = [call for call in part.turn.calls if call.act is ToolAction.CHANGED]
            first = dict.fromkeys(path for call in calls for path in call.files if path not in edited)
            edited.update(first)
            every += [Step(part.began, What.EDITED, recorded, place, path) for path in first]
            every.append(Step(part.ended, What.DONE, recorded, place))
        every.append(Step(recorded.parts[-1].ended, What.ENDED, recorded, len(recorded.parts)))
    return sorted(every, key=lambda step: (step.at, step.what, step.recorded.session.id, step.place))


class Replay:
    """One run over all sessions in one home."""

    def __init__(self, sessions: Sequence[RecordedSession], home: ReplayHome, policies: Sequence[Policy]) -> None:
        self._steps = steps(sessions)
        self._home = home
        self._policies = policies
        self._seen: dict[tuple[str, str], frozenset[str]] = {}  # by policy and session

    def __iter__(self) -> Iterator[Asked]:
        for step in self._steps:
            self._home.at(step.at)
            match step.what:
                case What.ASKED:
                    yield self._asked(step.recorded, step.place)
                case What.EDITED:
                    given = self._home.edit(step.recorded, step.recorded.parts[step.place], step.path)
                    yield Asked(step.recorded, step.place, step.path, {Tacit.name: given})
                case What.DONE:
                    self._home.capture(step.recorded.parts[step.place])
                case What.ENDED:
                    self._home.learn()

    def _asked(self, recorded: RecordedSession, place: int) -> Asked:
        moment = self._moment(recorded, place)
        return Asked(recorded, place, "", {policy.name: self._answer(policy, moment) for policy in self._policies})

    def _moment(self, recorded: RecordedSession, place: int) -> Moment:
        session = recorded.session
        is_first = not any(part.prompt for part in recorded.parts[:place])
        forgot = recorded.is_compacted_before(place)
        rows = [row for row in self._home.rows(session.scope) if row.id != session.id]
        source = "compact" if forgot else "startup"
        return Moment(recorded, recorded.parts[place], is_first or forgot, source, rows)

    def _answer(self, policy: Policy, moment: Moment) -> Given:
        key = (policy.name, moment.recorded.session.id)
        already = frozenset() if moment.source == "compact" else self._seen.get(key, frozenset())
        given = policy.give(moment._replace(already=already))
        self._seen[key] = already | {item.id for item in given.items}
        return given
