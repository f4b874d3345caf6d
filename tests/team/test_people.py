"""People without a role of their own: a certificate says who they are, and nothing else does."""

from __future__ import annotations

import os
import pwd
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from harness.person import Person
from harness.postgres import SUPERUSER, Cluster, Connection, has_tls

from tacit.postgres import connect
from tacit.team.schema import migrate
from tests.support.identities import PATTERN, SHARED, CertifyingServer, People
from tests.support.postgres import PROJECT, TeamServer
from tests.support.team import Teammate, agree

A, B = "aaaaaaaaaaaa", "bbbbbbbbbbbb"
OTHER = "github.com/acme/other"
PLANTED = "The plan for Zanzibar is secret."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CertifyingServer]:
    """`alice` and `bob` have certificates, `bob` may decide; `dave` has a role; `mallory` has a certificate and is a
    member of another project."""
    if not has_tls():
        pytest.skip("this server was built without TLS")
    server = CertifyingServer(People(tmp_path_factory.mktemp("ca")))
    try:
        with server.session(SUPERUSER) as admin:
            admin.execute("select tacit.let_people_in(%s)", [PATTERN])
        server.welcome("alice", PROJECT)
        server.welcome("bob", PROJECT, curator=True)
        server.welcome("mallory", OTHER)
        server.add("dave", PROJECT)
        with server.session("alice") as alice:
            server.propose(alice, A, sentence=PLANTED)
        yield server
    finally:
        server.cluster.remove()


def who(connection: Connection) -> object:
    return (connection.execute("select tacit.person()").fetchone() or (None,))[0]


def author_of(server: CertifyingServer, connection: Connection) -> str:
    """Propose something, and return who is recorded as its author."""
    memory = uuid.uuid4().hex[:12]
    server.propose(connection, memory)
    with server.session(SUPERUSER) as admin:
        row = admin.execute("select author from tacit.event where memory = %s", [memory]).fetchone()
    return str(row and row[0])


def refused(connection: Connection, statement: str, *args: object) -> str:
    with pytest.raises(psycopg.Error) as caught:
        connection.execute(statement, args or None)
    return str(caught.value.diag.message_primary)


# What they do


def test_people_with_certificates_and_one_with_a_role_work_side_by_side(
    server: CertifyingServer, tmp_path: Path
) -> None:
    alice, bob, dave = (Teammate(tmp_path / name, name, server) for name in ("alice", "bob", "dave"))
    assert f"127.1:{server.cluster.port}/acme as alice" in alice.join().out
    assert f"{PROJECT}  curator" in bob.join().out
    dave.join()
    agree(alice, bob, "never run the full build twice in a row")
    agree(dave, bob, "never push on a friday")
    for person in (alice, bob, dave):
        person.sync()
    authors = {memory["text"]: memory["author"] for memory in dave.here("team", "--json").json["team_memories"]}
    assert authors["never run the full build twice in a row"] == "alice"
    assert authors["never push on a friday"] == "dave"
    assert "alice, accepted by bob" in dave.here("team").out
    with server.session(SUPERUSER) as admin:
        roles = admin.execute("select rolname from pg_roles where rolname in ('alice', 'bob')").fetchall()
    assert roles == []


def test_who_is_not_a_curator_decides_nothing(server: CertifyingServer) -> None:
    decide = "insert into tacit.event (id, project, kind, memory) values (gen_random_uuid(), %s, 'accepted', %s)"
    with server.session("alice") as alice, server.session("mallory") as mallory, server.session("bob") as bob:
        for session in (alice, mallory):
            assert "row-level security" in refused(session, decide, PROJECT, A)
        bob.execute(decide, [PROJECT, A])
        assert PLANTED not in str(server.pull(mallory))
        assert {row.project for row in server.pull(alice)} == {PROJECT}


# Being somebody else

# The subject of a certificate that the company's CA signed, and what it is taken for.
NOBODY = {
    "the name of an administrator": f"/O=Acme/CN={SUPERUSER}",
    "the name of somebody's role": "/O=Acme/CN=dave",
    "the name of the shared role": f"/O=Acme/CN={SHARED}",
    "the name of a group": "/O=Acme/CN=tacit_acme_curator",
    "another organisation": "/O=Other/CN=alice",
    "no organisation": "/CN=alice",
    "an organisation that reads like a subject": "/O=Acme\\/CN=alice/CN=mallory",
    "two names": "/O=Acme/CN=mallory/CN=alice",
    "two names, the other way": "/O=Acme/CN=alice/CN=mallory",
    "more than a name": "/O=Acme/CN=alice/OU=guests",
    "a comma": "/O=Acme/CN=alice,O=Acme",
    "letters of another alphabet": "/O=Acme/CN=аlice",
    "an invisible letter": "/O=Acme/CN=alice\u200b",
    "a space behind": "/O=Acme/CN=alice ",
    "a line break": "/O=Acme/CN=alice\nbob",
    "a quote": "/O=Acme/CN=alice'--",
    "an escape": "/O=Acme/CN=\\\\61lice",
    "a slash in the name": "/O=Acme/CN=x\\/CN=alice",
    "a subject that is cut off behind the name": f"/O=Acme/CN={'a' * 52}/OU=x",
}


@pytest.mark.parametrize("case", NOBODY)
def test_a_certificate_with(server: CertifyingServer, case: str) -> None:
    with server.session(SUPERUSER) as admin:
        ((event,),) = admin.execute(
            "select id from tacit.event where memory = %s and kind = 'proposed'", [A]
        ).fetchall()
    with server.session_by(server.people.issue(NOBODY[case])) as session:
        for statement in (
            "select tacit.person()",
            "select * from tacit.my_projects()",
            "select * from tacit.events_after('0', 0, 10)",
            f"insert into tacit.event (id, project, kind, memory, body) values (gen_random_uuid(), '{PROJECT}',"
            f' \'proposed\', \'{B}\', \'{{"sentence": "x", "kind": "rule", "tags": []}}\')',
            f"select tacit.purge('{event}', '')",
        ):
            assert "which is nobody here" in refused(session, statement)


def test_what_stands_behind_the_name_counts_as_well(server: CertifyingServer) -> None:
    with server.session(SUPERUSER) as admin:
        admin.execute("select tacit.let_people_in('cert:/O=Acme/CN=NAME@acme.example')")
        try:
            with server.session_by(server.people.issue("/O=Acme/CN=alice@acme.example")) as session:
                assert who(session) == "alice"
            for name in ("alice@acne.example", "alice@acme.examples", "alice", "@acme.example"):
                with server.session_by(server.people.issue(f"/O=Acme/CN={name}")) as session:
                    assert "nobody here" in refused(session, "select tacit.person()")
        finally:
            admin.execute("select tacit.let_people_in(%s)", [PATTERN])


def test_a_name_is_taken_as_it_is(server: CertifyingServer) -> None:
    """Somebody else who is called almost the same is somebody else."""
    for name in ("Alice", "alice.b", "alice@acme.example", "Alice B. Smith", "a" * 51):
        with server.session_by(server.people.issue(f"/O=Acme/CN={name}")) as session:
            assert who(session) == name
            assert session.execute("select * from tacit.my_projects()").fetchall() == []


def test_a_certificate_of_another_authority_or_none_does_not_get_in(server: CertifyingServer) -> None:
    forged = server.people.issue("/O=Acme/CN=alice", by="other")
    for files in (forged, "sslcert=/none&sslkey=/none"):
        with pytest.raises(psycopg.OperationalError, match=r"unknown ca|valid client certificate"):
            psycopg.connect(server.address(files)).close()


def test_a_certificate_does_not_open_a_role(server: CertifyingServer) -> None:
    for role in (SUPERUSER, "dave", "alice", "tacit_acme_member"):
        with pytest.raises(psycopg.OperationalError, match=r"no pg_hba\.conf entry"):
            psycopg.connect(server.address(server.files["alice"], role)).close()


def test_a_revoked_certificate_does_not_get_in(server: CertifyingServer) -> None:
    lost, files = server.people.issue("/O=Acme/CN=alice"), server.files["alice"]
    with server.session_by(lost) as session:
        assert who(session) == "alice"
    server.cluster.write("ca.crl", server.people.revoke(lost))
    server.cluster.stop(immediately=False)
    server.cluster.start()
    with pytest.raises(psycopg.OperationalError, match="revoked"):
        psycopg.connect(server.address(lost)).close()
    with server.session_by(files) as session:
        assert who(session) == "alice"


def test_who_comes_in_without_a_certificate_is_nobody(server: CertifyingServer) -> None:
    """By a password, a socket or whatever else pg_hba.conf allows for the shared role."""
    with psycopg.connect(server.cluster.url("acme", SHARED), autocommit=True) as session:
        session.execute("set application_name = 'cert:/O=Acme/CN=alice'")
        for statement in ("select tacit.person()", "select * from tacit.events_after('0', 0, 10)"):
            assert "nobody here" in refused(session, statement)


# In any session: what a person types before. None is an error.
SETTINGS = {
    "set application_name = 'cert:/O=Acme/CN=bob'": True,
    "set search_path = pg_temp, public": True,
    "set session authorization tacit_acme_people": True,
    "reset session authorization": True,
    "set role tacit_acme_people": True,
    "set role tacit_acme_member": True,
    "set tacit.person = 'bob'": True,
    "set local role none": True,
    "alter role tacit_acme_people set application_name = 'bob'": True,
    "alter role tacit_acme_people password 'known'": True,
    "create temporary table pg_stat_ssl (pid int, client_dn text);"
    "insert into pg_temp.pg_stat_ssl values (pg_backend_pid(), '/O=Acme/CN=bob'); set search_path = pg_temp": True,
    "create function pg_temp.pg_backend_pid() returns int language sql as 'select 1'; set search_path = pg_temp": True,
    "set session authorization bob": False,
    "set session authorization dave": False,
    "set role dave": False,
    "set role tacit_acme_owner": False,
    "set role tacit_acme_curator": False,
    "update pg_stat_ssl set client_dn = '/O=Acme/CN=bob'": False,
    "alter role tacit_acme_people rename to dave": False,
    "alter role tacit_acme_people superuser": False,
    "grant tacit_acme_curator to tacit_acme_people": False,
    "create role alice": False,
    "select tacit.let_people_in('cert:/O=Acme/CN=NAME')": False,
    "select tacit.grant_role('alice', true)": False,
    "select tacit.create_login('eve')": False,
    "insert into tacit.person_grant values ('alice', true)": False,
    "update tacit.setting set people = 'cert:/O=Acme/CN=NAME'": False,
    "table tacit.person_grant": False,
    "table tacit.setting": False,
    "create or replace function tacit.person() returns name language sql as 'select ''bob''::name'": False,
}


@pytest.mark.parametrize("before", SETTINGS)
def test_nothing_that_is_typed_makes_somebody_else(server: CertifyingServer, before: str) -> None:
    with server.session("alice") as alice:
        try:
            if SETTINGS[before]:
                alice.execute(before)
            else:
                refused(alice, before)
            assert who(alice) == "alice"
            assert author_of(server, alice) == "alice"
            assert alice.execute("select * from tacit.my_projects()").fetchall() == [(PROJECT, False)]
        finally:
            with server.session(SUPERUSER) as admin:
                admin.execute(f"alter role {SHARED} reset all")
                admin.execute(f"alter role {SHARED} password null")


def test_functions_that_run_with_the_rights_of_another_tell_who_is_connected(server: CertifyingServer) -> None:
    """`tacit.person` reads as its owner, and is asked by other functions that do."""
    with server.session(SUPERUSER) as admin:
        admin.execute(
            "create function public.ask() returns name language sql security definer as 'select tacit.person()'"
        )
        admin.execute("grant execute on function public.ask() to public")
    with server.session("alice") as alice, server.session("bob") as bob:
        for session, name in ((alice, "alice"), (bob, "bob"), (alice, "alice")):
            assert session.execute("select public.ask()").fetchone() == (name,)


def test_who_shares_the_role_sees_no_words_of_others(server: CertifyingServer) -> None:
    """Sessions of one role see each other's statements; clients send words apart from these."""
    from tacit.team.client import TeamServer as Client
    from tacit.team.store import Outgoing, OutgoingVerb

    entry = Outgoing(OutgoingVerb.PROPOSED, PROJECT, B, id=str(uuid.uuid4()), sentence=PLANTED, kind="rule")
    with server.session("bob") as bob, server.session("mallory") as mallory:
        assert Client(bob).send([entry])[1] == []
        shown = mallory.execute("select query from pg_stat_activity where usename = %s", [SHARED]).fetchall()
        assert len(shown) >= 2
        assert PLANTED not in str(shown)
        with server.session(SUPERUSER) as admin:
            assert PLANTED not in str(admin.execute("select query from pg_stat_activity").fetchall())


def test_a_pooler_in_between_makes_nobody_of_everybody(server: CertifyingServer) -> None:
    with server.cluster.pooler({"listen_port": "5432"}) as folder:
        url = f"postgresql://{SHARED}@/acme?host={folder}&port=5432"
        with psycopg.connect(url, autocommit=True, prepare_threshold=None) as session:
            assert "nobody here" in refused(session, "select * from tacit.events_after('0', 0, 10)")


# Coming and going


def test_whoever_is_removed_sees_nothing_from_then_on(server: CertifyingServer, tmp_path: Path) -> None:
    admin = Person(tmp_path)
    url = server.url(SUPERUSER)
    server.files["erin"] = server.people.issue("/O=Acme/CN=erin")
    add = ("team", "add-member", url, "erin", "--project", PROJECT, "--curator")
    assert admin.tacit(*add).out == f"erin is a curator of {PROJECT}.\n"
    with server.session("erin") as erin:
        assert erin.execute("select * from tacit.my_projects()").fetchall() == [(PROJECT, True)]
        admin.tacit("team", "remove-member", url, "erin", "--curator")
        assert erin.execute("select * from tacit.my_projects()").fetchall() == [(PROJECT, False)]
        said = admin.tacit("team", "remove-member", url, "erin").out
        assert "erin was removed" in said and "drop role" not in said
        assert server.pull(erin) == []
        assert "row-level security" in refused(erin, *_proposal())
    assert "erin is not a member of the team" in admin.tacit("team", "remove-member", url, "erin", code=1).err


def test_whoever_is_removed_is_told_and_gives_back_what_came(server: CertifyingServer, tmp_path: Path) -> None:
    """The certificate still opens a connection: that is how they learn of it."""
    server.welcome("gina", PROJECT)
    gina, bob = (Teammate(tmp_path / name, name, server) for name in ("gina", "bob"))
    for person in (gina, bob):
        person.join()
    agree(bob, bob, "never squash a merge")
    gina.sync()
    assert "never squash a merge" in gina.memories()
    Person(tmp_path).tacit("team", "remove-member", server.url(SUPERUSER), "gina")
    assert "any more" in gina.sync().out
    assert "never squash a merge" not in gina.memories()


def _proposal() -> tuple[str, str, str]:
    body = '{"sentence": "x", "kind": "rule", "tags": []}'
    columns = "insert into tacit.event (id, project, kind, memory, body)"
    return f"{columns} values (gen_random_uuid(), %s, 'proposed', %s, '{body}')", PROJECT, B


def test_a_role_that_is_made_later_has_the_name(server: CertifyingServer) -> None:
    server.welcome("frank", PROJECT)
    with server.session("frank") as frank:
        assert who(frank) == "frank"
        server.cluster.create_role("frank")
        assert "nobody here" in refused(frank, "select tacit.person()")
        with psycopg.connect(server.cluster.url("acme", "frank"), autocommit=True) as role:
            assert "permission denied" in refused(role, "select * from tacit.events_after('0', 0, 10)")
        with server.session(SUPERUSER) as admin:
            admin.execute("drop role frank")
        assert who(frank) == "frank"


def test_who_had_a_role_goes_on_with_a_certificate(server: CertifyingServer, tmp_path: Path) -> None:
    server.add("hanna", PROJECT)
    with server.session("hanna") as role:
        server.propose(role, "cccccccccccc")
    server.files["hanna"] = server.people.issue("/O=Acme/CN=hanna")
    url, admin = server.url(SUPERUSER), Person(tmp_path)
    said = admin.tacit("team", "join", server.url("hanna"), code=1).err
    assert "you came as cert:/O=Acme/CN=hanna, which is nobody here" in said and "~/.pgpass" not in said
    with server.session(SUPERUSER) as superuser:
        superuser.execute("drop role hanna")
    with server.session("hanna") as hanna:
        assert server.pull(hanna) == []
        admin.tacit("team", "add-member", url, "hanna", "--project", PROJECT)
        server.insert(hanna, "withdrawn", "cccccccccccc")
        assert [row.kind for row in server.pull(hanna) if row.author == "hanna"] == ["proposed", "withdrawn"]


def test_an_administrator_without_superuser_lets_people_in_and_out(server: CertifyingServer, tmp_path: Path) -> None:
    server.cluster.create_role("manager", "login createrole")
    database = server.cluster.create_database("manager")
    url, admin = server.cluster.url(database, "manager"), Person(tmp_path)
    setup = ("team", "setup", url, "--yes")
    admin.tacit(*setup)
    assert "add-member" in admin.tacit(*setup, "--people", PATTERN).out
    shared = f"tacit_{database}_people"
    assert admin.tacit("team", "add-member", url, "zoe", "--project", PROJECT).out == f"zoe is a member of {PROJECT}.\n"
    assert f"{shared} cannot log in" in admin.tacit(*setup, "--people", "none").out
    with pytest.raises(psycopg.OperationalError, match="not permitted to log in"):
        psycopg.connect(server.cluster.url(database, shared)).close()
    said = admin.tacit("team", "add-member", url, "yan", "--project", PROJECT, code=1)
    assert "there is no role yan" in said.err
    admin.tacit(*setup, "--people", PATTERN)
    admin.tacit(*setup, "--to", "2")
    assert admin.tacit("team", "setup", url, "--yes").out.endswith("Done: version 3.\n")
    admin.tacit(*setup, "--to", "0")
    with server.session(SUPERUSER) as superuser:
        assert superuser.execute("select from pg_roles where rolname = %s", [shared]).fetchall() == []


def test_going_back_leaves_the_functions_as_they_were(postgres: Cluster) -> None:
    functions = (
        "select p.proname, p.prosrc, p.prosecdef, p.proconfig, p.provolatile, p.proacl::text[], p.proowner"
        " from pg_proc p where p.pronamespace = 'tacit'::regnamespace order by 1, 2"
    )
    with connect(postgres.url(postgres.create_database())) as admin:
        migrate(admin, 2)
        before = admin.execute(functions).fetchall()
        migrate(admin, 3)
        admin.execute("select tacit.let_people_in(%s)", [PATTERN])
        admin.execute("select tacit.grant_role('noah@acme', true), tacit.add_member(%s, 'noah@acme')", [PROJECT])
        migrate(admin, 2)
        assert admin.execute(functions).fetchall() == before
        assert admin.execute("select member from tacit.membership").fetchall() == [("noah@acme",)]
        assert admin.execute("select tacit.has_role('noah@acme', false)").fetchone() == (False,)


@pytest.mark.parametrize("pattern", ["alice", "cert:/CN=alice", "cert:/CN=NAME/O=NAME", "/CN=NAME", "NAME"])
def test_a_pattern_that_names_nobody_is_refused(server: CertifyingServer, tmp_path: Path, pattern: str) -> None:
    said = Person(tmp_path).tacit("team", "setup", server.url(SUPERUSER), "--yes", "--people", pattern, code=2).err
    assert "--people 'cert:/O=Acme/CN=NAME'" in said


def test_files_that_only_one_folder_has_are_refused_when_joining(server: CertifyingServer, tmp_path: Path) -> None:
    alice = Teammate(tmp_path / "alice", "alice", server)
    url = f"postgresql://{SHARED}@127.1:{server.cluster.port}/acme?sslcert=alice.crt&sslkey=alice.key"
    assert f"write {alice.clone}/alice.crt" in alice.tacit("team", "join", url, cwd=alice.clone, code=2).err


# Methods that PostgreSQL 16 tells of


def test_what_the_server_calls_system_user_names_people_from_postgresql_16_on() -> None:
    """Kerberos, OAuth and others that map many people to one role; here whose socket it is."""
    cluster = Cluster()
    try:
        server = TeamServer(cluster)
        shared = server.group("people")
        cluster.write("pg_ident.conf", f"tacit /^.*$ {shared}\n")
        cluster.write("pg_hba.conf", f"local all {shared} peer map=tacit\nlocal all all trust\n")
        with server.session(SUPERUSER) as admin:
            version = admin.info.server_version
            admin.execute("select tacit.let_people_in('peer:NAME'), pg_reload_conf()")
            admin.execute("select pg_sleep(.2)")
        with server.session(shared) as session:
            if version >= 160000:
                assert who(session) == pwd.getpwuid(os.geteuid()).pw_name
            else:
                assert "nobody here" in refused(session, "select tacit.person()")
    finally:
        cluster.remove()
