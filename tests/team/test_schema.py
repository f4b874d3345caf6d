"""Migrations of the team's server: up, down, refused and half applied."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from harness.postgres import SUPERUSER, Cluster, Connection
from psycopg import sql

from tacit.errors import RefusedError, ServerError, UsageError
from tacit.postgres import connect, transaction
from tacit.team.schema import (
    MIGRATIONS,
    AppliedMigration,
    known_migrations,
    migrate,
    plan_migrations,
    read_plan,
    require_schema,
)
from tests.support.postgres import PROJECT, TeamServer

LATEST = known_migrations()[-1].number


@pytest.fixture
def migrations(tmp_path: Path) -> Path:
    """A copy of the migrations, to which a test adds one."""
    return Path(shutil.copytree(MIGRATIONS, tmp_path / "migrations"))


def test_a_migration_that_servers_have_is_as_it_was() -> None:
    """Another hash would keep every server that was set up with it from being upgraded."""
    assert known_migrations()[0].hash == "7334d85727c70094c8e08114e3905e37ce3e5e7aab6af795eccd3937b43960ee"


def add_migration(folder: Path, up: str, down: str = "select 1;") -> None:
    (folder / "0099_next.up.sql").write_text(up)
    (folder / "0099_next.down.sql").write_text(down)


# What the server has: everything but what it always has


def contents(connection: Connection) -> dict[str, list[tuple[object, ...]]]:
    database = connection.info.dbname
    queries = {
        "roles": f"select rolname from pg_roles where rolname like 'tacit\\_{database}\\_%' order by 1",
        "schemas": "select nspname from pg_namespace where nspname !~ '^pg_' order by 1",
        "relations": (
            "select oid::regclass::text from pg_class"
            " where relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace,"
            " 'pg_toast'::regnamespace) order by 1"
        ),
        "functions": (
            "select oid::regprocedure::text from pg_proc"
            " where pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) order by 1"
        ),
        "policies": "select tablename, policyname from pg_policies order by 1, 2",
        "defaults": "select count(*) from pg_default_acl",
    }
    return {name: connection.execute(query).fetchall() for name, query in queries.items()}


@pytest.mark.parametrize("admin", [SUPERUSER, "manager"])
def test_up_down_and_up_leave_the_same_and_nothing(postgres: Cluster, admin: str) -> None:
    """By a superuser, and by an administrator of a managed server: the database's owner with CREATEROLE."""
    postgres.create_role("manager", "login createrole")
    database = postgres.create_database(admin)
    with connect(postgres.url(database, admin)) as connection, postgres.connect(database) as watch:
        empty = contents(watch)
        assert migrate(connection).up != ()
        full = contents(watch)
        assert len(full["roles"]) == 3
        assert migrate(connection).up == ()
        assert contents(watch) == full
        assert [step.number for step in migrate(connection, 0).down] == list(range(LATEST, 0, -1))
        assert contents(watch) == empty
        migrate(connection)
        assert contents(watch) == full
        migrate(connection, 0)
        assert contents(watch) == empty


def test_a_team_can_be_run_without_a_superuser(postgres: Cluster) -> None:
    postgres.create_role("manager", "login createrole")
    server = TeamServer(postgres, admin="manager")
    server.add("alice", PROJECT)
    server.add("bob", PROJECT, curator=True)
    with server.session("alice") as alice, server.session("bob") as bob, server.session("manager") as manager:
        event = server.propose(alice, "aaaaaaaaaaaa")
        server.insert(bob, "accepted", "aaaaaaaaaaaa")
        assert [row.kind for row in server.pull(alice)] == ["proposed", "accepted"]
        alice.execute("select tacit.purge(%s, '')", [event])
        assert manager.execute("select * from tacit.event").fetchall() == []


def test_a_migration_that_fails_in_the_middle_leaves_nothing(postgres: Cluster, migrations: Path) -> None:
    add_migration(migrations, "create table tacit.half (n int); insert into tacit.half values (1); select 1 / 0;")
    database = postgres.create_database()
    with connect(postgres.url(database)) as connection, postgres.connect(database) as watch:
        migrate(connection)
        before = contents(watch)
        with pytest.raises(ServerError, match="division by zero"):
            migrate(connection, folder=str(migrations))
        assert contents(watch) == before
        assert read_plan(connection).version == LATEST


def test_taking_down_stops_at_the_version_that_was_asked_for(postgres: Cluster, migrations: Path) -> None:
    add_migration(migrations, "create table tacit.more ();", "drop table tacit.more;")
    database = postgres.create_database()
    with connect(postgres.url(database)) as connection, postgres.connect(database) as watch:
        migrate(connection)
        before = contents(watch)
        assert migrate(connection, folder=str(migrations)).target == 99
        assert [step.number for step in migrate(connection, LATEST, folder=str(migrations)).down] == [99]
        assert contents(watch) == before


def test_what_depends_on_the_schema_keeps_it_up(postgres: Cluster) -> None:
    database = postgres.create_database()
    with connect(postgres.url(database)) as connection, postgres.connect(database) as watch:
        migrate(connection, 1)
        watch.execute("create view public.report as select count(*) from tacit.event")
        before = contents(watch)
        with pytest.raises(ServerError, match="other objects depend on it"):
            migrate(connection, 0)
        assert contents(watch) == before


def test_two_administrators_at_once_apply_it_once(postgres: Cluster) -> None:
    database = postgres.create_database()
    failed: list[BaseException] = []

    def run() -> None:
        try:
            with connect(postgres.url(database)) as connection:
                migrate(connection)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    with connect(postgres.url(database)) as connection:
        assert read_plan(connection).version == LATEST


def test_a_role_with_rights_of_its_own_is_not_taken_as_a_group(postgres: Cluster) -> None:
    database = postgres.create_database()
    postgres.create_role(f"tacit_{database}_owner", "nologin bypassrls")
    with connect(postgres.url(database)) as connection, pytest.raises(ServerError, match="must not have"):
        migrate(connection)


def test_a_name_that_leaves_no_room_for_roles_is_refused(postgres: Cluster) -> None:
    with (
        connect(postgres.url(postgres.create_database(name="d" * 50))) as connection,
        pytest.raises(ServerError, match="49 bytes"),
    ):
        migrate(connection)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_hold_every_sentence_is_refused(postgres: Cluster, encoding: str) -> None:
    name = f"acme_{encoding.lower()}"
    postgres.execute(sql.SQL(f"create database {name} encoding '{encoding}' template template0"))
    with connect(postgres.url(name)) as connection, pytest.raises(RefusedError, match=encoding) as caught:
        read_plan(connection)
    assert "createdb --encoding UTF8" in caught.value.hint


# Deciding


def applied(*rows: tuple[int, str]) -> list[AppliedMigration]:
    return [AppliedMigration(number, f"{number:04d}_x", digest) for number, digest in rows]


def test_a_migration_that_was_changed_is_refused() -> None:
    with pytest.raises(RefusedError, match="not the one that the server applied"):
        plan_migrations(applied((1, "another hash")), known_migrations())


def test_a_migration_that_is_not_known_is_refused() -> None:
    hashes = [(step.number, step.hash) for step in known_migrations()]
    with pytest.raises(RefusedError, match=f"knows versions up to {LATEST}") as caught:
        plan_migrations(applied(*hashes, (LATEST + 1, "x")), known_migrations())
    assert "upgrade Tacit" in caught.value.hint


@pytest.mark.parametrize("target", [-1, LATEST + 1])
def test_a_version_that_does_not_exist_is_refused(target: int) -> None:
    with pytest.raises(UsageError, match="there is no version"):
        plan_migrations([], known_migrations(), target)


# Clients


def test_a_client_of_another_version_is_told_who_has_to_upgrade(postgres: Cluster, migrations: Path) -> None:
    server = TeamServer(postgres)
    server.add("alice", PROJECT)
    with connect(server.url("alice")) as alice, connect(server.url(SUPERUSER)) as admin:
        with transaction(alice) as cursor:
            require_schema(cursor)
        # One that only adds something changes nothing for members.
        body = "returns integer language sql security definer set search_path = pg_catalog, pg_temp as 'select 99'"
        add_migration(migrations, f"create or replace function tacit.version() {body};")
        migrate(admin, folder=str(migrations))
        with (
            pytest.raises(RefusedError, match="the server speaks version 99") as caught,
            transaction(alice) as cursor,
        ):
            require_schema(cursor)
        assert "upgrade Tacit" in caught.value.hint


def test_who_is_no_member_is_told_so(postgres: Cluster) -> None:
    server = TeamServer(postgres)
    postgres.create_role("trent")
    empty = postgres.url(postgres.create_database(), "trent")
    with connect(server.url("trent")) as trent:
        for version, answers in ((LATEST, True), (1, False)):
            with connect(server.url(SUPERUSER)) as admin:
                migrate(admin, version)
            with transaction(trent) as cursor:
                assert require_schema(cursor) == (False, answers)
    refused = pytest.raises(RefusedError, match="no team's schema")
    with connect(empty) as trent, refused, transaction(trent) as cursor:
        require_schema(cursor)
