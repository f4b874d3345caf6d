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

_BATCH = 20_000
_LEARNED = "learned"
# The plus keeps SQLite from looking through all that was seen so often, which grows.
_OFTEN = "SELECT key FROM habit WHERE kind = ? AND +runs >= ? AND sessions >= ? AND"
_BEGUN = f"{_OFTEN} key > ? AND key < ? LIMIT ?"
_ENDED = f"{_OFTEN} substr(key, instr(key, char(10)) + 1) = ? AND key <> ? LIMIT ?"
_NUMBER = (
    "INSERT INTO habit (kind, key) VALUES (?, ?) ON CONFLICT (kind, key) DO UPDATE SET runs = runs RETURNING number"
)
_ADD_AT = (
    "INSERT INTO habit_at VALUES (?, ?, ?, ?, ?) ON CONFLICT (habit, place) DO UPDATE SET"
    " runs = runs + excluded.runs, sessions = sessions + excluded.sessions, last = max(last, excluded.last)"
)
_ADD_TOTAL = "INSERT INTO habit_total VALUES (?, ?) ON CONFLICT (kind) DO UPDATE SET runs = runs + excluded.runs"
_COLUMNS = "event, at, command, directory, status, milliseconds, shell, meant, planned"


class Ran(Record):
    """A command of a session: `at` in milliseconds."""

    event: EventId
    at: int
    command: CommandRan


class Counted(Record):
    """A habit as it was counted."""

    kind: Kind
    key: str
    runs: int
    sessions: int
    last: EventId


class CountedAt(Record):
    """What was counted of a habit in one place."""

    key: str
    place: str
    runs: int
    sessions: int
    last: EventId


# What a session shows: from the trail that was left last time and further commands, in order, to the trail to leave
# and, for each command, what was seen in it.
# Each has a kind, a key and the place where it was seen.
Seen = tuple[Kind, str, str]
Learn = Callable[[str, Sequence[Ran]], tuple[str, Sequence[Sequence[Seen]]]]


def file_commands(connection: sqlite3.Connection, events: Iterable[Event]) -> None:
    """Keep commands; one that is known already is not new."""
    terminals: dict[str, int] = {}
    rows = []
    for event in events:
        assert isinstance(event.body, CommandRan)
        name = f"{event.origin.host}\n{event.origin.session}"
        if name not in terminals:
            terminals[name] = _terminal(connection, name)
        ran = event.body
        at = int(event.at.timestamp() * 1000)
        told = (ran.command, ran.directory, ran.status, ran.milliseconds, ran.shell, ran.meant, ran.planned)
        rows.append((terminals[name], event.id, at, *told))
    connection.executemany(
        f"INSERT OR IGNORE INTO ran (terminal, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def learn(connection: sqlite3.Connection, learner: Learn) -> None:
    """Take in every command that was filed since the last time."""
    gc.disable()  # nothing here makes cycles, and looking for them among so many rows takes time
    try:
        more = True
        while more:
            with transaction(connection):
                more = _learn_some(connection, learner)
    finally:
        gc.enable()


def _learn_some(connection: sqlite3.Connection, learner: Learn) -> bool:
    """The next commands in the order in which they were filed, session by session; whether there were any."""
    first = _learned(connection) + 1
    query = "SELECT max(number) FROM (SELECT number FROM ran WHERE number >= ? ORDER BY number LIMIT ?)"
    (last,) = connection.execute(query, (first, _BATCH)).fetchone()
    if last is None:
        return False
    tallies = _Tallies(connection)
    query = f"SELECT terminal, {_COLUMNS} FROM ran WHERE number BETWEEN ? AND ? ORDER BY terminal, event"
    rows = connection.execute(query, (first, last)).fetchall()
    known = _sessions(connection, first, last)
    after = [
        _learn_session(connection, learner, known[terminal], [_ran(row[1:]) for row in own], tallies)
        for terminal, own in groupby(rows, key=itemgetter(0))
    ]
    connection.executemany("UPDATE terminal SET last = ?2, trail = ?3 WHERE number = ?1", after)
    tallies.write()
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_LEARNED, str(last)))
    return True


class _Session(Record):
    """A session, its last command that was learned from, and its trail after that."""

    terminal: int
    last: str
    trail: str


def _sessions(connection: sqlite3.Connection, first: int, last: int) -> dict[int, _Session]:
    query = (
        "SELECT number, last, trail FROM terminal"
        " WHERE number IN (SELECT terminal FROM ran WHERE number BETWEEN ? AND ?)"
    )
    return {row[0]: _Session(*row) for row in connection.execute(query, (first, last))}


def _learn_session(
    connection: sqlite3.Connection, learner: Learn, session: _Session, ran: Sequence[Ran], tallies: _Tallies
) -> _Session:
    """Further commands of a session; where one came late, the whole session again."""
    terminal, last, trail = session
    is_late = ran[0].event <= last
    if is_late:
        tallies.take_back(terminal)
        trail, ran = "", _all_filed(connection, terminal, max(last, ran[-1].event))
    trail, seen = learner(trail, ran)
    counted = ((one, found) for one, many in zip(ran, seen, strict=True) for found in many)
    tallies.add(terminal, counted, fresh=not last or is_late)
    return _Session(terminal, ran[-1].event, trail)


def _all_filed(connection: sqlite3.Connection, terminal: int, until: str) -> list[Ran]:
    query = f"SELECT {_COLUMNS} FROM ran WHERE terminal = ? AND event <= ? ORDER BY event"
    return [_ran(row) for row in connection.execute(query, (terminal, until))]


def _ran(row: Sequence[str | int]) -> Ran:
    event, at, command, directory, status, milliseconds, shell, meant, planned = row
    told = CommandRan(
        str(command), str(directory), int(status), int(milliseconds), str(shell), str(meant), str(planned)
    )
    return Ran(EventId(str(event)), int(at), told)


class _Tallies:
    """Counts on their way into the tables."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        # By the labels of kinds: an enumeration's members are slow to hash, and this runs for all that is seen.
        self._numbers: dict[tuple[str, str], int] = {}
        self._counts: dict[tuple[int, int, str], tuple[int, str]] = {}
        self._totals: dict[str, int] = {}
        self._fresh: set[int] = set()

    def add(self, terminal: int, seen: Iterable[tuple[Ran, Seen]], *, fresh: bool) -> None:
        """`fresh` is a session of which nothing is counted yet."""
        if fresh:
            self._fresh.add(terminal)
        numbers, counts, totals = self._numbers, self._counts, self._totals
        for ran, (kind, key, where) in seen:
            name = kind.label
            totals[name] = totals.get(name, 0) + 1
            number = numbers.get((name, key)) or self._number(name, key)
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
            is_fresh = terminal in self._fresh
            is_first = (terminal, habit) not in counted and (is_fresh or not self._is_known(terminal, habit))
            is_first_there = is_fresh or not self._is_known_at(terminal, habit, place)
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
        self._connection.executemany(_ADD_AT, [(*place, *total) for place, total in at.items()])
        self._connection.executemany(
            "UPDATE habit SET runs = runs + ?, sessions = sessions + ?, last = max(last, ?) WHERE number = ?",
            [(*total, habit) for habit, total in sums.items()],
        )
        self._connection.executemany(_ADD_TOTAL, list(self._totals.items()))

    def take_back(self, terminal: int) -> None:
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

    def _is_known(self, terminal: int, habit: int) -> bool:
        query = "SELECT 1 FROM habit_in WHERE terminal = ? AND habit = ?"
        return self._connection.execute(query, (terminal, habit)).fetchone() is not None

    def _is_known_at(self, terminal: int, habit: int, place: str) -> bool:
        query = "SELECT 1 FROM habit_in WHERE terminal = ? AND habit = ? AND place = ?"
        return self._connection.execute(query, (terminal, habit, place)).fetchone() is not None

    def _number(self, kind: str, key: str) -> int:
        number: int = self._connection.execute(_NUMBER, (kind, key)).fetchone()[0]
        self._numbers[kind, key] = number
        return number


# Questions


def counted(connection: sqlite3.Connection, kind: Kind, *, runs: int, sessions: int, most: int) -> list[Counted]:
    """The habits of a kind that were seen so often, the most frequent first."""
    query = (
        "SELECT kind, key, runs, sessions, last FROM habit WHERE kind = ? AND runs >= ? AND sessions >= ?"
        " ORDER BY runs DESC, key LIMIT ?"
    )
    return [_counted(row) for row in connection.execute(query, (kind.label, runs, sessions, most))]


def count_of(connection: sqlite3.Connection, kind: Kind, key: str) -> Counted | None:
    query = "SELECT kind, key, runs, sessions, last FROM habit WHERE kind = ? AND key = ?"
    row = connection.execute(query, (kind.label, key)).fetchone()
    return _counted(row) if row else None


def counted_at(connection: sqlite3.Connection, kind: Kind, *, runs: int, sessions: int, most: int) -> list[CountedAt]:
    """The same habits as `counted`, split by place."""
    query = (
        "SELECT key, place, habit_at.runs, habit_at.sessions, habit_at.last FROM (SELECT number, key FROM habit"
        " WHERE kind = ? AND runs >= ? AND sessions >= ? ORDER BY runs DESC, key LIMIT ?) AS often"
        " JOIN habit_at ON habit_at.habit = often.number WHERE habit_at.runs > 0"
    )
    return [CountedAt(*row) for row in connection.execute(query, (kind.label, runs, sessions, most))]


def places_of(connection: sqlite3.Connection, kind: Kind, key: str) -> list[CountedAt]:
    """One habit, split by place."""
    query = (
        "SELECT key, place, habit_at.runs, habit_at.sessions, habit_at.last FROM habit"
        " JOIN habit_at ON habit_at.habit = habit.number WHERE kind = ? AND key = ? AND habit_at.runs > 0"
    )
    return [CountedAt(*row) for row in connection.execute(query, (kind.label, key))]


def how_many(connection: sqlite3.Connection, kind: Kind, *, runs: int, sessions: int) -> int:
    query = "SELECT count(*) FROM habit WHERE kind = ? AND runs >= ? AND sessions >= ?"
    return int(connection.execute(query, (kind.label, runs, sessions)).fetchone()[0])


def total(connection: sqlite3.Connection, kind: Kind) -> int:
    """How often anything of a kind was seen."""
    row = connection.execute("SELECT runs FROM habit_total WHERE kind = ?", (kind.label,)).fetchone()
    return int(row[0]) if row else 0


def longer(connection: sqlite3.Connection, kind: Kind, key: str, *, runs: int, sessions: int, most: int) -> list[str]:
    """Sequences that begin or end with this one and were seen so often; at most so many of either."""
    often = (kind.label, runs, sessions)
    begun = connection.execute(_BEGUN, (*often, f"{key}\n", f"{key}\v", most))
    ended = connection.execute(_ENDED, (*often, key, key, most))
    return [found for rows in (begun, ended) for (found,) in rows]


def _counted(row: Sequence[str | int]) -> Counted:
    kind, key, runs, sessions, last = row
    return Counted(Kind.named(str(kind)), str(key), int(runs), int(sessions), EventId(str(last)))


def dump(connection: sqlite3.Connection) -> Iterator[str]:
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


def _learned(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (_LEARNED,)).fetchone()
    return int(row[0]) if row else 0


def _terminal(connection: sqlite3.Connection, name: str) -> int:
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


def by_shell(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    return connection.execute("SELECT shell, count(*) FROM ran GROUP BY shell ORDER BY 2 DESC, 1").fetchall()


def by_day(connection: sqlite3.Connection, since: int) -> dict[int, int]:
    """Commands a day since a moment, by the number of the day since 1970."""
    query = "SELECT at / 86400000, count(*) FROM ran WHERE at >= ? GROUP BY 1"
    return dict(connection.execute(query, (since,)).fetchall())


def recent(connection: sqlite3.Connection, until: str, most: int) -> list[Ran]:
    """The last commands of a session up to this event, the latest first."""
    query = (
        f"SELECT {_COLUMNS} FROM ran WHERE terminal = (SELECT terminal FROM ran WHERE event = ?) AND event <= ?"
        " ORDER BY event DESC LIMIT ?"
    )
    return [_ran(row) for row in connection.execute(query, (until, until, most))]


def sessions_of(connection: sqlite3.Connection, kind: Kind, key: str, most: int) -> list[str]:
    """The last event of a habit in each session in which it was seen, the latest first."""
    query = (
        "SELECT max(habit_in.last) AS latest FROM habit JOIN habit_in ON habit_in.habit = habit.number"
        " WHERE kind = ? AND key = ? GROUP BY terminal ORDER BY latest DESC LIMIT ?"
    )
    return [last for (last,) in connection.execute(query, (kind.label, key, most))]


def sessions_at(connection: sqlite3.Connection, kind: Kind, key: str, places: Sequence[str]) -> int:
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
