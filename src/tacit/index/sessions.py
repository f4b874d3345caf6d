"""Queries of sessions: lists, whole sessions, their events, and what was injected into prompts."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence

from tacit.index.reader import Decode, LoggedEvent, ids_with_prefix, select_events, select_ids, usage_metrics
from tacit.model.claim import Scope
from tacit.model.event import Event
from tacit.model.ids import ClaimId, EventId, claim_number
from tacit.record import Record

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from tacit.model.session import Session

_EVENT_LINE = "event_line(event_id, segment, offset, length, raw)"
_SESSION_COLUMNS = (
    "id, agent, host_session_id, page_name, scope, started_at, ended_at, turn_count, title, outcome, files,"
    " request_key, compacted_at, model, branch"
)

MAIN_BRANCHES = ("main", "master", "trunk", "HEAD")  # their names say nothing about the work

_IS_LISTED = "request_hash IS NOT NULL"


class SessionRow(Record):
    """What lists need of a session.

    `host_session_id` is the id that its host gave it. Sessions with the same prompts have the same `request_key`.
    `compacted_at` is the last time, "" if there is none. `model` is the model that wrote `outcome`, "" if none did.
    """

    id: ClaimId
    agent: str
    host_session_id: str
    page_name: str
    scope: Scope
    started_at: str
    ended_at: str
    turn_count: int
    title: str
    outcome: str
    files: tuple[str, ...]
    request_key: str
    compacted_at: str
    model: str = ""
    branch: str = ""

    @property
    def has_content(self) -> bool:
        """Whether it has prompts or an outcome. Sessions of subagents alone have neither."""
        return bool(self.request_key or self.outcome)

    @property
    def is_titled_by_outcome(self) -> bool:
        """Whether the title is how the outcome begins, because nothing in the request says what it is about."""
        return bool(self.outcome) and self.outcome.startswith(self.title)


class SessionVersion(Record):
    """The events that a session has: its number, how many there are, and the last one."""

    number: int
    event_count: int
    last_event: str


class SessionChoice(Record):
    """Something that a person chose in a session: of `subject` they took `value`."""

    subject: str
    value: str
    event_id: EventId


# Rows


def session_rows(connection: sqlite3.Connection, scope: Scope | None = None, limit: int = -1) -> list[SessionRow]:
    """Return the sessions of a project, or of all, the latest first."""
    if scope is None:
        return _select_sessions(connection, "ORDER BY ended_at DESC, id LIMIT ?", (limit,))
    return _select_sessions(connection, "WHERE scope = ? ORDER BY ended_at DESC, id LIMIT ?", (scope, limit))


def listed_sessions(
    connection: sqlite3.Connection, scope: Scope | None = None, limit: int = -1, *, grouped: bool = True
) -> list[tuple[int, int]]:
    """Return the sessions of a list, the latest first: the number of each, and how many others asked the same.

    Sessions that asked the same in a project are one entry if `grouped`. Sessions without a word are left out.
    """
    if grouped:
        where = "" if scope is None else "WHERE scope = ?"
        columns, table, order = "session_number, session_count - 1", "session_groups", "session_number"
    else:
        where = f"WHERE {_IS_LISTED}" if scope is None else f"WHERE {_IS_LISTED} AND scope = ?"
        columns, table, order = "number, 0", "sessions", "number"
    query = f"SELECT {columns} FROM {table} {where} ORDER BY ended_at DESC, {order} LIMIT ?"
    return connection.execute(query, (limit,) if scope is None else (scope, limit)).fetchall()


def count_sessions(connection: sqlite3.Connection, scope: Scope | None = None, *, grouped: bool = False) -> int:
    """Return how many entries `listed_sessions` has."""
    column = "count(*)" if grouped else "coalesce(sum(session_count), 0)"
    where, values = ("", ()) if scope is None else ("WHERE scope = ?", (scope,))
    number: int = connection.execute(f"SELECT {column} FROM session_groups {where}", values).fetchone()[0]
    return number


def session_row(connection: sqlite3.Connection, session: ClaimId) -> SessionRow | None:
    """Return the row of a session, None if there is none."""
    return session_row_by_number(connection, claim_number(session))


def session_row_by_number(connection: sqlite3.Connection, number: int) -> SessionRow | None:
    """Return the session whose id is this number, None if there is none."""
    return next(iter(_select_sessions(connection, "WHERE number = ?", (number,))), None)


def session_row_by_page(connection: sqlite3.Connection, page_name: str) -> SessionRow | None:
    """Return the session whose page has this name, None if there is none."""
    return next(iter(_select_sessions(connection, "WHERE page_name = ?", (page_name,))), None)


def session_ids_with_prefix(connection: sqlite3.Connection, prefix: str, limit: int = 10) -> list[ClaimId]:
    """Return sessions whose ids begin with `prefix`, in order."""
    return ids_with_prefix(connection, "sessions", prefix, limit)


def session_ids_with_host_prefix(connection: sqlite3.Connection, prefix: str, limit: int = 10) -> list[ClaimId]:
    """Return sessions whose host's id begins with `prefix`."""
    query = "SELECT id FROM sessions WHERE substr(host_session_id, 1, ?) = ? ORDER BY number LIMIT ?"
    return select_ids(connection, query, len(prefix), prefix, limit)


def short_id(connection: sqlite3.Connection, session: ClaimId, length: int = 4) -> str:
    """Return the shortest unique prefix of an id, at least `length` characters."""
    while length < len(session) and len(session_ids_with_prefix(connection, session[:length], 2)) > 1:
        length += 1
    return session[:length]


# Sessions over time


def sessions_by_day(connection: sqlite3.Connection, since: str, offset: int) -> dict[str, tuple[int, int]]:
    """Return the number of sessions that began on each day since a time, and the number of their turns.

    Days are those of a clock that is `offset` minutes ahead of UTC.
    """
    query = (
        f"SELECT date(started_at, ? || ' minutes'), count(*), sum(turn_count) FROM sessions WHERE {_IS_LISTED}"
        " AND started_at >= ? GROUP BY 1"
    )
    return {day: (sessions, turns) for day, sessions, turns in connection.execute(query, (f"{offset:+d}", since))}


def sessions_between(connection: sqlite3.Connection, since: str, before: str) -> list[ClaimId]:
    """Return the sessions that began in this time, in order."""
    query = f"SELECT id FROM sessions WHERE {_IS_LISTED} AND started_at >= ? AND started_at < ? ORDER BY started_at"
    return select_ids(connection, query, since, before)


def sessions_at_work(connection: sqlite3.Connection, since: str, before: str) -> list[tuple[ClaimId, str]]:
    """Return the sessions in which a turn began in this time, with when they ended."""
    query = (
        "SELECT DISTINCT id, ended_at FROM pages JOIN sessions USING (page_name)"
        f" WHERE kind = 'session' AND created_at >= ? AND created_at < ? AND {_IS_LISTED}"
    )
    return [(ClaimId(session), ended_at) for session, ended_at in connection.execute(query, (since, before))]


def turns_since(connection: sqlite3.Connection, since: str) -> Iterator[tuple[str, str, str]]:
    """Yield (page name of the session, beginning of the turn, end of the session) by session, turns in order."""
    query = (
        "SELECT sessions.page_name, pages.created_at, ended_at FROM sessions"
        " JOIN pages ON pages.kind = 'session' AND pages.page_name = sessions.page_name"
        " WHERE ended_at >= ? ORDER BY 1, 2"
    )
    yield from connection.execute(query, (since,))


# Sessions and their events


def load_session(connection: sqlite3.Connection, row: SessionRow, decode: Decode) -> Session:
    """Fold a session from its events."""
    from tacit.model.session import fold_session  # not needed for lists and prompts

    return fold_session(row.agent, row.host_session_id, events_of_session(connection, claim_number(row.id), decode))


def events_of_session(connection: sqlite3.Connection, number: int, decode: Decode, limit: int = -1) -> list[Event]:
    """Return the events of a session, or the last `limit` of them, in order. `number` is its id as an integer."""
    query = f"SELECT {_EVENT_LINE} FROM session_events WHERE session_number = ? ORDER BY event_id DESC LIMIT ?"
    return select_events(connection, decode, query, (number, limit))[::-1]


def prompt_lines(connection: sqlite3.Connection, scope: Scope, *, sessions: int) -> Iterator[tuple[ClaimId, bytes]]:
    """Yield the lines of prompts in the latest sessions of a project, with the session's id, the latest session first.

    Lines are not decoded: most callers need few of them.
    """
    query = (
        f"SELECT latest.id, {_EVENT_LINE} FROM (SELECT number, id, ended_at FROM sessions WHERE scope = ?"
        " ORDER BY ended_at DESC, id LIMIT ?) AS latest JOIN session_events ON session_number = latest.number"
        " ORDER BY latest.ended_at DESC, latest.id, event_id"
    )
    for session, line in connection.execute(query, (scope, sessions)):
        if line is not None and b'"prompt.given"' in line:
            yield ClaimId(session), line


def session_version(connection: sqlite3.Connection, session: ClaimId) -> SessionVersion:
    """Return what tells whether a session got events since."""
    number = claim_number(session)
    query = "SELECT count(*), coalesce(max(event_id), '') FROM session_events WHERE session_number = ?"
    return SessionVersion(number, *connection.execute(query, (number,)).fetchone())


def logged_events_of_session(connection: sqlite3.Connection, row: SessionRow, decode: Decode) -> Iterator[LoggedEvent]:
    """Yield the events of a session with their positions in the log, in the order in which they happened.

    Where the host gave several the same time, the order in which they were captured counts: their ids say nothing.
    """
    query = f"SELECT {_EVENT_LINE}, segment, line FROM session_events WHERE session_number = ?"
    rows = connection.execute(query, (claim_number(row.id),))
    logged = (LoggedEvent(decode(raw), segment, line) for raw, segment, line in rows)
    yield from sorted(logged, key=lambda one: (one.event.at, one.segment, one.line))


def logged_events(connection: sqlite3.Connection, events: Sequence[EventId], decode: Decode) -> list[LoggedEvent]:
    """Return those of these events of sessions that exist, in the given order."""
    query = (
        f"SELECT segment, line, {_EVENT_LINE} FROM json_each(?) AS wanted"
        " JOIN session_events ON event_id = wanted.value ORDER BY wanted.key"
    )
    rows = connection.execute(query, (json.dumps(events),))
    return [LoggedEvent(decode(raw), segment, line) for segment, line, raw in rows]


def known_events(connection: sqlite3.Connection, events: Sequence[EventId]) -> set[str]:
    """Return those of these events of sessions that are stored already."""
    query = "SELECT event_id FROM session_events WHERE event_id IN (SELECT value FROM json_each(?))"
    return {event for (event,) in connection.execute(query, (json.dumps(events),))}


def agents_of(connection: sqlite3.Connection, events: Sequence[str]) -> set[str]:
    """Return the agents whose sessions these events belong to."""
    query = (
        "SELECT DISTINCT agent FROM session_events JOIN sessions ON number = session_number"
        " WHERE event_id IN (SELECT value FROM json_each(?))"
    )
    return {agent for (agent,) in connection.execute(query, (json.dumps(list(events)),))}


def claims_from_events(connection: sqlite3.Connection, events: Sequence[EventId]) -> list[ClaimId]:
    """Return the claims that were learned from any of these events."""
    query = "SELECT DISTINCT claim_id FROM claim_sources WHERE event_id IN (SELECT value FROM json_each(?))"
    return [ClaimId(claim) for (claim,) in connection.execute(query, (json.dumps(list(events)),))]


def sources_of_claim(connection: sqlite3.Connection, claim: ClaimId) -> list[tuple[EventId, SessionRow]]:
    """Return the events of sessions that a claim was learned from, with their sessions."""
    query = "SELECT event_id, session_number FROM claim_sources JOIN session_events USING (event_id) WHERE claim_id = ?"
    found = connection.execute(query, (claim,)).fetchall()
    rows = ((EventId(event), session_row_by_number(connection, number)) for event, number in found)
    return [(event, row) for event, row in rows if row is not None]


def learned_sessions(connection: sqlite3.Connection, model: str = "") -> set[tuple[str, str]]:
    """Return (id, time of the last event then) of the sessions that were learned from, by this model or by any."""
    query = "SELECT session_id, ended_at FROM learned_sessions WHERE ? IN ('', model)"
    return set(connection.execute(query, (model,)).fetchall())


def judged_sessions(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    """Return (id, time of the last event then) of the sessions that any client or model has judged."""
    return set(connection.execute("SELECT session_id, ended_at FROM learned_sessions WHERE model <> ''").fetchall())


def count_unjudged(connection: sqlite3.Connection) -> int:
    """Return how many sessions no client or model has judged as they are now. Those without content do not count."""
    query = (
        "SELECT count(*) FROM sessions WHERE (request_key <> '' OR outcome <> '') AND NOT EXISTS (SELECT 1 FROM"
        " learned_sessions AS done WHERE session_number = number AND model <> '' AND done.ended_at = sessions.ended_at)"
    )
    number: int = connection.execute(query).fetchone()[0]
    return number


def mark_session_learned(connection: sqlite3.Connection, session: ClaimId, ended_at: str, model: str = "") -> None:
    """Record that a session was learned from when it ended at this time."""
    row = (claim_number(session), model, session, ended_at)
    connection.execute("INSERT OR REPLACE INTO learned_sessions VALUES (?, ?, ?, ?)", row)


def save_session_choices(connection: sqlite3.Connection, session: ClaimId, choices: Sequence[SessionChoice]) -> None:
    """Store what a person chose in a session, in place of what was stored of it before."""
    number = claim_number(session)
    connection.execute("DELETE FROM session_choices WHERE session_number = ?", (number,))
    rows = [(number, choice.subject, choice.event_id, choice.value) for choice in choices]
    connection.executemany("INSERT OR IGNORE INTO session_choices VALUES (?, ?, ?, ?)", rows)


def choices_of_other_sessions(
    connection: sqlite3.Connection, row: SessionRow, subjects: Sequence[str]
) -> dict[ClaimId, list[SessionChoice]]:
    """Return what was chosen of these subjects in other sessions of the same scope, by session, the oldest first."""
    query = (
        "SELECT id, subject, value, event_id FROM session_choices JOIN sessions ON number = session_number"
        " WHERE subject IN (SELECT value FROM json_each(?)) AND scope = ? AND number <> ? ORDER BY event_id"
    )
    found: dict[ClaimId, list[SessionChoice]] = {}
    for session, *choice in connection.execute(query, (json.dumps(subjects), row.scope, claim_number(row.id))):
        found.setdefault(ClaimId(session), []).append(SessionChoice(*choice))
    return found


def injection_events(
    connection: sqlite3.Connection, decode: Decode, host_session_id: str | None = None, limit: int = -1
) -> list[Event]:
    """Return what was injected into the prompts of a session, or of all, the latest first."""
    return [decode(line) for line in _select_injections(connection, _EVENT_LINE, host_session_id, limit)]


def injection_ids(connection: sqlite3.Connection, host_session_id: str | None = None, limit: int = -1) -> list[EventId]:
    """Return the ids of the events that `injection_events` returns."""
    return [EventId(event) for event in _select_injections(connection, "event_id", host_session_id, limit)]


def _select_injections(connection: sqlite3.Connection, column: str, session: str | None, limit: int) -> Iterator[Any]:
    query = f"SELECT {column} FROM injections WHERE host_session_id = ? ORDER BY event_id DESC LIMIT ?"
    if session is None:
        query = f"SELECT {column} FROM injections ORDER BY event_id DESC LIMIT ?"
    return (value for (value,) in connection.execute(query, (limit,) if session is None else (session, limit)))


def injections_by_id(connection: sqlite3.Connection, decode: Decode, events: Sequence[EventId]) -> list[Event]:
    """Return those of these injections that exist, in the given order."""
    query = (
        f"SELECT {_EVENT_LINE} FROM json_each(?) AS wanted JOIN injections ON event_id = wanted.value"
        " ORDER BY wanted.key"
    )
    return select_events(connection, decode, query, (json.dumps(list(events)),))


def count_injections(connection: sqlite3.Connection, host_session_id: str | None = None) -> int:
    """Return how many events `injection_events` has without a limit."""
    if host_session_id is None:
        return usage_metrics(connection).get("briefs", 0)
    query = "SELECT count(*) FROM injections WHERE host_session_id = ?"
    number: int = connection.execute(query, (host_session_id,)).fetchone()[0]
    return number


def _select_sessions(connection: sqlite3.Connection, tail: str, values: Sequence[str | int]) -> list[SessionRow]:
    """Return sessions. `tail` is the query after the table."""
    rows = connection.execute(f"SELECT {_SESSION_COLUMNS} FROM sessions {tail}", values)
    columns = ((*row[:10], tuple(row[10].split("\n")) if row[10] else (), *row[11:]) for row in rows)
    return [SessionRow(*row) for row in columns]
