"""A correction overrules what it corrects, says so, and is never counted as a confirmation (S6, S9, C7, S13)."""

from __future__ import annotations

from typing import Any

import pytest
from harness.person import Person, facts_in
from harness.terminal import converse

from tacit.model.claim import GLOBAL
from tacit.model.statement import claim_from
from tacit.search.restatements import restated_claim

LATER = "2026-03-03T12:00:00+00:00"
OTHERS = ("sign every commit", "review the diff with care", "greet me in the morning")
DIFFERING = (
    ("always retry 3 times", "always retry 5 times"),
    ("indent templates with 2 spaces", "indent templates with 4 spaces"),
    ("run the linter before the tests", "run the linter after the tests"),
    ("start alpha before beta", "start beta before alpha"),
    ("the staging database is db1.internal", "the staging database is db2.internal"),
    ("use feature flags for risky changes", "do not use feature flags for risky changes"),
)


@pytest.fixture
def person(person: Person) -> Person:
    """Somebody with a few rules already, which the statements of these tests say nothing about."""
    for text in OTHERS:
        person.tacit("add", text)
    return person


def told(person: Person, *words: str) -> list[dict[str, Any]]:
    """The memories that a test made."""
    return [memory for memory in person.listed(*words) if memory["label"] not in OTHERS]


@pytest.mark.parametrize(("older", "newer"), DIFFERING)
def test_a_correction_is_named_and_the_older_statement_is_not_told(person: Person, older: str, newer: str) -> None:
    person.tacit("add", older)
    said = person.tacit("add", newer, now=LATER)
    assert f"overrules [{person.id_of(older)[:6]}]: {older}" in said.out
    assert "no longer told" in said.out
    brief = person.tacit("brief", now=LATER).out
    assert newer in brief and f"] {older} (" not in brief
    assert older not in person.texts(older, now=LATER)
    assert {memory["label"]: memory["strength"] for memory in told(person)} == {older: 1, newer: 1}


def test_a_replacement_told_as_a_story_ends_the_older_statement(person: Person) -> None:
    person.tacit("add", "we use Webpack")
    assert "overrules" in person.tacit("add", "we moved from Webpack to Vite", now=LATER).out
    assert "we use Webpack" not in person.tacit("brief", now=LATER).out


def test_improve_merges_no_two_candidates_that_differ_in_what_tells_rules_apart(person: Person) -> None:
    with person.vault() as vault:
        for older, newer in DIFFERING:
            vault.memories.remember(older, evidence="one session")
            vault.memories.remember(newer, evidence="another session")
    person.tacit("improve")
    assert {memory["strength"] for memory in told(person, "--status", "pending")} == {1}
    assert len(told(person, "--status", "pending")) >= 2 * len(DIFFERING)


@pytest.mark.parametrize(("older", "newer"), DIFFERING)
def test_what_a_session_says_otherwise_is_no_evidence_for_a_memory(person: Person, older: str, newer: str) -> None:
    with person.vault() as vault:
        vault.add(older)
        heard = claim_from(newer, GLOBAL)
        assert vault.home.store.read(lambda connection: restated_claim(connection, heard, lambda _: True)) == heard


def test_what_no_rule_decides_is_asked_once_in_review_and_never_again(person: Person) -> None:
    for text in ("always use tabs", "always use spaces"):
        person.tacit("add", text, "--kind", "constraint")
    shown = converse(person, "review", answers=[("q quit > ", "b")]).out
    assert "contradict each other" in shown and "Both hold" in shown
    assert person.tacit("conflicts").out == "Conflicts (0)\n"
    assert "contradict" not in person.tacit("review").out
    person.tacit("add", "always use tabs", now=LATER)
    assert person.tacit("conflicts").out == "Conflicts (0)\n"


def test_what_was_kept_beside_another_is_still_overruled_by_a_later_statement(person: Person) -> None:
    person.tacit("add", "the API listens on port 8080")
    person.tacit("add", "the API listens on port 9090")
    person.tacit("conflicts", "--keep-both", person.id_of("the API listens on port 8080"))
    person.tacit("add", "the API listens on port 7070", now=LATER)
    brief = person.tacit("brief", now=LATER).out
    assert "7070" in brief and "8080" not in brief and "9090" not in brief


def test_blanks_and_capitals_do_not_replace_a_tidy_wording(person: Person) -> None:
    person.tacit("add", "always use --frozen-lockfile in CI")
    said = person.tacit("add", "ALWAYS use   --frozen-lockfile in CI.")
    assert "Reinforced, strength 2" in said.out
    facts = {fact["canonical"] for fact in facts_in(person.facts)}
    assert facts == {*OTHERS, "always use --frozen-lockfile in CI"}


def test_a_tidier_wording_replaces_a_shouted_one(person: Person) -> None:
    person.tacit("add", "NEVER PUSH to main!!")
    person.tacit("add", "never push to main")
    assert [memory["label"] for memory in told(person)] == ["never push to main"]


def test_the_rules_of_a_story_are_memories_and_the_rest_is_their_evidence(person: Person) -> None:
    person.tacit(
        "add",
        "We had an outage last week. The retry loop hammered the database. Always use exponential backoff. "
        "Never retry more than 3 times.",
    )
    found = {memory["label"]: memory["evidence"] for memory in told(person)}
    assert set(found) == {"Always use exponential backoff.", "Never retry more than 3 times."}
    assert all("outage last week" in " ".join(evidence) for evidence in found.values())


def test_a_story_without_a_rule_is_asked_about_and_kept_whole_where_that_is_wanted(person: Person) -> None:
    story = "It rained all night. Nobody slept. We drank tea."
    said = person.tacit("add", story, code=1)
    assert "3 sentences" in said.err and "--whole" in said.err
    assert told(person) == []
    person.tacit("add", "--whole", story)
    assert [memory["label"] for memory in told(person)] == [story]
