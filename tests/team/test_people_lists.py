"""Members as a directory names them: what a list may say, what it changes, and what it must not."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from harness.person import Person, Said
from harness.postgres import SUPERUSER

from tacit.errors import RefusedError, UsageError
from tacit.team.people import NameState, plan_import, read_names, refuse_most_removed
from tests.support.postgres import PROJECT, TeamServer
from tests.support.team import Teammate, agree

OTHER = "github.com/acme/other"
LDIF = """\
version: 1

# the people of a group
dn: uid=alice,ou=people,dc=acme,dc=example
uid: alice

dn: uid=zoe,ou=people,dc=acme,
 dc=example
uid:: em9l
mail: zoe@acme.example

dn: uid=bob,ou=people,dc=acme,dc=example
UID;lang-en: bo
 b
uid: alice
"""


@pytest.mark.parametrize(
    ("text", "attribute", "names"),
    [
        ("alice\nbob\n", "", ["alice", "bob"]),
        ("# who is in\r\n\r\n  alice \r\nAlice B. Smith\r\nalice\r\n", "", ["alice", "Alice B. Smith"]),
        (LDIF, "uid", ["alice", "zoe", "bob"]),
        (LDIF, "mail", ["zoe@acme.example"]),
        ("dn: cn=api,ou=groups\nmemberUid: alice\nmemberUid: bob\n", "memberuid", ["alice", "bob"]),
    ],
)
def test_names_come_one_in_each_line_or_as_ldif(text: str, attribute: str, names: list[str]) -> None:
    assert read_names(text.splitlines(), attribute) == names


@pytest.mark.parametrize(
    ("text", "attribute", "problem"),
    [
        ("", "", "the list has no names"),
        ("\n# nobody\n", "", "the list has no names"),
        (LDIF, "memberUid", "the list has no names"),
        (LDIF, "", "which attribute"),
        ("dn: uid=a\nuid:: %%%\n", "uid", "is no text"),
        ("dn: uid=a\nuid:: //79\n", "uid", "is no text"),
        ("dn: uid=a\nuid: a\n\n# search result\nsearch: 2\nresult: 4 Size limit exceeded\n", "uid", "not complete"),
        ("\n".join(f"n{number}" for number in range(100_001)), "", "more than 100,000"),
    ],
)
def test_a_list_that_cannot_be_believed_is_refused(text: str, attribute: str, problem: str) -> None:
    with pytest.raises((RefusedError, UsageError), match=problem) as caught:
        read_names(text.splitlines(), attribute)
    assert caught.value.hint


def state(name: str, *, is_role: bool = True, is_privileged: bool = False, needs_no_role: bool = False) -> NameState:
    return NameState(name, is_role, is_privileged, needs_no_role)


def test_a_plan_adds_removes_and_leaves_out() -> None:
    states = [
        state("alice"),
        state("bob"),
        state("postgres", is_privileged=True),
        state("carol", is_role=False, needs_no_role=True),
        state("dave", is_role=False),
    ]
    plan = plan_import([each.name for each in states], ["alice", "mallory"], states)
    assert (plan.staying, plan.added, plan.created, plan.removed) == (("alice",), ("bob", "carol"), (), ("mallory",))
    assert [each.name for each in plan.left_out] == ["postgres", "dave"]
    assert "--roles" in plan.left_out[1].problem


@pytest.mark.parametrize("name", ["pg_monitor2", "a" * 64, "", "a\x1b[31m", "line\nbreak"])
def test_no_role_is_made_of_a_name_that_is_none(name: str) -> None:
    plan = plan_import([name], [], [state(name, is_role=False)], creates_roles=True)
    assert (plan.added, plan.created, len(plan.left_out)) == ((), (), 1)


@pytest.mark.parametrize(
    ("staying", "removed", "at_most", "passes"),
    [
        (1, 1, None, True),
        (0, 1, None, True),
        (2, 1, None, True),
        (1, 2, None, False),
        (0, 2, None, False),
        (9, 1, 0, False),
        (0, 2, 2, True),
    ],
)
def test_a_list_that_would_remove_most_is_refused(
    staying: int, removed: int, at_most: int | None, passes: bool
) -> None:
    members = [f"m{number}" for number in range(staying + removed)]
    plan = plan_import(members[:staying], members, [state(name) for name in members[:staying]])
    if passes:
        refuse_most_removed(plan, at_most)
        return
    with pytest.raises(RefusedError, match=f"would remove {removed} of {staying + removed}") as caught:
        refuse_most_removed(plan, at_most)
    assert f"--at-most {removed}" in caught.value.hint


# On a server


class Administrator(Person):
    """Who pipes the directory's answer into `import-members`."""

    server: TeamServer

    def imports(self, names: str, *words: str, code: int = 0) -> Said:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(names.encode())))
            url = self.server.url(SUPERUSER)
            return self.tacit("team", "import-members", url, "--project", PROJECT, *words, code=code)

    def members(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for row in self.tacit("team", "members", self.server.url(SUPERUSER), "--json").json:
            found.setdefault(row["scope"].removeprefix("project:"), []).append(row["name"])
        return found


@pytest.fixture
def admin(tmp_path: Path, team_server: TeamServer) -> Administrator:
    folder = tmp_path / "admin"
    folder.mkdir()
    admin = Administrator(folder)
    admin.server = team_server
    for name in ("alice", "bob"):
        team_server.add(name, PROJECT)
    team_server.add("mallory", PROJECT, OTHER)
    return admin


def test_a_list_makes_and_ends_members_after_it_was_shown(admin: Administrator) -> None:
    admin.server.cluster.create_role("zoe")
    before = admin.members()
    said = admin.imports(LDIF, "--attribute", "uid").out
    assert said.splitlines() == [
        f"{PROJECT}: 2 members stay",
        "  + zoe",
        "  - mallory",
        "Nothing was changed. To do it: add --yes",
    ]
    assert admin.members() == before
    assert "Done: 1 added, 1 removed." in admin.imports(LDIF, "--attribute", "uid", "--yes").out
    assert admin.members() == {PROJECT: ["alice", "bob", "zoe"], OTHER: ["mallory"]}
    assert admin.imports(LDIF, "--attribute", "uid", "--yes").out == f"{PROJECT}: 3 members stay\n"


def test_who_administers_the_server_is_not_let_in_by_a_list(admin: Administrator) -> None:
    """Somebody in the directory may call themselves as they like."""
    group = admin.server.group("curator")
    admin.server.cluster.create_role("replicator", "login replication")
    said = admin.imports(f"alice\nbob\nmallory\n{SUPERUSER}\nreplicator\n{group}\n", "--yes", code=1).out
    assert said.count("a role with rights of its own") == 3
    assert admin.members()[PROJECT] == ["alice", "bob", "mallory"]
    with admin.server.session(SUPERUSER) as session:
        assert session.execute("select tacit.has_role(%s, false)", [SUPERUSER]).fetchone() == (False,)


def test_a_list_that_lost_its_names_changes_nothing(admin: Administrator) -> None:
    before = admin.members()
    assert "the list has no names" in admin.imports("", "--yes", code=1).err
    assert "would remove 2 of 3 members" in admin.imports("alice\n", "--yes", code=1).err
    assert admin.members() == before
    admin.imports("alice\n", "--yes", "--at-most", "2")
    assert admin.members()[PROJECT] == ["alice"]


def test_roles_are_made_for_who_logs_in_by_the_directory(admin: Administrator) -> None:
    everybody = "alice\nbob\nmallory\n"
    said = admin.imports(f"{everybody}new-1\nNew-2\n", "--yes", code=1).out
    assert said.count("(--roles creates it)") == 2
    said = admin.imports(f"{everybody}new-1\nNew-2\n", "--yes", "--roles").out
    assert "  + new-1  a new role" in said
    with admin.server.session(SUPERUSER) as session:
        rows = session.execute(
            "select rolname::text, rolcanlogin, rolpassword is null, rolsuper or rolcreaterole or rolcreatedb"
            " from pg_authid where rolname in ('new-1', 'New-2') order by 1"
        ).fetchall()
        assert rows == [("New-2", True, True, False), ("new-1", True, True, False)]
        for name in ("new-1", "New-2"):
            with admin.server.session(name) as new:
                assert new.execute("select project from tacit.my_projects()").fetchall() == [(PROJECT,)]
        admin.imports(everybody, "--yes")
        session.execute('drop role "new-1", "New-2"')


def test_who_is_removed_by_a_list_loses_what_came_from_the_team(admin: Administrator, tmp_path: Path) -> None:
    alice, bob = (Teammate(tmp_path / name, name, admin.server) for name in ("alice", "bob"))
    with admin.server.session(SUPERUSER) as session:
        session.execute("select tacit.grant_role('bob', true)")
    for person in (alice, bob):
        person.join()
    agree(bob, bob, "never push on a friday")
    alice.sync()
    assert "never push on a friday" in alice.memories()
    admin.imports("bob\nmallory\n", "--yes")
    alice.sync(code=None)
    assert "never push on a friday" not in alice.memories()
    assert "never push on a friday" in bob.memories()
