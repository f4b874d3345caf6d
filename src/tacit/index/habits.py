"""Commands that ran, and what learners counted in them. Each session's part is kept apart, so it can be taken back.

Learners are handed in as one function over a session's commands; what they mean is none of the index's business.
"""

from __future__ import annotations

import gc
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from tacit.index.database import transaction
from tacit.model.claim import Kind
from tacit.model.event import Event
from tacit.model.ids import EventId
from tacit.model.observation import CommandRan
from tacit.record import Record

_BATCH_SIZE = 20_000
_LEARNED_KEY = "learned"
# The plus keeps SQLite from looking through all that was seen so often, which grows.
_SELECT_FREQUENT = "SELECT key FROM habit WHERE kind = ? AND +runs >= ? AND sessions >= ? AND"
_SELECT_BY_PREFIX = f"{_SELECT_FREQUENT} key > ? AND key < ? LIMIT ?"
_SELECT_BY_SUFFIX = f"{_SELECT_FREQUENT} substr(key, instr(key, char(10)) + 1) = ? AND key <> ? LIMIT ?"
_UPSERT_HABIT = (
    "INSERT INTO habit (kind, key) VALUES (?, ?) ON CONFLICT (kind, key) DO UPDATE SET runs = runs RETURNING number"
)
_ADD_DIRECTORY_COUNT = (
    "INSERT INTO habit_at VALUES (?, ?, ?, ?, ?) ON CONFLICT (habit, place) DO UPDATE SET"
    " runs = runs + excluded.runs, sessions = sessions + excluded.sessions, last = max(last, excluded.last)"
)
_ADD_TOTAL = "INSERT INTO habit_total VALUES (?, ?) ON CONFLICT (kind) DO UPDATE SET runs = runs + excluded.runs"
_COLUMNS = "event, at, command, directory, status, milliseconds, shell, meant, planned"


class RecordedCommand(Record):
    """A command of a session: `at` in milliseconds."""

    event: EventId
    at: int
    command: CommandRan


class HabitCount(Record):
    """A habit as it was counted."""

    kind: Kind
    key: str
    runs: int
    sessions: int
    last: EventId


class HabitDirectoryCount(Record):
    """What was counted of a habit in one place."""

    key: str
    directory: str
    runs: int
    sessions: int
    last: EventId


# What a session shows: from the trail that was left last time and further commands, in order, to the trail to leave
# and, for each command, what was seen in it.
# Each has a kind, a key and the place where it was seen.
OccurrenceKey = tuple[Kind, str, str]
HabitLearner = Callable[[str, Sequence[RecordedCommand]], tuple[str, Sequence[Sequence[OccurrenceKey]]]]


def store_shell_commands(connection: sqlite3.Connection, events: Iterable[Event]) -> None:
    """Keep commands; one that is known already is not new."""
    terminals: dict[str, int] = {}
    rows = []
    for event in events:
        assert isinstance(event.body, CommandRan)
        name = f"{event.origin.host}\n{event.origin.session}"
        if name not in terminals:
            terminals[name] = _shell_session_number(connection, name)
        ran = event.body
        at = int(event.at.timestamp() * 1000)
        told = (ran.command, ran.directory, ran.status, ran.milliseconds, ran.shell, ran.meant, ran.planned)
        rows.append((terminals[name], event.id, at, *told))
    connection.executemany(
        f"INSERT OR IGNORE INTO ran (terminal, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def learn(connection: sqlite3.Connection, learner: HabitLearner) -> None:
    """Take in every command that was filed since the last time."""
    gc.disable()  # nothing here makes cycles, and looking for them among so many rows takes time
    try:
        more = True
        while more:
            with transaction(connection):
                more = _learn_batch(connection, learner)
    finally:
        gc.enable()


def _learn_batch(connection: sqlite3.Connection, learner: HabitLearner) -> bool:
    """The next commands in the order in which they were filed, session by session; whether there were any."""
    first = _last_learned(connection) + 1
    query = "SELECT max(number) FROM (SELECT number FROM ran WHERE number >= ? ORDER BY number LIMIT ?)"
    (last,) = connection.execute(query, (first, _BATCH_SIZE)).fetchone()
    if last is None:
        return False
    tallies = _HabitCounter(connection)
    query = f"SELECT terminal, {_COLUMNS} FROM ran WHERE number BETWEEN ? AND ? ORDER BY terminal, event"
    rows = connection.execute(query, (first, last)).fetchall()
    known = _shell_sessions(connection, first, last)
    after = [
        _learn_session(connection, learner, known[terminal], [_parse_command_row(row[1:]) for row in own], tallies)
        for terminal, own in groupby(rows, key=itemgetter(0))
    ]
    connection.executemany("UPDATE terminal SET last = ?2, trail = ?3 WHERE number = ?1", after)
    tallies.write()
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_LEARNED_KEY, str(last)))
    return True


class _ShellSession(Record):
    """A session, its last command that was learned from, and its trail after that."""

    number: int
    last_event: str
    learner_state: str


def _shell_sessions(connection: sqlite3.Connection, first: int, last: int) -> dict[int, _ShellSession]:
    query = (
        "SELECT number, last, trail FROM terminal"
        " WHERE number IN (SELECT terminal FROM ran WHERE number BETWEEN ? AND ?)"
    )
    return {row[0]: _ShellSession(*row) for row in connection.execute(query, (first, last))}


def _learn_session(
    connection: sqlite3.Connection,
    learner: HabitLearner,
    session: _ShellSession,
    ran: Sequence[RecordedCommand],
    tallies: _HabitCounter,
) -> _ShellSession:
    """Further commands of a session; where one came late, the whole session again."""
    terminal, last, trail = session
    is_late = ran[0].event <= last
    if is_late:
        tallies.subtract_session(terminal)
        trail, ran = "", _commands_until(connection, terminal, max(last, ran[-1].event))
    trail, seen = learner(trail, ran)
    counted = ((one, found) for one, many in zip(ran, seen, strict=True) for found in many)
    tallies.add(terminal, counted, fresh=not last or is_late)
    return _ShellSession(terminal, ran[-1].event, trail)


def _commands_until(connection: sqlite3.Connection, terminal: int, until: str) -> list[RecordedCommand]:
    query = f"SELECT {_COLUMNS} FROM ran WHERE terminal = ? AND event <= ? ORDER BY event"
    return [_parse_command_row(row) for row in connection.execute(query, (terminal, until))]


def _parse_command_row(row: Sequence[str | int]) -> RecordedCommand:
    event, at, command, directory, status, milliseconds, shell, meant, planned = row
    told = CommandRan(
        str(command), str(directory), int(status), int(milliseconds), str(shell), str(meant), str(planned)
    )
    return RecordedCommand(EventId(str(event)), int(at), told)


class _HabitCounter:
    """Counts on their way into the tables."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        # By the labels of kinds: an enumeration's members are slow to hash, and this runs for all that is seen.
        self._habit_numbers: dict[tuple[str, str], int] = {}
        self._counts: dict[tuple[int, int, str], tuple[int, str]] = {}
        self._totals: dict[str, int] = {}
        self._new_sessions: set[int] = set()

    def add(self, terminal: int, seen: Iterable[tuple[RecordedCommand, OccurrenceKey]], *, fresh: bool) -> None:
        """`fresh` is a session of which nothing is counted yet."""
        if fresh:
            self._new_sessions.add(terminal)
        numbers, counts, totals = self._habit_numbers, self._counts, self._totals
        for ran, (kind, key, where) in seen:
            name = kind.label
            totals[name] = totals.get(name, 0) + 1
            number = numbers.get((name, key)) or self._habit_number(name, key)
            place = terminal, number, where
            before = counts.get(place)
            counts[place] = (before[0] + 1 if before else 1), ran.event

    def write(self) -> None:
        """Only what was counted now is touched, so this costs the same however much there is already."""
        rows = [(*place, *count) for place, count in self._counts.items()]
        sums: dict[int, tuple[int, int, str]] = {}
        at: dict[tuple[int, str], tuple[int, int, str]] = {}
        counted: set[tuple[int, int]] = set()
        nothing = (0, 0, "")
        for terminal, habit, place, more, latest in rows:
            is_fresh = terminal in self._new_sessions
            is_first = (terminal, habit) not in counted and (is_fresh or not self._has_count(terminal, habit))
            is_first_there = is_fresh or not self._has_directory_count(terminal, habit, place)
            counted.add((terminal, habit))
            runs, sessions, last = sums.get(habit, nothing)
            sums[habit] = runs + more, sessions + is_first, latest if latest > last else last
            runs, sessions, last = at.get((habit, place), nothing)
            at[habit, place] = runs + more, sessions + is_first_there, latest if latest > last else last
        self._connection.executemany(
            "INSERT INTO habit_in VALUES (?, ?, ?, ?, ?) ON CONFLICT (terminal, habit, place)"
            " DO UPDATE SET runs = runs + excluded.runs, last = max(last, excluded.last)",
            rows,
        )
        self._connection.executemany(_ADD_DIRECTORY_COUNT, [(*place, *total) for place, total in at.items()])
        self._connection.executemany(
            "UPDATE habit SET runs = runs + ?, sessions = sessions + ?, last = max(last, ?) WHERE number = ?",
            [(*total, habit) for habit, total in sums.items()],
        )
        self._connection.executemany(_ADD_TOTAL, list(self._totals.items()))

    def subtract_session(self, terminal: int) -> None:
        """As if the session had never been learned from."""
        query = (
            "SELECT habit, place, habit_in.runs, kind FROM habit_in JOIN habit ON habit.number = habit"
            " WHERE terminal = ?"
        )
        rows = self._connection.execute(query, (terminal,)).fetchall()
        self._connection.execute("DELETE FROM habit_in WHERE terminal = ?", (terminal,))
        sums: Counter[int] = Counter()
        for habit, place, runs, kind in rows:
            sums[habit] += runs
            self._connection.execute(_ADD_TOTAL, (kind, -runs))
            self._connection.execute(
                "UPDATE habit_at SET runs = runs - ?, sessions = sessions - 1,"
                " last = coalesce((SELECT max(last) FROM habit_in WHERE habit = ? AND place = ?), '')"
                " WHERE habit = ? AND place = ?",
                (runs, habit, place, habit, place),
            )
        for habit, runs in sums.items():
            self._connection.execute(
                "UPDATE habit SET runs = runs - ?, sessions = sessions - 1,"
                " last = coalesce((SELECT max(last) FROM habit_in WHERE habit = ?), '') WHERE number = ?",
                (runs, habit, habit),
            )

    def _has_count(self, terminal: int, habit: int) -> bool:
        query = "SELECT 1 FROM habit_in WHERE terminal = ? AND habit = ?"
        return self._connection.execute(query, (terminal, habit)).fetchone() is not None

    def _has_directory_count(self, terminal: int, habit: int, place: str) -> bool:
        query = "SELECT 1 FROM habit_in WHERE terminal = ? AND habit = ? AND place = ?"
        return self._connection.execute(query, (terminal, habit, place)).fetchone() is not None

    def _habit_number(self, kind: str, key: str) -> int:
        number: int = self._connection.execute(_UPSERT_HABIT, (kind, key)).fetchone()[0]
        self._habit_numbers[kind, key] = number
        return number


# Questions


def frequent_habits(
    connection: sqlite3.Connection, kind: Kind, *, runs: int, sessions: int, most: int
) -> list[HabitCount]:
    """The habits of a kind that were seen so often, the most frequent first."""
    query = (
        "SELECT kind, key, runs, sessions, last FROM habit WHERE kind = ? AND runs >= ? AND sessions >= ?"
        " ORDER BY runs DESC, key LIMIT ?"
    )
    return [_parse_habit_row(row) for row in connection.execute(query, (kind.label, runs, sessions, most))]


def habit_count(connection: sqlite3.Connection, kind: Kind, key: str) -> HabitCount | None:
    query = "SELECT kind, key, runs, sessions, last FROM habit WHERE kind = ? AND key = ?"
    row = connection.execute(query, (kind.label, key)).fetchone()
    return _parse_habit_row(row) if row else None


def frequent_habits_by_directory(
    connection: sqlite3.Connection, kind: Kind, *, runs: int, sessions: int, most: int
) -> list[HabitDirectoryCount]:
    """The same habits as `counted`, split by place."""
    query = (
        "SELECT key, place, habit_at.runs, habit_at.sessions, habit_at.last FROM (SELECT number, key FROM habit"
        " WHERE kind = ? AND runs >= ? AND sessions >= ? ORDER BY runs DESC, key LIMIT ?) AS often"
        " JOIN habit_at ON habit_at.habit = often.number WHERE habit_at.runs > 0"
    )
    return [HabitDirectoryCount(*row) for row in connection.execute(query, (kind.label, runs, sessions, most))]


def habit_by_directory(connection: sqlite3.Connection, kind: Kind, key: str) -> list[HabitDirectoryCount]:
    """One habit, split by place."""
    query = (
        "SELECT key, place, habit_at.runs, habit_at.sessions, habit_at.last FROM habit"
        " JOIN habit_at ON habit_at.habit = habit.number WHERE kind = ? AND key = ? AND habit_at.runs > 0"
    )
    return [HabitDirectoryCount(*row) for row in connection.execute(query, (kind.label, key))]


def count_frequent_habits(connection: sqlite3.Connection, kind: Kind, *, runs: int, sessions: int) -> int:
    query = "SELECT count(*) FROM habit WHERE kind = ? AND runs >= ? AND sessions >= ?"
    return int(connection.execute(query, (kind.label, runs, sessions)).fetchone()[0])


def total_runs(connection: sqlite3.Connection, kind: Kind) -> int:
    """How often anything of a kind was seen."""
    row = connection.execute("SELECT runs FROM habit_total WHERE kind = ?", (kind.label,)).fetchone()
    return int(row[0]) if row else 0


def longer_sequences(
    connection: sqlite3.Connection, kind: Kind, key: str, *, runs: int, sessions: int, most: int
) -> list[str]:
    """Sequences that begin or end with this one and were seen so often; at most so many of either."""
    often = (kind.label, runs, sessions)
    begun = connection.execute(_SELECT_BY_PREFIX, (*often, f"{key}\n", f"{key}\v", most))
    ended = connection.execute(_SELECT_BY_SUFFIX, (*often, key, key, most))
    return [found for rows in (begun, ended) for (found,) in rows]


def _parse_habit_row(row: Sequence[str | int]) -> HabitCount:
    kind, key, runs, sessions, last = row
    return HabitCount(Kind.from_label(str(kind)), str(key), int(runs), int(sessions), EventId(str(last)))


def dump_habits(connection: sqlite3.Connection) -> Iterator[str]:
    """Every count as text, in an order that does not depend on how they came."""
    habits = "SELECT kind, key, runs, sessions, last FROM habit WHERE runs > 0 ORDER BY kind, key"
    yield from (f"habit {row!r}" for row in connection.execute(habits))
    places = (
        "SELECT kind, key, place, habit_at.runs, habit_at.sessions, habit_at.last FROM habit_at"
        " JOIN habit ON habit.number = habit WHERE habit_at.runs > 0 ORDER BY kind, key, place"
    )
    yield from (f"place {row!r}" for row in connection.execute(places))
    totals = "SELECT kind, runs FROM habit_total WHERE runs > 0 ORDER BY kind"
    yield from (f"total {row!r}" for row in connection.execute(totals))


def _last_learned(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (_LEARNED_KEY,)).fetchone()
    return int(row[0]) if row else 0


def _shell_session_number(connection: sqlite3.Connection, name: str) -> int:
    connection.execute("INSERT OR IGNORE INTO terminal (name) VALUES (?)", (name,))
    number = connection.execute("SELECT number FROM terminal WHERE name = ?", (name,)).fetchone()[0]
    assert isinstance(number, int)
    return number


class Activity(Record):
    """How much was captured: commands, those that failed, sessions, directories, from when to when (milliseconds)."""

    commands: int
    failed: int
    sessions: int
    directories: int
    first: int
    last: int


def activity(connection: sqlite3.Connection) -> Activity:
    query = (
        "SELECT count(*), coalesce(sum(status > 0), 0), count(DISTINCT terminal),"
        " count(DISTINCT nullif(directory, '')), coalesce(min(at), 0), coalesce(max(at), 0) FROM ran"
    )
    return Activity(*connection.execute(query).fetchone())


def commands_by_shell(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    return connection.execute("SELECT shell, count(*) FROM ran GROUP BY shell ORDER BY 2 DESC, 1").fetchall()


def commands_by_day(connection: sqlite3.Connection, since: int) -> dict[int, int]:
    """Commands a day since a moment, by the number of the day since 1970."""
    query = "SELECT at / 86400000, count(*) FROM ran WHERE at >= ? GROUP BY 1"
    return dict(connection.execute(query, (since,)).fetchall())


def recent_commands(connection: sqlite3.Connection, until: str, most: int) -> list[RecordedCommand]:
    """The last commands of a session up to this event, the latest first."""
    query = (
        f"SELECT {_COLUMNS} FROM ran WHERE terminal = (SELECT terminal FROM ran WHERE event = ?) AND event <= ?"
        " ORDER BY event DESC LIMIT ?"
    )
    return [_parse_command_row(row) for row in connection.execute(query, (until, until, most))]


def last_events_by_session(connection: sqlite3.Connection, kind: Kind, key: str, most: int) -> list[str]:
    """The last event of a habit in each session in which it was seen, the latest first."""
    query = (
        "SELECT max(habit_in.last) AS latest FROM habit JOIN habit_in ON habit_in.habit = habit.number"
        " WHERE kind = ? AND key = ? GROUP BY terminal ORDER BY latest DESC LIMIT ?"
    )
    return [last for (last,) in connection.execute(query, (kind.label, key, most))]


def count_sessions_in(connection: sqlite3.Connection, kind: Kind, key: str, places: Sequence[str]) -> int:
    """In how many sessions a habit was seen in any of these places."""
    query = (
        "SELECT count(DISTINCT terminal) FROM habit JOIN habit_in ON habit_in.habit = habit.number"
        " WHERE kind = ? AND key = ? AND place IN (SELECT value FROM json_each(?))"
    )
    return int(connection.execute(query, (kind.label, key, json.dumps(list(places)))).fetchone()[0])


def session_names(connection: sqlite3.Connection, kind: Kind, key: str, most: int) -> list[str]:
    """The names of the latest sessions in which a habit was seen, without their hosts."""
    query = (
        "SELECT name FROM habit JOIN habit_in ON habit_in.habit = habit.number"
        " JOIN terminal ON terminal.number = habit_in.terminal WHERE kind = ? AND key = ?"
        " GROUP BY terminal.number ORDER BY max(habit_in.last) DESC LIMIT ?"
    )
    return [name.partition("\n")[2] for (name,) in connection.execute(query, (kind.label, key, most))]
