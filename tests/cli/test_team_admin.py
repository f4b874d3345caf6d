"""`tacit team setup` and the other commands of an administrator, as people type them."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from harness.person import Person
from harness.postgres import Cluster
from harness.terminal import converse

from tacit.team.schema import known_migrations
from tests.support.postgres import PROJECT, TeamServer

LATEST = known_migrations()[-1].number


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


@pytest.fixture
def url(postgres: Cluster) -> str:
    """A database that is not set up yet, with people who can log in."""
    for name in ("alice", "bob", "Zoë"):
        postgres.create_role(name)
    return postgres.url(postgres.create_database())


def test_from_an_empty_database_to_a_team(person: Person, url: str) -> None:
    said = person.tacit("team", "setup", url, "--yes").out
    assert "version 0 of the team's schema" in said
    assert "will apply 0001_events: The team's tables" in said
    assert f"Done: version {LATEST}." in said
    assert "tacit team add-member URL alice --project github.com/acme/api" in said
    assert "Nothing to do." in person.tacit("team", "setup", url).out
    assert "No project has members." in person.tacit("team", "members", url).out

    add = ("team", "add-member", url)
    assert person.tacit(*add, "alice", "--project", PROJECT).out == f"alice is a member of {PROJECT}.\n"
    pasted = "git@github.com:acme/api.git"
    assert person.tacit(*add, "bob", "--project", pasted, "--curator").out == f"bob is a curator of {PROJECT}.\n"
    assert "A curator decides in all of their projects." in person.tacit(*add, "bob", "--project", "example.org/b").out
    person.tacit(*add, "Zoë", "--project", PROJECT)
    assert person.tacit("team", "members", url).out.split() == [
        *("example.org/b", "bob", "curator"),
        *(PROJECT, "Zoë", "member", "alice", "member", "bob", "curator"),
    ]
    assert person.tacit("team", "members", url, "--json").json[0] == {
        "name": "bob",
        "scope": "project:example.org/b",
        "curator": True,
        "inactive": False,
    }


def test_removing_ends_one_project_or_all(person: Person, url: str) -> None:
    person.tacit("team", "setup", url, "--yes")
    for project in (PROJECT, "example.org/b"):
        person.tacit("team", "add-member", url, "bob", "--project", project, "--curator")
    said = person.tacit("team", "remove-member", url, "bob", "--project", PROJECT).out
    assert f"bob was removed from {PROJECT} and sees nothing of it" in said
    assert "The role can still log in" not in said
    assert "bob is not a curator any more." in person.tacit("team", "remove-member", url, "bob", "--curator").out
    assert [row["curator"] for row in person.tacit("team", "members", url, "--json").json] == [False]
    said = person.tacit("team", "remove-member", url, "bob").out
    assert "bob was removed from example.org/b" in said
    assert "drop role bob" in said
    assert person.tacit("team", "members", url, "--json").json == []
    assert "bob is not a member of the team" in person.tacit("team", "remove-member", url, "bob", code=1).err
    with connect_as(url, "bob") as bob:
        assert bob.execute("select projects from tacit.whoami()").fetchone() == ([],)
        assert bob.execute("select has_function_privilege('tacit.my_projects()', 'execute')").fetchone() == (False,)


def connect_as(url: str, name: str) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(url.replace("postgres@", f"{name}@"))


def test_a_role_that_does_not_exist_is_named_with_the_statement_that_creates_it(person: Person, url: str) -> None:
    person.tacit("team", "setup", url, "--yes")
    said = person.tacit("team", "add-member", url, 'New "P', "--project", PROJECT, code=1).err
    assert 'create role "New ""P" login' in said
    with connect_as(url, "alice") as alice:
        group = f"tacit_{alice.info.dbname}_member"
    assert "cannot log in" in person.tacit("team", "add-member", url, group, "--project", PROJECT, code=1).err


@pytest.mark.parametrize(
    "words",
    [
        ("team", "setup"),
        ("team", "members"),
        ("team", "add-member", "postgresql:///x"),
        ("team", "add-member", "postgresql:///x", "alice"),
        ("team", "remove-member", "postgresql:///x"),
        ("team", "remove-member", "postgresql:///x", "bob", "--curator", "--project", PROJECT),
        ("team", "setup", "postgresql:///x", "--to", "some"),
        ("team", "setup", "https://example.org"),
    ],
)
def test_what_is_incomplete_is_told_with_what_to_type(person: Person, words: tuple[str, ...]) -> None:
    said = person.tacit(*words, code=2).err
    assert "→" in said or "wants a whole number" in said


def test_who_is_no_administrator_is_told_whom_to_connect_as(person: Person, postgres: Cluster) -> None:
    server = TeamServer(postgres)
    server.add("bob", PROJECT, curator=True)
    postgres.create_role("trent")
    for name in ("bob", "trent"):
        for words in (("setup", server.url(name)), ("members", server.url(name))):
            said = person.tacit("team", *words, code=1).err
            assert f"{name} does not administer this team's server" in said
            assert "superuser" in said


def test_before_the_setup_other_commands_name_it(person: Person, url: str) -> None:
    for words in (("members", url), ("add-member", url, "alice", "--project", PROJECT), ("remove-member", url, "bob")):
        assert "tacit team setup URL" in person.tacit("team", *words, code=1).err


def test_without_a_terminal_nothing_is_changed_unasked(person: Person, url: str) -> None:
    assert "there is no terminal to ask on" in person.tacit("team", "setup", url, code=1).err
    assert "not set up for a team" in person.tacit("team", "members", url, code=1).err


def test_taking_all_down_wants_the_name_of_the_database(person: Person, postgres: Cluster) -> None:
    server = TeamServer(postgres)
    server.add("alice", PROJECT)
    with server.session("alice") as alice:
        server.propose(alice, "aaaaaaaaaaaa")
    url = server.url(server.admin)
    words = ("team", "setup", url, "--to", "0")
    typed = "delete it: "
    said = converse(person, *words, answers=[(typed, "y")]).out
    assert "This deletes up to 1 event of 1 project with 1 member" in said
    assert "Nothing was changed." in said
    assert person.tacit("team", "members", url, "--json").json != []
    assert "Done: version 0." in converse(person, *words, answers=[(typed, server.database)]).out
    assert "not set up for a team" in person.tacit("team", "members", url, code=1).err


def test_going_back_says_what_is_lost_and_asks(person: Person, postgres: Cluster) -> None:
    server = TeamServer(postgres)
    words = ("team", "setup", server.url(server.admin), "--to")
    said = converse(person, *words, "1", answers=[("[y/N] ", "y")]).out
    assert "Events and memberships stay." in said and "Done: version 1." in said
    assert "lost" in said and "There is no undo" not in said
    said = person.tacit(*words, "0", "--yes").out
    assert "All events are lost" in said and "There is no undo" in said and "Done: version 0." in said


def test_the_first_setup_asks_at_a_terminal(person: Person, url: str) -> None:
    for answer, said in (("n", "Nothing was changed."), ("y", f"Done: version {LATEST}.")):
        assert said in converse(person, "team", "setup", url, answers=[("[y/N] ", answer)]).out


def test_a_dump_that_is_restored_elsewhere_serves_its_clients_on(
    person: Person, postgres: Cluster, tmp_path: Path
) -> None:
    """The whole way: pg_dump, a new cluster whose transaction ids are lower, and `--restored`."""
    server = TeamServer(postgres)
    server.add("alice", PROJECT)
    with server.session("alice") as alice:
        burn = "do $$ begin for i in 1..2000 loop perform pg_current_xact_id(); commit; end loop; end $$"
        alice.execute(burn)  # the new cluster is younger than that
        for number in range(3):
            server.propose(alice, f"{number:012d}")
        position = server.pull(alice)[-1].position
    dump = postgres.run("pg_dump", "-Fc", server.database)
    globals_ = postgres.run("pg_dumpall", "--globals-only")
    elsewhere = Cluster()
    try:
        elsewhere.run("psql", "-d", "postgres", stdin=globals_)
        elsewhere.create_database(name=server.database)
        elsewhere.run("pg_restore", "-d", server.database, stdin=dump)
        restored = TeamServer(elsewhere, database=server.database)
        with restored.session("alice") as alice:
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="restored from a backup") as caught:
                restored.pull(alice, position)
            assert "tacit team setup URL --restored" in str(caught.value.diag.message_hint)
            person.tacit("team", "setup", restored.url("postgres"), "--restored", "--yes")
            event = restored.propose(alice, "bbbbbbbbbbbb")
            assert [row.id for row in restored.pull(alice, position)] == [event]
            assert len(restored.pull(alice)) == 4
    finally:
        elsewhere.remove()
