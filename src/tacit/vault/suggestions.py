"""Candidates that wait for a decision, with their counts; and statistics."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from tacit.errors import LockBusy, ReadOnly
from tacit.home.home import Part
from tacit.index import habits, reader
from tacit.index.habits import Ran
from tacit.index.memories import opposing
from tacit.learn.habits.counts import ScopeOf, scopes
from tacit.learn.habits.habit import SCALES, Tally, group, label, seen_of
from tacit.learn.habits.learn import SOURCE, Learned, day_of, last_part, learn, milliseconds, ranked, recipe_of, waiting
from tacit.learn.habits.recipe import Recipe
from tacit.log.codec import must_decode
from tacit.model.claim import Kind, Status
from tacit.model.event import Proposed, local_day
from tacit.model.memory import Memory
from tacit.vault.queries import Counts, Filters, Listed, Queries

_SHOWN = 5  # occurrences told as a reason


class Suggestions(Part):
    """Habits of one home."""

    def suggestions(
        self, scope: str = "all", *, kind: str | None = None, filters: Filters | None = None
    ) -> list[Listed]:
        """What waits for a decision; learned up to now where the home can be written.

        First come the habits that tell much, then what was said or proposed, the surest first, and then the other
        habits: from histories without timestamps, everybody's, of a single session, idle.
        """
        self.learn_if_possible()
        pending = Queries(self._home).entries(status=Status.PENDING, scope=scope, kind=kind, filters=filters)
        listed = {one.memory.id: one for one in pending}

        def ask(connection: sqlite3.Connection) -> list[Listed]:
            scope_of = scopes(connection, self._home.user_folder)
            now = milliseconds(self._store.speaker.clock())
            habits_waiting = ranked(connection, scope_of, now)
            cards = [
                (group(tally, now), self._with_counts(connection, listed[memory.id], tally, scope_of))
                for memory, tally in habits_waiting
                if memory.id in listed
            ]
            others = [_with_reasons(connection, one) for one in listed.values() if one.memory.source != SOURCE]
            others.sort(key=lambda one: -one.memory.confidence)
            telling = [card for number, card in cards if number == 0]
            return [*telling, *others, *(card for number, card in cards if number)]

        return self._store.read(ask)

    def statistics(self) -> Statistics:
        """Return what was captured and learned, in numbers; learned up to now where the home can be written."""

        self.learn_if_possible()
        today = local_day(self._store.speaker.origin())
        return self._store.read(lambda connection: statistics(connection, today))

    def occurrences(self, memory: Memory) -> list[Ran]:
        """The commands behind a habit: the last one of each session it was seen in, the latest first."""
        seen = seen_of(memory.claim)

        def ask(connection: sqlite3.Connection) -> list[Ran]:
            ends = habits.sessions_of(connection, seen.kind, last_part(seen), most=_SHOWN) if seen else []
            return [ran for end in ends for ran in habits.recent(connection, end, 1)]

        return self._store.read(ask)

    def recipe(self, memory: Memory) -> Recipe | None:
        """How the commands of a habit were really typed, and where; nothing for what is no sequence."""
        seen = seen_of(memory.claim)
        if seen is None or seen.kind is not Kind.WORKFLOW_PATTERN:
            return None

        def ask(connection: sqlite3.Connection) -> Recipe:
            return recipe_of(connection, seen, memory.claim.scope, scopes(connection, self._home.user_folder))

        return self._store.read(ask)

    def _with_counts(self, connection: sqlite3.Connection, listed: Listed, tally: Tally, scope_of: ScopeOf) -> Listed:
        steps: tuple[str, ...] = ()
        if tally.seen.kind is Kind.WORKFLOW_PATTERN:
            steps = recipe_of(connection, tally.seen, tally.scope, scope_of).steps
        last = day_of(tally) if tally.has_times else ""
        counts = Counts(label(tally.seen), tally.runs, tally.sessions, last, tally.has_times, steps)
        return listed._replace(counted=counts)

    def learn_if_possible(self) -> None:
        """Where there is a home, and it can be written."""
        if os.path.isdir(self._home.root):
            with suppress(ReadOnly, LockBusy):
                self.learn()

    def learn(self) -> Learned:
        return learn(self._store, self._home.user_folder)


def _with_reasons(connection: sqlite3.Connection, one: Listed) -> Listed:
    if one.counted:
        return one
    bodies = (event.body for event in reader.events_of(connection, one.memory.id, must_decode))
    reasons = [body.reason for body in bodies if isinstance(body, Proposed) and body.reason]
    entries = (reader.entry(connection, claim) for claim in opposing(connection, one.memory.claim))
    return one._replace(why=reasons[-1] if reasons else "", against=tuple(entry for entry in entries if entry))


# What was captured and learned, in numbers.

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
