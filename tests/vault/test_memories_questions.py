"""What only may contradict another memory is asked about: both hold, both are found and both are told (S13)."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person
from harness.terminal import converse

from tacit.model.conflict import ConflictRule

LATER = "2026-03-03T12:00:00+00:00"
TRANSLATIONS = "Translations of cart-sync are pulled from north-archive by Hiro before each release"
RELEASES = "Releases of media-vault are tagged pebble-YYYY.MM and signed by Hiro"
SERVERS = ("The server web1 is 10.1.0.1", "The server web2 is 10.1.0.2", "The server mail is 10.1.0.9")
OLDER, NEWER = "Team A owns the billing service", "Team B owns the billing service"


def holding(person: Person) -> set[str]:
    return {memory["label"] for memory in person.listed() if memory["overruled_by"] is None}


def test_two_statements_that_share_a_name_are_both_found(person: Person) -> None:
    person.tacit("add", TRANSLATIONS)
    said = person.tacit("add", RELEASES, now=LATER)
    assert "contradict" not in said.out
    assert person.texts("who pulls the translations of cart-sync", now=LATER) == [TRANSLATIONS]
    assert RELEASES in person.texts("who signs the releases of media-vault", now=LATER)
    assert person.tacit("conflicts").out == "Conflicts (0)\n"


def test_servers_with_addresses_of_their_own_all_hold(person: Person) -> None:
    for text in SERVERS:
        assert "contradict" not in person.tacit("add", text).out
    assert holding(person) == set(SERVERS)


def test_a_question_is_told_by_the_command_that_raised_it_and_both_memories_hold(person: Person) -> None:
    person.tacit("add", OLDER)
    said = person.tacit("add", NEWER, now=LATER)
    assert f"It may contradict [{person.id_of(OLDER)[:6]}]: {OLDER}" in said.out
    assert "Both hold" in said.out and "tacit conflicts --keep-both" in said.out
    assert holding(person) == {OLDER, NEWER}
    assert not any(memory["conflict"] for memory in person.listed())
    brief = person.tacit("brief", now=LATER).out
    assert OLDER in brief and NEWER in brief and "disputed" not in brief
    assert set(person.texts("who owns the billing service", now=LATER)) == {OLDER, NEWER}


def test_questions_are_listed_counted_and_asked_once_in_review(person: Person) -> None:
    person.tacit("add", OLDER)
    person.tacit("add", NEWER, now=LATER)
    (listed,) = person.tacit("conflicts", "--json").json
    assert (listed["rule"], listed["winner"]) == ("may_contradict", None)
    assert person.tacit("status", "--json").json["undecided"] == 1
    assert "1 contradiction for you to decide on: tacit conflicts" in person.tacit("review").out
    shown = converse(person, "review", answers=[("q quit > ", "b")]).out
    assert "may contradict each other" in shown and "Both hold" in shown
    assert person.tacit("conflicts").out == "Conflicts (0)\n"


@pytest.mark.parametrize("kept", [OLDER, NEWER])
def test_the_person_may_keep_either_side(person: Person, kept: str) -> None:
    person.tacit("add", OLDER)
    person.tacit("add", NEWER, now=LATER)
    person.tacit("conflicts", "--keep", person.id_of(kept))
    assert holding(person) == {kept}
    assert person.tacit("conflicts").out == "Conflicts (0)\n"


def test_keeping_a_side_forgets_what_it_contradicts_and_no_mere_question(person: Person) -> None:
    sure = "the billing service has 3 nodes"
    person.tacit("add", sure)
    person.tacit("add", OLDER)
    person.tacit("add", NEWER)
    person.tacit("add", "the billing service has 5 nodes", now=LATER)
    person.tacit("conflicts", "--keep", person.id_of(sure))
    assert holding(person) == {sure, OLDER, NEWER}


def test_the_same_questions_are_asked_after_a_rebuild(person: Person) -> None:
    for text in (OLDER, NEWER, "I prefer npm", "I prefer pnpm", *SERVERS):
        person.tacit("add", text)
    before = person.tacit("conflicts", "--json").json
    person.tacit("doctor", "--reindex")
    assert person.tacit("conflicts", "--json").json == before
    assert {conflict["rule"] for conflict in before} == {"may_contradict", "newest"}


def test_one_statement_asks_about_two_others_at_most(person: Person) -> None:
    for team in "ABCD":
        person.tacit("add", f"Team {team} owns the billing service")
    with person.vault() as vault:
        rulings = vault.search.rulings()
    asked = [ruling.winner for ruling in rulings if ruling.rule is ConflictRule.MAY_CONTRADICT]
    assert max(map(asked.count, asked)) == 2


def test_the_commands_that_bring_a_memory_in_tell_what_it_overrules(person: Person) -> None:
    person.tacit("add", "I prefer npm")
    person.tacit("remember", "I prefer pnpm", "--evidence", "a session")
    found = person.id_of("I prefer pnpm")
    assert "overrules" in person.tacit("accept", found).out
    person.tacit("forget", found)
    assert "overrules" in person.tacit("restore", found, now=LATER).out
    assert "overrules" in person.tacit("edit", found, "--text", "I prefer yarn", now=LATER).out


def test_trusting_a_repository_tells_what_its_facts_overrule(person: Person, tmp_path: Path) -> None:
    root = person.repository()
    person.tacit("add", "the default branch is trunk", cwd=root)
    shared = (root / "docs" / "memory" / "memories.ndjson").read_text("utf-8")
    other = Person(tmp_path / "other")
    other.tacit("add", "the default branch is main", "--private", cwd=root, now="2026-01-01T12:00:00+00:00")
    assert "trunk" in shared
    said = other.tacit("trust", "--yes", cwd=root, now=LATER)
    assert "New conflicts:" in said.out and "the default branch is main" in said.out
    assert "tacit conflicts --keep" in said.out
