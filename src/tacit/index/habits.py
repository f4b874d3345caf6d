"""Shell commands, and the habits that learners counted in them (ADR 12).

The counts of each session are stored separately, so that they can be subtracted. The learners are passed as one
function over the commands of a session; the index does not know what habits mean.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter

from tacit.index.database import transaction, without_garbage_collection
from tacit.model.event import Event
from tacit.model.ids import EventId
from tacit.model.observation import CommandRan, is_untimed_session
from tacit.record import Record

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


_BATCH_SIZE = 100_000
_MINUTE_MILLISECONDS = 60_000
_LAST_LEARNED_KEY = "last_learned_command_id"
# The plus keeps SQLite from scanning all habits with so many runs, whose number grows.
_SELECT_FREQUENT = "SELECT key FROM habits WHERE kind = ? AND +runs >= ? AND sessions >= ? AND"
_SELECT_BY_PREFIX = f"{_SELECT_FREQUENT} key > ? AND key < ? LIMIT ?"
_SELECT_BY_SUFFIX = f"{_SELECT_FREQUENT} substr(key, instr(key, char(10)) + 1) = ? AND key <> ? LIMIT ?"
_SELECT_HABIT_ID = "SELECT id FROM habits WHERE kind = ? AND key = ?"
_INSERT_HABIT = "INSERT INTO habits (id, kind, key, runs, sessions, last_event_id) VALUES (?, ?, ?, ?, ?, ?)"
_ADD_SESSION_COUNT = (
    "INSERT INTO habit_session_counts VALUES (?, ?, ?, ?, ?) ON CONFLICT (habit_id, shell_session_id, directory)"
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


class TimedCommand(Record):
    """A command that a person ran, with its time in milliseconds."""

    ran_at: int
    command: str
    directory: str
    exit_status: int
    duration_ms: int


OccurrenceKey = tuple[str, str, str]  # counter, key and directory of a habit that was seen
_SessionState = tuple[str, str, int]  # last command that was learned from, learner's state after it, and session
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
        ran_at = 0 if is_untimed_session(origin.session) else int(origin.at.timestamp() * 1000)
        rows.append((sessions[key], event.id, ran_at, *body))  # in the order of the columns
    query = f"INSERT OR IGNORE INTO shell_commands (shell_session_id, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    connection.executemany(query, rows)


def forget_habits(connection: sqlite3.Connection) -> None:
    """Forget what was counted, because commands changed. `learn` counts all of them again."""
    for table in ("habits", "habit_totals", "habit_session_counts", "habit_directory_counts"):
        connection.execute(f"DELETE FROM {table}")
    connection.execute("UPDATE shell_sessions SET last_event_id = '', learner_state = '', habit_ids = x''")
    connection.execute("DELETE FROM shell_sessions WHERE id NOT IN (SELECT shell_session_id FROM shell_commands)")
    connection.execute("DELETE FROM meta WHERE name = ?", (_LAST_LEARNED_KEY,))


def has_uncounted_commands(connection: sqlite3.Connection) -> bool:
    """Return whether there are commands that `learn` has not read."""
    query = (
        "SELECT 1 FROM shell_commands WHERE id > coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = ?), 0)"
    )
    return connection.execute(f"{query} LIMIT 1", (_LAST_LEARNED_KEY,)).fetchone() is not None


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
        "SELECT last_event_id, learner_state, id FROM shell_sessions"
        " WHERE id IN (SELECT shell_session_id FROM shell_commands WHERE id BETWEEN ? AND ?)"
    )
    sessions = {state[-1]: state for state in connection.execute(query, (first, last))}
    updated = [
        _learn_session(connection, learner, sessions[session_id], [_parse_command_row(row[1:]) for row in own], counter)
        for session_id, own in groupby(rows, key=itemgetter(0))
    ]
    connection.executemany("UPDATE shell_sessions SET last_event_id = ?, learner_state = ? WHERE id = ?", updated)
    counter.write()
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_LAST_LEARNED_KEY, str(last)))
    return True


def _learn_session(
    connection: sqlite3.Connection,
    learner: HabitLearner,
    session: _SessionState,
    commands: Sequence[RecordedCommand],
    counter: _HabitCounter,
) -> _SessionState:
    """Learn from further commands of a session. If one came late, learn the whole session again."""
    last_event, state, session_id = session
    is_late = commands[0].event <= last_event
    if is_late:
        counter.subtract_session(session_id)
        query = f"SELECT {_COLUMNS} FROM shell_commands WHERE shell_session_id = ? AND event_id <= ? ORDER BY event_id"
        rows = connection.execute(query, (session_id, max(last_event, commands[-1].event)))
        state, commands = "", [_parse_command_row(row) for row in rows]
    state, seen = learner(state, commands)
    counter.add(session_id, zip(commands, seen, strict=True), fresh=not last_event or is_late)
    return commands[-1].event, state, session_id


def _parse_command_row(row: Sequence[Any]) -> RecordedCommand:
    return RecordedCommand(row[0], row[1], CommandRan(*row[2:]))


class _HabitCounter:
    """Gathers counts. `write` adds them to the tables."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._habit_ids: dict[tuple[str, str], int] = {}
        # By session: habit and directory, with runs and last event.
        self._counts: dict[int, dict[tuple[int, str], tuple[int, str]]] = {}
        self._new_sessions: set[int] = set()
        self._new_habits: dict[int, tuple[str, str]] = {}  # kind and key by id
        self._reduced: dict[int, set[str]] = {}  # directories by habit, whose last event may be another one
        self._last_id: int = connection.execute("SELECT coalesce(max(id), 0) FROM habits").fetchone()[0]

    def add(
        self, session: int, seen: Iterable[tuple[RecordedCommand, Sequence[OccurrenceKey]]], *, fresh: bool
    ) -> None:
        """Count what was seen in a session. `fresh` says that nothing of it is counted yet."""
        if fresh:
            self._new_sessions.add(session)
        habit_ids = self._habit_ids
        counts = self._counts[session] = {}
        for command, keys in seen:
            event = command.event
            for counter, key, directory in keys:
                name = counter, key
                there = habit_ids.get(name) or self._habit_id(name), directory
                before = counts.get(there)
                counts[there] = (before[0] + 1 if before else 1), event

    def write(self) -> None:
        """Add the gathered counts. The cost does not depend on how much is stored already."""
        rows = [
            (habit, session, directory, runs, last)
            for session, counts in self._counts.items()
            for (habit, directory), (runs, last) in counts.items()
        ]
        rows.sort()  # inserted fastest in order
        by_directory: list[tuple[int, str, int, int, str]] = []
        by_habit = {habit: self._add_up(habit, own, by_directory) for habit, own in groupby(rows, key=itemgetter(0))}
        run_many = self._connection.executemany
        run_many(_ADD_SESSION_COUNT, rows)
        run_many(_ADD_DIRECTORY_COUNT, by_directory)
        new = self._new_habits
        run_many(_INSERT_HABIT, [(habit, *names, *by_habit[habit]) for habit, names in new.items()])
        run_many(_ADD_COUNT, [(*count, habit) for habit, count in by_habit.items() if habit not in new])
        runs_by_kind: Counter[str] = Counter()
        for (kind, _), habit in self._habit_ids.items():
            runs_by_kind[kind] += by_habit[habit][0]
        run_many(_ADD_TOTAL, list(runs_by_kind.items()))
        self._write_session_habits()
        self._correct_last_events()

    def _add_up(
        self,
        habit: int,
        rows: Iterable[tuple[int, int, str, int, str]],
        by_directory: list[tuple[int, str, int, int, str]],
    ) -> tuple[int, int, str]:
        """Return runs, sessions and last event of a habit, and append those of each directory."""
        total = sessions = previous = 0
        last = ""
        fresh = self._new_sessions
        there: dict[str, tuple[int, int, str]] = {}
        for _, session, directory, runs, event in rows:
            is_fresh = session in fresh
            if session != previous:
                previous = session
                sessions += is_fresh or not self._has_count(session, habit)
            is_first = is_fresh or not self._has_count(session, habit, directory)
            total += runs
            last = max(last, event)
            known = there.get(directory)
            if known is not None:
                there[directory] = known[0] + runs, known[1] + is_first, max(known[2], event)
            else:
                there[directory] = runs, int(is_first), event
        by_directory += [(habit, directory, *there[directory]) for directory in sorted(there)]
        return total, sessions, last

    def _write_session_habits(self) -> None:
        """Store which habits were seen in each session, so that it can be subtracted."""
        rows = []
        for session, counts in self._counts.items():
            habits = {habit for habit, _ in counts}
            if session not in self._new_sessions:
                habits.update(self._habits_of(session))
            rows.append((array("q", sorted(habits)).tobytes(), session))
        self._connection.executemany("UPDATE shell_sessions SET habit_ids = ? WHERE id = ?", rows)

    def _habits_of(self, session: int) -> Sequence[int]:
        row = self._connection.execute("SELECT habit_ids FROM shell_sessions WHERE id = ?", (session,)).fetchone()
        return array("q", row[0])

    def subtract_session(self, session: int) -> None:
        """Subtract the counts of a session, as if it had never been learned from."""
        run = self._connection.execute
        for habit in self._habits_of(session):
            own = (habit, session)
            query = "SELECT directory, runs FROM habit_session_counts WHERE habit_id = ? AND shell_session_id = ?"
            by_directory = run(query, own).fetchall()
            run("DELETE FROM habit_session_counts WHERE habit_id = ? AND shell_session_id = ?", own)
            query = (
                "UPDATE habit_directory_counts SET runs = runs - ?, sessions = sessions - 1"
                " WHERE habit_id = ? AND directory = ?"
            )
            self._connection.executemany(query, [(runs, habit, directory) for directory, runs in by_directory])
            total = sum(runs for _, runs in by_directory)
            run("UPDATE habits SET runs = runs - ?, sessions = sessions - 1 WHERE id = ?", (total, habit))
            (kind,) = run("SELECT kind FROM habits WHERE id = ?", (habit,)).fetchone()
            run(_ADD_TOTAL, (kind, -total))
            self._reduced.setdefault(habit, set()).update(directory for directory, _ in by_directory)
        run("UPDATE shell_sessions SET habit_ids = x'' WHERE id = ?", (session,))

    def _correct_last_events(self) -> None:
        """Find the last event of habits from which a session was subtracted, when everything else is written."""
        for habit, directories in self._reduced.items():
            query = (
                "SELECT directory, max(last_event_id) FROM habit_session_counts WHERE habit_id = ? GROUP BY directory"
            )
            last = dict(self._connection.execute(query, (habit,)).fetchall())
            query = "UPDATE habits SET last_event_id = ? WHERE id = ?"
            self._connection.execute(query, (max(last.values(), default=""), habit))
            query = "UPDATE habit_directory_counts SET last_event_id = ? WHERE habit_id = ? AND directory = ?"
            rows = [(last.get(directory, ""), habit, directory) for directory in directories]
            self._connection.executemany(query, rows)

    def _has_count(self, session: int, habit: int, directory: str | None = None) -> bool:
        """Whether a habit was counted before in a session (and directory)."""
        query = "SELECT 1 FROM habit_session_counts WHERE habit_id = ? AND shell_session_id = ?"
        if directory is None:
            return self._connection.execute(query, (habit, session)).fetchone() is not None
        query += " AND directory = ?"
        return self._connection.execute(query, (habit, session, directory)).fetchone() is not None

    def _habit_id(self, name: tuple[str, str]) -> int:
        """Return the id of a habit by kind and key. One that is new is inserted by `write`, with its counts."""
        row = self._connection.execute(_SELECT_HABIT_ID, name).fetchone() if self._last_id else None
        habit_id: int = row[0] if row else self._last_id + len(self._new_habits) + 1
        if row is None:
            self._new_habits[habit_id] = name
        self._habit_ids[name] = habit_id
        return habit_id


# Queries of habits. A counter is the name under which a learner counts, such as `recurring_command`. `runs` and
# `sessions` are the least counts of a frequent habit.


def frequent_habits(
    connection: sqlite3.Connection, counter: str, *, runs: int, sessions: int, limit: int
) -> list[HabitCount]:
    """Return the habits of a counter that were seen so often, the most frequent first."""
    query = (
        "SELECT key, runs, sessions, last_event_id FROM habits WHERE kind = ? AND runs >= ? AND sessions >= ?"
        " ORDER BY runs DESC, key LIMIT ?"
    )
    return [HabitCount(*row) for row in connection.execute(query, (counter, runs, sessions, limit))]


def frequent_habits_by_directory(
    connection: sqlite3.Connection, counter: str, *, runs: int, sessions: int, limit: int
) -> list[HabitDirectoryCount]:
    """Return the habits that `frequent_habits` returns, split by directory."""
    query = (
        "SELECT key, directory, counts.runs, counts.sessions, counts.last_event_id FROM (SELECT id, key FROM habits"
        " WHERE kind = ? AND runs >= ? AND sessions >= ? ORDER BY runs DESC, key LIMIT ?) AS frequent"
        " JOIN habit_directory_counts AS counts ON habit_id = frequent.id WHERE counts.runs > 0"
    )
    return [HabitDirectoryCount(*row) for row in connection.execute(query, (counter, runs, sessions, limit))]


def frequent_habits_below(
    connection: sqlite3.Connection, counter: str, directory: str, *, runs: int, sessions: int, limit: int
) -> list[HabitCount]:
    """Return the habits of a counter that were seen so often in a directory and below it, the most frequent first.

    Sessions in several directories count for each of them.
    """
    query = (
        "SELECT key, sum(counts.runs), sum(counts.sessions), max(counts.last_event_id) FROM habits"
        " JOIN habit_directory_counts AS counts ON habit_id = habits.id WHERE kind = ?"
        " AND (directory = ? OR substr(directory, 1, length(?)) = ?)"
        " GROUP BY 1 HAVING sum(counts.runs) >= ? AND sum(counts.sessions) >= ? ORDER BY 2 DESC, 1 LIMIT ?"
    )
    below = f"{directory.rstrip('/')}/"
    rows = connection.execute(query, (counter, directory, below, below, runs, sessions, limit))
    return [HabitCount(*row) for row in rows]


def count_frequent_habits(connection: sqlite3.Connection, counter: str, *, runs: int, sessions: int) -> int:
    """Count the habits of a counter that were seen so often."""
    query = "SELECT count(*) FROM habits WHERE kind = ? AND runs >= ? AND sessions >= ?"
    return int(connection.execute(query, (counter, runs, sessions)).fetchone()[0])


def habit_count(connection: sqlite3.Connection, counter: str, key: str) -> HabitCount | None:
    """Return the count of a habit, None if it was never seen."""
    query = "SELECT key, runs, sessions, last_event_id FROM habits WHERE kind = ? AND key = ?"
    row = connection.execute(query, (counter, key)).fetchone()
    return HabitCount(*row) if row else None


def habit_by_directory(connection: sqlite3.Connection, counter: str, key: str) -> list[HabitDirectoryCount]:
    """Return the counts of a habit by directory."""
    query = (
        "SELECT key, directory, counts.runs, counts.sessions, counts.last_event_id FROM habits"
        " JOIN habit_directory_counts AS counts ON habit_id = habits.id WHERE kind = ? AND key = ? AND counts.runs > 0"
    )
    return [HabitDirectoryCount(*row) for row in connection.execute(query, (counter, key))]


def total_runs(connection: sqlite3.Connection, counter: str) -> int:
    """Return how often any habit of a counter was seen."""
    row = connection.execute("SELECT runs FROM habit_totals WHERE kind = ?", (counter,)).fetchone()
    return int(row[0]) if row else 0


def longer_sequences(
    connection: sqlite3.Connection, counter: str, key: str, *, runs: int, sessions: int, limit: int
) -> list[str]:
    """Return the frequent sequences that begin or end with this one, at most `limit` of each."""
    minimum = (counter, runs, sessions)
    beginning = connection.execute(_SELECT_BY_PREFIX, (*minimum, f"{key}\n", f"{key}\v", limit))
    ending = connection.execute(_SELECT_BY_SUFFIX, (*minimum, key, key, limit))
    return [longer for rows in (beginning, ending) for (longer,) in rows]


def last_events_by_session(connection: sqlite3.Connection, counter: str, key: str, limit: int) -> list[str]:
    """Return the last event of a habit in each session in which it was seen, the latest first."""
    query = (
        "SELECT max(counts.last_event_id) AS latest FROM habits"
        " JOIN habit_session_counts AS counts ON habit_id = habits.id"
        " WHERE kind = ? AND key = ? GROUP BY shell_session_id ORDER BY latest DESC LIMIT ?"
    )
    return [last for (last,) in connection.execute(query, (counter, key, limit))]


def count_sessions_in(connection: sqlite3.Connection, counter: str, key: str, directories: Sequence[str]) -> int:
    """Count the sessions in which a habit was seen in any of these directories."""
    query = (
        "SELECT count(DISTINCT shell_session_id) FROM habits JOIN habit_session_counts ON habit_id = habits.id"
        " WHERE kind = ? AND key = ? AND directory IN (SELECT value FROM json_each(?))"
    )
    return int(connection.execute(query, (counter, key, json.dumps(list(directories)))).fetchone()[0])


def session_names(connection: sqlite3.Connection, counter: str, key: str, limit: int) -> list[str]:
    """Return the names, without hosts, of the latest sessions in which a habit was seen."""
    query = (
        "SELECT name FROM habits JOIN habit_session_counts AS counts ON habit_id = habits.id"
        " JOIN shell_sessions ON shell_sessions.id = shell_session_id WHERE kind = ? AND key = ?"
        " GROUP BY shell_sessions.id ORDER BY max(counts.last_event_id) DESC LIMIT ?"
    )
    return [name.partition("\n")[2] for (name,) in connection.execute(query, (counter, key, limit))]


# Queries of commands


def activity(connection: sqlite3.Connection) -> Activity:
    """Return how much was captured."""
    query = (
        "SELECT count(*), coalesce(sum(exit_status > 0), 0), count(DISTINCT shell_session_id),"
        " count(DISTINCT nullif(directory, '')), coalesce(min(nullif(ran_at, 0)), 0), coalesce(max(ran_at), 0)"
        " FROM shell_commands"
    )
    return Activity(*connection.execute(query).fetchone())


def commands_by_shell(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    """Count commands by shell, the most used first."""
    return connection.execute("SELECT shell, count(*) FROM shell_commands GROUP BY shell ORDER BY 2 DESC, 1").fetchall()


def commands_by_day(connection: sqlite3.Connection, since: int, offset: int = 0) -> dict[int, int]:
    """Count commands since a time in milliseconds, by the number of the day since 1970, on a clock that is `offset`
    minutes ahead of UTC."""
    query = "SELECT (ran_at + ?) / 86400000, count(*) FROM shell_commands WHERE ran_at >= ? GROUP BY 1"
    return dict(connection.execute(query, (offset * _MINUTE_MILLISECONDS, since)).fetchall())


def commands_by_hour(connection: sqlite3.Connection, since: int, offset: int) -> dict[tuple[int, int], int]:
    """Count commands since a time in milliseconds, by weekday (Monday is 0) and hour, on such a clock."""
    # 1970 began on a Thursday.
    query = (
        "SELECT ((ran_at + ?1) / 86400000 + 3) % 7, (ran_at + ?1) / 3600000 % 24, count(*) FROM shell_commands"
        " WHERE ran_at >= ?2 GROUP BY 1, 2"
    )
    rows = connection.execute(query, (offset * _MINUTE_MILLISECONDS, since))
    return {(weekday, hour): number for weekday, hour, number in rows}


def commands_between(connection: sqlite3.Connection, since: int, before: int, limit: int) -> list[TimedCommand]:
    """Return the commands that ran in this time, in order; at most `limit`."""
    query = (
        "SELECT ran_at, command, directory, exit_status, duration_ms FROM shell_commands"
        " WHERE ran_at >= ? AND ran_at < ? ORDER BY ran_at, id LIMIT ?"
    )
    return [TimedCommand(*row) for row in connection.execute(query, (since, before, limit))]


def recent_commands(connection: sqlite3.Connection, until: str, limit: int) -> list[RecordedCommand]:
    """Return the last commands of a session up to this event, the latest first."""
    query = (
        f"SELECT {_COLUMNS} FROM shell_commands"
        " WHERE shell_session_id = (SELECT shell_session_id FROM shell_commands WHERE event_id = ?) AND event_id <= ?"
        " ORDER BY event_id DESC LIMIT ?"
    )
    return [_parse_command_row(row) for row in connection.execute(query, (until, until, limit))]
