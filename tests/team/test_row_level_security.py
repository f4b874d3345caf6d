"""Every role probes the server in plain SQL: what it must not read, write, forge or find out.

`mallory` is a member of another project and tries to reach this one's events. `dave` is a member of this project
without further rights. `trent` may log in and nothing else.
"""

from __future__ import annotations

import uuid
from typing import Any

import psycopg
import pytest
from harness.postgres import SUPERUSER, Cluster, Connection
from psycopg import sql

from tacit.postgres import connect
from tests.support.postgres import PROJECT, TeamServer

A, B = "aaaaaaaaaaaa", "bbbbbbbbbbbb"
OTHER = "github.com/acme/other"
PLANTED = "The plan for Zanzibar is secret."
PEOPLE = ["dave", "bob", "mallory", "trent"]
BODY = '\'{"sentence": "x", "kind": "rule", "tags": []}\''
INSERT = f"insert into tacit.event (id, project, kind, memory, body) values (%s, %s, %s, %s, {BODY})"
FORGED = (
    "insert into tacit.event (id, project, author, kind, memory, body)"
    f" values (gen_random_uuid(), %s, 'alice', 'proposed', %s, {BODY})"
)


@pytest.fixture(scope="module")
def server(postgres: Cluster) -> TeamServer:
    """Probes leave nothing behind, so they share a database."""
    server = TeamServer(postgres)
    server.add("alice", PROJECT)
    server.add("bob", PROJECT, curator=True)
    server.add("dave", PROJECT)
    server.add("mallory", OTHER, curator=True)
    postgres.create_role("trent")
    with server.session("alice") as alice, server.session(SUPERUSER) as admin:
        server.propose(alice, A, sentence=PLANTED)
        # Before PostgreSQL 15 everybody may create objects in public; the harder case is the one to probe.
        admin.execute("grant create on schema public to public")
    return server


def everything(server: TeamServer) -> list[tuple[object, ...]]:
    with server.session(SUPERUSER) as admin:
        return admin.execute("select * from tacit.event order by seq").fetchall()


def refused(connection: Connection, statement: str, *args: object) -> str:
    """Run what must be refused, and return the server's message with its detail."""
    named = args[0] if args and isinstance(args[0], dict) else None
    with pytest.raises(psycopg.Error) as caught:
        connection.execute(statement, named or args or None)
    diag = caught.value.diag
    return f"{diag.message_primary} {diag.message_detail} {diag.message_hint} {diag.context}"


# Reading


@pytest.mark.parametrize("name", PEOPLE)
@pytest.mark.parametrize(
    "statement",
    [
        "select * from tacit.event",
        "select count(*) from tacit.event",
        "select xmin, ctid from tacit.event",
        "table tacit.membership",
        "table tacit.migration",
        "table tacit.numbering",
        "table tacit.tombstone",
        "table tacit.activity",
        "table tacit.waiting",
        "table tacit.setting",
        "table tacit.membership_change",
        "table tacit.queue",
        "table tacit.horizon",
        "table tacit.size",
        "explain analyze select * from tacit.queue",
        "explain select * from tacit.event where memory = 'aaaaaaaaaaaa'",
        "explain analyze select * from tacit.event",
        "copy tacit.event to stdout",
        "copy (select * from tacit.event) to stdout",
        "select * from tacit.event for update",
        "insert into tacit.event (id, project, kind, memory) select id, project, kind, memory from tacit.event",
        "insert into tacit.event (id, project, kind, memory) values (gen_random_uuid(), 'x', 'proposed', 'a')"
        " returning *",
        "insert into tacit.event (id, project, kind, memory) values (gen_random_uuid(), 'x', 'proposed', 'a')"
        " on conflict (id) do update set body = null",
        "select last_value from tacit.event_seq_seq",
        "select nextval('tacit.event_seq_seq')",
        "begin; lock table tacit.event in access exclusive mode",
        "create temporary table mine (like tacit.event including all)",
        "create table public.child () inherits (tacit.event)",
        "create table public.points (event uuid references tacit.event)",
        "create table public.kept (event tacit.queue)",
        "create statistics public.columns on project, memory from tacit.event",
        "set row_security = off; select * from tacit.event",
    ],
)
def test_tables_are_read_by_nobody_directly(server: TeamServer, name: str, statement: str) -> None:
    with server.session(name) as connection:
        said = refused(connection, statement)
        assert "permission denied" in said or "must be owner" in said or "affected by row-level security" in said


def test_the_function_that_reads_returns_rows_of_own_projects_only(server: TeamServer) -> None:
    expected = {"alice": [PROJECT], "bob": [PROJECT], "dave": [PROJECT], "mallory": []}
    for name, projects in expected.items():
        with server.session(name) as connection:
            assert [row.project for row in server.pull(connection)] == projects


def test_who_was_not_made_a_member_cannot_even_ask(server: TeamServer) -> None:
    functions = ["version()", "my_projects()", "events_after('0', 0, 10)", f"purge('{uuid.uuid4()}', '')"]
    functions += ["held_back()", "changes(10)", "lost('{}', '{}', '{}')", f"report_refused('{PROJECT}', 1)"]
    with server.session("trent") as trent:
        for function in functions:
            assert "permission denied for function" in refused(trent, f"select * from tacit.{function}")
        # Later migrations could not change a table that somebody has a column of.
        assert "permission denied for type" in refused(trent, "create table public.kept (event tacit.event)")


def test_everybody_may_ask_who_they_are_and_hears_of_nobody_else(server: TeamServer) -> None:
    expected = {
        "dave": ("dave", False, [PROJECT]),
        "bob": ("bob", True, [PROJECT]),
        "mallory": ("mallory", True, [OTHER]),
        "trent": ("trent", False, []),
    }
    teams = set()
    for name, answer in expected.items():
        with server.session(name) as connection:
            ((*said, team),) = connection.execute("select person, curator, projects, team from tacit.whoami()")
            assert tuple(said) == answer
            teams.add(team)
            if name == "dave":  # nothing that a session can say of itself changes the answer
                connection.execute(sql.SQL("set role {}").format(sql.Identifier(server.group("member"))))
                assert connection.execute("select person from tacit.whoami()").fetchall() == [("dave",)]
    assert len(teams) == 1


def test_places_of_events_in_other_projects_are_not_confirmed(server: TeamServer) -> None:
    _, xid, event, *_ = everything(server)[0]
    seq = everything(server)[0][0]
    asked = "select tacit.lost(array[%s]::uuid[], array[%s]::xid8[], array[%s]::bigint[])"
    for name, lost in (("dave", 0), ("mallory", 1)):
        with server.session(name) as connection:
            assert connection.execute(asked, [event, str(xid), seq]).fetchall() == [(lost,)]
            assert connection.execute(asked, [uuid.uuid4(), str(xid), seq]).fetchall() == [(1,)]


def test_a_transaction_that_holds_events_back_is_told_without_their_number_in_other_projects(
    server: TeamServer,
) -> None:
    with server.session("alice") as slow, server.session("bob") as bob, server.session("dave") as dave:
        slow.execute("set application_name = 'a report'; begin; select pg_current_xact_id()")
        pid = slow.info.backend_pid
        server.propose(bob, A, sentence=PLANTED)
        said = dave.execute("select events, pid, person, application from tacit.held_back()").fetchall()
        assert said == [(1, pid, "alice", "a report")]
        with server.session("mallory") as mallory:
            assert mallory.execute("select events, pid from tacit.held_back()").fetchall() == [(0, None)]
        slow.execute("rollback")
        assert dave.execute("select events, pid from tacit.held_back()").fetchall() == [(0, None)]


def test_who_decided_what_is_told_to_curators_of_the_project(server: TeamServer) -> None:
    with server.session(SUPERUSER) as admin:
        (count,) = admin.execute("select count(*) from tacit.membership_change where project = %s", [PROJECT])
    with server.session("dave") as dave:
        assert "only a curator" in refused(dave, "select * from tacit.changes(10)")
    with server.session("mallory") as mallory:
        seen = mallory.execute("select project, member from tacit.changes(1000)").fetchall()
        assert seen == [(OTHER, "mallory")]
    with server.session("bob") as bob:
        seen = bob.execute("select project, change, by from tacit.changes(1000)").fetchall()
        assert seen == [(PROJECT, "added", SUPERUSER)] * int(str(count[0]))


def test_a_watching_role_sees_numbers_and_no_texts(server: TeamServer) -> None:
    server.cluster.create_role("watcher")
    with server.session(SUPERUSER) as admin:
        admin.execute("grant pg_monitor to watcher")
    with server.session("watcher") as watcher:
        shown = [watcher.execute(f"select * from tacit.{view}").fetchall() for view in ("queue", "horizon", "size")]
        assert PLANTED not in str(shown) and A not in str(shown)
        assert (PROJECT, "alice", True, 1, 1) in [row[:5] for row in shown[0]]
        for statement in ("table tacit.event", "table tacit.waiting", "table tacit.membership_change", *CHANGES):
            assert "permission denied" in refused(watcher, statement), statement
        for function in ("my_projects()", "events_after('0', 0, 10)", "changes(10)", "held_back()"):
            assert "permission denied" in refused(watcher, f"select * from tacit.{function}")


def test_what_a_client_reports_is_noted_for_itself_and_in_its_own_projects(server: TeamServer) -> None:
    reported = "select member, project, refused from tacit.activity where refused > 0"
    with server.session(SUPERUSER) as admin, server.session("mallory") as mallory:
        with mallory.transaction():
            mallory.execute("select tacit.report_refused(%s, 3)", [PROJECT])
            mallory.execute("select tacit.report_refused(%s, 2)", [OTHER])
        assert admin.execute(reported).fetchall() == [("mallory", OTHER, 2)]


@pytest.mark.parametrize("row_security", ["on", "off"])
def test_row_level_security_holds_also_where_an_administrator_grants_too_much(
    server: TeamServer, row_security: str
) -> None:
    """The table's rights are one line of defence, its policies another."""
    server.grant(sql.SQL("select, insert, update, delete"), "mallory")
    try:
        with server.session("mallory") as mallory:
            mallory.execute(sql.SQL("set row_security = {}").format(row_security))
            if row_security == "off":
                assert "would be affected by row-level security" in refused(mallory, "select * from tacit.event")
                return
            _probe_policies(server, mallory)
    finally:
        with server.session(SUPERUSER) as admin:
            admin.execute("revoke all on tacit.event from mallory")


def _probe_policies(server: TeamServer, mallory: Connection) -> None:
    before = everything(server)
    assert mallory.execute("select * from tacit.event").fetchall() == []
    assert mallory.execute("select count(*) from tacit.event where memory = %s", [A]).fetchone() == (0,)
    mallory.execute("create view public.events as select * from tacit.event")
    assert mallory.execute("select * from public.events").fetchall() == []
    mallory.execute("drop view public.events")
    # A function that is not leakproof would be called before the policy if it were pushed below it.
    mallory.execute(
        "create function pg_temp.tell(jsonb) returns boolean language plpgsql cost 0.0001 as"
        " $$ begin raise notice '%', $1; return true; end $$"
    )
    notices: list[str] = []
    mallory.add_notice_handler(lambda diag: notices.append(str(diag.message_primary)))
    mallory.execute("select * from tacit.event where pg_temp.tell(body)")
    assert notices == []
    assert mallory.execute("update tacit.event set body = null").rowcount == 0
    assert "never changed or deleted" in refused(mallory, "delete from tacit.event")
    with mallory.cursor() as cursor, cursor.copy("copy tacit.event to stdout") as copy:
        assert b"".join(bytes(part) for part in copy) == b""
    assert "COPY FROM not supported with row-level security" in refused(mallory, "copy tacit.event from stdin")
    assert "row-level security" in refused(mallory, FORGED, PROJECT, B)
    with mallory.transaction(force_rollback=True):
        mallory.execute(FORGED, [OTHER, B])
        assert mallory.execute("select author from tacit.event").fetchall() == [("mallory",)]
    assert everything(server) == before


def test_statistics_of_the_server_hold_no_texts(server: TeamServer) -> None:
    with server.session(SUPERUSER) as admin:
        admin.execute("analyze")
    for name in PEOPLE:
        with server.session(name) as connection:
            assert connection.execute("select * from pg_stats where schemaname = 'tacit'").fetchall() == []
            assert connection.execute("select * from pg_stats_ext where schemaname = 'tacit'").fetchall() == []
            assert "permission denied" in refused(connection, "select * from pg_statistic")
            assert "permission denied" in refused(connection, "select pg_read_file('PG_VERSION')")
            assert connection.execute("select * from pg_largeobject_metadata").fetchall() == []


def test_queries_of_others_are_not_shown(server: TeamServer) -> None:
    with server.session("alice") as alice, server.session("mallory") as mallory:
        alice.execute("select %s::text", [PLANTED])
        shown = mallory.execute("select query from pg_stat_activity where usename = 'alice'").fetchall()
        assert shown
        assert all(PLANTED not in str(query) for (query,) in shown)


def test_nothing_is_told_by_notifications(server: TeamServer) -> None:
    with server.session("mallory") as mallory, server.session("alice") as alice:
        with server.session(SUPERUSER) as admin:
            source = admin.execute("select string_agg(prosrc, ' ') from pg_proc where prosrc ilike '%tacit.%'")
            assert "notify" not in str(source.fetchone()).lower()
        mallory.execute("listen tacit; listen event")
        with alice.transaction(force_rollback=True):
            server.propose(alice, B)
        assert list(mallory.notifies(timeout=0, stop_after=1)) == []


@pytest.mark.parametrize("name", ["dave", "mallory"])
def test_errors_tell_nothing_of_other_rows(server: TeamServer, name: str) -> None:
    """A duplicate id, a violated check and a refused project are told without the row."""
    taken = everything(server)[0][2]
    with server.session(name) as connection:
        own = PROJECT if name == "dave" else OTHER
        said = [
            refused(connection, INSERT, taken, own, "proposed", B),
            refused(connection, INSERT, uuid.uuid4(), own, "proposed", "no id"),
            refused(connection, INSERT, uuid.uuid4(), "github.com/acme/none", "proposed", A),
            refused(connection, "select tacit.purge(%s, '')", uuid.uuid4()),
        ]
    assert not any(text in message for message in said for text in (PLANTED, "alice", str(taken), "Failing row"))


def test_a_project_that_exists_and_one_that_does_not_are_refused_alike(server: TeamServer) -> None:
    with server.session("mallory") as mallory:
        for kind in ("proposed", "withdrawn", "accepted", "purged"):
            there, nowhere = (
                refused(mallory, INSERT, uuid.uuid4(), name, kind, A) for name in (PROJECT, "github.com/no/where")
            )
            assert there == nowhere
        for event in (everything(server)[0][2], uuid.uuid4()):
            assert "there is no such event in your projects" in refused(mallory, "select tacit.purge(%s, '')", event)


# Forging an author


PROPOSE = (
    "insert into tacit.event (id, project, kind, memory, body)"
    f" values (gen_random_uuid(), %(project)s, 'proposed', %(memory)s, {BODY}) on conflict do nothing"
)
DECIDE = (
    "insert into tacit.event (id, project, kind, memory)"
    " values (gen_random_uuid(), %(project)s, 'accepted', %(memory)s)"
)


@pytest.mark.parametrize(
    ("column", "value"), [("author", "'alice'"), ("at", "now() - interval '1 year'"), ("xid", "'3'"), ("seq", "1")]
)
def test_columns_of_the_server_cannot_be_given(server: TeamServer, column: str, value: str) -> None:
    insert = (
        f"insert into tacit.event (id, project, kind, memory, body, {column}) overriding system value"
        f" values (gen_random_uuid(), '{PROJECT}', 'proposed', '{B}', {BODY}, {value})"
    )
    with server.session("dave") as dave:
        assert "permission denied" in refused(dave, insert)
        assert "permission denied" in refused(dave, f"copy tacit.event (id, {column}) from stdin")
    with server.session("dave") as dave:
        assert "row-level security" in refused(dave, "copy tacit.event (id, project, kind, memory, body) from stdin")


# In any session: what a person types before, and whose name is on the event. None is an error.
SETTINGS = {
    "set role {member}": "dave",
    "set search_path = pg_temp, public": "dave",
    "set session characteristics as transaction isolation level read uncommitted": "dave",
    "reset session authorization": "dave",
    "set session authorization dave": "dave",
    "set session authorization alice": None,
    "set role alice": None,
    "set role {owner}": None,
    "set role {curator}": None,
    "set session_replication_role = replica": None,
    "set role postgres": None,
}


@pytest.mark.parametrize("before", SETTINGS)
def test_no_setting_makes_an_author_of_somebody_else(server: TeamServer, before: str) -> None:
    groups = {kind: f'"{server.group(kind)}"' for kind in ("member", "curator", "owner")}
    with server.session("dave") as dave:
        if SETTINGS[before] is None:
            assert "permission denied" in refused(dave, before.format(**groups))
        else:
            dave.execute(before.format(**groups))
        assert authors(server, dave) == ["dave"]


def authors(server: TeamServer, connection: Connection, statement: str = "") -> list[object]:
    """Propose a memory of its own, and return who is recorded as its author."""
    memory = uuid.uuid4().hex[:12]
    connection.execute(statement or PROPOSE, {"project": PROJECT, "memory": memory})
    return [row[4] for row in everything(server) if row[7] == memory]


@pytest.mark.parametrize("option", ["session_authorization=alice", "role=alice", "session_replication_role=replica"])
def test_no_option_of_a_connection_makes_an_author_of_somebody_else(server: TeamServer, option: str) -> None:
    with pytest.raises(psycopg.OperationalError, match=r"permission denied|must be superuser"):
        psycopg.connect(server.url("dave"), options=f"-c {option}").close()


def test_a_person_who_lets_others_act_for_them_is_not_made_their_author(server: TeamServer) -> None:
    """Up to PostgreSQL 14 everybody may grant membership in their own role; here an administrator does."""
    with server.session(SUPERUSER) as admin, server.session("dave") as dave, server.session("trent") as trent:
        admin.execute("grant bob to dave, trent")
        try:
            dave.execute("set role bob")
            assert authors(server, dave) == ["dave"]
            assert "row-level security" in refused(dave, DECIDE, {"project": PROJECT, "memory": A})
            assert dave.execute("select * from tacit.my_projects()").fetchall() == [(PROJECT, False)]
            trent.execute("set role bob")
            assert trent.execute("select * from tacit.my_projects()").fetchall() == []
            assert server.pull(trent) == []
            assert "row-level security" in refused(trent, PROPOSE, {"project": PROJECT, "memory": B})
        finally:
            admin.execute("revoke bob from dave, trent")


def test_functions_that_run_with_the_rights_of_another_record_who_is_connected(server: TeamServer) -> None:
    with server.session("bob") as bob, server.session("dave") as dave, server.session("mallory") as mallory:
        bob.execute(
            "create function public.act(kind text, memory text) returns void language sql security definer as $$"
            " insert into tacit.event (id, project, kind, memory, body)"
            f" values (gen_random_uuid(), '{PROJECT}', kind, memory, {BODY}) $$"
        )
        bob.execute(
            "create function public.look() returns setof tacit.event language sql security definer as $$"
            " select * from tacit.events_after('0', 0, 100) $$"
        )
        try:
            assert authors(server, dave, "select public.act('proposed', %(memory)s)") == ["dave"]
            assert "row-level security" in refused(dave, "select public.act('accepted', %s)", A)
            assert "row-level security" in refused(mallory, "select public.act('proposed', %s)", B)
            assert mallory.execute("select * from public.look()").fetchall() == []
        finally:
            bob.execute("drop function public.act; drop function public.look")


def test_views_rules_and_triggers_of_a_member_reach_nothing(server: TeamServer) -> None:
    with server.session("dave") as dave, server.session("mallory") as mallory:
        for statement in (
            "create rule copied as on insert to tacit.event do also notify x",
            "create trigger copied after insert on tacit.event execute function suppress_redundant_updates_trigger()",
            "create policy open on tacit.event using (true)",
            "drop policy members_read on tacit.event",
            "alter table tacit.event disable row level security",
            "alter table tacit.event disable trigger all",
            "alter table tacit.event owner to dave",
            "create index on tacit.event (author)",
            "create function tacit.version() returns int language sql as 'select 99'",
            "create or replace function tacit.is_curator() returns boolean language sql as 'select true'",
            "alter function tacit.is_curator() set search_path = public",
            "create table tacit.mine ()",
            "drop schema tacit cascade",
            "comment on table tacit.event is 'mine'",
            f'grant "{server.group("member")}" to trent',
            f'grant "{server.group("curator")}" to dave',
            f'alter role "{server.group("curator")}" login',
        ):
            said = refused(dave, statement)
            assert "must be owner" in said or "permission denied" in said or "must have admin option" in said
        # A view reads with the rights of who made it, and nobody has the right to read.
        dave.execute("create view public.events as select * from tacit.events_after('0', 0, 100)")
        dave.execute("grant select on public.events to public")
        try:
            assert mallory.execute("select * from public.events").fetchall() == []
        finally:
            dave.execute("drop view public.events")


def test_objects_that_shadow_names_are_not_taken(server: TeamServer) -> None:
    """Tables, functions and operators of the same names, found first by the search path."""
    with server.session("mallory") as mallory:
        mallory.execute("create temporary table event (project text); create temporary table membership (member name)")
        mallory.execute("create temporary table pg_auth_members (roleid oid, member oid)")
        for schema in ("pg_temp", "public"):
            mallory.execute(
                f"create function {schema}.coalesce_all() returns text[] language sql as 'select array[''{PROJECT}'']';"
                f"create function {schema}.array_agg_of(text) returns text language sql as 'select $1';"
                f"create function {schema}.octet_length(text) returns int language sql as 'select 1';"
                f"create function {schema}.session_user() returns name language sql as 'select ''alice''::name';"
                f"create function {schema}.pg_has_role(name, name, text) returns boolean language sql as 'select true'"
            )
        mallory.execute(
            "create function public.always(name, name) returns boolean language sql as 'select true';"
            "create operator public.= (leftarg = name, rightarg = name, function = public.always)"
        )
        try:
            mallory.execute("set search_path = pg_temp, public, pg_catalog")
            assert server.pull(mallory) == []
            assert mallory.execute("select project from tacit.my_projects()").fetchall() == [(OTHER,)]
            assert "row-level security" in refused(mallory, PROPOSE, {"project": PROJECT, "memory": B})
            event = everything(server)[0][2]
            assert "no such event" in refused(mallory, "select tacit.purge(%s, '')", event)
        finally:
            mallory.execute("reset search_path; drop operator public.= (name, name); drop function public.always")
            mallory.execute(
                "drop function public.coalesce_all; drop function public.array_agg_of;"
                "drop function public.octet_length; drop function public.session_user; drop function public.pg_has_role"
            )


# Changing and deleting


CHANGES = [
    "update tacit.event set body = null",
    "update tacit.event set author = 'mallory'",
    "delete from tacit.event",
    "truncate tacit.event",
    "truncate tacit.event cascade",
    "insert into tacit.membership (project, member) values ('github.com/acme/api', 'mallory')",
    "update tacit.membership set member = 'mallory'",
    "delete from tacit.membership",
    "insert into tacit.migration (number, name, hash) values (99, 'x', 'x')",
    "delete from tacit.migration",
    "update tacit.numbering set added = 0",
    "insert into tacit.tombstone values ('github.com/acme/api', 'aaaaaaaaaaaa', gen_random_uuid())",
    "delete from tacit.tombstone",
    "select tacit.add_member('github.com/acme/api', 'mallory')",
    "select tacit.remove_member('github.com/acme/api', 'alice')",
    "select tacit.grant_role('trent', true)",
    "select tacit.revoke_role('alice', false)",
    "select tacit.restored()",
    "select tacit.is_purged('github.com/acme/api', 'aaaaaaaaaaaa')",
    "select tacit.has_role('alice', true)",
    "select setval('tacit.event_seq_seq', 1)",
    "select tacit.limit_proposals(1000000)",
    "update tacit.setting set proposals_a_day = 1000000",
    "update tacit.activity set proposals = 0",
    "delete from tacit.activity",
    "delete from tacit.waiting",
    "select tacit.added()",
    "select tacit.place()",
    "select tacit.note_change('added', 'mallory', 'github.com/acme/api')",
    "insert into tacit.membership_change (by, change, member) values ('alice', 'made curator', 'mallory')",
    "delete from tacit.membership_change",
]


@pytest.mark.parametrize("name", PEOPLE)
def test_nobody_changes_what_is_there(server: TeamServer, name: str) -> None:
    before = everything(server)
    with server.session(name) as connection:
        for statement in CHANGES:
            assert "permission denied" in refused(connection, statement), statement
    assert everything(server) == before


@pytest.mark.parametrize(
    "statement",
    [
        "update tacit.event set body = '{}'",
        "update tacit.event set author = 'postgres', body = null",
        "delete from tacit.event",
        "truncate tacit.event",
    ],
)
def test_not_even_a_superuser_changes_events_by_ordinary_statements(server: TeamServer, statement: str) -> None:
    before = everything(server)
    with server.session(SUPERUSER) as admin:
        assert "events are never changed or deleted" in refused(admin, statement)
        with admin.transaction(force_rollback=True):
            admin.execute(FORGED, [PROJECT, B])
            assert admin.execute("select author from tacit.event where memory = %s", [B]).fetchall() == [("postgres",)]
    assert everything(server) == before


def test_the_owner_sees_and_changes_no_event_by_ordinary_statements(server: TeamServer) -> None:
    before = everything(server)
    with server.session(SUPERUSER) as admin:
        admin.execute(sql.SQL("set session authorization {}").format(sql.Identifier(server.group("owner"))))
        assert admin.execute("select * from tacit.event").fetchall() == []
        assert admin.execute("update tacit.event set body = null").rowcount == 0
        for statement in ("delete from tacit.event", "truncate tacit.event", "delete from tacit.tombstone"):
            assert "permission denied" in refused(admin, statement)
        assert "row-level security" in refused(admin, PROPOSE, {"project": PROJECT, "memory": B})
    assert everything(server) == before


# What the catalog says


def test_every_object_is_guarded(server: TeamServer) -> None:
    """A function or table that a later migration adds without its guards fails here."""
    with server.session(SUPERUSER) as admin:
        functions: Any = admin.execute(
            "select p.proname, p.proowner::regrole::text, p.prosecdef, p.proconfig, p.proacl::text[], p.prosrc"
            " from pg_proc p where p.pronamespace = 'tacit'::regnamespace"
        ).fetchall()
        tables: Any = admin.execute(
            "select c.relname, c.relowner::regrole::text, c.relrowsecurity, c.relforcerowsecurity, c.relacl::text[]"
            " from pg_class c where c.relnamespace = 'tacit'::regnamespace and c.relkind in ('r', 'p')"
        ).fetchall()
        policies: Any = admin.execute(
            "select tablename, policyname, roles, cmd from pg_policies where schemaname = 'tacit'"
        ).fetchall()
    owner = server.group("owner")
    assert {row[1] for row in functions} == {row[1] for row in tables} == {owner}
    for name, _, _, config, acl, source in functions:
        assert config == ["search_path=pg_catalog, pg_temp"] or name == "purge" or "::pg_catalog.name" in str(source)
        assert config is None or "search_path=pg_catalog, pg_temp" in config
        assert acl is not None, f"everybody may call {name}"
        everybody = any(str(entry).startswith("=") for entry in acl)
        assert everybody == (name == "whoami"), f"who may call {name}"
    assert all(row[2] for row in tables)
    assert {row[0] for row in tables if row[3]} == {"event", "tombstone"}
    assert not any(str(entry).startswith("=") for row in tables for entry in row[4] or ())
    changing = {(row[1], tuple(row[2])) for row in policies if row[3] not in ("SELECT", "INSERT")}
    assert changing == {("purge_removes_bodies", (owner,))}


# Through a pooler


def test_a_pooler_in_transaction_mode_mixes_nobody_up(server: TeamServer) -> None:
    """Sessions of the server are handed from client to client; each has its own person's name and sees its own rows."""
    with server.cluster.pooler({"default_pool_size": "1"}) as folder:
        urls = {name: server.url(name).replace(str(server.cluster.folder), str(folder)) for name in ("dave", "mallory")}
        with connect(urls["dave"]) as dave, connect(urls["mallory"]) as mallory, connect(urls["dave"]) as again:
            for _ in range(5):
                assert authors(server, dave) == ["dave"]
                assert authors(server, again) == ["dave"]
                assert server.pull(mallory) == []
                assert "row-level security" in refused(mallory, PROPOSE, {"project": PROJECT, "memory": B})
            # What one client leaves in a session is there for the next one of the same person, and harms nothing.
            dave.execute("set search_path = pg_temp")
            dave.execute("set statement_timeout = 0")
            assert authors(server, again) == ["dave"]
            assert {row.project for row in server.pull(again)} == {PROJECT}
            assert "permission denied" in refused(mallory, "set session authorization dave")
