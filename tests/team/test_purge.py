"""Purging reaches the team's server, is reported until the server confirms it, and comes from there to every member."""

from __future__ import annotations

from pathlib import Path

from harness.person import tree

from tests.support.postgres import PROJECT
from tests.support.team import Teammate, agree, memory_id

RULE = "the customer zanzibar pays late"
WHY = "heard from quintus"


def holding(person: Teammate, *texts: str) -> list[str]:
    """The files of a home that still have one of these texts, the binary index included."""
    return [name for name, data in tree(person.home).items() if any(text.encode() in data for text in texts)]


def accepted(alice: Teammate, bob: Teammate) -> str:
    claim = agree(alice, bob, RULE, "--evidence", WHY)
    alice.sync()
    return claim


def test_a_purge_reaches_the_server_and_everybody_who_has_it(alice: Teammate, bob: Teammate) -> None:
    claim = accepted(alice, bob)
    assert holding(bob, RULE) and holding(bob, WHY)
    said = alice.here("purge", claim, "--yes").out
    assert f"on the team's server until the next tacit sync: {claim}" in said
    assert "1 purge not confirmed" in alice.here("status").out
    assert "not confirmed by the server" in alice.here("doctor").out
    assert alice.here("team", "--json").json["queued"][0]["action"] == "purge"
    assert "1 sent" in alice.sync().out
    dump = alice.server.cluster.run("pg_dump", alice.server.database)
    assert b"zanzibar" not in dump and b"quintus" not in dump
    assert "purged by the team: its text is gone here, too" in bob.sync().out
    assert holding(bob, "zanzibar", "quintus") == [] == holding(alice, "zanzibar", "quintus")
    assert "not confirmed" not in alice.here("status").out
    assert alice.here("team", "--json").json["queued"] == []
    assert bob.memories() == {} == alice.memories()


def test_a_text_that_is_purged_from_shared_evidence_is_purged_on_the_server(alice: Teammate, bob: Teammate) -> None:
    accepted(alice, bob)
    alice.here("purge", "--text", "quintus", "--yes")
    alice.sync()
    assert b"quintus" not in alice.server.cluster.run("pg_dump", alice.server.database)


def test_a_proposal_that_was_not_sent_yet_is_never_sent(alice: Teammate) -> None:
    cluster = alice.server.cluster
    cluster.stop(immediately=False)
    try:
        claim = alice.share(RULE, "--evidence", WHY)
        assert holding(alice, RULE)
        alice.here("purge", claim, "--yes")
        assert holding(alice, RULE) == []
    finally:
        cluster.start()
    alice.sync()
    assert b"proposed" not in cluster.run("pg_dump", "--data-only", alice.server.database)


def test_what_others_said_in_the_same_words_stays_theirs(alice: Teammate, bob: Teammate) -> None:
    claim = accepted(alice, bob)
    bob.here("log", "--task", "billing", "--summary", RULE)
    alice.here("purge", claim, "--yes")
    alice.sync()
    bob.sync()
    assert [name for name in holding(bob, RULE) if name.startswith("worklog")]
    assert bob.memories() == {}


def test_a_member_is_told_that_they_have_the_same_of_their_own(alice: Teammate, bob: Teammate) -> None:
    claim = accepted(alice, bob)
    bob.add(RULE)
    alice.here("purge", claim, "--yes")
    alice.sync()
    assert "what you said yourself stays" in bob.sync().out
    assert bob.memories()[RULE]["author"] == ""


def test_what_somebody_else_proposed_is_purged_here_and_named_until_they_purge_it(
    alice: Teammate, bob: Teammate
) -> None:
    claim = agree(bob, bob, RULE, "--evidence", WHY)
    alice.sync()
    said = alice.here("purge", claim, "--yes").out
    assert "bob or a curator can purge it there" in said
    alice.sync()
    assert alice.memories() == {}
    assert "the server still has it" in alice.here("team").out
    assert "1 purge not confirmed" in alice.here("status").out
    alice.join()
    assert alice.memories() == {} and holding(alice, "zanzibar", "quintus") == []
    assert "the server still has it" in alice.here("team").out
    bob.here("purge", claim, "--yes")
    bob.sync()
    alice.sync()
    assert holding(alice, RULE) == [] and "still has it" not in alice.here("team").out


def test_a_curator_purges_what_others_proposed(alice: Teammate, bob: Teammate, tmp_path: Path) -> None:
    claim = accepted(alice, bob)
    bob.here("purge", claim, "--yes")
    bob.sync()
    assert b"zanzibar" not in alice.server.cluster.run("pg_dump", alice.server.database)
    assert "what you said yourself stays" in alice.sync().out
    alice.server.add("dave", PROJECT)
    dave = Teammate(tmp_path / "dave", "dave", alice.server)
    dave.join()
    assert dave.memories() == {} and holding(dave, "zanzibar") == []


def test_what_was_purged_cannot_be_shared_again(alice: Teammate, bob: Teammate) -> None:
    claim = accepted(alice, bob)
    alice.here("purge", claim, "--yes")
    alice.sync()
    alice.add(RULE)
    assert "was purged here" in alice.here("share", memory_id(RULE), code=1).err
