"""Candidates that wait for a decision, with the counts of habits; and statistics of what was captured."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from itertools import chain, islice

from tacit.errors import StoreError
from tacit.home.home import HomePart
from tacit.index import habits as index_habits
from tacit.index import listings, reader
from tacit.index.conflicts import opposing_claims
from tacit.index.habits import Activity, HabitCount, RecordedCommand
from tacit.index.listings import MemoryFilter
from tacit.index.operations import load_workflows
from tacit.learn import habits
from tacit.learn.habits import Habits
from tacit.learn.habits import habit as habit_model
from tacit.learn.habits.recipe import HabitRecipe
from tacit.log.codec import must_decode
from tacit.model.claim import Kind, Status, is_project_scope, project_name
from tacit.model.event import ClaimProposed, local_day
from tacit.model.ids import ClaimId, claim_number
from tacit.model.memory import Memory
from tacit.model.workflow import suggest_name
from tacit.record import Record
from tacit.search.restatements import near_memories
from tacit.vault.evidence import shown_reason, with_basis
from tacit.vault.listing import (
    FilterParser,
    Filters,
    HabitCounts,
    ListedMemory,
    Listing,
    load_chunk,
    load_in_chunks,
    must_agree,
)

_MAX_OCCURRENCES = 5  # that are shown as the reason for a habit
WEEKS = 12
_MAX_FREQUENT = 10
_DAY_MILLISECONDS = 24 * 60 * 60 * 1000
_EPOCH = date(1970, 1, 1)


class Suggestions(HomePart):
    """Candidates and habits of one home."""

    def listing(
        self,
        scope: str = "all",
        *,
        kind: Kind | str | None = None,
        filters: Filters | None = None,
        learn: bool = True,
        limit: int | None = None,
        with_details: bool = True,
    ) -> Listing[ListedMemory]:
        """List the candidates that wait. Learn first if the home can be written, unless `learn` is False.

        First come the important habits, then statements and proposals, the most confident first, and then the other
        habits: those from histories without timestamps, those that everybody has, of a single session, or idle. The
        first `limit` are loaded, or all, and all are counted. Without `with_details` they have no reasons and
        contradictions, which take milliseconds for each.
        """
        if learn:
            self.learn_if_possible()
        parser = FilterParser(self._home)

        with self._store.snapshot() as connection:
            wanted = parser.memory_filter(connection, status=Status.PENDING, kind=kind, scope=scope, filters=filters)
            first, last = self._ranked_habits(connection, wanted)
            total = listings.count_memories(connection, wanted, is_habit=False)
            room = None if limit is None else max(limit - len(first), 0)
            others = listings.candidate_ids(connection, wanted, room)
            must_agree(others, total, room)

        def load(connection: sqlite3.Connection, doc_ids: Sequence[int]) -> list[ListedMemory]:
            chunk = load_chunk(connection, doc_ids)
            return [with_reasons(connection, listed) for listed in chunk] if with_details else chunk

        entries = chain(first, load_in_chunks(self._store, others, load), last)
        return Listing(islice(entries, limit), len(first) + total + len(last))

    def _ranked_habits(
        self, connection: sqlite3.Connection, wanted: MemoryFilter
    ) -> tuple[list[ListedMemory], list[ListedMemory]]:
        """Return the habits that wait and match: those that come before all other candidates, and those behind them."""
        first: list[ListedMemory] = []
        last: list[ListedMemory] = []
        if matching := listings.habit_ids(connection, wanted):
            now = habits.to_milliseconds(self._store.actor.clock())
            own = Habits(connection, self._home.user_folder)
            for memory, tally in own.ranked_pending(now):
                if (doc_id := claim_number(memory.id)) in matching:
                    (listed,) = load_chunk(connection, [doc_id])
                    if tally is None:
                        last.append(listed)
                    else:
                        group = last if habit_model.priority_group(tally, now) else first
                        group.append(_with_counts(connection, listed, tally, own))
        return first, last

    def most_used(self) -> MostUsed:
        """Return how much was captured of the shell, and the commands and directories that are used most."""
        with self._store.snapshot() as connection:
            return _most_used(connection)

    def statistics(self) -> Statistics:
        """Count what was captured and learned. Learn first if the home can be written.

        `weeks` are the last WEEKS weeks, the current one included.
        """
        self.learn_if_possible()
        today = local_day(self._store.actor.origin())
        with self._store.snapshot() as connection:
            used, statuses = _most_used(connection), reader.count_habits(connection)
            return Statistics(
                used=used,
                first=_utc_day(used.activity.first) if used.activity.first else "",
                last=_utc_day(used.activity.last) if used.activity.last else "",
                shells=tuple(index_habits.commands_by_shell(connection)),
                weeks=_count_weeks(connection, today),
                habits=tuple(
                    (
                        kind.label,
                        index_habits.count_frequent_habits(
                            connection, kind.label, runs=threshold.min_runs, sessions=threshold.min_sessions
                        ),
                    )
                    for kind, threshold in habit_model.HABIT_THRESHOLDS.items()
                ),
                pending=statuses.get(Status.PENDING.value, 0),
                accepted=statuses.get(Status.ACTIVE.value, 0),
                dismissed=statuses.get(Status.DISMISSED.value, 0),
            )

    def occurrences(self, memory: Memory) -> list[RecordedCommand]:
        """Return the last command of each session that a habit was seen in, the latest first."""
        habit = habit_model.habit_from_claim(memory.claim)
        if habit is None:
            return []
        with self._store.snapshot() as connection:
            key = habit_model.last_counted_key(habit)
            counters = dict.fromkeys((habit.counter, habit.kind.label))  # lines, or else commands by themselves
            found = (index_habits.last_events_by_session(connection, name, key, _MAX_OCCURRENCES) for name in counters)
            events = next(filter(None, found), [])
            return [command for event in events for command in index_habits.recent_commands(connection, event, 1)]

    def recipe(self, memory: Memory) -> HabitRecipe | None:
        """Return how the commands of a sequence were typed, and where. None if the memory is no sequence."""
        habit = habit_model.habit_from_claim(memory.claim)
        if habit is None or habit.kind is not Kind.WORKFLOW_PATTERN:
            return None
        with self._store.snapshot() as connection:
            return Habits(connection, self._home.user_folder).recipe(habit, memory.claim.scope)

    def correcting_alias(self, memory: Memory) -> str:
        """Return the line for a shell that corrects what the person misspells, "" for any other memory."""
        habit = habit_model.habit_from_claim(memory.claim) if memory.is_habit else None
        return habit_model.correcting_alias(habit) if habit else ""

    def learn_if_possible(self) -> None:
        """Learn habits if there is a home and it can be written."""
        if os.path.isdir(self._home.root):
            with suppress(StoreError):  # a read-only home, a full disk, or a busy one
                self.learn()

    def learn(self) -> habits.LearnedHabits:
        """Count the commands that ran since the last time, and propose what became a habit."""
        return habits.learn_habits(self._store, self._home.user_folder)


def _with_counts(
    connection: sqlite3.Connection, listed: ListedMemory, tally: habit_model.HabitTally, own: Habits
) -> ListedMemory:
    recipe = own.recipe(tally.habit, tally.scope) if tally.habit.kind is Kind.WORKFLOW_PATTERN else None
    last = habits.last_day(tally) if tally.has_timestamps else ""
    steps = recipe.steps if recipe else ()
    counts = HabitCounts(habit_model.habit_label(tally.habit), tally.runs, tally.sessions, last, tally.has_timestamps)
    return listed._replace(counts=counts._replace(steps=steps, effect=_effect(connection, tally, recipe)))


def _effect(connection: sqlite3.Connection, tally: habit_model.HabitTally, recipe: HabitRecipe | None) -> str:
    """Return what accepting a habit does."""
    if recipe:
        workflows = [workflow for workflow in load_workflows(connection, must_decode) if workflow.accepted]
        same = [known.name for known in workflows if (known.steps, known.directory) == recipe]
        name = same[0] if same else suggest_name(recipe.steps, {workflow.name for workflow in workflows})
        return f"makes the workflow {name}: tacit workflow run {name}"
    if alias := habit_model.correcting_alias(tally.habit):
        return f"tells no agent; for your shell: {alias}"
    where = f" in {project_name(tally.scope)}" if is_project_scope(tally.scope) else ""
    return f"tells agents{where} {'to use it' if tally.habit.kind is Kind.PREFERENCE else 'that you run it'}"


def with_reasons(connection: sqlite3.Connection, listed: ListedMemory) -> ListedMemory:
    """Return a candidate with its latest reason, its basis, and the memories that it contradicts or may repeat."""
    events = reader.events_of_claim(connection, listed.memory.id, must_decode)
    bodies = [event.body for event in events if isinstance(event.body, ClaimProposed)]
    named = (ClaimId(claim) for body in bodies for claim in body.contradicts)
    opposed = dict.fromkeys((*opposing_claims(connection, listed.memory.claim), *named))
    rows = (reader.memory_row(connection, claim) for claim in opposed)
    reasons = [reason for body in bodies if (reason := shown_reason(body))]
    based = with_basis(listed, events)
    contradicts = tuple(row for row in rows if row and row.status in (Status.ACTIVE, Status.PENDING))
    same = tuple(near_memories(connection, listed.memory.claim))
    return based._replace(reason=reasons[-1] if reasons else "", contradicts=contradicts, may_be_same=same)


class Week(Record):
    """The number of commands in the week from this Monday on."""

    monday: date
    commands: int


class MostUsed(Record):
    """How much was captured of the shell, and the commands and directories that are used most."""

    activity: Activity
    commands: tuple[HabitCount, ...]
    directories: tuple[HabitCount, ...]


class Statistics(Record):
    """What was captured and learned, in numbers. `first` and `last` are the days of the first and last command."""

    used: MostUsed
    first: str
    last: str
    shells: tuple[tuple[str, int], ...]
    weeks: tuple[Week, ...]
    habits: tuple[tuple[str, int], ...]
    pending: int
    accepted: int
    dismissed: int


def _utc_day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).date().isoformat()


def _count_weeks(connection: sqlite3.Connection, today: date) -> tuple[Week, ...]:
    first = today - timedelta(days=today.weekday(), weeks=WEEKS - 1)
    first_day = (first - _EPOCH).days
    days = index_habits.commands_by_day(connection, first_day * _DAY_MILLISECONDS)
    return tuple(
        Week(first + timedelta(weeks=week), sum(days.get(first_day + 7 * week + day, 0) for day in range(7)))
        for week in range(WEEKS)
    )


def _most_used(connection: sqlite3.Connection) -> MostUsed:
    commands, directories = (
        tuple(index_habits.frequent_habits(connection, kind.label, runs=1, sessions=1, limit=_MAX_FREQUENT))
        for kind in (Kind.RECURRING_COMMAND, Kind.PREFERRED_CWD)
    )
    return MostUsed(index_habits.activity(connection), commands, directories)
