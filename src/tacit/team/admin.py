"""What the administrator of a team's server does besides migrations: who belongs to which project.

People are login roles of PostgreSQL. The administrator creates them; Tacit grants them the team's group role, and
records their projects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.errors import NotFoundError, RefusedError
from tacit.postgres import transaction
from tacit.record import Record
from tacit.team.schema import require_admin_schema

if TYPE_CHECKING:
    from tacit.postgres import Connection, Cursor


class TeamMember(Record):
    """A person in a project. Without the group role, which somebody revoked, they see nothing."""

    project: str
    name: str
    is_curator: bool
    has_role: bool


class Holdings(Record):
    """What a database of a team holds. `events` is how many were numbered: row-level security hides them from
    administrators, and inserts that were rolled back have numbers, too."""

    events: int
    projects: int
    members: int


def list_members(connection: Connection) -> list[TeamMember]:
    """Return everybody, sorted by project and name."""
    with transaction(connection) as cursor:
        require_admin_schema(cursor)
        cursor.execute(
            "SELECT m.project, m.member, tacit.has_role(m.member, true), tacit.has_role(m.member, false)"
            " FROM tacit.membership m ORDER BY m.project, m.member"
        )
        return [TeamMember(str(row[0]), str(row[1]), row[2] is True, row[3] is True) for row in cursor]


def add_member(connection: Connection, name: str, project: str, *, curator: bool = False) -> bool:
    """Make a role a member of a project, and with `curator` let it decide in all of its projects.

    Returns:
        Whether the role is a curator now.

    Raises:
        NotFoundError: There is no such role; the hint has the statement that creates it.
        RefusedError: The role cannot log in, so nobody could act as it.
    """
    with transaction(connection) as cursor:
        require_admin_schema(cursor)
        cursor.execute("SELECT rolcanlogin, quote_ident(rolname) FROM pg_roles WHERE rolname = %s", (name,))
        row = cursor.fetchone()
        if row is None:
            cursor.execute("SELECT format('create role %%I login', %s::text)", (name,))
            raise NotFoundError(
                f"there is no role {name} on this server",
                f"in psql: {(cursor.fetchone() or ('',))[0]}; then set a password: \\password {name}",
            )
        if row[0] is not True:
            raise RefusedError(f"the role {name} cannot log in", f"in psql: alter role {row[1]} login")
        cursor.execute("SELECT tacit.has_role(%s, %s)", (name, curator))
        if cursor.fetchone() != (True,):
            cursor.execute("SELECT tacit.grant_role(%s, %s)", (name, curator))
        cursor.execute("SELECT tacit.add_member(%s, %s)", (project, name))
        cursor.execute("SELECT tacit.has_role(%s, true)", (name,))
        return cursor.fetchone() == (True,)


def remove_member(connection: Connection, name: str, project: str | None = None) -> list[str]:
    """Remove a role from one project, or from all. Who is in none is not a member of the team any more.

    Returns:
        The projects from which it was removed.

    Raises:
        NotFoundError: The role is in no such project.
    """
    with transaction(connection) as cursor:
        require_admin_schema(cursor)
        cursor.execute("SELECT m.project FROM tacit.membership m WHERE m.member = %s ORDER BY 1", (name,))
        projects = [str(row[0]) for row in cursor]
        removed = [each for each in projects if project in (None, each)]
        if not removed and (project is not None or not _revoke(cursor, name)):
            raise NotFoundError(f"{name} is not a member of {project or 'the team'}", "tacit team members URL")
        for each in removed:
            cursor.execute("SELECT tacit.remove_member(%s, %s)", (each, name))
        if len(removed) == len(projects):
            _revoke(cursor, name)
        return removed


def remove_curator(connection: Connection, name: str) -> None:
    """Take the right to decide from a role. It stays a member of its projects. Raises NotFoundError if it has none."""
    with transaction(connection) as cursor:
        require_admin_schema(cursor)
        cursor.execute("SELECT tacit.has_role(%s, true)", (name,))
        if cursor.fetchone() != (True,):
            raise NotFoundError(f"{name} is not a curator", "tacit team members URL")
        cursor.execute("SELECT tacit.grant_role(%s, false), tacit.revoke_role(%s, true)", (name, name))


def _revoke(cursor: Cursor, name: str) -> bool:
    """Revoke the group roles that a role was granted, and return whether there was one."""
    revoked = False
    for curator in (True, False):
        cursor.execute("SELECT tacit.has_role(%s, %s)", (name, curator))
        if cursor.fetchone() == (True,):
            cursor.execute("SELECT tacit.revoke_role(%s, %s)", (name, curator))
            revoked = True
    return revoked


def read_holdings(connection: Connection) -> Holdings:
    """Return what would be lost with the schema."""
    with transaction(connection) as cursor:
        require_admin_schema(cursor)
        cursor.execute(
            "SELECT coalesce(pg_sequence_last_value('tacit.event_seq_seq'::regclass), 0), count(DISTINCT m.project),"
            " count(DISTINCT m.member) FROM tacit.membership m"
        )
        row = cursor.fetchone() or (0, 0, 0)
        return Holdings(*(int(str(value)) for value in row))


def mark_restored(connection: Connection) -> None:
    """Let transaction numbers go on beyond all that were given out before the database was restored."""
    with transaction(connection) as cursor:
        require_admin_schema(cursor)
        cursor.execute("SELECT tacit.restored()")
