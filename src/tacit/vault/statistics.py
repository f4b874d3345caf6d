"""What was captured and learned, in numbers."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from tacit.core.claim import Kind
from tacit.core.status import Status
from tacit.index import habits, reader
from tacit.learn.habits.habit import SCALES
from tacit.vault.filing import must_decode
from tacit.vault.learning import SOURCE, waiting

WEEKS = 12
_TOP = 10
_DAY = 24 * 60 * 60 * 1000
_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Week:
    """Commands of a week that began on this Monday."""

    monday: date
    commands: int


@dataclass(frozen=True, slots=True)
class Often:
    """Something that was run or visited often."""

    key: str
    runs: int
    sessions: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """What there is. Dates are those of the first and the last command."""

    commands: int
    failed: int
    sessions: int
    directories: int
    first: str
    last: str
    shells: tuple[tuple[str, int], ...]
    weeks: tuple[Week, ...]
    often: tuple[Often, ...]
    places: tuple[Often, ...]
    habits: tuple[tuple[str, int], ...]
    waiting: int
    accepted: int
    dismissed: int


def statistics(connection: sqlite3.Connection, today: date) -> Statistics:
    total = habits.activity(connection)
    decided = _decided(connection)
    return Statistics(
        commands=total.commands,
        failed=total.failed,
        sessions=total.sessions,
        directories=total.directories,
        first=_day(total.first) if total.commands else "",
        last=_day(total.last) if total.commands else "",
        shells=tuple(habits.by_shell(connection)),
        weeks=_weeks(connection, today),
        often=_top(connection, Kind.RECURRING_COMMAND),
        places=_top(connection, Kind.PREFERRED_CWD),
        habits=tuple((kind.label, _count(connection, kind)) for kind in SCALES),
        waiting=len(waiting(connection)),
        accepted=decided.count(Status.ACTIVE),
        dismissed=decided.count(Status.DISMISSED),
    )


def _day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).date().isoformat()


def _weeks(connection: sqlite3.Connection, today: date) -> tuple[Week, ...]:
    this = today - timedelta(days=today.weekday())
    mondays = [this - timedelta(weeks=back) for back in reversed(range(WEEKS))]
    first = (mondays[0] - _EPOCH).days
    days = habits.by_day(connection, first * _DAY)
    weeks = [range((monday - _EPOCH).days, (monday - _EPOCH).days + 7) for monday in mondays]
    return tuple(
        Week(monday, sum(days.get(day, 0) for day in week)) for monday, week in zip(mondays, weeks, strict=True)
    )


def _top(connection: sqlite3.Connection, kind: Kind) -> tuple[Often, ...]:
    found = habits.counted(connection, kind, runs=1, sessions=1, most=_TOP)
    return tuple(Often(one.key, one.runs, one.sessions) for one in found)


def _count(connection: sqlite3.Connection, kind: Kind) -> int:
    scale = SCALES[kind]
    return habits.how_many(connection, kind, runs=scale.runs, sessions=scale.sessions)


def _decided(connection: sqlite3.Connection) -> Sequence[Status]:
    entries = [entry for entry in reader.entries(connection, status=None) if entry.kind in SCALES]
    memories = [memory for entry in entries if (memory := reader.memory(connection, entry.id, must_decode))]
    return [memory.status for memory in memories if memory.source == SOURCE]
