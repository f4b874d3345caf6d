"""Commands as a shell would tell them, and a plain way to count habits: the whole history at once, nothing clever."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import groupby, pairwise
from typing import NamedTuple

from tacit.commandline.names import parse_commands
from tacit.learn.habits.corrections import KEY_SEPARATOR, find_correction
from tacit.learn.habits.habit import HabitKey, HabitTally
from tacit.model.claim import Kind
from tacit.model.observation import CommandRan

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Line(NamedTuple):
    """A line of a session, so many minutes after the start."""

    session: str
    minute: float
    ran: CommandRan

    @property
    def at(self) -> datetime:
        return START + timedelta(minutes=self.minute)


def lines(
    session: str, *commands: str, start: float = 0, status: int = 0, directory: str = "/srv/app/api"
) -> list[Line]:
    """A minute apart."""
    return [
        Line(session, start + number, CommandRan(command, directory, status)) for number, command in enumerate(commands)
    ]


def counted(history: Iterable[Line]) -> dict[HabitKey, HabitTally]:
    """What a person with a pencil would count."""
    runs: Counter[HabitKey] = Counter()
    sessions: dict[HabitKey, set[str]] = {}
    ordered = sorted(history, key=lambda line: (line.session, line.minute))
    for session, own in groupby(ordered, key=lambda line: line.session):
        for seen in _of_session(list(own)):
            runs[seen] += 1
            sessions.setdefault(seen, set()).add(session)
    return {seen: HabitTally(seen, number, len(sessions[seen])) for seen, number in runs.items()}


def _of_session(history: list[Line]) -> Iterable[HabitKey]:
    for stretch in _without_pauses(history):
        yield from _single(stretch)
        yield from _sequences(stretch)
        yield from _substitutions(stretch)


def _without_pauses(history: list[Line]) -> list[list[Line]]:
    stretches: list[list[Line]] = []
    for line in history:
        if not stretches or line.minute - stretches[-1][-1].minute > 30:
            stretches.append([])
        stretches[-1].append(line)
    return stretches


def _single(stretch: list[Line]) -> Iterable[HabitKey]:
    for line in stretch:
        if line.ran.is_success and parse_commands(line.ran.command):
            yield from [HabitKey(Kind.PREFERRED_CWD, line.ran.directory)] if line.ran.directory else []
            for part in parse_commands(line.ran.command):
                yield from [] if part.is_trivial else [HabitKey(Kind.RECURRING_COMMAND, part.family)]


def _sequences(stretch: list[Line]) -> Iterable[HabitKey]:
    run = [part for line in stretch if line.ran.is_success for part in parse_commands(line.ran.command)]
    every = [part.family for part in run if not part.is_trivial]
    families = [family for family, _ in groupby(every)]
    for length in (2, 3):
        for at in range(len(families) - length + 1):
            sequence = families[at : at + length]
            if len(set(sequence)) == length:
                yield HabitKey(Kind.WORKFLOW_PATTERN, KEY_SEPARATOR.join(sequence))


def _substitutions(stretch: list[Line]) -> Iterable[HabitKey]:
    meaning = [line for line in stretch if not all(part.is_trivial for part in parse_commands(line.ran.command))]
    for before, after in pairwise(meaning):
        if before.ran.is_success or not after.ran.is_success:
            continue
        if found := find_correction(parse_commands(before.ran.command), parse_commands(after.ran.command)):
            yield HabitKey(Kind.PREFERENCE, KEY_SEPARATOR.join(found))
