"""Candidates that wait for a decision, with their counts; and statistics."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from tacit.errors import LockBusyError, ReadOnlyError
from tacit.home.home import HomePart
from tacit.index import habits, reader
from tacit.index.habits import RecordedCommand
from tacit.index.memories import opposing_claims
from tacit.learn.habits.counts import ScopeLookup, scope_lookup
from tacit.learn.habits.habit import HABIT_THRESHOLDS, HabitTally, habit_from_claim, habit_label, priority_group
from tacit.learn.habits.learn import (
    SOURCE,
    LearnedHabits,
    habit_recipe,
    last_counted_key,
    last_day,
    learn_habits,
    pending_habits,
    ranked_pending,
    to_milliseconds,
)
from tacit.learn.habits.recipe import HabitRecipe
from tacit.log.codec import must_decode
from tacit.model.claim import Kind, Status
from tacit.model.event import ClaimProposed, local_day
from tacit.model.memory import Memory
from tacit.vault.queries import Filters, HabitCounts, ListedMemory, Queries

_MAX_OCCURRENCES = 5  # occurrences told as a reason


class Suggestions(HomePart):
    """Habits of one home."""

    def suggestions(
        self, scope: str = "all", *, kind: str | None = None, filters: Filters | None = None
    ) -> list[ListedMemory]:
        """What waits for a decision; learned up to now where the home can be written.

        First come the habits that tell much, then what was said or proposed, the surest first, and then the other
        habits: from histories without timestamps, everybody's, of a single session, idle.
        """
        self.learn_if_possible()
        pending = Queries(self._home).entries(status=Status.PENDING, scope=scope, kind=kind, filters=filters)
        listed = {one.memory.id: one for one in pending}

        def ask(connection: sqlite3.Connection) -> list[ListedMemory]:
            scope_of = scope_lookup(connection, self._home.user_folder)
            now = to_milliseconds(self._store.actor.clock())
            habits_waiting = ranked_pending(connection, scope_of, now)
            cards = [
                (priority_group(tally, now), self._with_counts(connection, listed[memory.id], tally, scope_of))
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
        today = local_day(self._store.actor.origin())
        return self._store.read(lambda connection: statistics(connection, today))

    def occurrences(self, memory: Memory) -> list[RecordedCommand]:
        """The commands behind a habit: the last one of each session it was seen in, the latest first."""
        seen = habit_from_claim(memory.claim)

        def ask(connection: sqlite3.Connection) -> list[RecordedCommand]:
            ends = (
                habits.last_events_by_session(connection, seen.kind, last_counted_key(seen), most=_MAX_OCCURRENCES)
                if seen
                else []
            )
            return [ran for end in ends for ran in habits.recent_commands(connection, end, 1)]

        return self._store.read(ask)

    def recipe(self, memory: Memory) -> HabitRecipe | None:
        """How the commands of a habit were really typed, and where; nothing for what is no sequence."""
        seen = habit_from_claim(memory.claim)
        if seen is None or seen.kind is not Kind.WORKFLOW_PATTERN:
            return None

        def ask(connection: sqlite3.Connection) -> HabitRecipe:
            return habit_recipe(connection, seen, memory.claim.scope, scope_lookup(connection, self._home.user_folder))

        return self._store.read(ask)

    def _with_counts(
        self, connection: sqlite3.Connection, listed: ListedMemory, tally: HabitTally, scope_of: ScopeLookup
    ) -> ListedMemory:
        steps: tuple[str, ...] = ()
        if tally.habit.kind is Kind.WORKFLOW_PATTERN:
            steps = habit_recipe(connection, tally.habit, tally.scope, scope_of).steps
        last = last_day(tally) if tally.has_timestamps else ""
        counts = HabitCounts(habit_label(tally.habit), tally.runs, tally.sessions, last, tally.has_timestamps, steps)
        return listed._replace(counts=counts)

    def learn_if_possible(self) -> None:
        """Where there is a home, and it can be written."""
        if os.path.isdir(self._home.root):
            with suppress(ReadOnlyError, LockBusyError):
                self.learn()

    def learn(self) -> LearnedHabits:
        return learn_habits(self._store, self._home.user_folder)


def _with_reasons(connection: sqlite3.Connection, one: ListedMemory) -> ListedMemory:
    if one.counts:
        return one
    bodies = (event.body for event in reader.events_of_claim(connection, one.memory.id, must_decode))
    reasons = [body.reason for body in bodies if isinstance(body, ClaimProposed) and body.reason]
    entries = (reader.memory_row(connection, claim) for claim in opposing_claims(connection, one.memory.claim))
    return one._replace(reason=reasons[-1] if reasons else "", contradicts=tuple(entry for entry in entries if entry))


# What was captured and learned, in numbers.

WEEKS = 12
_MAX_FREQUENT = 10
_DAY_MILLISECONDS = 24 * 60 * 60 * 1000
_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Week:
    """Commands of a week that began on this Monday."""

    monday: date
    commands: int


@dataclass(frozen=True, slots=True)
class FrequentItem:
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
    top_commands: tuple[FrequentItem, ...]
    top_directories: tuple[FrequentItem, ...]
    habits: tuple[tuple[str, int], ...]
    pending: int
    accepted: int
    dismissed: int


def statistics(connection: sqlite3.Connection, today: date) -> Statistics:
    total = habits.activity(connection)
    decided = _habit_statuses(connection)
    return Statistics(
        commands=total.commands,
        failed=total.failed,
        sessions=total.sessions,
        directories=total.directories,
        first=_utc_day(total.first) if total.commands else "",
        last=_utc_day(total.last) if total.commands else "",
        shells=tuple(habits.commands_by_shell(connection)),
        weeks=_count_weeks(connection, today),
        top_commands=_most_frequent(connection, Kind.RECURRING_COMMAND),
        top_directories=_most_frequent(connection, Kind.PREFERRED_CWD),
        habits=tuple((kind.label, _count_habits(connection, kind)) for kind in HABIT_THRESHOLDS),
        pending=len(pending_habits(connection)),
        accepted=decided.count(Status.ACTIVE),
        dismissed=decided.count(Status.DISMISSED),
    )


def _utc_day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).date().isoformat()


def _count_weeks(connection: sqlite3.Connection, today: date) -> tuple[Week, ...]:
    this = today - timedelta(days=today.weekday())
    mondays = [this - timedelta(weeks=back) for back in reversed(range(WEEKS))]
    first = (mondays[0] - _EPOCH).days
    days = habits.commands_by_day(connection, first * _DAY_MILLISECONDS)
    weeks = [range((monday - _EPOCH).days, (monday - _EPOCH).days + 7) for monday in mondays]
    return tuple(
        Week(monday, sum(days.get(day, 0) for day in week)) for monday, week in zip(mondays, weeks, strict=True)
    )


def _most_frequent(connection: sqlite3.Connection, kind: Kind) -> tuple[FrequentItem, ...]:
    found = habits.frequent_habits(connection, kind, runs=1, sessions=1, most=_MAX_FREQUENT)
    return tuple(FrequentItem(one.key, one.runs, one.sessions) for one in found)


def _count_habits(connection: sqlite3.Connection, kind: Kind) -> int:
    scale = HABIT_THRESHOLDS[kind]
    return habits.count_frequent_habits(connection, kind, runs=scale.min_runs, sessions=scale.min_sessions)


def _habit_statuses(connection: sqlite3.Connection) -> Sequence[Status]:
    entries = [entry for entry in reader.memory_rows(connection, status=None) if entry.kind in HABIT_THRESHOLDS]
    memories = [memory for entry in entries if (memory := reader.load_memory(connection, entry.id, must_decode))]
    return [memory.status for memory in memories if memory.source == SOURCE]
