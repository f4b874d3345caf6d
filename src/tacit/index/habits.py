"""Shell commands, and the habits that learners counted in them (ADR 12).

The counts of each session are stored separately, so that they can be subtracted. The learners are passed as one
function over the commands of a session; the index does not know what habits mean.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from tacit.index.database import transaction, without_garbage_collection
from tacit.model.claim import Kind
from tacit.model.event import Event
from tacit.model.ids import EventId
from tacit.model.observation import CommandRan
from tacit.record import Record

_BATCH_SIZE = 100_000
_DROP_HABIT_INDEX = "DROP INDEX IF EXISTS habit_session_counts_habit"
_CREATE_HABIT_INDEX = (
    "CREATE INDEX habit_session_counts_habit ON habit_session_counts (habit_id, last_event_id)"  # as in schema.sql
)
_MANY_COUNTS = 20_000  # rows, into an empty table: their index is created afterwards, in a third of the time
_LAST_LEARNED_KEY = "last_learned_command_id"
# The plus keeps SQLite from scanning all habits with so many runs, whose number grows.
_SELECT_FREQUENT = "SELECT key FROM habits WHERE kind = ? AND +runs >= ? AND sessions >= ? AND"
_SELECT_BY_PREFIX = f"{_SELECT_FREQUENT} key > ? AND key < ? LIMIT ?"
_SELECT_BY_SUFFIX = f"{_SELECT_FREQUENT} substr(key, instr(key, char(10)) + 1) = ? AND key <> ? LIMIT ?"
_SELECT_HABIT_ID = "SELECT id FROM habits WHERE kind = ? AND key = ?"
_INSERT_HABIT = "INSERT INTO habits (id, kind, key, runs, sessions, last_event_id) VALUES (?, ?, ?, ?, ?, ?)"
_ADD_SESSION_COUNT = (
    "INSERT INTO habit_session_counts VALUES (?, ?, ?, ?, ?) ON CONFLICT (shell_session_id, habit_id, directory)"
    " DO UPDATE SET runs = runs + excluded.runs, last_event_id = max(last_event_id, excluded.last_event_id)"
)
_ADD_DIRECTORY_COUNT = (
    "INSERT INTO habit_directory_counts VALUES (?, ?, ?, ?, ?) ON CONFLICT (habit_id, directory) DO UPDATE SET"
    " runs = runs + excluded.runs, sessions = sessions + excluded.sessions,"
    " last_event_id = max(last_event_id, excluded.last_event_id)"
)
_ADD_COUNT = (
    "UPDATE habits SET runs = runs + ?, sessions = sessions + ?, last_event_id = max(last_event_id, ?) WHERE id = ?"
)
_ADD_TOTAL = "INSERT INTO habit_totals VALUES (?, ?) ON CONFLICT (kind) DO UPDATE SET runs = runs + excluded.runs"
_COLUMNS = "event_id, ran_at, command, directory, exit_status, duration_ms, shell, expanded_command, unedited_command"


class RecordedCommand(Record):
    """A command of a shell session. `at` is in milliseconds."""

    event: EventId
    at: int
    command: CommandRan


class HabitCount(Record):
    """How often a habit was seen. `last_event` is the last command in which it was."""

    kind: Kind
    key: str
    runs: int
    sessions: int
    last_event: EventId


class HabitDirectoryCount(Record):
    """How often a habit was seen in one directory."""

    key: str
    directory: str
    runs: int
    sessions: int
    last_event: EventId


class Activity(Record):
    """How much was captured. `first` and `last` are the times of the first and last command in milliseconds."""

    commands: int
    failed: int
    sessions: int
    directories: int
    first: int
    last: int


class _ShellSession(Record):
    """A shell session, its last command that was learned from, and the learner's state after that."""

    id: int
    last_event: str
    learner_state: str


OccurrenceKey = tuple[Kind, str, str]  # kind, key and directory of a habit that was seen
# Maps the state of a session and its further commands, in order, to the next state and, for each command, the habits
# that were seen in it.
HabitLearner = Callable[[str, Sequence[RecordedCommand]], tuple[str, Sequence[Sequence[OccurrenceKey]]]]


def store_shell_commands(connection: sqlite3.Connection, events: Iterable[Event]) -> None:
    """Store commands. Those that are stored already are ignored."""
    sessions: dict[tuple[str, str], int] = {}
    rows = []
    for event in events:
        origin, body = event.origin, event.body
        assert isinstance(body, CommandRan)
        key = origin.host, origin.session
        if key not in sessions:
            name = "\n".join(key)
            connection.execute("INSERT OR IGNORE INTO shell_sessions (name) VALUES (?)", (name,))
            query = "SELECT id FROM shell_sessions WHERE name = ?"
            (sessions[key],) = connection.execute(query, (name,)).fetchone()
        rows.append((sessions[key], event.id, int(origin.at.timestamp() * 1000), *body))  # in the order of the columns
    query = f"INSERT OR IGNORE INTO shell_commands (shell_session_id, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    connection.executemany(query, rows)


def learn(connection: sqlite3.Connection, learner: HabitLearner) -> None:
    """Count the habits in all commands that were stored since the last call."""
    more = True
    with without_garbage_collection():
        while more:
            with transaction(connection):
                more = _learn_batch(connection, learner)


def _learn_batch(connection: sqlite3.Connection, learner: HabitLearner) -> bool:
    """Learn from the commands that were stored next, session by session. Return whether there were any."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (_LAST_LEARNED_KEY,)).fetchone()
    first = int(row[0]) + 1 if row else 1
    query = "SELECT max(id) FROM (SELECT id FROM shell_commands WHERE id >= ? ORDER BY id LIMIT ?)"
    (last,) = connection.execute(query, (first, _BATCH_SIZE)).fetchone()
    if last is None:
        return False
    counter = _HabitCounter(connection)
    query = (
        f"SELECT shell_session_id, {_COLUMNS} FROM shell_commands WHERE id BETWEEN ? AND ?"
        " ORDER BY shell_session_id, event_id"
    )
    rows = connection.execute(query, (first, last))
    query = (
        "SELECT id, last_event_id, learner_state FROM shell_sessions"
        " WHERE id IN (SELECT shell_session_id FROM shell_commands WHERE id BETWEEN ? AND ?)"
    )
    sessions = {row[0]: _ShellSession(*row) for row in connection.execute(query, (first, last))}
    updated = [
        _learn_session(connection, learner, sessions[session_id], [_parse_command_row(row[1:]) for row in own], counter)
        for session_id, own in groupby(rows, key=itemgetter(0))
    ]
    query = "UPDATE shell_sessions SET last_event_id = ?2, learner_state = ?3 WHERE id = ?1"
    connection.executemany(query, updated)
    counter.write()
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_LAST_LEARNED_KEY, str(last)))
    return True


def _learn_session(
    connection: sqlite3.Connection,
    learner: HabitLearner,
    session: _ShellSession,
    commands: Sequence[RecordedCommand],
    counter: _HabitCounter,
) -> _ShellSession:
    """Learn from further commands of a session. If one came late, learn the whole session again."""
    session_id, last_event, state = session
    is_late = commands[0].event <= last_event
    if is_late:
        counter.subtract_session(session_id)
        query = f"SELECT {_COLUMNS} FROM shell_commands WHERE shell_session_id = ? AND event_id <= ? ORDER BY event_id"
        rows = connection.execute(query, (session_id, max(last_event, commands[-1].event)))
        state, commands = "", [_parse_command_row(row) for row in rows]
    state, seen = learner(state, commands)
    occurrences = ((command, key) for command, keys in zip(commands, seen, strict=True) for key in keys)
    counter.add(session_id, occurrences, fresh=not last_event or is_late)
    return _ShellSession(session_id, commands[-1].event, state)


def _parse_command_row(row: Sequence[Any]) -> RecordedCommand:
    return RecordedCommand(row[0], row[1], CommandRan(*row[2:]))


class _HabitCounter:
    """Gathers counts. `write` adds them to the tables."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        # Keyed by labels of kinds: members of an enumeration are slow to hash, and this runs for every occurrence.
        self._habit_ids: dict[tuple[str, str], int] = {}
        self._counts: dict[tuple[int, int, str], tuple[int, str]] = {}  # (session, habit, directory): (runs, last)
        self._totals: dict[str, int] = {}
        self._new_sessions: set[int] = set()
        self._new_habits: dict[int, tuple[str, str]] = {}  # kind and key by id
        self._last_id: int = connection.execute("SELECT coalesce(max(id), 0) FROM habits").fetchone()[0]

    def add(self, session: int, occurrences: Iterable[tuple[RecordedCommand, OccurrenceKey]], *, fresh: bool) -> None:
        """Count what was seen in a session. `fresh` says that nothing of it is counted yet."""
        if fresh:
            self._new_sessions.add(session)
        habit_ids, counts, totals = self._habit_ids, self._counts, self._totals
        for command, (kind, key, directory) in occurrences:
            label = kind.label
            totals[label] = totals.get(label, 0) + 1
            habit = habit_ids.get((label, key)) or self._habit_id(label, key)
            count_key = session, habit, directory
            before = counts.get(count_key)
            counts[count_key] = (before[0] + 1 if before else 1), command.event

    def write(self) -> None:
        """Add the gathered counts. The cost does not depend on how much is stored already."""
        rows = sorted([(*key, *count) for key, count in self._counts.items()])  # inserted fastest in order
        by_habit: dict[int, tuple[int, int, str]] = {}
        by_directory: dict[tuple[int, str], tuple[int, int, str]] = {}
        zero = (0, 0, "")
        fresh, previous = self._new_sessions, (0, 0)
        for session, habit, directory, new_runs, latest in rows:
            is_first = is_first_there = True
            if (session, habit) == previous:
                is_first = False
            elif session not in fresh:
                is_first = not self._has_count(session, habit)
            if session not in fresh:
                is_first_there = not self._has_count(session, habit, directory)
            previous = session, habit
            runs, sessions, last = by_habit.get(habit, zero)
            by_habit[habit] = runs + new_runs, sessions + is_first, latest if latest > last else last
            there = habit, directory
            runs, sessions, last = by_directory.get(there, zero)
            by_directory[there] = runs + new_runs, sessions + is_first_there, latest if latest > last else last
        run_many = self._connection.executemany
        self._add_session_counts(rows)
        run_many(_ADD_DIRECTORY_COUNT, sorted([(*key, *count) for key, count in by_directory.items()]))
        new = self._new_habits
        run_many(_INSERT_HABIT, [(habit, *names, *by_habit[habit]) for habit, names in new.items()])
        run_many(_ADD_COUNT, [(*count, habit) for habit, count in by_habit.items() if habit not in new])
        run_many(_ADD_TOTAL, list(self._totals.items()))

    def _add_session_counts(self, rows: Sequence[tuple[int, int, str, int, str]]) -> None:
        run = self._connection.execute
        is_first = len(rows) >= _MANY_COUNTS and run("SELECT 1 FROM habit_session_counts LIMIT 1").fetchone() is None
        if is_first:
            run(_DROP_HABIT_INDEX)
        self._connection.executemany(_ADD_SESSION_COUNT, rows)
        if is_first:
            run(_CREATE_HABIT_INDEX)

    def subtract_session(self, session: int) -> None:
        """Subtract the counts of a session, as if it had never been learned from."""
        run = self._connection.execute
        query = (
            "SELECT habit_id, directory, counts.runs, kind FROM habit_session_counts AS counts"
            " JOIN habits ON habits.id = habit_id WHERE shell_session_id = ?"
        )
        rows = run(query, (session,)).fetchall()
        run("DELETE FROM habit_session_counts WHERE shell_session_id = ?", (session,))
        runs_by_habit: Counter[int] = Counter()
        for habit, directory, runs, kind in rows:
            runs_by_habit[habit] += runs
            run(_ADD_TOTAL, (kind, -runs))
            run(
                "UPDATE habit_directory_counts SET runs = runs - ?, sessions = sessions - 1, last_event_id = coalesce("
                "(SELECT max(last_event_id) FROM habit_session_counts WHERE habit_id = ? AND directory = ?), '')"
                " WHERE habit_id = ? AND directory = ?",
                (runs, habit, directory, habit, directory),
            )
        for habit, runs in runs_by_habit.items():
            run(
                "UPDATE habits SET runs = runs - ?, sessions = sessions - 1, last_event_id = coalesce("
                "(SELECT max(last_event_id) FROM habit_session_counts WHERE habit_id = ?), '') WHERE id = ?",
                (runs, habit, habit),
            )

    def _has_count(self, session: int, habit: int, directory: str | None = None) -> bool:
        """Whether a habit was counted before in a session (and directory)."""
        query = "SELECT 1 FROM habit_session_counts WHERE shell_session_id = ? AND habit_id = ?"
        if directory is None:
            return self._connection.execute(query, (session, habit)).fetchone() is not None
        query += " AND directory = ?"
        return self._connection.execute(query, (session, habit, directory)).fetchone() is not None

    def _habit_id(self, kind: str, key: str) -> int:
        """Return the id of a habit. One that is new is inserted by `write`, with its counts."""
        row = self._connection.execute(_SELECT_HABIT_ID, (kind, key)).fetchone() if self._last_id else None
        habit_id: int = row[0] if row else self._last_id + len(self._new_habits) + 1
        if row is None:
            self._new_habits[habit_id] = kind, key
        self._habit_ids[kind, key] = habit_id
        return habit_id


# Queries of habits. `runs` and `sessions` are the least counts of a frequent habit.


def frequent_habits(
    connection: sqlite3.Connection, kind: Kind, *, runs: int, sessions: int, limit: int
) -> list[HabitCount]:
    """Return the habits of a kind that were seen so often, the most frequent first."""
    query = (
        "SELECT kind, key, runs, sessions, last_event_id FROM habits WHERE kind = ? AND runs >= ? AND sessions >= ?"
        " ORDER BY runs DESC, key LIMIT ?"
    )
    return [_parse_habit_row(row) for row in connection.execute(query, (kind.label, runs, sessions, limit))]


def frequent_habits_by_directory(
    connection: sqlite3.Connection, kind: Kind, *, runs: int, sessions: int, limit: int
) -> list[HabitDirectoryCount]:
    """Return the habits that `frequent_habits` returns, split by directory."""
    query = (
        "SELECT key, directory, counts.runs, counts.sessions, counts.last_event_id FROM (SELECT id, key FROM habits"
        " WHERE kind = ? AND runs >= ? AND sessions >= ? ORDER BY runs DESC, key LIMIT ?) AS frequent"
        " JOIN habit_directory_counts AS counts ON habit_id = frequent.id WHERE counts.runs > 0"
    )
    return [HabitDirectoryCount(*row) for row in connection.execute(query, (kind.label, runs, sessions, limit))]


def count_frequent_habits(connection: sqlite3.Connection, kind: Kind, *, runs: int, sessions: int) -> int:
    """Count the habits of a kind that were seen so often."""
    query = "SELECT count(*) FROM habits WHERE kind = ? AND runs >= ? AND sessions >= ?"
    return int(connection.execute(query, (kind.label, runs, sessions)).fetchone()[0])


def habit_count(connection: sqlite3.Connection, kind: Kind, key: str) -> HabitCount | None:
    """Return the count of a habit, None if it was never seen."""
    query = "SELECT kind, key, runs, sessions, last_event_id FROM habits WHERE kind = ? AND key = ?"
    row = connection.execute(query, (kind.label, key)).fetchone()
    return _parse_habit_row(row) if row else None


def habit_by_directory(connection: sqlite3.Connection, kind: Kind, key: str) -> list[HabitDirectoryCount]:
    """Return the counts of a habit by directory."""
    query = (
        "SELECT key, directory, counts.runs, counts.sessions, counts.last_event_id FROM habits"
        " JOIN habit_directory_counts AS counts ON habit_id = habits.id WHERE kind = ? AND key = ? AND counts.runs > 0"
    )
    return [HabitDirectoryCount(*row) for row in connection.execute(query, (kind.label, key))]


def total_runs(connection: sqlite3.Connection, kind: Kind) -> int:
    """Return how often any habit of a kind was seen."""
    row = connection.execute("SELECT runs FROM habit_totals WHERE kind = ?", (kind.label,)).fetchone()
    return int(row[0]) if row else 0


def longer_sequences(
    connection: sqlite3.Connection, kind: Kind, key: str, *, runs: int, sessions: int, limit: int
) -> list[str]:
    """Return the frequent sequences that begin or end with this one, at most `limit` of each."""
    minimum = (kind.label, runs, sessions)
    beginning = connection.execute(_SELECT_BY_PREFIX, (*minimum, f"{key}\n", f"{key}\v", limit))
    ending = connection.execute(_SELECT_BY_SUFFIX, (*minimum, key, key, limit))
    return [longer for rows in (beginning, ending) for (longer,) in rows]


def last_events_by_session(connection: sqlite3.Connection, kind: Kind, key: str, limit: int) -> list[str]:
    """Return the last event of a habit in each session in which it was seen, the latest first."""
    query = (
        "SELECT max(counts.last_event_id) AS latest FROM habits"
        " JOIN habit_session_counts AS counts ON habit_id = habits.id"
        " WHERE kind = ? AND key = ? GROUP BY shell_session_id ORDER BY latest DESC LIMIT ?"
    )
    return [last for (last,) in connection.execute(query, (kind.label, key, limit))]


def count_sessions_in(connection: sqlite3.Connection, kind: Kind, key: str, directories: Sequence[str]) -> int:
    """Count the sessions in which a habit was seen in any of these directories."""
    query = (
        "SELECT count(DISTINCT shell_session_id) FROM habits JOIN habit_session_counts ON habit_id = habits.id"
        " WHERE kind = ? AND key = ? AND directory IN (SELECT value FROM json_each(?))"
    )
    return int(connection.execute(query, (kind.label, key, json.dumps(list(directories)))).fetchone()[0])


def session_names(connection: sqlite3.Connection, kind: Kind, key: str, limit: int) -> list[str]:
    """Return the names, without hosts, of the latest sessions in which a habit was seen."""
    query = (
        "SELECT name FROM habits JOIN habit_session_counts AS counts ON habit_id = habits.id"
        " JOIN shell_sessions ON shell_sessions.id = shell_session_id WHERE kind = ? AND key = ?"
        " GROUP BY shell_sessions.id ORDER BY max(counts.last_event_id) DESC LIMIT ?"
    )
    return [name.partition("\n")[2] for (name,) in connection.execute(query, (kind.label, key, limit))]


def _parse_habit_row(row: Sequence[str | int]) -> HabitCount:
    kind, key, runs, sessions, last = row
    return HabitCount(Kind.from_label(str(kind)), str(key), int(runs), int(sessions), EventId(str(last)))


def dump_habits(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield every count as text, in an order that does not depend on how commands arrived."""
    habits = "SELECT kind, key, runs, sessions, last_event_id FROM habits WHERE runs > 0 ORDER BY kind, key"
    yield from (f"habit {row!r}" for row in connection.execute(habits))
    directories = (
        "SELECT kind, key, directory, counts.runs, counts.sessions, counts.last_event_id"
        " FROM habit_directory_counts AS counts JOIN habits ON habits.id = habit_id"
        " WHERE counts.runs > 0 ORDER BY kind, key, directory"
    )
    yield from (f"directory {row!r}" for row in connection.execute(directories))
    totals = "SELECT kind, runs FROM habit_totals WHERE runs > 0 ORDER BY kind"
    yield from (f"total {row!r}" for row in connection.execute(totals))


# Queries of commands


def activity(connection: sqlite3.Connection) -> Activity:
    """Return how much was captured."""
    query = (
        "SELECT count(*), coalesce(sum(exit_status > 0), 0), count(DISTINCT shell_session_id),"
        " count(DISTINCT nullif(directory, '')), coalesce(min(ran_at), 0), coalesce(max(ran_at), 0) FROM shell_commands"
    )
    return Activity(*connection.execute(query).fetchone())


def commands_by_shell(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    """Count commands by shell, the most used first."""
    return connection.execute("SELECT shell, count(*) FROM shell_commands GROUP BY shell ORDER BY 2 DESC, 1").fetchall()


def commands_by_day(connection: sqlite3.Connection, since: int) -> dict[int, int]:
    """Count commands since a time in milliseconds, by the number of the day since 1970."""
    query = "SELECT ran_at / 86400000, count(*) FROM shell_commands WHERE ran_at >= ? GROUP BY 1"
    return dict(connection.execute(query, (since,)).fetchall())


def recent_commands(connection: sqlite3.Connection, until: str, limit: int) -> list[RecordedCommand]:
    """Return the last commands of a session up to this event, the latest first."""
    query = (
        f"SELECT {_COLUMNS} FROM shell_commands"
        " WHERE shell_session_id = (SELECT shell_session_id FROM shell_commands WHERE event_id = ?) AND event_id <= ?"
        " ORDER BY event_id DESC LIMIT ?"
    )
    return [_parse_command_row(row) for row in connection.execute(query, (until, until, limit))]
