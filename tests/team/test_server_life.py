"""What a team's server lives through: poolers, replicas, foreign transactions, lines that break, sessions that end."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from harness.postgres import Cluster
from psycopg import sql

from tacit.errors import ServerUnreachableError
from tacit.postgres import connect, transaction
from tests.support.postgres import PROJECT, TeamServer
from tests.support.team import Teammate, memory_id
from tests.support.walled import PASSWORD, Certificates, Line, free_port, guide_block, joins_by, write_password

RULE = "never run the full build twice in a row"
OTHER = "use pnpm for packages"
_HBA = "local all postgres,pgbouncer trust\nlocal replication all trust\nlocal all all scram-sha-256\n"


@pytest.fixture(scope="module")
def clusters() -> Iterator[Cluster]:
    cluster = Cluster()
    yield cluster
    cluster.remove()


@pytest.fixture
def own_cluster(clusters: Cluster) -> Cluster:
    """A server that a test may stop."""
    clusters.start()
    return clusters


# Servers of tests keep commits in memory for a moment. A commit that wrote something flushes what came before it.
FLUSH = "set synchronous_commit = on; select pg_logical_emit_message(true, 'flush', '')"


def waits(person: Teammate) -> int:
    return len(person.here("team", "--json").json["queued"])


def sentences(server: TeamServer) -> list[str]:
    """What was proposed on the server, each as often as it is there."""
    with server.session(server.admin) as admin:
        rows = admin.execute("select body->>'sentence' from tacit.event where kind = 'proposed' order by seq")
        return [str(text) for (text,) in rows]


# Poolers


def test_people_come_through_a_pooler_with_tls_and_their_own_passwords(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path)
    ca = certificates.authority("ca")
    cluster = Cluster(files={"pg_hba.conf": _HBA, **certificates.issue("pooler", "IP:127.0.0.1")})
    port = free_port()
    try:
        server = TeamServer(cluster)
        cluster.execute(sql.SQL(guide_block("create role pgbouncer")), server.database)
        for name in ("alice", "bob"):
            server.add(name, PROJECT, curator=name == "bob")
            cluster.execute(sql.SQL(f"alter role {name} password '{PASSWORD}'"))
        guide = ConfigParser(interpolation=None)
        guide.read_string(guide_block("[databases]"))
        settings = {
            **guide["pgbouncer"],
            "listen_addr": "127.0.0.1",
            "listen_port": str(port),
            "client_tls_cert_file": f"{cluster.data}/server.crt",
            "client_tls_key_file": f"{cluster.data}/server.key",
            "default_pool_size": "1",
        }
        url = f"postgresql://{{}}@127.1:{port}/{server.database}?sslrootcert={ca}"
        people = {name: Teammate(tmp_path / name, name, server) for name in ("alice", "bob", "desktop")}
        people["desktop"].name = "alice"  # the same person and the same pool of one session
        with cluster.pooler(settings, users='"pgbouncer" ""\n'):
            for person in people.values():
                write_password(person)
                joins_by(person, url.format(person.name))
            claim = people["alice"].share(RULE)
            people["desktop"].share(OTHER)
            people["bob"].sync()
            people["bob"].accept(claim, memory_id(OTHER))
            write_password(people["desktop"], "another")
            assert "does not let you in" in people["desktop"].sync(code=1).out
            people["alice"].sync()
        assert people["bob"].memories()[RULE]["author"] == "alice, accepted by bob"
        assert people["alice"].memories().keys() == {RULE, OTHER}
    finally:
        cluster.remove()


def test_a_pooler_that_gives_everybody_one_name_is_found_out(own_cluster: Cluster, tmp_path: Path) -> None:
    server = TeamServer(own_cluster)
    for name in ("alice", "everybody"):
        server.add(name, PROJECT, curator=name == "everybody")
    alice = Teammate(tmp_path / "alice", "alice", server)
    alice.join()
    alice.add(RULE)
    with own_cluster.pooler(more="user=everybody") as folder:
        said = joins_by(alice, alice.url.replace(str(own_cluster.folder), str(folder)), code=1).err
        assert "belongs to the team" in said  # another address
        other = Teammate(tmp_path / "other", "alice", server)
        said = joins_by(other, alice.url.replace(str(own_cluster.folder), str(folder)), code=1).err
    assert "alice connected and is everybody there" in said and "pgbouncer" in said
    assert sentences(server) == []


# Transactions of others


@pytest.mark.parametrize("place", ["the same database", "another database"])
def test_a_foreign_transaction_delays_what_comes_and_loses_nothing(alice: Teammate, bob: Teammate, place: str) -> None:
    server = alice.server
    database = server.database if place == "the same database" else "postgres"
    with server.cluster.connect(database) as foreign, foreign.transaction():
        foreign.execute("select pg_current_xact_id()")
        claim = alice.share(RULE)
        bob.sync()
        assert "Nothing waits" in bob.here("team", "review").out
        assert waits(alice) == 1  # it is on the server, and has not come back
        for query in guide_block("select pid, datname").strip().splitlines():
            with server.session(server.admin) as admin:
                found = admin.execute(query.encode()).fetchall()
            expected = [] if "pg_prepared_xacts" in query else [(foreign.info.backend_pid, database)]
            assert [row[:2] for row in found] == expected
        assert sentences(server) == [RULE]
    bob.sync()
    bob.accept(claim)
    alice.sync()
    assert waits(alice) == 0 and sentences(server) == [RULE]
    assert bob.memories().keys() == {RULE}


def test_a_forgotten_transaction_is_ended_by_a_setting(alice: Teammate, bob: Teammate) -> None:
    server = alice.server
    with server.session(server.admin) as admin:
        name = sql.Identifier(server.database)
        admin.execute(sql.SQL("alter database {} set idle_in_transaction_session_timeout = '200ms'").format(name))
    forgotten = server.cluster.connect(server.database, "alice")
    forgotten.execute("begin")
    forgotten.execute("select pg_current_xact_id()")
    claim = alice.share(RULE)
    time.sleep(0.5)
    bob.sync()
    bob.accept(claim)
    assert bob.memories().keys() == {RULE}


def test_a_client_whose_session_was_ended_says_so(team_server: TeamServer) -> None:
    with connect(team_server.url(team_server.admin)) as connection:
        connection.execute("set idle_in_transaction_session_timeout = '50ms'")
        with (
            pytest.raises(ServerUnreachableError, match="cannot be reached: terminating connection due to idle-in"),
            transaction(connection) as cursor,
        ):
            time.sleep(0.3)
            cursor.execute("SELECT 1")


# Replicas


@pytest.fixture
def replica(own_cluster: Cluster, tmp_path: Path) -> Iterator[tuple[Cluster, TeamServer]]:
    server = TeamServer(own_cluster)
    server.add("alice", PROJECT)
    server.add("bob", PROJECT, curator=True)
    cluster = own_cluster.replica()
    try:
        yield cluster, server
    finally:
        cluster.remove()


def wait_for_replica(primary: Cluster, replica: Cluster) -> None:
    with primary.connect() as there, replica.connect() as here:
        there.execute(FLUSH)
        position = there.execute("select pg_current_wal_flush_lsn()::text").fetchone()
        assert position
        deadline = time.monotonic() + 30
        while here.execute("select pg_last_wal_replay_lsn() >= %s::pg_lsn", position).fetchone() != (True,):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_a_replica_serves_pulls_and_keeps_what_is_to_be_sent(
    own_cluster: Cluster, replica: tuple[Cluster, TeamServer], tmp_path: Path
) -> None:
    """An address with two hosts: the primary, and its replica while the primary is away."""
    standby, server = replica
    both = f"host={own_cluster.folder},{standby.folder}&target_session_attrs=prefer-standby"
    alice = Teammate(tmp_path / "alice", "alice", server)
    bob = Teammate(tmp_path / "bob", "bob", server)
    bob.join()
    joins_by(alice, alice.url.replace(f"host={own_cluster.folder}", both))
    shared = bob.share(OTHER)
    bob.accept(shared)
    wait_for_replica(own_cluster, standby)
    claim = alice.add(RULE)
    said = alice.here("share", claim, code=1).out
    assert (told := "1 event waits to be sent: this server only reads") in said and OTHER in said
    assert told in alice.here("sync", "--unattended", code=1).out
    assert alice.here("sync", "--json", code=1).json["team_sync"]["read_only"]
    assert waits(alice) == 1 and alice.memories().keys() == {OTHER, RULE}
    alice.here("share", "--withdraw", claim, code=0)
    assert waits(alice) == 0  # it was never sent, so nothing has to be taken back
    alice.here("share", claim, code=1)
    standby.stop()
    assert "1 sent" in alice.sync().out
    assert sentences(server) == [OTHER, RULE]
    standby.start()
    wait_for_replica(own_cluster, standby)
    alice.here("share", "--withdraw", claim, code=1)  # a withdrawal is not dropped because it was not taken
    assert waits(alice) == 1
    standby.stop()
    alice.sync()
    bob.sync()
    assert waits(alice) == 0 and "Nothing waits" in bob.here("team", "review").out


def test_a_server_that_became_read_only_on_the_way_says_so(team_server: TeamServer) -> None:
    with (
        connect(team_server.url(team_server.admin)) as connection,
        pytest.raises(ServerUnreachableError, match="only reads"),
        transaction(connection) as cursor,
    ):
        cursor.execute("SET TRANSACTION READ ONLY")
        cursor.execute("SELECT tacit.restored()")


def test_a_withdrawal_that_the_server_cannot_take_now_is_sent_again(own_cluster: Cluster, tmp_path: Path) -> None:
    """Only one that it does not permit is dropped: what is withdrawn there never arrived."""
    server = TeamServer(own_cluster)
    server.add("alice", PROJECT)
    alice = Teammate(tmp_path / "alice", "alice", server)
    alice.join()
    claim = alice.share(RULE)
    fail = "create function public.fail() returns trigger language plpgsql as $$ begin raise 'not today'; end $$"
    trigger = "create trigger a_fault before insert on tacit.event for each row execute function public.fail()"
    with server.session(server.admin) as admin:
        admin.execute(fail.encode())
        admin.execute(trigger.encode())
    assert "not taken: withdrawal" in (said := alice.here("share", "--withdraw", claim, code=1).out)
    assert "not today" in said and waits(alice) == 1
    with server.session(server.admin) as admin:
        admin.execute("drop trigger a_fault on tacit.event")
    assert "1 sent" in alice.sync().out
    assert waits(alice) == 0


# Lines that break


@pytest.fixture
def line(own_cluster: Cluster, tmp_path: Path) -> Iterator[tuple[Line, Teammate]]:
    """A member whose line to the server may break."""
    server = TeamServer(own_cluster)
    server.add("alice", PROJECT)
    alice = Teammate(tmp_path / "alice", "alice", server)
    line = Line(own_cluster.folder, own_cluster.port)
    with line.open() as port:
        joins_by(alice, f"postgresql://alice@127.0.0.1:{port}/{server.database}")
        yield line, alice


def test_a_server_that_goes_dead_in_the_middle_is_given_up_in_time(
    line: tuple[Line, Teammate], monkeypatch: pytest.MonkeyPatch
) -> None:
    way, alice = line
    monkeypatch.setattr("tacit.team.client.transaction", partial(transaction, seconds=1))
    way.mend()
    way.dead_after = 1200
    began = time.monotonic()
    claim = alice.add(RULE)
    assert "queued: tacit sync sends it. the server" in alice.here("share", claim).out
    assert time.monotonic() - began < 30 and waits(alice) == 1
    way.mend()
    assert "1 sent" in alice.sync().out
    assert sentences(alice.server) == [RULE]


def test_a_backend_that_is_killed_in_the_middle_of_a_push_takes_nothing_with_it(
    own_cluster: Cluster, tmp_path: Path
) -> None:
    """PostgreSQL ends all sessions then, and recovers."""
    server = TeamServer(own_cluster)
    server.add("alice", PROJECT)
    alice = Teammate(tmp_path / "alice", "alice", server)
    alice.join()
    claim = alice.add(RULE)
    with closing(own_cluster.connect(server.database)) as admin, closing(own_cluster.connect()) as watch:
        watch.execute(FLUSH)  # a crash forgets the rest
        admin.execute("begin")
        admin.execute("lock table tacit.event in share mode")
        pushing = alice.start("share", claim, cwd=alice.clone)
        backend = None
        while backend is None:
            query = "select pid from pg_stat_activity where usename = 'alice' and wait_event_type = 'Lock'"
            backend = watch.execute(query).fetchone()
            time.sleep(0.02)
        os.kill(int(str(backend[0])), signal.SIGKILL)
        out, _ = pushing.communicate(timeout=60)
    assert "queued: tacit sync sends it" in out and "cannot be reached" in out
    deadline = time.monotonic() + 30
    while "cannot be reached" in (said := alice.sync(code=None).out) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert "1 sent" in said
    assert sentences(server) == [RULE] and waits(alice) == 0
