"""What a fact is and how often it was stated: the same in answers, lists and the shared file, for everybody."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness.person import Person, facts_in

from tests.support.clones import clone, fact_file

BUILD = "run the build once a day"  # a rule by its words


def listed(person: Person, root: Path, text: str = BUILD) -> dict[str, Any]:
    (memory,) = [one for one in person.listed(cwd=root) if one["label"] == text]
    return memory


def line(root: Path, text: str = BUILD) -> dict[str, Any]:
    (fact,) = [fact for fact in facts_in(fact_file(root)) if fact["canonical"] == text]
    return fact


@pytest.fixture
def root(person: Person) -> Path:
    return person.repository()


@pytest.fixture
def ada(person: Person, root: Path) -> tuple[Person, Path]:
    """A colleague with a clone of a repository in which a constraint was stated three times."""
    for _ in range(3):
        person.tacit("add", BUILD, "--kind", "constraint", cwd=root)
    person.commit(root)
    return clone(person, "ada", root)


def test_the_same_text_without_a_kind_stays_a_constraint(person: Person, root: Path) -> None:
    person.tacit("add", BUILD, "--kind", "constraint", cwd=root)
    said = person.tacit("add", BUILD, cwd=root)
    assert "constraint" in said.first
    assert listed(person, root)["kind"] == line(root)["kind"] == "constraint"
    person.tacit("doctor", "--reindex", cwd=root)
    assert listed(person, root)["kind"] == "constraint"


def test_the_kind_does_not_depend_on_the_order(person: Person, root: Path) -> None:
    person.tacit("add", BUILD, cwd=root)
    assert listed(person, root)["kind"] == "rule"
    person.tacit("add", BUILD, "--kind", "constraint", cwd=root)
    assert listed(person, root)["kind"] == "constraint"


def test_a_person_names_another_kind_later(person: Person, root: Path) -> None:
    person.tacit("add", BUILD, "--kind", "constraint", cwd=root)
    person.tacit("add", BUILD, "--kind", "decision", cwd=root)
    assert listed(person, root)["kind"] == line(root)["kind"] == "decision"
    person.tacit("edit", person.id_of(BUILD), "--kind", "constraint", cwd=root)
    person.tacit("add", BUILD, cwd=root)
    assert listed(person, root)["kind"] == "constraint"


@pytest.mark.parametrize("again", [("add", BUILD), ("remember", BUILD, "--evidence", "seen once more")])
def test_a_text_that_was_edited_keeps_its_kind_when_it_is_stated_again(
    person: Person, root: Path, again: tuple[str, ...]
) -> None:
    fact = "the server web1 is 10.1.0.1"
    person.tacit("add", fact, cwd=root)
    kind = listed(person, root, fact)["kind"]
    person.tacit("edit", person.id_of(fact, cwd=root), "--text", BUILD, cwd=root)
    person.tacit(*again, cwd=root)
    assert listed(person, root)["kind"] == line(root)["kind"] == kind != "rule"


def test_a_suggestion_that_was_accepted_keeps_its_kind(person: Person, root: Path) -> None:
    person.tacit("suggest", BUILD, "--evidence", "seen", "--kind", "constraint", cwd=root, CLAUDECODE="1")
    person.tacit("accept", person.id_of(BUILD), cwd=root)
    person.tacit("add", BUILD, cwd=root)
    assert listed(person, root)["kind"] == "constraint"


def test_a_kind_that_was_stated_before_kinds_were_marked_holds(person: Person, root: Path) -> None:
    """A log of an earlier version has no mark: the kind counts as named."""
    person.tacit("add", BUILD, "--kind", "constraint", cwd=root)
    assert "kind_inferred" not in person.events.read_text()
    person.tacit("add", BUILD, cwd=root)
    assert "kind_inferred" in person.events.read_text()
    assert listed(person, root)["kind"] == "constraint"


def test_trust_shows_and_takes_the_kind(ada: tuple[Person, Path]) -> None:
    person, root = ada
    shown = person.tacit("trust", "--show", cwd=root).out
    assert "(constraint, strength 3)" in shown
    (waiting,) = person.tacit("trust", "--json", cwd=root).json["waiting"]
    assert (waiting["kind"], waiting["strength"]) == ("constraint", 3)
    person.tacit("trust", "--yes", cwd=root)
    assert listed(person, root)["kind"] == "constraint"
    person.tacit("add", BUILD, cwd=root)
    assert listed(person, root)["kind"] == line(root)["kind"] == "constraint"


def test_answer_list_and_line_state_the_same_strength(ada: tuple[Person, Path]) -> None:
    person, root = ada
    person.tacit("trust", "--yes", cwd=root)
    assert listed(person, root)["strength"] == line(root)["strength"] == 3
    assert "strength 4" in person.tacit("add", BUILD, cwd=root).first
    assert listed(person, root)["strength"] == line(root)["strength"] == 4


def test_what_others_state_again_is_counted_with_the_next_statement(ada: tuple[Person, Path], person: Person) -> None:
    other, clone = ada
    other.tacit("trust", "--yes", cwd=clone)
    for _ in range(2):
        other.tacit("add", BUILD, cwd=clone)
    other.commit(clone)
    root = person.folder / "work"
    person.git(root, "pull", "--quiet", str(clone), "HEAD")
    assert line(root)["strength"] == 5
    assert "No unread edits." in person.tacit("sync", "--yes", cwd=root).out
    assert "strength 6" in person.tacit("add", BUILD, cwd=root).first
    assert listed(person, root)["strength"] == line(root)["strength"] == 6


def test_a_line_that_nobody_accepted_gives_no_strength_and_loses_nothing_of_what_it_is(
    ada: tuple[Person, Path],
) -> None:
    person, root = ada
    assert person.tacit("add", BUILD, cwd=root).first.startswith("Added (")
    assert (listed(person, root)["strength"], line(root)["strength"]) == (1, 1)
    # What somebody else made of it is neither lost nor taken over unread.
    assert (listed(person, root)["kind"], line(root)["kind"]) == ("rule", "constraint")


def test_a_kind_that_others_named_waits_for_a_person_who_only_had_the_words(ada: tuple[Person, Path]) -> None:
    person, root = ada
    person.tacit("add", BUILD, "--private", cwd=root)
    assert "(constraint, strength 3)" in person.tacit("trust", "--show", cwd=root).out
    assert listed(person, root)["kind"] == "rule"
    person.tacit("trust", "--yes", cwd=root)
    assert listed(person, root)["kind"] == "constraint"
    assert "Nothing waits" in person.tacit("trust", "--show", cwd=root).out


def test_a_person_who_named_a_kind_is_not_asked_about_another(ada: tuple[Person, Path]) -> None:
    person, root = ada
    person.tacit("add", BUILD, "--private", "--kind", "decision", cwd=root)
    assert "Nothing waits" in person.tacit("trust", "--show", cwd=root).out


@pytest.mark.parametrize("forged", [-5, 999, 10**30, True, "7", None, [1]])
def test_a_forged_strength_is_bounded_and_a_forged_kind_is_no_kind(person: Person, root: Path, forged: object) -> None:
    fact_file(root).parent.mkdir(parents=True)
    fact = {"canonical": BUILD, "kind": "recurring_command", "strength": forged}
    fact_file(root).write_text(json.dumps(fact) + "\n")
    person.tacit("trust", "--yes", cwd=root)
    assert listed(person, root)["kind"] == "rule"
    assert listed(person, root)["strength"] == (99 if forged in (999, 10**30) else 1)
