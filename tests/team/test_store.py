"""What may leave the home, and what the person is asked before."""

from __future__ import annotations

import os

import pytest

from tacit.team.store import private_details
from tests.support.postgres import TeamServer
from tests.support.team import Teammate, memory_id

RULE = "never run the full build twice in a row"


def sent(server: TeamServer) -> list[object]:
    with server.session(server.admin) as connection:
        return [row[0] for row in connection.execute("select body ->> 'sentence' from tacit.event")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("logs are in /home/alice/logs", ["/home/alice/logs"]),
        ("see ~/notes.md", ["~/notes.md"]),
        ("the token is in /srv/people/alice/token", ["/srv/people/alice/token"]),
        ("ask bob@acme.example, he knows", ["bob@acme.example"]),
        ("deploy from build7", ["build7"]),
        ("the mirror is https://mirror.internal:8080/npm", ["https://mirror.internal:8080/npm"]),
        ("connect to 10.0.3.7 first", ["10.0.3.7"]),
        ("run `make test` before src/app.py changes", []),
        ("use version 1.2.3 of package.json, e.g. with pnpm", []),
        ("never run the full build twice. Use make.", []),
    ],
)
def test_what_names_the_person_or_the_machine_is_noticed(text: str, found: list[str]) -> None:
    assert private_details(text, "/srv/people/alice", "build7") == found


def test_a_sentence_that_names_a_path_is_shown_whole_and_sent_only_after_a_yes(alice: Teammate) -> None:
    text = f"never delete {alice.folder}/backups"
    claim = alice.add(text, "--tag", "disk")
    asked = alice.here("share", claim, code=2)
    assert f"sentence: {text}" in asked.out and "tags: disk" in asked.out and "evidence: none" in asked.out
    assert f"It names {alice.folder}/backups" in asked.out and "add --yes" in asked.err
    assert sent(alice.server) == []
    alice.here("share", claim, "--yes")
    assert sent(alice.server) == [text]


def test_evidence_that_names_a_path_is_asked_about_as_well(alice: Teammate) -> None:
    claim = alice.add(RULE)
    assert "ops@acme.example" in alice.here("share", claim, "--evidence", "ops@acme.example said so", code=2).out
    assert sent(alice.server) == []


def test_secrets_are_refused(alice: Teammate) -> None:
    claim = alice.add(RULE)
    said = alice.here("share", claim, "--evidence", "export AWS_SECRET_KEY=AKIAIOSFODNN7EXAMPLQ", "--yes", code=1)
    assert "secret" in said.err
    assert sent(alice.server) == []


def test_only_active_memories_of_a_joined_project_are_shared(alice: Teammate) -> None:
    alice.here("add", "I like short commits", "--global")
    everywhere = alice.id_of("I like short commits")
    assert "is global" in alice.here("share", everywhere, code=1).err
    other = alice.repository("other", "git@github.com:acme/secret.git")
    alice.tacit("add", RULE, "--private", cwd=other)
    elsewhere = memory_id(RULE, "github.com/acme/secret")
    refused = alice.here("share", elsewhere, code=1).err
    assert "no member of github.com/acme/secret" in refused and "github.com/acme/api" in refused
    alice.here("add", "--candidate", "keep it short", "--evidence", "seen")
    assert "only an active memory" in alice.here("share", memory_id("keep it short"), code=1).err
    local = alice.repository("local")
    alice.tacit("add", RULE, "--private", cwd=local)
    path = memory_id(RULE, os.path.realpath(local))
    assert "named by a path" in alice.here("share", path, code=1).err
    assert sent(alice.server) == []


def test_what_came_from_the_team_or_waits_already_is_not_proposed_again(alice: Teammate, bob: Teammate) -> None:
    claim = alice.share(RULE)
    assert "waits for a curator already" in alice.here("share", claim, code=1).err
    bob.sync()
    bob.accept(claim)
    alice.sync()
    assert "the team has" in alice.here("share", claim, code=1).err
    assert "came from the team already" in bob.here("share", claim, code=1).err


def test_the_fact_file_is_meant_by_its_option_and_wherever_no_team_has_the_project(alice: Teammate) -> None:
    claim = alice.add(RULE)
    alice.here("share", claim, "--file")
    assert RULE in (alice.clone / "docs" / "memory" / "memories.ndjson").read_text()
    alice.here("share", claim, "--remove")
    other = alice.repository("other", "git@github.com:acme/secret.git")
    alice.tacit("add", RULE, "--private", cwd=other)
    alice.tacit("share", memory_id(RULE, "github.com/acme/secret"), cwd=other)
    assert RULE in (other / "docs" / "memory" / "memories.ndjson").read_text()
    assert sent(alice.server) == []


def test_without_a_team_options_for_teams_are_refused(alice: Teammate) -> None:
    claim = alice.add(RULE)
    alice.here("team", "leave")
    assert "tacit team join" in alice.here("share", claim, "--evidence", "x", code=2).err
    assert "tacit team join" in alice.here("team", "review", code=1).err


def test_a_member_who_is_no_curator_decides_nothing(alice: Teammate, bob: Teammate) -> None:
    claim = bob.share(RULE)
    alice.sync()
    assert "only a curator decides" in alice.here("team", "accept", claim, code=1).err
    assert "you are a curator" in alice.here("team", "review").out
