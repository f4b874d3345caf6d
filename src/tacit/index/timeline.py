"""Queries over days and weeks: what ran, which sessions there were, what agents were told and whether they followed it.

Days are those of a clock that is `offset` minutes ahead of UTC.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from tacit.model.adherence import Adherence
from tacit.model.ids import ClaimId, EventId
from tacit.record import Record

_HAS_CONTENT = "(request_key <> '' OR outcome <> '')"  # as `SessionRow.has_content`
_DAY_MILLISECONDS = 24 * 60 * 60 * 1000
_MINUTE_MILLISECONDS = 60_000


class TimedCommand(Record):
    """A command that a person ran, with its time in milliseconds."""

    ran_at: int
    command: str
    directory: str
    exit_status: int
    duration_ms: int


class SessionCheck(Record):
    """Whether a session followed a memory, and when the session ended."""

    claim: ClaimId
    ended_at: str
    result: Adherence


def sessions_by_day(connection: sqlite3.Connection, since: str, offset: int) -> dict[str, tuple[int, int]]:
    """Return the number of sessions that began on each day since a time, and the number of their turns."""
    query = (
        f"SELECT date(started_at, ? || ' minutes'), count(*), sum(turn_count) FROM sessions WHERE {_HAS_CONTENT}"
        " AND started_at >= ? GROUP BY 1"
    )
    return {day: (sessions, turns) for day, sessions, turns in connection.execute(query, (f"{offset:+d}", since))}


def commands_by_day(connection: sqlite3.Connection, since: int, offset: int) -> dict[int, int]:
    """Count commands since a time in milliseconds, by the number of the day since 1970."""
    query = "SELECT (ran_at + ?) / ?, count(*) FROM shell_commands WHERE ran_at >= ? GROUP BY 1"
    values = (offset * _MINUTE_MILLISECONDS, _DAY_MILLISECONDS, since)
    return dict(connection.execute(query, values).fetchall())


def commands_by_hour(connection: sqlite3.Connection, since: int, offset: int) -> dict[tuple[int, int], int]:
    """Count commands since a time in milliseconds, by weekday (Monday is 0) and hour."""
    query = (
        "SELECT (ran_at + ?1) / 86400000, (ran_at + ?1) / 3600000 % 24, count(*) FROM shell_commands"
        " WHERE ran_at >= ?2 GROUP BY 1, 2"
    )
    counts: dict[tuple[int, int], int] = {}
    for day, hour, number in connection.execute(query, (offset * _MINUTE_MILLISECONDS, since)):
        key = ((day + 3) % 7, hour)  # 1970 began on a Thursday
        counts[key] = counts.get(key, 0) + number
    return counts


def sessions_between(connection: sqlite3.Connection, since: str, before: str) -> list[ClaimId]:
    """Return the sessions that began in this time, in order."""
    query = f"SELECT id FROM sessions WHERE {_HAS_CONTENT} AND started_at >= ? AND started_at < ? ORDER BY started_at"
    return [ClaimId(session) for (session,) in connection.execute(query, (since, before))]


def commands_between(connection: sqlite3.Connection, since: int, before: int, limit: int) -> list[TimedCommand]:
    """Return the commands that ran in this time, in order; at most `limit`."""
    query = (
        "SELECT ran_at, command, directory, exit_status, duration_ms FROM shell_commands"
        " WHERE ran_at >= ? AND ran_at < ? ORDER BY ran_at, id LIMIT ?"
    )
    return [TimedCommand(*row) for row in connection.execute(query, (since, before, limit))]


def turns_since(connection: sqlite3.Connection, since: str) -> Iterator[tuple[str, str, str]]:
    """Yield (page name of the session, beginning of the turn, end of the session) by session, turns in order."""
    query = (
        "SELECT sessions.page_name, pages.created_at, ended_at FROM sessions"
        " JOIN pages ON pages.kind = 'session' AND pages.page_name = sessions.page_name"
        " WHERE ended_at >= ? ORDER BY 1, 2"
    )
    yield from connection.execute(query, (since,))


def first_injections(connection: sqlite3.Connection, since: EventId) -> list[EventId]:
    """Return the event in which each memory was first told to each session, of those since an event."""
    query = "SELECT min(event_id) FROM injected_memories WHERE event_id >= ? GROUP BY claim_id, host_session_id"
    return [EventId(event) for (event,) in connection.execute(query, (since,))]


def injected_tokens(connection: sqlite3.Connection, since: EventId) -> list[tuple[EventId, int]]:
    """Return how many tokens each injection since an event took."""
    query = (
        "SELECT event_id, amount FROM metrics WHERE name = 'tokens' AND event_id >= ?"
        " AND event_id IN (SELECT event_id FROM injected_memories)"
    )
    return [(EventId(event), amount) for event, amount in connection.execute(query, (since,))]


def checks_since(connection: sqlite3.Connection, since: str) -> list[SessionCheck]:
    """Return the checks of sessions that ended since a time."""
    query = (
        "SELECT claim_id, ended_at, result FROM memory_checks JOIN sessions ON sessions.id = session_id"
        " WHERE ended_at >= ?"
    )
    return [
        SessionCheck(ClaimId(claim), ended_at, Adherence(result))
        for claim, ended_at, result in connection.execute(query, (since,))
    ]


def most_injected(connection: sqlite3.Connection, limit: int) -> list[tuple[ClaimId, int]]:
    """Return the memories that were injected in the most sessions, with the number of sessions."""
    query = (
        "SELECT claim_id, count(DISTINCT host_session_id) FROM injected_memories GROUP BY claim_id"
        " ORDER BY 2 DESC, 1 LIMIT ?"
    )
    return [(ClaimId(claim), number) for claim, number in connection.execute(query, (limit,))]
