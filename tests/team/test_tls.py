"""A server on another machine: TLS with a CA of its own and SCRAM, and what a person reads if one of them is wrong."""

from __future__ import annotations

import shutil
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from harness.person import tree
from harness.postgres import Cluster, has_tls
from psycopg import sql

from tests.support.postgres import PROJECT
from tests.support.team import Teammate
from tests.support.walled import (
    HOST,
    PASSWORD,
    Certificates,
    WalledServer,
    impostor,
    joins_by,
    walled_cluster,
    write_password,
)

pytestmark = pytest.mark.skipif(not has_tls(), reason="this server was built without TLS")
RULE = "never run the full build twice in a row"
_TLS_REQUEST = bytes.fromhex("0000000804d2162f")


class Wall(NamedTuple):
    """A server with TLS and passwords, and the CAs."""

    server: WalledServer
    certificates: Certificates


@pytest.fixture(scope="module")
def wall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wall]:
    certificates = Certificates(tmp_path_factory.mktemp("ca"))
    ca = certificates.authority("ca")
    certificates.authority("other")
    cluster = walled_cluster(certificates)
    try:
        server = WalledServer(cluster, ca)
        server.add("alice", PROJECT)
        server.add("bob", PROJECT, curator=True)
        yield Wall(server, certificates)
    finally:
        cluster.remove()


@pytest.fixture
def alice(wall: Wall, tmp_path: Path) -> Teammate:
    alice = Teammate(tmp_path / "alice", "alice", wall.server)
    write_password(alice)
    return alice


def test_two_members_with_a_ca_of_their_own_and_passwords_share(wall: Wall, alice: Teammate, tmp_path: Path) -> None:
    bob = Teammate(tmp_path / "bob", "bob", wall.server)
    write_password(bob)
    own = bob.folder / ".postgresql" / "root.crt"  # instead of a file that the address names
    own.parent.mkdir()
    shutil.copy(wall.server.ca, own)
    alice.join()
    joins_by(bob, wall.server.bare_url("bob"))
    claim = alice.share(RULE)
    bob.sync()
    bob.accept(claim)
    alice.sync()
    assert alice.here("team", "--json").json["team_memories"][0]["accepted_by"] == "bob"
    secrets = [name for person in (alice, bob) for name, data in tree(person.home).items() if PASSWORD.encode() in data]
    assert secrets == []


def test_what_crosses_the_network_is_encrypted_and_the_password_is_not_sent(wall: Wall, alice: Teammate) -> None:
    from tacit.postgres import connect, transaction

    with alice.at(), connect(alice.url) as connection, transaction(connection) as cursor:
        cursor.execute("SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        assert cursor.fetchone() in ((True, "TLSv1.3"), (True, "TLSv1.2"))
        assert connection.info.get_parameters()["sslmode"] == "verify-full"
    with wall.server.cluster.connect() as admin:
        row = admin.execute("select rolpassword from pg_authid where rolname = 'alice'").fetchone()
    assert row and str(row[0]).startswith("SCRAM-SHA-256$")


CERTIFICATES = {
    "of another name": ("DNS:other.example", 30, "ca", "does not match host name", "use a name that is in its"),
    "of another CA": ("IP:127.0.0.1", 30, "other", "unable to get local issuer certificate", "ask its administrator"),
    "that has expired": ("IP:127.0.0.1", -1, "ca", "certificate has expired", "ask its administrator to renew it"),
}


@pytest.mark.parametrize("case", CERTIFICATES)
def test_a_certificate(wall: Wall, alice: Teammate, case: str) -> None:
    names, days, by, problem, hint = CERTIFICATES[case]
    cluster = wall.server.cluster
    good = {name: Path(cluster.data, name).read_text() for name in ("server.crt", "server.key")}
    _serve(cluster, wall.certificates.issue("wrong", names, days=days, by=by))
    try:
        said = alice.tacit("team", "join", alice.url, "--yes", cwd=alice.clone, code=1).err
    finally:
        _serve(cluster, good)
    assert "does not prove who it is" in said and problem in said and hint in said
    assert alice.join().code == 0


def _serve(cluster: Cluster, files: dict[str, str]) -> None:
    cluster.stop(immediately=False)
    for name, text in files.items():
        cluster.write(name, text)
    cluster.start()


@pytest.mark.parametrize(
    ("has_tls", "problem"),
    [(False, "has no TLS: server does not support SSL"), (True, "does not prove who it is")],
)
def test_nothing_is_sent_to_who_has_not_proved_their_name(
    wall: Wall, alice: Teammate, has_tls: bool, problem: str
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if has_tls else None
    if context is not None:
        wall.certificates.issue("impostor", "IP:127.0.0.1", by="other")
        folder = wall.certificates.folder
        context.load_cert_chain(folder / "impostor.crt", folder / "impostor.key")
    with impostor(context) as (port, told):
        url = f"postgresql://alice@{HOST}:{port}/acme?sslrootcert={wall.server.ca}"
        assert problem in joins_by(alice, url, code=1).err
    assert set(told) <= set(_TLS_REQUEST) and len(told) % len(_TLS_REQUEST) == 0
    assert told


ADDRESSES = {
    "without a CA": ("postgresql://alice@127.1:{port}/{database}", "does not prove who it is", "?sslrootcert=FILE"),
    "with a CA that is not there": (
        "{url}.gone",
        "cannot be checked: root certificate file",
        "save the CA certificate",
    ),
    "without TLS": ("{url}&sslmode=disable", "no pg_hba.conf entry", "hostssl in pg_hba.conf"),
    "of another role": (
        "postgresql://nobody@127.1:{port}/{database}?sslrootcert={ca}",
        "no password supplied",
        ".pgpass",
    ),
    "of another database": ("postgresql://alice@127.1:{port}/nowhere?sslrootcert={ca}", "no such database", "last /"),
    "of no host": ("postgresql://alice@no-such-host.invalid/acme", "cannot be reached", "check the host"),
}


@pytest.mark.parametrize("case", ADDRESSES)
def test_an_address(wall: Wall, alice: Teammate, case: str) -> None:
    server = wall.server
    address, problem, hint = ADDRESSES[case]
    url = address.format(port=server.port, database=server.database, ca=server.ca, url=alice.url)
    said = joins_by(alice, url, code=1).err
    assert problem in said and hint in said


@pytest.mark.parametrize(
    ("given", "mode", "problem"),
    [(PASSWORD, 0o644, "wants a password"), ("another", 0o600, 'authentication failed for user "alice"')],
)
def test_a_password(alice: Teammate, given: str, mode: int, problem: str) -> None:
    write_password(alice, given, mode)
    said = alice.tacit("team", "join", alice.url, "--yes", cwd=alice.clone, code=1).err
    assert problem in said and "~/.pgpass" in said
    assert given not in said


@pytest.mark.parametrize(
    ("limit", "told"),
    [("role alice", 'too many connections for role "alice"'), ("database {}", "too many connections for database")],
)
def test_a_limit_of_connections_keeps_what_waits(wall: Wall, alice: Teammate, limit: str, told: str) -> None:
    server = wall.server
    alice.join()
    limited = limit.format(server.database)
    server.cluster.execute(sql.SQL(f"alter {limited} connection limit 1"))
    try:
        with server.session("alice"):
            claim = alice.add(f"at most one connection of a {limit[:4]} in tests")
            said = alice.here("share", claim).out
            assert f"is full: {told}" in said and "queued: tacit sync sends it" in said and "raises the limit" in said
        assert "1 sent" in alice.sync().out
    finally:
        server.cluster.execute(sql.SQL(f"alter {limited} connection limit -1"))
