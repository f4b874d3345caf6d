"""Backups as docs/guides/team-server.md says, word by word: two members go on with the restored server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness.postgres import Cluster

from tests.support.postgres import PROJECT, TeamServer
from tests.support.team import Teammate, agree, memory_id

KEPT = "never run the full build twice in a row"
LOST = "use pnpm for packages"
NEW = "tag releases with a leading v"
OFFLINE = "write one test for each bug"


@pytest.fixture
def first() -> Iterator[Cluster]:
    cluster = Cluster()
    yield cluster
    cluster.remove()


@pytest.fixture
def people(first: Cluster, tmp_path: Path) -> tuple[Teammate, Teammate]:
    """A member and a curator; the server has given out many transaction ids."""
    server = TeamServer(first)
    alice, bob = (Teammate(tmp_path / name, name, server) for name in ("alice", "bob"))
    for person in (alice, bob):
        server.add(person.name, PROJECT, curator=person is bob)
        person.join()
    return alice, bob


def burn(server: TeamServer, ids: int) -> None:
    """Give out transaction ids."""
    with server.session(server.admin) as admin:
        admin.execute(f"do $$ begin for i in 1..{ids} loop perform pg_current_xact_id(); commit; end loop; end $$")


@contextmanager
def put_in_place(old: Cluster, new: Cluster) -> Iterator[None]:
    """Let the new server answer at the address of the old one."""
    aside = old.folder.with_name(f"{old.folder.name}-old")
    old.folder.rename(aside)
    old.folder.symlink_to(new.folder)
    try:
        yield
    finally:
        old.folder.unlink()
        aside.rename(old.folder)


def dumped(first: Cluster, database: str) -> Cluster:
    """A dump that is read into a new server."""
    roles = first.run("pg_dumpall", "--globals-only")
    dump = first.run("pg_dump", "-Fc", database)
    new = Cluster()
    new.run("psql", "-d", "postgres", stdin=roles)
    new.create_database(name=database)
    new.run("pg_restore", "-d", database, stdin=dump)
    return new


def copied(first: Cluster, _database: str) -> Cluster:
    """A copy of the files, started where it was taken."""
    return Cluster(base=first)


@pytest.mark.parametrize("restored", [dumped, copied])
def test_two_members_go_on_with_a_server_that_was_restored(
    first: Cluster,
    people: tuple[Teammate, Teammate],
    restored: Callable[[Cluster, str], Cluster],
    tmp_path: Path,
) -> None:
    alice, bob = people
    burn(alice.server, 3000)  # a new server is younger than that
    agree(alice, bob, KEPT)
    alice.sync()
    second = restored(first, alice.server.database)
    try:
        agree(alice, bob, LOST)  # after the backup
        alice.sync()
        first.stop(immediately=False)
        bob.here("share", bob.add(OFFLINE))
        with put_in_place(first, second):
            server = TeamServer(second, database=alice.server.database)
            assert "The server was restored from a backup" in bob.sync().out
            alice.here("share", alice.add(NEW))
            bob.sync()
            assert {proposal["text"] for proposal in bob.here("team", "review", "--json").json} >= {NEW, OFFLINE}
            bob.accept(memory_id(NEW), memory_id(OFFLINE))
            alice.sync()
            server.add("carol", PROJECT)
            carol = Teammate(tmp_path / "carol", "carol", server)
            carol.join()
        assert carol.memories().keys() >= {KEPT, NEW, OFFLINE}
        for person in (alice, bob):
            assert person.memories().keys() >= {KEPT, NEW, OFFLINE}
            assert person.here("team", "--json").json["queued"] == []
    finally:
        second.remove()
