"""A team's server for a test: a database of its own on the cluster of this run, with the schema and people in it.

`postgres` is the cluster, one for each process of a run; `team_server` is a fresh database with the schema.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from harness.postgres import SUPERUSER, Cluster, Connection
from psycopg import sql

from tacit.postgres import connect
from tacit.team.schema import migrate

PROJECT = "github.com/acme/api"
SENTENCE = "Use pnpm, never npm."


class Row(NamedTuple):
    """An event as the server returns it."""

    xid: str
    seq: int
    id: str
    project: str
    author: str
    kind: str
    memory: str
    body: dict[str, object] | None

    @property
    def position(self) -> tuple[str, int]:
        return self.xid, self.seq


class TeamServer:
    """A database with the team's schema."""

    def __init__(self, cluster: Cluster, admin: str = SUPERUSER, database: str = "") -> None:
        """Create a database and its schema; a database that is named has both already."""
        self.cluster = cluster
        self.admin = admin
        self.database = database or cluster.create_database(admin)
        if not database:
            with connect(self.url(admin)) as connection:
                migrate(connection)

    def url(self, user: str) -> str:
        return self.cluster.url(self.database, user)

    @contextmanager
    def session(self, user: str) -> Iterator[Connection]:
        """A connection of this person in autocommit mode, for plain SQL."""
        with self.cluster.connect(self.database, user) as connection:
            yield connection

    def group(self, kind: str) -> str:
        return f"tacit_{self.database}_{kind}"

    def add(self, name: str, *projects: str, curator: bool = False) -> str:
        """Make somebody a member of the team and of these projects; returns the name."""
        self.cluster.create_role(name)
        with self.session(self.admin) as connection:
            connection.execute("select tacit.grant_role(%s, %s)", [name, curator])
            for project in projects:
                connection.execute("select tacit.add_member(%s, %s)", [project, name])
        return name

    def propose(self, connection: Connection, memory: str, project: str = PROJECT, sentence: str = SENTENCE) -> str:
        body = {"sentence": sentence, "kind": "rule", "tags": []}
        return self.insert(connection, "proposed", memory, project, body)

    def insert(
        self, connection: Connection, kind: str, memory: str, project: str = PROJECT, body: object = None
    ) -> str:
        """Insert an event as clients do, and return its id."""
        event = str(uuid.uuid4())
        connection.execute(
            "insert into tacit.event (id, project, kind, memory, body) values (%s, %s, %s, %s, %s)"
            " on conflict do nothing",
            [event, project, kind, memory, None if body is None else json.dumps(body)],
        )
        return event

    def pull(self, connection: Connection, after: tuple[str, int] = ("0", 0), most: int = 1000) -> list[Row]:
        """Return the events after a position, as the server returns them to the connected person."""
        rows: Any = connection.execute(
            "select xid::text, seq, id::text, project, author, kind, memory, body"
            " from tacit.events_after(%s::xid8, %s, %s)",
            [*after, most],
        )
        return [Row(*row) for row in rows]

    def grant(self, privileges: sql.SQL, role: str) -> None:
        """Grant rights on the table of events that the schema does not give: what then holds is row-level security."""
        with self.session(SUPERUSER) as connection:
            connection.execute(sql.SQL("grant {} on tacit.event to {}").format(privileges, sql.Identifier(role)))
