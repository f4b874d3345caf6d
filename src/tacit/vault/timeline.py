"""What happened day by day, and what memory was worth week by week."""

from __future__ import annotations

import sqlite3
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise

from tacit.home.home import HomePart
from tacit.index import adherence, habits, reader, sessions
from tacit.index.habits import TimedCommand
from tacit.index.reader import MemoryRow
from tacit.model.event import timestamp
from tacit.model.session import AdherenceCounts
from tacit.record import Record
from tacit.vault.sessions import ListedSession
from tacit.vault.value import spared_sessions

_MAX_PAUSE = timedelta(minutes=30)  # between two turns that still counts as work
_EPOCH = date(1970, 1, 1)


class DayCount(Record):
    """How much happened on a day."""

    day: date
    sessions: int
    turns: int
    commands: int


class DayView(Record):
    """The sessions that began on a day, and the commands that ran in shells."""

    day: date
    sessions: tuple[ListedSession, ...]
    commands: tuple[TimedCommand, ...]


class WeekValue(Record):
    """A week from this Monday on.

    Attributes:
        sessions: those with a turn in this week.
        spared: sessions in which a memory that came from a correction was told and followed.
        injected: how often agents were told a memory; a memory counts once a session.
        followed, violated: how many of these the sessions followed or violated, as far as tool calls show it; stopped:
            how many a guard stopped.
        tokens: what was put into prompts.
        minutes: the time of work in sessions; a pause of more than half an hour is none.
    """

    monday: date
    sessions: int
    injected: int
    followed: int
    violated: int
    stopped: int
    tokens: int
    minutes: int
    spared: int

    @property
    def end(self) -> date:
        """The Monday after it."""
        return self.monday + timedelta(weeks=1)


class InjectedMemoryCount(Record):
    """A memory and how often it was told and followed."""

    row: MemoryRow
    counts: AdherenceCounts


class HourCount(Record):
    """How many commands ran in an hour of a weekday (Monday is 0)."""

    weekday: int
    hour: int
    commands: int


class Timeline(HomePart):
    """Queries over days and weeks of one home. Days are those of the person's clock now."""

    def days(self, count: int) -> list[DayCount]:
        """Return the last `count` days, today included, the earliest first."""
        today = self._now().date()
        first = today - timedelta(days=count - 1)
        with self._store.snapshot() as connection:
            start = self._start_of(first)
            by_day = sessions.sessions_by_day(connection, timestamp(start), self._offset())
            commands = habits.commands_by_day(connection, _milliseconds(start), self._offset())
            days = [first + timedelta(days=number) for number in range(count)]
            return [
                DayCount(day, *by_day.get(day.isoformat(), (0, 0)), commands.get((day - _EPOCH).days, 0))
                for day in days
            ]

    def day(self, day: date, *, max_commands: int = 500) -> DayView:
        """Return what happened on a day: all sessions, and the first commands."""
        start = self._start_of(day)
        end = start + timedelta(days=1)
        with self._store.snapshot() as connection:
            listed = []
            for session in sessions.sessions_between(connection, timestamp(start), timestamp(end)):
                row = sessions.session_row(connection, session)
                if row is not None:
                    listed.append(ListedSession(sessions.short_id(connection, session), row))
            commands = habits.commands_between(connection, _milliseconds(start), _milliseconds(end), max_commands)
            return DayView(day, tuple(listed), tuple(commands))

    def hours(self, days: int) -> list[HourCount]:
        """Return how many commands ran in each hour of the week, over the last days."""
        since = _milliseconds(self._now() - timedelta(days=days))
        counts = self._store.read(lambda connection: habits.commands_by_hour(connection, since, self._offset()))
        return [HourCount(day, hour, counts.get((day, hour), 0)) for day in range(7) for hour in range(24)]

    def weeks(self, count: int) -> list[WeekValue]:
        """Return what agents were told in the last weeks and what came of it, the earliest week first."""
        self._store.catch_up_fully()  # injections that no other query needs
        today = self._now().date()
        first = today - timedelta(days=today.weekday(), weeks=count - 1)
        start = self._start_of(first)

        def week_of(moment: datetime) -> int:
            return (moment.astimezone(self._now().tzinfo).date() - first).days // 7

        mondays = [first + timedelta(weeks=week) for week in range(count + 1)]
        with self._store.snapshot() as connection:
            weeks = [*pairwise(map(self._start_of, mondays))]
            recent = [adherence.recent_adherence(connection, *bounds) for bounds in weeks]
            seconds: Counter[int] = Counter()
            for moment, worked in _work(connection, timestamp(start)):
                seconds[week_of(moment)] += round(worked)
            return [
                WeekValue(
                    monday,
                    len(sessions.sessions_at_work(connection, *map(timestamp, bounds))),
                    counts.injected,
                    counts.followed,
                    counts.violated,
                    counts.stopped,
                    counts.tokens,
                    round(seconds[week] / 60),
                    spared_sessions(connection, *bounds),
                )
                for week, (monday, bounds, counts) in enumerate(zip(mondays, weeks, recent, strict=False))
            ]

    def most_injected(self, limit: int) -> list[InjectedMemoryCount]:
        """Return the memories that were told in the most sessions."""
        with self._store.snapshot() as connection:
            injected = adherence.most_injected(connection, limit)
            counts = adherence.counts_by_claim(connection, [claim for claim, _ in injected])
            rows = ((reader.memory_row(connection, claim), claim, number) for claim, number in injected)
            return [
                InjectedMemoryCount(row, counts.get(claim, AdherenceCounts())._replace(injected=number))
                for row, claim, number in rows
                if row is not None
            ]

    def _now(self) -> datetime:
        return self._store.actor.clock()

    def _offset(self) -> int:
        """Return how many minutes the person's clock is ahead of UTC."""
        offset = self._now().utcoffset()
        return int(offset.total_seconds() // 60) if offset else 0

    def _start_of(self, day: date) -> datetime:
        return datetime.combine(day, time(), self._now().tzinfo or UTC)


def _work(connection: sqlite3.Connection, since: str) -> list[tuple[datetime, float]]:
    """Return pieces of work: when each began, and its seconds. Long pauses between turns are left out."""
    pieces: list[tuple[datetime, float]] = []
    before: tuple[str, datetime, datetime] | None = None  # session, last turn and end of the session

    def add(start: datetime, end: datetime) -> None:
        if timedelta() < end - start <= _MAX_PAUSE:
            pieces.append((start, (end - start).total_seconds()))

    for session, began, ended in sessions.turns_since(connection, since):
        turn = datetime.fromisoformat(began)
        if before is not None:
            add(before[1], turn if before[0] == session else before[2])
        before = (session, turn, datetime.fromisoformat(ended))
    if before is not None:
        add(before[1], before[2])
    return pieces


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
