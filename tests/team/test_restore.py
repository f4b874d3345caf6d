"""A server that is restored from a backup while members go on: nothing is skipped, and what they know comes back."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness.postgres import SUPERUSER, Cluster
from psycopg import sql

from tests.support.postgres import PROJECT, TeamServer
from tests.support.team import Teammate, agree, memory_id

BEFORE, AFTER = "never run the full build twice in a row", "use pnpm for packages"
WAITING, DECLINED, RETIRED = "keep functions short", "write tests in pairs", "ship on fridays"
Restore = Callable[[], None]


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A server of the test's own, that has numbered more transactions than a new one."""
    cluster = Cluster()
    yield cluster
    cluster.remove()


@contextmanager
def dump_for_another_cluster(server: TeamServer, people: list[Teammate]) -> Iterator[Restore]:
    """pg_dump, and a new cluster, whose transaction ids are lower."""
    dump = server.cluster.run("pg_dump", "-Fc", server.database)
    globals_ = server.cluster.run("pg_dumpall", "--globals-only")
    elsewhere = Cluster()

    def restore() -> None:
        elsewhere.run("psql", "-d", "postgres", stdin=globals_)
        elsewhere.create_database(name=server.database)
        elsewhere.run("pg_restore", "-d", server.database, stdin=dump)
        old, server.cluster = server.cluster, elsewhere
        for person in people:  # the new server has taken over the name of the old one
            state = person.home / ".tacit" / "team" / "team.json"
            state.write_text(state.read_text().replace(str(old.folder), str(elsewhere.folder)))

    yield restore
    elsewhere.remove()


@contextmanager
def dump_for_another_database(server: TeamServer, people: list[Teammate]) -> Iterator[Restore]:
    dump = server.cluster.run("pg_dump", "-Fc", server.database)

    def restore() -> None:
        name = sql.Identifier(server.database)
        server.cluster.execute(sql.SQL("alter database {} rename to broken").format(name))
        server.cluster.create_database(name=server.database)
        server.cluster.run("pg_restore", "-d", server.database, stdin=dump)

    yield restore


@contextmanager
def copy_of_the_disk(server: TeamServer, people: list[Teammate]) -> Iterator[Restore]:
    """As a provider's snapshot: server and database are the same, and transaction ids are given out a second time."""
    cluster, kept = server.cluster, server.cluster.folder / "kept"
    cluster.stop(immediately=False)
    shutil.copytree(cluster.data, kept)
    cluster.start()

    def restore() -> None:
        cluster.stop(immediately=False)
        for path in (kept, *kept.rglob("*")):
            shutil.chown(path, Path(cluster.data).owner(), Path(cluster.data).group())
        shutil.rmtree(cluster.data)
        kept.rename(cluster.data)
        cluster.start()

    yield restore


@pytest.mark.parametrize("backup", [dump_for_another_cluster, dump_for_another_database, copy_of_the_disk])
def test_members_notice_a_restore_and_bring_back_what_they_know(
    cluster: Cluster, tmp_path: Path, backup: Callable[[TeamServer, list[Teammate]], object]
) -> None:
    server = TeamServer(cluster)
    server.add("alice", PROJECT)
    server.add("bob", PROJECT, curator=True)
    alice, bob = (Teammate(tmp_path / name, name, server) for name in ("alice", "bob"))
    people = [alice, bob]
    with server.session("alice") as session:
        session.execute("do $$ begin for i in 1..2000 loop perform pg_current_xact_id(); commit; end loop; end $$")
    for person in people:
        person.join()
    agree(alice, bob, BEFORE)
    agree(alice, bob, RETIRED)
    for person in people:
        person.sync()
    with backup(server, people) as restore:  # type: ignore[attr-defined]
        agree(alice, bob, AFTER)
        bob.here("team", "retire", memory_id(RETIRED), "--reason", "no more")
        bob.add("bob's own rule about logs")
        bob.here("share", memory_id("bob's own rule about logs"))
        alice.share(WAITING)
        alice.share(DECLINED)
        bob.sync()
        bob.here("team", "decline", memory_id(DECLINED))
        for person in people:
            person.sync()
        expected = [state(person) for person in people]
        restore()
        # Somebody's proposal gets the number of one that is gone.
        with server.session("alice") as session:
            server.propose(session, "aaaaaaaaaaaa", sentence="written by another client")
        said = " ".join(alice.sync().out.split())
        assert "The server was restored from a backup" in said
        assert "sent again (2 events)" in said  # what was declined needs no second time
        assert "The server was restored from a backup" in " ".join(bob.sync().out.split())
        for person in (alice, bob, alice):
            assert "restored" not in person.sync().out
        assert [state(person) for person in people] == expected
        assert alice.here("team", "--json").json["queued"] == bob.here("team", "--json").json["queued"] == []
        # Numbers go on: what is said now reaches everybody.
        agree(alice, bob, "new rules arrive")
        alice.sync()
        assert "new rules arrive" in alice.memories() and "new rules arrive" in bob.memories()
        assert alice.here("team", "--json").json["unfit_count"] == 1


def state(person: Teammate) -> tuple[set[str], set[tuple[str, str]]]:
    """What holds for a person, and what the team's memories are at."""
    memories = person.here("team", "--json").json["team_memories"]
    return set(person.memories()), {(memory["text"], memory["status"]) for memory in memories}


def test_the_administrators_command_stays(cluster: Cluster, tmp_path: Path) -> None:
    server = TeamServer(cluster)
    server.add("bob", PROJECT, curator=True)
    bob = Teammate(tmp_path / "bob", "bob", server)
    bob.join()
    agree(bob, bob, BEFORE)
    bob.tacit("team", "setup", server.url(SUPERUSER), "--restored", "--yes")
    agree(bob, bob, AFTER)
    assert "restored" not in bob.sync().out
    assert bob.memories().keys() == {BEFORE, AFTER}
