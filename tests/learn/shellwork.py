"""Commands as a shell would tell them, and a plain way to count habits: the whole history at once, nothing clever."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import groupby, pairwise
from typing import NamedTuple

from tacit.learn.command_names import parts
from tacit.learn.habits.detect import corrected
from tacit.learn.habits.habit import BETWEEN, Seen, Tally
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


def counted(history: Iterable[Line]) -> dict[Seen, Tally]:
    """What a person with a pencil would count."""
    runs: Counter[Seen] = Counter()
    sessions: dict[Seen, set[str]] = {}
    ordered = sorted(history, key=lambda line: (line.session, line.minute))
    for session, own in groupby(ordered, key=lambda line: line.session):
        for seen in _of_session(list(own)):
            runs[seen] += 1
            sessions.setdefault(seen, set()).add(session)
    return {seen: Tally(seen, number, len(sessions[seen])) for seen, number in runs.items()}


def _of_session(history: list[Line]) -> Iterable[Seen]:
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


def _single(stretch: list[Line]) -> Iterable[Seen]:
    for line in stretch:
        if line.ran.went_well and parts(line.ran.command):
            yield from [Seen(Kind.PREFERRED_CWD, line.ran.directory)] if line.ran.directory else []
            for part in parts(line.ran.command):
                yield from [] if part.trivial else [Seen(Kind.RECURRING_COMMAND, part.family)]


def _sequences(stretch: list[Line]) -> Iterable[Seen]:
    run = [part for line in stretch if line.ran.went_well for part in parts(line.ran.command)]
    every = [part.family for part in run if not part.trivial]
    families = [family for family, _ in groupby(every)]
    for length in (2, 3):
        for at in range(len(families) - length + 1):
            sequence = families[at : at + length]
            if len(set(sequence)) == length:
                yield Seen(Kind.WORKFLOW_PATTERN, BETWEEN.join(sequence))


def _substitutions(stretch: list[Line]) -> Iterable[Seen]:
    meaning = [line for line in stretch if not all(part.trivial for part in parts(line.ran.command))]
    for before, after in pairwise(meaning):
        if before.ran.went_well or not after.ran.went_well:
            continue
        if found := corrected(parts(before.ran.command), parts(after.ran.command)):
            yield Seen(Kind.PREFERENCE, BETWEEN.join(found))
