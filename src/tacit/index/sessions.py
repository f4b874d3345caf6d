"""Questions about sessions: lists of them, one whole, what is known of their events, what was put into prompts."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING

from tacit.index.doc_ids import session_start_id
from tacit.index.reader import Decode
from tacit.model.claim import Scope
from tacit.model.event import Event
from tacit.model.ids import CLAIM_ID_LENGTH, ClaimId, EventId, claim_number
from tacit.record import Record

if TYPE_CHECKING:
    from tacit.model.session import Session

_EVENT_LINE = "line_of(event, segment, offset, length, raw)"
_SESSION_COLUMNS = "id, agent, name, key, scope, began, at, turns, title, outcome, files, alike, compacted, model"


class SessionRow(Record):
    """A session as lists see it. `alike` is the same for sessions in which the same was asked; `model` is whose words
    `outcome` is in, where it is a summary by a model."""

    id: ClaimId
    agent: str
    name: str
    key: str
    scope: Scope
    began: str
    at: str
    turns: int
    title: str
    outcome: str
    files: tuple[str, ...]
    request_key: str
    compacted: str
    model: str = ""

    @property
    def has_content(self) -> bool:
        """Whether anything was said in it; of a helper's work alone there is nothing to tell."""
        return bool(self.request_key or self.outcome)


class LoggedSessionEvent(Record):
    """An event of a session and where it stands in the log."""

    event: Event
    segment: str
    line: int


_SELECT_SESSIONS = f"SELECT {_SESSION_COLUMNS} FROM session ORDER BY at DESC, id LIMIT ?"
_SELECT_SESSIONS_OF_SCOPE = f"SELECT {_SESSION_COLUMNS} FROM session WHERE scope = ? ORDER BY at DESC, id LIMIT ?"


def session_rows(connection: sqlite3.Connection, scope: Scope | None = None, limit: int = -1) -> list[SessionRow]:
    """Sessions, the latest first; of one project, or of all."""
    if scope is None:
        return [_parse_session_row(found) for found in connection.execute(_SELECT_SESSIONS, (limit,))]
    return [_parse_session_row(found) for found in connection.execute(_SELECT_SESSIONS_OF_SCOPE, (scope, limit))]


def session_row(connection: sqlite3.Connection, session: ClaimId) -> SessionRow | None:
    return session_row_by_number(connection, claim_number(session))


def session_row_by_number(connection: sqlite3.Connection, number: int) -> SessionRow | None:
    """The session of this number."""
    found = connection.execute(f"SELECT {_SESSION_COLUMNS} FROM session WHERE number = ?", (number,)).fetchone()
    return _parse_session_row(found) if found else None


_SELECT_WITH_REQUESTS = (
    "SELECT number, began, id, alike FROM session WHERE scope = ? AND alike <> '' ORDER BY at DESC, id LIMIT ?"
)


def sessions_by_start_id(connection: sqlite3.Connection, scope: Scope, limit: int) -> dict[int, tuple[ClaimId, str]]:
    """The latest sessions of a project in which something was asked, by where the numbers of their messages begin; with
    what is the same for those in which the same was asked."""
    return {
        session_start_id(date.fromisoformat(began[:10]), number): (ClaimId(name), alike)
        for number, began, name, alike in connection.execute(_SELECT_WITH_REQUESTS, (scope, limit))
    }


def session_ids_with_prefix(connection: sqlite3.Connection, prefix: str, limit: int = 10) -> list[ClaimId]:
    first, last = (claim_number(ClaimId(prefix.ljust(CLAIM_ID_LENGTH, letter))) for letter in "0z")
    query = "SELECT id FROM session WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?"
    return [ClaimId(found) for (found,) in connection.execute(query, (first, last, limit))]


def short_id(connection: sqlite3.Connection, session: ClaimId, least: int = 4) -> str:
    """The shortest beginning, four letters at least, that no other session shares."""
    while least < len(session) and len(session_ids_with_prefix(connection, session[:least], 2)) > 1:
        least += 1
    return session[:least]


def session_ids_with_name(connection: sqlite3.Connection, name: str, limit: int = 10) -> list[ClaimId]:
    """Sessions by the name, or its beginning, that their host gave them."""
    query = "SELECT id FROM session WHERE substr(name, 1, ?) = ? ORDER BY number LIMIT ?"
    return [ClaimId(found) for (found,) in connection.execute(query, (len(name), name, limit))]


def load_session(connection: sqlite3.Connection, found: SessionRow, decode: Decode) -> Session:
    """The whole of it."""
    from tacit.model.session import fold_session  # lists and prompts do without

    return fold_session(found.agent, found.name, events_of_session(connection, claim_number(found.id), decode))


def events_of_session(connection: sqlite3.Connection, number: int, decode: Decode) -> list[Event]:
    rows = connection.execute(f"SELECT {_EVENT_LINE} FROM said WHERE session = ? ORDER BY event", (number,))
    return [decode(raw) for (raw,) in rows]


def agents_of(connection: sqlite3.Connection, events: Sequence[str]) -> set[str]:
    """The agents in whose sessions these events were told."""
    query = (
        "SELECT DISTINCT agent FROM said JOIN session ON session.number = said.session"
        " WHERE event IN (SELECT value FROM json_each(?))"
    )
    return {agent for (agent,) in connection.execute(query, (json.dumps(list(events)),))}


def session_row_by_page(connection: sqlite3.Connection, key: str) -> SessionRow | None:
    found = connection.execute(f"SELECT {_SESSION_COLUMNS} FROM session WHERE key = ?", (key,)).fetchone()
    return _parse_session_row(found) if found else None


def logged_events_of_session(
    connection: sqlite3.Connection, found: SessionRow, decode: Decode
) -> Iterator[LoggedSessionEvent]:
    query = f"SELECT {_EVENT_LINE}, segment, line FROM said WHERE session = ? ORDER BY event"
    for raw, segment, line in connection.execute(query, (claim_number(found.id),)):
        yield LoggedSessionEvent(decode(raw), segment, line)


_SELECT_LOGGED_EVENTS = f"""
  SELECT segment, line, {_EVENT_LINE} FROM json_each(?) AS wanted JOIN said ON said.event = wanted.value
  ORDER BY wanted.key
"""


def logged_events(
    connection: sqlite3.Connection, events: Sequence[EventId], decode: Decode
) -> list[LoggedSessionEvent]:
    """These events, where they are still there, in this order."""
    rows = connection.execute(_SELECT_LOGGED_EVENTS, (json.dumps(events),))
    return [LoggedSessionEvent(decode(raw), segment, line) for segment, line, raw in rows]


def learned_sessions(connection: sqlite3.Connection, model: str = "") -> set[tuple[str, str]]:
    """The sessions that were learned from, each with the time of the last thing that was in it then: by this model, or
    by anybody."""
    query = "SELECT id, at FROM concluded WHERE ? IN ('', model)"
    return set(connection.execute(query, (model,)).fetchall())


def mark_session_learned(connection: sqlite3.Connection, session: ClaimId, at: str, model: str = "") -> None:
    row = (claim_number(session), model, session, at)
    connection.execute("INSERT OR REPLACE INTO concluded VALUES (?, ?, ?, ?)", row)


_SELECT_KNOWN_EVENTS = "SELECT event FROM said WHERE event IN (SELECT value FROM json_each(?))"


def known_events(connection: sqlite3.Connection, events: Sequence[EventId]) -> set[str]:
    """Which of these are filed already."""
    return {event for (event,) in connection.execute(_SELECT_KNOWN_EVENTS, (json.dumps(events),))}


_SELECT_INJECTIONS = f"SELECT {_EVENT_LINE} FROM given ORDER BY event DESC LIMIT ?"
_SELECT_INJECTIONS_OF_SESSION = f"SELECT {_EVENT_LINE} FROM given WHERE session = ? ORDER BY event DESC LIMIT ?"


def injection_events(
    connection: sqlite3.Connection, decode: Decode, session: str | None = None, limit: int = -1
) -> list[Event]:
    """What was put into prompts, the latest first; of one session, or of all."""
    if session is None:
        return [decode(raw) for (raw,) in connection.execute(_SELECT_INJECTIONS, (limit,))]
    return [decode(raw) for (raw,) in connection.execute(_SELECT_INJECTIONS_OF_SESSION, (session, limit))]


def _parse_session_row(found: Sequence[str | int]) -> SessionRow:
    texts = [str(one) for one in found]
    name, agent, host_name, key, scope, began, at, _, title, outcome, files, alike, compacted, model = texts
    changed = tuple(files.split("\n")) if files else ()
    named = (ClaimId(name), agent, host_name, key, Scope(scope))
    return SessionRow(*named, began, at, int(found[7]), title, outcome, changed, alike, compacted, model)
