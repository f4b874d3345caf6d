"""What the administrator of a team's server does: its schema, and who belongs to which project.

The schema comes by numbered migrations, each a pair of SQL files. One is applied or taken down in one transaction,
under a lock that keeps a second administrator out. The server records the number and the hash of each; one that was
changed afterwards, or that this version of Tacit does not know, is refused instead of being guessed about.

People are login roles of PostgreSQL, which the administrator creates and Tacit grants the team's group role, or names
that a certificate or a directory vouches for (`people.py`). Tacit records their projects.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING

from tacit.errors import NotFoundError, RefusedError, UsageError
from tacit.postgres import transaction
from tacit.record import Record

if TYPE_CHECKING:
    from tacit.postgres import Connection, Cursor

MIN_SERVER = 130000  # as libpq counts: 13.0
MIGRATIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "migrations")
# What members call and insert: of this version of it, servers may have more than this Tacit knows.
CLIENT_VERSION = 1
_UP, _DOWN = ".up.sql", ".down.sql"
_LOCK_KEY = 8_386_658_464_824_651_636  # any number that nobody else uses
_UPGRADE_TACIT = "upgrade Tacit: pip install --upgrade 'tacit-memory[team]'"
_SET_UP = "its administrator runs: tacit team setup URL"
# Before migration 2, who is no member may not use the schema.
_SELECT_USE = (
    "SELECT has_schema_privilege(n.oid, 'USAGE') AND coalesce(has_function_privilege(version.oid, 'EXECUTE'), false),"
    " whoami.oid IS NOT NULL FROM pg_namespace n"
    " LEFT JOIN pg_proc version ON version.pronamespace = n.oid AND version.proname = 'version'"
    " LEFT JOIN pg_proc whoami ON whoami.pronamespace = n.oid AND whoami.proname = 'whoami' WHERE n.nspname = 'tacit'"
)


class Migration(Record):
    """One step of the schema: two files, the hash of both, and the first line of each: what it builds, what is lost."""

    number: int
    name: str
    hash: str
    builds: str
    loses: str
    up_path: str
    down_path: str


class AppliedMigration(Record):
    """A migration as the server recorded it."""

    number: int
    name: str
    hash: str


class MigrationPlan(Record):
    """What leads from one version to another. Either `up` or `down` is empty."""

    version: int
    target: int
    up: tuple[Migration, ...] = ()
    down: tuple[Migration, ...] = ()


def known_migrations(folder: str = MIGRATIONS) -> tuple[Migration, ...]:
    """Return the migrations of this version of Tacit in order."""
    migrations = []
    for name in sorted(name.removesuffix(_UP) for name in os.listdir(folder) if name.endswith(_UP)):
        paths = [os.path.join(folder, name + suffix) for suffix in (_UP, _DOWN)]
        texts = []
        for path in paths:
            with open(path, "rb") as file:
                texts.append(file.read().replace(b"\r\n", b"\n"))
        first_lines = (text.partition(b"\n")[0].decode("utf-8").removeprefix("-- ") for text in texts)
        digest = sha256(b"".join(texts)).hexdigest()
        migrations.append(Migration(int(name.partition("_")[0]), name, digest, *first_lines, *paths))
    return tuple(migrations)


def plan_migrations(
    applied: Sequence[AppliedMigration], known: Sequence[Migration], target: int | None = None
) -> MigrationPlan:
    """Return what to do to reach a version, by default the latest that is known.

    Raises:
        RefusedError: The server has a migration that is unknown here or was changed after it was applied.
        UsageError: There is no such version.
    """
    by_number = {migration.number: migration for migration in known}
    for row in applied:
        migration = by_number.get(row.number)
        if migration is None:
            raise RefusedError(
                f"the server's schema has version {row.number}, and this Tacit knows versions up to {max(by_number)}",
                _UPGRADE_TACIT,
            )
        if migration.hash != row.hash:
            raise RefusedError(
                f"migration {row.name} is not the one that the server applied; nothing was changed",
                "use the version of Tacit that set the server up, or report it as a bug",
            )
    version = max((row.number for row in applied), default=0)
    target = max(by_number) if target is None else target
    if target != 0 and target not in by_number:
        raise UsageError(f"there is no version {target} of the schema", f"versions go from 0 to {max(by_number)}")
    return MigrationPlan(
        version,
        target,
        up=tuple(migration for migration in known if version < migration.number <= target),
        down=tuple(migration for migration in reversed(known) if target < migration.number <= version),
    )


def read_plan(connection: Connection, target: int | None = None, *, folder: str = MIGRATIONS) -> MigrationPlan:
    """Return what to do on this server to reach a version. Raises as `plan_migrations`, and for a server too old."""
    version = connection.info.server_version
    if version < MIN_SERVER:
        raise RefusedError(
            f"the server is PostgreSQL {version // 10000}; teams need 13 or later", "ask for a newer server"
        )
    with transaction(connection) as cursor:
        plan = plan_migrations(_applied(cursor), known_migrations(folder), target)
    encoding, name = connection.info.parameter_status("server_encoding"), connection.info.dbname
    if plan.version == 0 and plan.up and encoding != "UTF8":
        raise RefusedError(
            f"the database {name} has the encoding {encoding}, which does not hold every sentence",
            f"dropdb {name}; createdb --encoding UTF8 --template template0 {name}",
        )
    return plan


def migrate(connection: Connection, target: int | None = None, *, folder: str = MIGRATIONS) -> MigrationPlan:
    """Apply or take down migrations, each in its own transaction, and return what was done.

    A migration that fails leaves nothing behind; those before it stay. Raises as `read_plan`.
    """
    plan = read_plan(connection, target, folder=folder)
    for migration in (*plan.up, *plan.down):
        with transaction(connection, seconds=3600) as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s), set_config('statement_timeout', '0', true)", (_LOCK_KEY,))
            # Another administrator may have been faster.
            now = plan_migrations(_applied(cursor), known_migrations(folder), plan.target)
            if migration in now.up:
                with open(migration.up_path, "rb") as file:
                    cursor.execute(file.read())
                row = migration.number, migration.name, migration.hash
                cursor.execute("INSERT INTO tacit.migration (number, name, hash) VALUES (%s, %s, %s)", row)
            elif migration in now.down:
                cursor.execute("DELETE FROM tacit.migration WHERE number = %s", (migration.number,))
                with open(migration.down_path, "rb") as file:
                    cursor.execute(file.read())
    return plan


def _applied(cursor: Cursor) -> list[AppliedMigration]:
    # Not `to_regclass`: it answers from a cache that does not yet know what another session has just committed.
    cursor.execute(
        "SELECT has_table_privilege(c.oid, 'SELECT'), current_user FROM pg_class c"
        " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'tacit' AND c.relname = 'migration'"
    )
    row = cursor.fetchone()
    if row is None:
        return []
    if row[0] is not True:
        raise RefusedError(
            f"{row[1]} does not administer this team's server", "connect as the role that set it up, or as a superuser"
        )
    cursor.execute("SELECT number, name, hash FROM tacit.migration ORDER BY number")
    return [AppliedMigration(int(str(number)), str(name), str(digest)) for number, name, digest in cursor]


class SchemaUse(Record):
    """What the role that is connected may call: nothing, what everybody may (`answers`), or what members may."""

    is_member: bool
    answers: bool


def require_schema(cursor: Cursor) -> SchemaUse:
    """Check that the server's schema is one that this version of Tacit can talk to. For everybody who may connect.

    Raises:
        RefusedError: Members call other things there, or the schema is missing.
    """
    cursor.execute(_SELECT_USE)
    row = cursor.fetchone()
    if row is None:
        raise RefusedError("the server has no team's schema", f"{_SET_UP}, and adds you as a member")
    use = SchemaUse(row[0] is True, row[1] is True)
    cursor.execute("SELECT tacit.version()" if use.is_member else "SELECT 0")
    ((version,),) = cursor.fetchall()
    if int(str(version)) > CLIENT_VERSION:
        raise RefusedError(
            f"the server speaks version {version} with members, and this Tacit speaks {CLIENT_VERSION}", _UPGRADE_TACIT
        )
    return use


# Members


@contextmanager
def administration(connection: Connection) -> Iterator[Cursor]:
    """Run one transaction as an administrator. Raises RefusedError unless the latest migration is applied."""
    with transaction(connection) as cursor:
        plan = plan_migrations(_applied(cursor), known_migrations())
        if plan.version == 0:
            raise RefusedError("the database is not set up for a team", "tacit team setup URL")
        if plan.up:
            problem = f"the server's schema has version {plan.version}, and this Tacit needs {plan.target}"
            raise RefusedError(problem, "tacit team setup URL")
        yield cursor


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
    with administration(connection) as cursor:
        cursor.execute(
            "SELECT m.project, m.member, tacit.has_role(m.member, true), tacit.has_role(m.member, false)"
            " FROM tacit.membership m ORDER BY m.project, m.member"
        )
        return [TeamMember(str(row[0]), str(row[1]), row[2] is True, row[3] is True) for row in cursor]


def add_member(connection: Connection, name: str, project: str, *, curator: bool = False) -> bool:
    """Make somebody a member of a project, and with `curator` let them decide in all of their projects.

    Returns:
        Whether they are a curator now.

    Raises:
        NotFoundError: There is no such role, and only roles are let in; the hint has the statement that creates it.
        RefusedError: The role cannot log in, so nobody could act as it.
    """
    with administration(connection) as cursor:
        cursor.execute(
            "SELECT rolcanlogin, quote_ident(%s), tacit.takes_person(%s)"
            " FROM (VALUES (1)) one LEFT JOIN pg_roles ON rolname = %s",
            (name, name, name),
        )
        ((can_log_in, quoted, needs_no_role),) = cursor.fetchall()
        if can_log_in is None and needs_no_role is not True:
            raise NotFoundError(
                f"there is no role {name} on this server",
                f"in psql: create role {quoted} login; then set a password: \\password {name}",
            )
        if can_log_in is False:
            raise RefusedError(f"the role {name} cannot log in", f"in psql: alter role {quoted} login")
        return enter_member(cursor, name, project, curator=curator)


def enter_member(cursor: Cursor, name: str, project: str, *, curator: bool = False) -> bool:
    """Give a name the right that it needs, and a membership. Return whether it may decide now."""
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
    with administration(connection) as cursor:
        removed = expel_member(cursor, name, project)
        if not removed and (project is not None or not _revoke(cursor, name)):
            raise NotFoundError(f"{name} is not a member of {project or 'the team'}", "tacit team members URL")
        return removed


def expel_member(cursor: Cursor, name: str, project: str | None) -> list[str]:
    """End the membership of a name in a project, or in all. Who was in no other loses the right that came with it."""
    cursor.execute("SELECT m.project FROM tacit.membership m WHERE m.member = %s ORDER BY 1", (name,))
    projects = [str(row[0]) for row in cursor]
    removed = [each for each in projects if project in (None, each)]
    for each in removed:
        cursor.execute("SELECT tacit.remove_member(%s, %s)", (each, name))
    if removed and len(removed) == len(projects):
        _revoke(cursor, name)
    return removed


def remove_curator(connection: Connection, name: str) -> None:
    """Take the right to decide from a role. It stays a member of its projects. Raises NotFoundError if it has none."""
    with administration(connection) as cursor:
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
    """Return what would be lost with the schema, whatever its version is."""
    with transaction(connection) as cursor:
        cursor.execute(
            "SELECT coalesce(pg_sequence_last_value('tacit.event_seq_seq'::regclass), 0), count(DISTINCT m.project),"
            " count(DISTINCT m.member) FROM tacit.membership m"
        )
        row = cursor.fetchone() or (0, 0, 0)
        return Holdings(*(int(str(value)) for value in row))


def mark_restored(connection: Connection) -> None:
    """Let transaction numbers go on beyond all that were given out before the database was restored."""
    with administration(connection) as cursor:
        cursor.execute("SELECT tacit.restored()")
