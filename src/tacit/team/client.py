"""The team's server: who one is there, what is new, and sending what waits. All SQL of the client is here.

Every call is one short transaction with a time limit. Sending is idempotent, because the home makes the ids of its
events, so anything may be sent again after a failure.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from tacit.errors import RefusedError, ServerError, ServerForbidsError, ServerLimitError, ServerUnreachableError
from tacit.postgres import connect, transaction
from tacit.record import Record
from tacit.team.events import (
    MAX_NAME_CHARS,
    MAX_REASON_CHARS,
    EventPlace,
    Position,
    ServerRow,
    member_name,
    project_problem,
)
from tacit.team.store import Outgoing, OutgoingVerb, TeamProject
from tacit.text.display import one_line, printable

if TYPE_CHECKING:
    from tacit.postgres import Connection, Cursor

PAGE_ROWS = 1000
_MAX_PROJECTS = 10_000
_SELECT_PROJECTS = "SELECT project, curator FROM tacit.my_projects() LIMIT %s"
_SELECT_USER = "SELECT session_user::text, current_setting('transaction_read_only') = 'on'"
# What schemas have from migration 2 on
_SELECT_PERSON = "SELECT person::text, team::text FROM tacit.whoami()"
_SELECT_LOST = "SELECT tacit.lost(%s::text[]::uuid[], %s::text[]::xid8[], %s::bigint[])"
_SELECT_HELD_BACK = (
    "SELECT events, extract(epoch FROM now() - since)::bigint, pid, person::text, application FROM tacit.held_back()"
)
_SELECT_CHANGES = (
    "SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), by::text, change, project, memory,"
    " member::text, reason FROM tacit.changes(%s)"
)
_REPORT_REFUSED = "SELECT tacit.report_refused(%s, %s)"
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
    """Who the person is on the server, their projects there, and the names of those that cannot be one here. Who is no
    member has no projects.

    `team` is the id of the team, "" if the server's schema is older than that. `read_only`: it takes nothing, because
    it is a replica or was made so.
    """

    user: str
    projects: tuple[TeamProject, ...]
    unusable: tuple[str, ...]
    team: str = ""
    read_only: bool = False


class HeldBack(Record):
    """Events that the server does not return yet, because an older transaction is open. Who has it may be unknown."""

    events: int
    seconds: int
    pid: str
    role: str
    application: str


class RefusedEntry(Record):
    """Something that the server did not take, and why. `forbidden`: it will not take it from this role later either."""

    entry: Outgoing
    problem: str
    forbidden: bool = False


class TeamChange(Record):
    """A decision about a memory, or a change of who is a member, and who made it. Memory or member is empty."""

    at: str
    by: str
    change: str
    project: str
    memory: str
    member: str
    reason: str


class TeamServer:
    """An open connection to a team's server, and the standing of the person there.

    Raises RefusedError if the schema is none that this version knows, or the session is somebody else's.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._is_member, self._answers, self.standing = self._ask_standing()

    @contextmanager
    def _transaction(self) -> Iterator[Cursor]:
        """Run one transaction. An answer that cannot be read, as no schema of Tacit gives it, is the server's error."""
        try:
            with transaction(self._connection) as cursor:
                yield cursor
        except ValueError:
            raise ServerError("the server's answer cannot be read", "tell its administrator") from None

    def _ask_standing(self) -> tuple[bool, bool, Standing]:
        """Return whether one may read, whether what schemas have from migration 2 on may be called, and who one is."""
        from tacit.team.schema import require_schema

        with self._transaction() as cursor:
            use = require_schema(cursor)
            cursor.execute(_SELECT_USER)
            ((user, read_only),) = cursor.fetchall()
            if user != (asked := self._connection.info.user):
                raise RefusedError(
                    f"{printable(asked)} connected and is {printable(str(user))} there: a pooler in between gives"
                    " everybody one name; nothing was sent",
                    "its administrator removes user= from pgbouncer's [databases]",
                )
            team: object = ""
            if use.answers:
                cursor.execute(_SELECT_PERSON)
                ((user, team),) = cursor.fetchall()
            projects = []
            if use.is_member:
                cursor.execute(_SELECT_PROJECTS, (_MAX_PROJECTS,))
                projects = [TeamProject(str(name), curator is True) for name, curator in cursor.fetchall()]
        unusable = tuple(project.name for project in projects if project_problem(project.name))
        usable = tuple(project for project in projects if project.name not in unusable)
        standing = Standing(member_name(str(user)), usable, unusable, str(team), read_only is True)
        return use.is_member, use.answers and use.is_member, standing

    def has_lost(self, places: Sequence[EventPlace]) -> bool:
        """Return whether the server does not have all of these events where they were: it was restored."""
        if not (self._answers and places):
            return False
        ids, positions = [place.id for place in places], [place.position for place in places]
        with self._transaction() as cursor:
            cursor.execute(_SELECT_LOST, (ids, [str(at.xid) for at in positions], [at.seq for at in positions]))
            return cursor.fetchall() != [(0,)]

    def held_back(self) -> HeldBack | None:
        """Return what waits for somebody's transaction, None if nothing does."""
        if not self._answers:
            return None
        with self._transaction() as cursor:
            cursor.execute(_SELECT_HELD_BACK)
            ((events, seconds, *holder),) = cursor.fetchall()
            names = (printable(one_line(str(name or ""), MAX_NAME_CHARS)) for name in holder)
            return HeldBack(int(str(events)), int(str(seconds)), *names) if events else None

    def events_after(self, position: Position) -> Iterator[list[ServerRow]]:
        """Yield what the server has after a position, page by page, in its order: nothing for who is no member."""
        while self._is_member:
            with self._transaction() as cursor:
                cursor.execute(_SELECT_EVENTS, (str(position.xid), position.seq, PAGE_ROWS))
                page = [_parse_row(row) for row in cursor.fetchall()]
                if page and page[-1].position <= position:
                    raise ValueError("it would be read for ever")
            if page:
                yield page
                position = page[-1].position
            if len(page) < PAGE_ROWS:
                return

    def changes(self, most: int) -> list[TeamChange]:
        """Return the latest decisions and changes of membership in one's projects, the latest first. For curators."""
        if not self._answers:
            raise RefusedError("the server does not say who decided what: its schema is older, or you are no member")
        with self._transaction() as cursor:
            cursor.execute(_SELECT_CHANGES, (most,))
            rows = [[printable(one_line(str(value or ""), MAX_REASON_CHARS)) for value in row] for row in cursor]
        return [TeamChange(*row) for row in rows]

    def send(self, entries: Sequence[Outgoing]) -> tuple[set[str], list[RefusedEntry]]:
        """Send what waits. Return the ids of the purges that were done, and what the server refused.

        Events go in one transaction, without waiting for each answer. If one of them is refused, each gets a
        transaction of its own, so that it keeps no other back. Raise ServerUnreachableError as soon as there is no
        answer.
        """
        events = [entry for entry in entries if entry.verb is not OutgoingVerb.PURGE]
        refused: list[RefusedEntry] = []
        if events and self._try(partial(_insert, events), limited=True):
            limit: ServerError | None = None  # reached: the server would say the same of every other proposal
            for event in events:
                problem = limit if event.verb is OutgoingVerb.PROPOSED else None
                try:
                    problem = problem or self._try(partial(_insert, [event]))
                except ServerLimitError as error:
                    problem = limit = error
                if problem:
                    refused.append(_refused(event, problem))
        purged: set[str] = set()
        for purge in (entry for entry in entries if entry.verb is OutgoingVerb.PURGE):
            if problem := self._try(partial(_purge, purge)):
                refused.append(_refused(purge, problem))
            else:
                purged.add(purge.id)
        for project, count in Counter(entry.entry.project for entry in refused).items() if self._answers else ():
            self._try(lambda cursor, row=(project, count): cursor.execute(_REPORT_REFUSED, row))  # type: ignore[misc]
        return purged, refused

    def _try(self, action: Callable[[Cursor], object], *, limited: bool = False) -> ServerError | None:
        """Run one transaction. Return why the server refused it, None if it did not; that it takes no more is raised
        unless `limited`."""
        try:
            with self._transaction() as cursor:
                action(cursor)
        except ServerUnreachableError:
            raise
        except ServerLimitError as error:
            if not limited:
                raise
            return error
        except ServerError as error:
            return error
        return None


def _refused(entry: Outgoing, problem: ServerError) -> RefusedEntry:
    is_limit = isinstance(problem, ServerLimitError)
    text = f"{problem.message} ({problem.hint})" if is_limit else problem.message
    return RefusedEntry(entry, text, isinstance(problem, ServerForbidsError))


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
