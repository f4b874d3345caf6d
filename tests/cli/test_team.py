"""`tacit team` at a terminal: joining, sharing and reviewing as a person types it."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.terminal import converse

from tests.support.postgres import PROJECT, TeamServer
from tests.support.team import Teammate

RULES = ("never run the full build twice in a row", "use pnpm for packages", "keep functions short")


@pytest.fixture
def alice(tmp_path: Path, team_server: TeamServer) -> Teammate:
    team_server.add("alice", PROJECT)
    return Teammate(tmp_path / "alice", "alice", team_server)


@pytest.fixture
def bob(tmp_path: Path, team_server: TeamServer) -> Teammate:
    team_server.add("bob", PROJECT, curator=True)
    return Teammate(tmp_path / "bob", "bob", team_server)


def test_joining_is_asked_and_no_changes_nothing(alice: Teammate) -> None:
    shown = converse(alice, "team", "join", alice.url, answers=[("Join? [y/N] ", "n")], cwd=alice.clone)
    assert "Nothing was changed" in shown.out and "belongs to no team" in alice.here("team").out
    shown = converse(alice, "team", "join", alice.url, answers=[("Join? [y/N] ", "y")], cwd=alice.clone)
    assert "Joined" in shown.out and shown.code == 0
    assert f"{PROJECT}  member" in alice.here("team").out


def test_a_curator_goes_through_the_proposals_card_by_card(alice: Teammate, bob: Teammate) -> None:
    alice.join()
    bob.join()
    accepted, declined, skipped = (alice.share(text) for text in RULES)
    prompt = "q quit > "
    shown = converse(
        bob,
        *("team", "review"),
        answers=[(prompt, "x"), (prompt, "a"), (prompt, "d"), ("Enter to skip) > ", "we use yarn"), (prompt, "s")],
        cwd=bob.clone,
    )
    assert "1 of 3" in shown.out and "no evidence was shared" in shown.out
    assert bob.memories().keys() == {RULES[0]}
    assert [card["id"] for card in bob.here("team", "review", "--json").json] == [skipped]
    said = alice.sync().out
    assert f"[{declined[:6]}] declined by bob (we use yarn)" in said and accepted[:6] in said


def test_quitting_a_review_keeps_what_was_decided(alice: Teammate, bob: Teammate) -> None:
    alice.join()
    bob.join()
    for text in RULES[:2]:
        alice.share(text)
    converse(bob, "team", "review", answers=[("q quit > ", "a"), ("q quit > ", "q")], cwd=bob.clone)
    assert bob.memories().keys() == {RULES[0]}
    assert len(bob.here("team", "review", "--json").json) == 1


def test_what_names_the_person_is_shown_and_asked_about(alice: Teammate) -> None:
    alice.join()
    claim = alice.add("ask ada@acme.example before a release")
    shown = converse(alice, "share", claim, answers=[("Send it? [y/N] ", "n")], cwd=alice.clone)
    assert "sentence: ask ada@acme.example before a release" in shown.out and "Nothing was sent" in shown.out
    assert alice.here("team", "--json").json["queued"] == []
    shown = converse(alice, "share", claim, answers=[("Send it? [y/N] ", "y")], cwd=alice.clone)
    assert "sent; it holds for others once a curator accepts it" in shown.out


def test_leaving_while_something_waits_is_asked(alice: Teammate, team_server: TeamServer) -> None:
    alice.join()
    team_server.cluster.stop(immediately=False)
    try:
        alice.share(RULES[0])
        assert "tacit sync first" in alice.here("team", "leave", code=2).err
        shown = converse(alice, "team", "leave", answers=[("Leave? [y/N] ", "y")], cwd=alice.clone)
        assert "Left the team" in shown.out
    finally:
        team_server.cluster.start()


def test_wrong_words_say_what_to_type(alice: Teammate) -> None:
    assert "postgresql://HOST/DATABASE" in alice.here("team", "join", code=2).err
    assert "tacit team join" in alice.here("team", "accept", "7k2m", code=1).err
    alice.join()
    assert "tacit team accept 7k2m9q" in alice.here("team", "accept", code=2).err
    assert "no waiting memory" in alice.here("team", "accept", "7k2m", code=1).err
    other = alice.url.replace("alice", "bob")
    assert "tacit team leave" in alice.here("team", "join", other, "--yes", code=1).err


def test_who_belongs_to_no_project_is_told_whom_to_ask(tmp_path: Path, team_server: TeamServer) -> None:
    team_server.add("erin")
    team_server.cluster.create_role("zoe")
    for name, hint in (("erin", "add-member"), ("zoe", "administrator")):  # zoe may not even look
        somebody = Teammate(tmp_path / name, name, team_server)
        assert hint in somebody.tacit("team", "join", somebody.url, "--yes", code=1).err
        assert not (somebody.home / ".tacit" / "team").exists()
