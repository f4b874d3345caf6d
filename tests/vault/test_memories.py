"""remember, add, log, accept, dismiss, promote, edit and restore: what each says, and what is known afterwards."""

from __future__ import annotations

import pytest
from harness.person import Person, facts_in

TEXT = "Prefer recall before repeating work"


@pytest.fixture
def candidate(person: Person) -> str:
    person.tacit("remember", TEXT, "--evidence", "user request")
    return person.id_of(TEXT)


# Saying something


def test_remember_notes_a_candidate_that_is_found_at_once(person: Person) -> None:
    said = person.process("remember", "Prefer recall before repeating work", "--evidence", "user request")
    assert said.first == "Remembered candidate: Prefer recall before repeating work"
    assert person.texts("repeating work") == ["Prefer recall before repeating work"]
    assert person.event_types() == ["memory.candidate.created"]
    (entry,) = person.section("Promotion Candidates")
    assert entry.startswith("- 2026-03-02: Prefer recall before repeating work (evidence: user request)")


def test_the_same_text_with_other_evidence_is_a_second_observation(person: Person) -> None:
    words = ("remember", "--text", "Prefer small commits", "--evidence")
    assert person.tacit(*words, "review of Monday").first == "Remembered candidate: Prefer small commits"
    assert "already exists" in person.tacit(*words, "review of Monday").first
    assert person.event_types() == ["memory.candidate.created"]
    assert person.tacit(*words, "review of Tuesday").first == "Remembered candidate: Prefer small commits"
    (memory,) = person.listed("--status", "pending")
    assert (memory["strength"], memory["evidence"]) == (2, ["review of Monday", "review of Tuesday"])


def test_a_candidate_is_in_no_brief_and_no_fact_file_before_someone_accepts_it(person: Person) -> None:
    for text in ("always squash commits", "always sign commits", "always name the ticket"):
        person.tacit("remember", text, "--evidence", "review")
    assert person.tacit("brief").out == ""
    assert facts_in(person.facts) == []


def test_add_is_active_at_once_and_says_scope_and_sentence_in_one_line(person: Person) -> None:
    said = person.process("add", "never run the build repeatedly because it is heavy", "--kind", "constraint")
    (line,) = said.out.splitlines()
    assert line.startswith("Added (global, constraint) [")
    assert line.endswith("]: never run the build repeatedly because it is heavy")
    (fact,) = facts_in(person.facts)
    assert (fact["strength"], fact["source"], fact["kind"]) == (1, "user_direct", "constraint")


@pytest.mark.parametrize(
    ("text", "sentence", "kind"),
    [
        (
            "add to memory that never run build repeatedly because it is heavy",
            "never run build repeatedly",
            "constraint",
        ),
        ("global: I prefer pnpm", "I prefer pnpm", "preference"),
        ("always write a test first", "always write a test first", "rule"),
        ("We decided to use PostgreSQL", "We decided to use PostgreSQL", "decision"),
    ],
)
def test_add_understands_how_people_put_it(person: Person, text: str, sentence: str, kind: str) -> None:
    person.tacit("add", text)
    (fact,) = facts_in(person.facts)
    assert fact["canonical"].startswith(sentence)
    assert "add to memory" not in fact["canonical"]
    assert fact["kind"] == kind


def test_two_wordings_of_one_statement_are_one_fact(person: Person) -> None:
    person.tacit("add", "never run the build repeatedly because it is heavy")
    said = person.tacit("add", "Please add to memory that you must never run build repeatedly.")
    assert said.first.startswith("Reinforced, strength 2")
    (fact,) = facts_in(person.facts)
    assert fact["strength"] == 2


def test_log_writes_the_worklog_of_the_day_and_recall_finds_it(person: Person) -> None:
    said = person.process(
        *("log", "--task", "PROJ-12", "--summary", "Validated recall", "--changes", "ranking"),
        *("--evidence", "tests/test_recall.py", "--next", "write the notes"),
    )
    assert said.first == "Logged: PROJ-12: Validated recall"
    page = person.page("worklog/2026-03-02.md").read_text()
    for told in ("PROJ-12: Validated recall", "ranking", "tests/test_recall.py", "write the notes"):
        assert told in page
    (hit,) = person.recalled("PROJ-12")
    assert (hit["kind"], hit["text"]) == ("worklog", "PROJ-12: Validated recall")


# Deciding


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


def test_a_dismissed_candidate_is_found_no_more(person: Person, candidate: str) -> None:
    said = person.process("dismiss", candidate, "--reason", "only true for this task")
    assert said.first.startswith("Dismissed for good (")
    assert person.texts("repeating work") == []
    assert person.listed("--status", "dismissed")[0]["reason"] == "only true for this task"
    assert TEXT not in person.long_term.read_text()
    assert person.process("restore", candidate).first.startswith("Restored (")
    assert [fact["canonical"] for fact in facts_in(person.facts)] == [TEXT]


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


def test_two_candidates_can_be_merged(person: Person, candidate: str) -> None:
    person.tacit("note", "Look before you repeat work", "--evidence", "another day")
    person.tacit("edit", person.id_of("Look before you repeat work"), "--into", candidate)
    (memory,) = person.listed("--status", "pending")
    assert (memory["label"], memory["strength"]) == (TEXT, 2)
    assert memory["evidence"] == ["user request", "another day"]
