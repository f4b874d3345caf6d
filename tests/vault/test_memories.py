"""accept, dismiss, promote, edit, restore and the list of suggestions."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person, facts_in

TEXT = "Prefer recall before repeating work"


@pytest.fixture
def candidate(person: Person) -> str:
    person.tacit("remember", TEXT, "--evidence", "user request")
    return person.id_of(TEXT)


def test_suggestions_and_candidates_are_one_list(person: Person, candidate: str) -> None:
    said = person.process("suggestions")
    assert said.first.startswith("── 1 of 1 ── [")
    assert TEXT in said.out
    assert person.process("candidates").out == said.out


def test_an_accepted_candidate_is_a_fact(person: Person, candidate: str) -> None:
    said = person.process("accept", candidate)
    assert said.first.startswith("Accepted (global, preference) [")
    assert [fact["canonical"] for fact in facts_in(person.facts)] == [TEXT]
    assert person.tacit("suggestions").first.startswith("No suggestions.")
    assert person.section("Promotion Candidates") == []
    assert person.event_types()[-1] == "memory.promoted"


def test_several_candidates_are_accepted_in_one_call(person: Person, candidate: str) -> None:
    person.tacit("note", "always squash commits")
    person.tacit("accept", candidate, person.id_of("always squash commits"))
    assert len(facts_in(person.facts)) == 2


def test_a_dismissed_candidate_is_found_no_more(person: Person, candidate: str) -> None:
    said = person.process("dismiss", candidate, "--reason", "only true for this task")
    assert said.first.startswith("Dismissed for good (")
    assert person.texts("repeating work") == []
    assert person.listed("--status", "dismissed")[0]["reason"] == "only true for this task"
    assert TEXT not in person.long_term.read_text()


def test_what_an_agent_sees_again_stays_dismissed_until_a_person_speaks(person: Person, candidate: str) -> None:
    person.tacit("dismiss", candidate)
    person.tacit("remember", TEXT, "--evidence", "seen once more", TACIT_ACTOR="codex")
    assert person.listed("--status", "pending") == []
    person.tacit("remember", TEXT, "--evidence", "I do mean it")
    assert [memory["label"] for memory in person.listed("--status", "pending")] == [TEXT]


def test_promote_accepts_under_a_kind_with_evidence(person: Person, candidate: str) -> None:
    said = person.process("promote", candidate, "--kind", "rule", "--evidence", "seen in three sessions")
    assert said.first.startswith("Promoted (global, rule) [")
    (memory,) = person.listed()
    assert (memory["kind"], memory["evidence"][-1]) == ("rule", "seen in three sessions")
    assert any(TEXT in entry for entry in person.section("Rules"))


def test_promote_makes_a_memory_of_a_text_that_was_no_candidate(person: Person) -> None:
    person.tacit("promote", "--text", "always rebase before a merge", "--kind", "rule", "--evidence", "three reviews")
    assert [fact["canonical"] for fact in facts_in(person.facts)] == ["always rebase before a merge"]


def test_promote_does_not_take_a_mistyped_id_for_a_statement(person: Person, candidate: str) -> None:
    person.tacit("promote", "zzzzzz", "--kind", "rule", "--evidence", "e", code=1)
    assert facts_in(person.facts) == []


def test_edit_changes_words_and_keeps_strength_and_evidence(person: Person) -> None:
    person.tacit("add", "never run the build twice", "--evidence", "a slow Monday")
    person.tacit("add", "never run the build twice")
    said = person.process("edit", person.id_of("never run the build twice"), "--text", "never run the full build twice")
    assert said.first.startswith("Revised (global, constraint) [")
    (fact,) = facts_in(person.facts)
    assert (fact["canonical"], fact["strength"]) == ("never run the full build twice", 2)
    assert person.listed()[0]["evidence"] == ["a slow Monday"]
    assert person.texts("build", "--kind", "constraint") == ["never run the full build twice"]


def test_edit_changes_kind_and_tags_alone(person: Person) -> None:
    person.tacit("add", "deploys happen on Tuesdays")
    person.tacit("edit", person.id_of("deploys happen on Tuesdays"), "--kind", "constraint", "--tag", "ops")
    (fact,) = facts_in(person.facts)
    assert (fact["canonical"], fact["kind"], fact["tags"]) == ("deploys happen on Tuesdays", "constraint", ["ops"])


def test_edit_without_a_text_and_without_a_terminal_says_what_to_type(person: Person, candidate: str) -> None:
    said = person.process("edit", candidate, code=2)
    assert "tacit edit ID --text" in said.err


def test_two_candidates_can_be_merged(person: Person, candidate: str) -> None:
    person.tacit("note", "Look before you repeat work", "--evidence", "another day")
    person.tacit("edit", person.id_of("Look before you repeat work"), "--into", candidate)
    (memory,) = person.listed("--status", "pending")
    assert (memory["label"], memory["strength"]) == (TEXT, 2)
    assert memory["evidence"] == ["user request", "another day"]


def test_restore_brings_back_what_was_dismissed(person: Person, candidate: str) -> None:
    person.tacit("dismiss", candidate)
    said = person.process("restore", candidate)
    assert said.first.startswith("Restored (")
    assert [fact["canonical"] for fact in facts_in(person.facts)] == [TEXT]


def test_why_shows_every_event_with_the_line_it_stands_in(person: Person, candidate: str) -> None:
    person.tacit("accept", candidate, "--evidence", "agreed in review")
    said = person.process("why", candidate)
    assert "evidence: user request" in said.out
    assert "evidence: agreed in review" in said.out
    events = person.tacit("why", candidate, "--json").json["events"]
    assert [event["evidence"] for event in events] == [["user request"], ["agreed in review"]]
    for event in events:
        line = Path(event["path"]).read_text().split("\n")[event["line"] - 1]
        assert event["id"] in line
        assert event["evidence"][0] in line
