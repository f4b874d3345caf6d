"""forget, undo and restore: gone everywhere at once, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person, facts_in

TODAY, TOMORROW = "2026-03-02T12:00:00+00:00", "2026-03-03T12:00:00+00:00"
TEXT = "never deploy on Fridays"
OTHERS = ("never force push", "always sign commits", "always name the ticket")
WHY = ("--reason", "superseded", "--evidence", "correction of today")


@pytest.fixture
def project(person: Person) -> Path:
    """A repository with four facts of its own, and the same number for everywhere."""
    root = person.repository()
    with person.vault(cwd=root) as vault:
        for text in (TEXT, *OTHERS):
            vault.add(text)
    return root


def fact_file(project: Path) -> Path:
    return project / "docs" / "memory" / "memories.ndjson"


def is_known(person: Person, project: Path) -> set[bool]:
    """What recall, brief, fact file, list and section each say; one answer when they agree."""
    return {
        TEXT in person.texts("deploy", cwd=project),
        TEXT in person.tacit("brief", cwd=project).out,
        TEXT in [fact["canonical"] for fact in facts_in(fact_file(project))],
        TEXT in [memory["label"] for memory in person.listed(cwd=project)],
        any(TEXT in entry for entry in person.section("Constraints")),
    }


def test_a_forgotten_text_is_gone_everywhere_at_once(person: Person, project: Path) -> None:
    assert is_known(person, project) == {True}
    said = person.process("forget", person.id_of(TEXT)[:6], *WHY, cwd=project, now=TOMORROW)
    assert said.first == f"Memory pruned or revised: {TEXT}"
    (entry,) = person.section("Pruned Or Revised")
    assert entry.startswith(f"- 2026-03-03: {TEXT} (reason: superseded; evidence: correction of today")
    assert person.event_types()[-1] == "memory.pruned"
    assert TEXT not in fact_file(project).read_text()
    assert is_known(person, project) == {False}


def test_undo_restores_and_redo_forgets_again(person: Person, project: Path) -> None:
    page, facts = person.long_term.read_bytes(), fact_file(project).read_bytes()
    person.tacit("forget", "--text", TEXT, *WHY, cwd=project)
    pruned = person.long_term.read_bytes()
    for verb, known in (("undo", True), ("redo", False), ("undo", True), ("redo", False)):
        said = person.process(verb, cwd=project)
        assert said.first.startswith("Undone: " if verb == "undo" else "Redone: ")
        assert is_known(person, project) == {known}
        assert person.long_term.read_bytes() == (page if known else pruned)
        assert (fact_file(project).exists() and fact_file(project).read_bytes() == facts) is known


def test_restore_brings_it_back_later(person: Person, project: Path) -> None:
    person.tacit("forget", "--text", TEXT, *WHY, cwd=project)
    person.tacit("add", "never rewrite history", cwd=project)
    said = person.process("restore", person.id_of(TEXT)[:6], cwd=project)
    assert said.first.startswith("Restored (project work, constraint) [")
    assert is_known(person, project) == {True}
    assert person.section("Pruned Or Revised") == []


def test_as_of_yesterday_still_shows_it(person: Person, project: Path) -> None:
    person.tacit("forget", "--text", TEXT, *WHY, cwd=project, now=TOMORROW)
    assert person.texts("deploy", cwd=project, now=TOMORROW) == []
    assert person.texts("deploy", "--as-of", "yesterday", cwd=project, now=TOMORROW) == [TEXT]
    said = person.process("recall", "deploy", "--as-of", "yesterday", cwd=project, now=TOMORROW)
    assert TEXT in said.out
    assert person.texts("deploy", "--as-of", "today", cwd=project, now=TOMORROW) == []


def test_a_candidate_can_be_forgotten(person: Person) -> None:
    person.tacit("remember", TEXT, "--evidence", "chat")
    person.tacit("forget", "--text", TEXT, *WHY)
    assert person.texts("deploy") == []
    assert person.section("Promotion Candidates") == []


def test_unknown_text_is_refused_and_near_matches_are_named(person: Person, project: Path) -> None:
    before = person.events.read_bytes()
    said = person.process("forget", "--text", "never deploy on Sundays", *WHY, cwd=project, code=1)
    assert "never deploy on Sundays" in said.err
    assert f"did you mean {person.id_of(TEXT)[:4]}" in said.err
    assert TEXT in said.err
    assert "tacit list" in person.tacit("forget", "--text", "zebra", *WHY, code=1).err
    assert person.events.read_bytes() == before


@pytest.mark.parametrize("missing", ["--reason", "--evidence"])
@pytest.mark.parametrize("value", [None, "", "  "])
def test_reason_and_evidence_may_be_left_out(person: Person, project: Path, missing: str, value: str | None) -> None:
    given = dict(zip(WHY[::2], WHY[1::2], strict=True))
    given.pop(missing)
    words = [word for pair in given.items() for word in pair] + ([missing, value] if value is not None else [])
    person.tacit("forget", "--text", TEXT, *words, cwd=project)
    assert is_known(person, project) == {False}


def test_forgotten_and_said_again_by_a_person_it_counts_again(person: Person, project: Path) -> None:
    person.tacit("forget", "--text", TEXT, *WHY, cwd=project)
    person.tacit("add", TEXT, cwd=project)
    assert is_known(person, project) == {True}


def test_undo_takes_back_a_worklog_entry_and_its_page(person: Person) -> None:
    person.tacit("log", "--task", "T-1", "--summary", "Moved the parser")
    page = person.home / "worklog" / "2026-03-02.md"
    person.tacit("undo", now=TOMORROW)
    assert person.texts("parser") == []
    assert not page.exists()
    person.tacit("redo", now=TOMORROW)
    assert person.texts("parser") == ["T-1: Moved the parser"]
    assert page.exists()


def test_undo_works_although_the_clock_was_set_back(person: Person) -> None:
    person.tacit("log", "--task", "T-1", "--summary", "Moved the parser", now=TOMORROW)
    assert "Moved the parser" in person.tacit("undo", now=TODAY).out
    assert person.texts("parser") == []


def test_undo_of_an_add_makes_it_unsaid(person: Person) -> None:
    person.tacit("add", TEXT)
    person.tacit("undo")
    assert person.texts("deploy", "--all") == []
    assert facts_in(person.facts) == []
    assert TEXT not in person.long_term.read_text()
    person.tacit("redo")
    assert person.texts("deploy") == [TEXT]


def test_undo_of_an_edit_brings_the_old_words_back(person: Person) -> None:
    person.tacit("add", TEXT)
    person.tacit("edit", person.id_of(TEXT), "--text", "never deploy at all")
    person.tacit("undo")
    assert person.texts("deploy") == [TEXT]
    assert [fact["canonical"] for fact in facts_in(person.facts)] == [TEXT]
