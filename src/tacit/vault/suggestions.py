"""Candidates that wait for a decision, with the counts of habits; and statistics of what was captured."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

from tacit.errors import LockBusyError, ReadOnlyError
from tacit.home.home import HomePart
from tacit.index import habits, reader
from tacit.index.habits import Activity, RecordedCommand
from tacit.index.memories import opposing_claims
from tacit.index.reader import MemoryFilter
from tacit.learn.habits.counts import ScopeLookup, scope_lookup
from tacit.learn.habits.habit import (
    HABIT_THRESHOLDS,
    HabitTally,
    habit_from_claim,
    habit_label,
    last_counted_key,
    priority_group,
)
from tacit.learn.habits.learn import (
    SOURCE,
    LearnedHabits,
    habit_recipe,
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
from tacit.record import Record
from tacit.vault.queries import Filters, HabitCounts, ListedMemory, Queries, with_basis

_MAX_COMPARED = 2000  # active memories that every candidate of a list is compared with
_MAX_OCCURRENCES = 5  # that are shown as the reason for a habit
WEEKS = 12
_MAX_FREQUENT = 10
_DAY_MILLISECONDS = 24 * 60 * 60 * 1000
_EPOCH = date(1970, 1, 1)


class Suggestions(HomePart):
    """Candidates and habits of one home."""

    def suggestions(
        self,
        scope: str = "all",
        *,
        kind: str | None = None,
        filters: Filters | None = None,
        learn: bool = True,
        limit: int | None = None,
    ) -> list[ListedMemory]:
        """Return the candidates that wait. Learn first if the home can be written, unless `learn` is False.

        With `limit`, only so many of those that were touched last are looked at, and in a home with many memories they
        come without reasons and contradictions, which take milliseconds for each.

        First come the important habits, then statements and proposals, the most confident first, and then the other
        habits: those from histories without timestamps, those that everybody has, of a single session, or idle.
        """
        if learn:
            self.learn_if_possible()
        queries, is_whole = Queries(self._home), limit is None or self._is_small()
        if limit is None:
            pending = queries.entries(status=Status.PENDING, scope=scope, kind=kind, filters=filters)
        else:
            pending = queries.latest_candidates(limit, kind=kind, filters=filters)
        by_id = {listed.memory.id: listed for listed in pending}

        def read(connection: sqlite3.Connection) -> list[ListedMemory]:
            scope_of = scope_lookup(connection, self._home.user_folder)
            now = to_milliseconds(self._store.actor.clock())
            first: list[ListedMemory] = []
            last: list[ListedMemory] = []
            for memory, tally in ranked_pending(connection, scope_of, now):
                if memory.id in by_id:
                    group = last if priority_group(tally, now) else first
                    group.append(_with_counts(connection, by_id[memory.id], tally, scope_of))
            others = [
                with_reasons(connection, listed) if is_whole else listed
                for listed in pending
                if listed.memory.source != SOURCE or listed.memory.kind not in HABIT_THRESHOLDS  # given another kind
            ]
            others.sort(key=lambda listed: -listed.memory.confidence)
            return [*first, *others, *last]

        return self._store.read(read)

    def _is_small(self) -> bool:
        """Return whether there are few enough active memories to compare every candidate with them."""
        active = MemoryFilter(Status.ACTIVE)
        limit = _MAX_COMPARED + 1
        return self._store.read(lambda connection: reader.count_memories(connection, active, limit)) < limit

    def most_used(self) -> MostUsed:
        """Return how much was captured of the shell, and the commands and directories that are used most."""

        def read(connection: sqlite3.Connection) -> MostUsed:
            return MostUsed(
                habits.activity(connection),
                _most_frequent(connection, Kind.RECURRING_COMMAND),
                _most_frequent(connection, Kind.PREFERRED_CWD),
            )

        return self._store.read(read)

    def statistics(self) -> Statistics:
        """Return counts of what was captured and learned. Learn first if the home can be written."""
        self.learn_if_possible()
        today = local_day(self._store.actor.origin())
        return self._store.read(lambda connection: statistics(connection, today))

    def occurrences(self, memory: Memory) -> list[RecordedCommand]:
        """Return the last command of each session that a habit was seen in, the latest first."""
        habit = habit_from_claim(memory.claim)
        if habit is None:
            return []

        def read(connection: sqlite3.Connection) -> list[RecordedCommand]:
            key = last_counted_key(habit)
            events = habits.last_events_by_session(connection, habit.kind, key, limit=_MAX_OCCURRENCES)
            return [command for event in events for command in habits.recent_commands(connection, event, 1)]

        return self._store.read(read)

    def recipe(self, memory: Memory) -> HabitRecipe | None:
        """Return how the commands of a sequence were typed, and where. None if the memory is no sequence."""
        habit = habit_from_claim(memory.claim)
        if habit is None or habit.kind is not Kind.WORKFLOW_PATTERN:
            return None
        return self._store.read(
            lambda connection: habit_recipe(
                connection, habit, memory.claim.scope, scope_lookup(connection, self._home.user_folder)
            )
        )

    def learn_if_possible(self) -> None:
        """Learn habits if there is a home and it can be written."""
        if os.path.isdir(self._home.root):
            with suppress(ReadOnlyError, LockBusyError):
                self.learn()

    def learn(self) -> LearnedHabits:
        """Count the commands that ran since the last time, and propose what became a habit."""
        return learn_habits(self._store, self._home.user_folder)


def _with_counts(
    connection: sqlite3.Connection, listed: ListedMemory, tally: HabitTally, scope_of: ScopeLookup
) -> ListedMemory:
    steps: tuple[str, ...] = ()
    if tally.habit.kind is Kind.WORKFLOW_PATTERN:
        steps = habit_recipe(connection, tally.habit, tally.scope, scope_of).steps
    last = last_day(tally) if tally.has_timestamps else ""
    counts = HabitCounts(habit_label(tally.habit), tally.runs, tally.sessions, last, tally.has_timestamps, steps)
    return listed._replace(counts=counts)


def with_reasons(connection: sqlite3.Connection, listed: ListedMemory) -> ListedMemory:
    """Return a candidate with its latest reason, what it is based on, and the active memories that it contradicts."""
    events = reader.events_of_claim(connection, listed.memory.id, must_decode)
    reasons = [
        body.reason for body in (event.body for event in events) if isinstance(body, ClaimProposed) and body.reason
    ]
    rows = (reader.memory_row(connection, claim) for claim in opposing_claims(connection, listed.memory.claim))
    based = with_basis(listed, events)
    return based._replace(reason=reasons[-1] if reasons else "", contradicts=tuple(row for row in rows if row))


class Week(Record):
    """The number of commands in the week from this Monday on."""

    monday: date
    commands: int


class FrequentItem(Record):
    """A command or directory, with its number of runs and sessions."""

    key: str
    runs: int
    sessions: int


class MostUsed(Record):
    """How much was captured of the shell, and the commands and directories that are used most."""

    activity: Activity
    commands: tuple[FrequentItem, ...]
    directories: tuple[FrequentItem, ...]


class Statistics(Record):
    """What was captured and learned, in numbers. `first` and `last` are the days of the first and last command."""

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
    """Count what was captured and learned. `weeks` are the last WEEKS weeks, the current one included."""
    activity = habits.activity(connection)
    statuses = _habit_statuses(connection)
    return Statistics(
        commands=activity.commands,
        failed=activity.failed,
        sessions=activity.sessions,
        directories=activity.directories,
        first=_utc_day(activity.first) if activity.commands else "",
        last=_utc_day(activity.last) if activity.commands else "",
        shells=tuple(habits.commands_by_shell(connection)),
        weeks=_count_weeks(connection, today),
        top_commands=_most_frequent(connection, Kind.RECURRING_COMMAND),
        top_directories=_most_frequent(connection, Kind.PREFERRED_CWD),
        habits=tuple(
            (
                kind.label,
                habits.count_frequent_habits(
                    connection, kind, runs=threshold.min_runs, sessions=threshold.min_sessions
                ),
            )
            for kind, threshold in HABIT_THRESHOLDS.items()
        ),
        pending=len(pending_habits(connection)),
        accepted=statuses.count(Status.ACTIVE),
        dismissed=statuses.count(Status.DISMISSED),
    )


def _utc_day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).date().isoformat()


def _count_weeks(connection: sqlite3.Connection, today: date) -> tuple[Week, ...]:
    first = today - timedelta(days=today.weekday(), weeks=WEEKS - 1)
    first_day = (first - _EPOCH).days
    days = habits.commands_by_day(connection, first_day * _DAY_MILLISECONDS)
    return tuple(
        Week(first + timedelta(weeks=week), sum(days.get(first_day + 7 * week + day, 0) for day in range(7)))
        for week in range(WEEKS)
    )


def _most_frequent(connection: sqlite3.Connection, kind: Kind) -> tuple[FrequentItem, ...]:
    rows = habits.frequent_habits(connection, kind, runs=1, sessions=1, limit=_MAX_FREQUENT)
    return tuple(FrequentItem(row.key, row.runs, row.sessions) for row in rows)


def _habit_statuses(connection: sqlite3.Connection) -> Sequence[Status]:
    claims = reader.background_claims(connection, HABIT_THRESHOLDS)
    memories = [memory for claim in claims if (memory := reader.load_memory(connection, claim, must_decode))]
    return [memory.status for memory in memories if memory.source == SOURCE]
