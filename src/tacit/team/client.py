"""The team's server: who one is there, what is new, and sending what waits. All SQL of the client is here.

Every call is one short transaction with a time limit. Sending is idempotent, because the home makes the ids of its
events, so anything may be sent again after a failure.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from tacit.errors import RefusedError, ServerError, ServerForbidsError, ServerUnreachableError
from tacit.postgres import connect, transaction
from tacit.record import Record
from tacit.team.events import Position, ServerRow, member_name, project_problem
from tacit.team.store import Outgoing, OutgoingVerb, TeamProject
from tacit.text.display import printable

if TYPE_CHECKING:
    from tacit.postgres import Connection, Cursor

PAGE_ROWS = 1000
_MAX_PROJECTS = 10_000
_SELECT_PROJECTS = "SELECT project, curator, session_user::text FROM tacit.my_projects() LIMIT %s"
_SELECT_USER = "SELECT session_user::text, current_setting('transaction_read_only') = 'on'"
_SELECT_EVENTS = (
    "SELECT xid::text, seq, id::text, project, author::text, to_char(at AT TIME ZONE 'UTC',"
    ' \'YYYY-MM-DD"T"HH24:MI:SS.US"Z"\'), kind, memory, body::text'
    " FROM tacit.events_after(%s::text::xid8, %s, %s)"
)
_INSERT_EVENT = (
    "INSERT INTO tacit.event (id, project, kind, memory, body) VALUES (%s, %s, %s, %s, %s::jsonb)"
    " ON CONFLICT DO NOTHING"
)
_PURGE = "SELECT tacit.purge(%s::uuid, %s)"
_NOT_FOUND = "P0002"  # SQLSTATE no_data_found: the event to purge is not on the server


class Standing(Record):
    """Who the person is on the server, their projects there, and the names of those that cannot be one here.

    `read_only`: it takes nothing, because it is a replica or was made so.
    """

    user: str
    projects: tuple[TeamProject, ...]
    unusable: tuple[str, ...]
    read_only: bool = False


class RefusedEntry(Record):
    """Something that the server did not take, and why. `forbidden`: it will not take it from this role later either."""

    entry: Outgoing
    problem: str
    forbidden: bool = False


class TeamServer:
    """An open connection to a team's server."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def standing(self) -> Standing:
        """Return who one is.

        Raises:
            RefusedError: The server's schema is not the one this version knows, or the session is somebody else's.
        """
        from tacit.team.schema import require_schema

        with transaction(self._connection) as cursor:
            require_schema(cursor)
            cursor.execute(_SELECT_USER)
            ((user, read_only),) = cursor.fetchall()
            if user != (asked := self._connection.info.user):
                raise RefusedError(
                    f"{printable(asked)} connected and is {printable(str(user))} there: a pooler in between gives"
                    " everybody one name; nothing was sent",
                    "its administrator removes user= from pgbouncer's [databases]",
                )
            cursor.execute(_SELECT_PROJECTS, (_MAX_PROJECTS,))
            projects = [TeamProject(str(name), curator is True) for name, curator, _ in cursor.fetchall()]
        unusable = tuple(project.name for project in projects if project_problem(project.name))
        usable = tuple(project for project in projects if project.name not in unusable)
        return Standing(member_name(str(user)), usable, unusable, read_only is True)

    def events_after(self, position: Position) -> Iterator[list[ServerRow]]:
        """Yield what the server has after a position, page by page, in its order."""
        while True:
            with transaction(self._connection) as cursor:
                cursor.execute(_SELECT_EVENTS, (str(position.xid), position.seq, PAGE_ROWS))
                page = [_parse_row(row) for row in cursor.fetchall()]
            if page:
                yield page
                position = page[-1].position
            if len(page) < PAGE_ROWS:
                return

    def send(self, entries: Sequence[Outgoing]) -> tuple[set[str], list[RefusedEntry]]:
        """Send what waits. Return the ids of the purges that were done, and what the server refused.

        Events go in one transaction, without waiting for each answer. If one of them is refused, each gets a
        transaction of its own, so that it keeps no other back. Raise ServerUnreachableError as soon as there is no
        answer.
        """
        events = [entry for entry in entries if entry.verb is not OutgoingVerb.PURGE]
        refused: list[RefusedEntry] = []
        if events and self._try(partial(_insert, events)):
            for event in events:
                if problem := self._try(partial(_insert, [event])):
                    refused.append(_refused(event, problem))
        purged: set[str] = set()
        for purge in (entry for entry in entries if entry.verb is OutgoingVerb.PURGE):
            if problem := self._try(partial(_purge, purge)):
                refused.append(_refused(purge, problem))
            else:
                purged.add(purge.id)
        return purged, refused

    def _try(self, action: Callable[[Cursor], None]) -> ServerError | None:
        """Run one transaction. Return why the server refused it, None if it did not."""
        try:
            with transaction(self._connection) as cursor:
                action(cursor)
        except ServerUnreachableError:
            raise
        except ServerError as error:
            return error
        return None


def _refused(entry: Outgoing, problem: ServerError) -> RefusedEntry:
    return RefusedEntry(entry, problem.message, isinstance(problem, ServerForbidsError))


@contextmanager
def open_server(url: str) -> Iterator[TeamServer]:
    """Connect to a team's server. Raise as `tacit.postgres.connect`."""
    connection = connect(url)
    try:
        yield TeamServer(connection)
    finally:
        connection.close()


def _insert(events: Sequence[Outgoing], cursor: Cursor) -> None:
    with cursor.connection.pipeline():
        for event in events:
            body = event.body()
            text = None if body is None else json.dumps(body)
            cursor.execute(_INSERT_EVENT, (event.id, event.project, event.verb.value, event.memory, text))


def _purge(entry: Outgoing, cursor: Cursor) -> None:
    import psycopg

    try:
        cursor.execute(_PURGE, (entry.target, entry.reason))
    except psycopg.Error as error:
        if error.sqlstate != _NOT_FOUND:
            raise
        raise psycopg.Rollback from None  # ends the transaction, and nothing else


def _parse_row(row: Sequence[object]) -> ServerRow:
    xid, seq, event, project, author, at, kind, memory, body = row
    try:
        value = None if body is None else json.loads(str(body))
    except (ValueError, RecursionError):
        value = ""
    position = Position(int(str(xid)), int(str(seq)))
    return ServerRow(position, str(event), str(project), str(author), str(at), str(kind), str(memory), value)
