"""What a person decides alike in several sessions of a project is suggested, with the words of all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.person import Person
from harness.transcripts import Turn

from tests.support.talking import capture

CHOICE = "Please add the package with pnpm instead of npm."
QUESTION = "I can set that up. Which test runner should I use?"


def suggested(person: Person, text: str) -> list[dict[str, Any]]:
    return [memory for memory in person.tacit("suggestions", "--json").json if text in memory["label"]]


def test_the_same_choice_in_two_sessions_is_suggested(person: Person, project: Path) -> None:
    capture(person, project, 1, CHOICE)
    person.tacit("learn")
    assert suggested(person, "Prefer pnpm") == []
    capture(person, project, 2, "hello", "run it with pnpm, not npm.")
    person.tacit("learn")
    (memory,) = suggested(person, "Prefer pnpm over npm.")
    assert memory["kind"] == "preference" and memory["reason"] == "chosen in 2 sessions"
    assert memory["provenance"] == "user_direct" and 0.6 < memory["confidence"] < 0.75
    why = person.tacit("why", memory["id"]).out
    assert CHOICE in why and "run it with pnpm, not npm." in why


def test_another_project_and_a_choice_the_other_way_round_do_not_count(person: Person, project: Path) -> None:
    (person.folder / "blog" / ".git").mkdir(parents=True)
    capture(person, project, 1, CHOICE)
    capture(person, person.folder / "blog", 2, CHOICE)
    capture(person, project, 3, "use npm instead of pnpm")
    capture(person, project, 4, CHOICE)
    person.tacit("learn")
    assert suggested(person, "Prefer") == []


def test_a_question_answered_alike_in_two_sessions_is_suggested(person: Person, project: Path) -> None:
    for day in (1, 2):
        capture(person, project, day, Turn("add tests", reply=QUESTION), "vitest please")
        person.tacit("learn")
    (memory,) = suggested(person, "Decided on the test runner: vitest.")
    assert memory["kind"] == "decision" and memory["reason"] == "answered alike in 2 sessions"
    assert memory["provenance"] == "model"
    assert person.tacit("why", memory["id"]).out.count("vitest please") == 2


def test_choices_survive_a_new_index(person: Person, project: Path) -> None:
    capture(person, project, 1, CHOICE)
    person.tacit("learn")
    person.tacit("doctor", "--reindex")
    capture(person, project, 2, CHOICE)
    person.tacit("learn")
    assert len(suggested(person, "Prefer pnpm over npm.")) == 1


def test_learning_again_adds_nothing(person: Person, project: Path) -> None:
    for day in (1, 2, 3):
        capture(person, project, day, CHOICE)
    person.tacit("learn")
    (before,) = suggested(person, "Prefer pnpm over npm.")
    assert before["strength"] == 2  # the second and the third session
    person.tacit("learn", "--all")
    (after,) = suggested(person, "Prefer pnpm over npm.")
    assert after["strength"] in (2, 3)  # the first session now knows of the others
    person.tacit("learn", "--all")
    assert suggested(person, "Prefer pnpm over npm.") == [after]


def test_a_dry_run_sees_the_sessions_that_it_reads(person: Person, project: Path) -> None:
    for day in (1, 2):
        capture(person, project, day, CHOICE)
    assert "Prefer pnpm over npm." in person.tacit("learn", "--dry-run").out
    assert suggested(person, "Prefer") == []


def test_what_holds_for_all_projects_is_not_suggested_for_one(person: Person, project: Path) -> None:
    person.tacit("add", "--global", "always run the linter before you commit")
    capture(person, project, 1, "From now on, always run the linter before you commit.")
    person.tacit("learn")
    assert suggested(person, "linter") == []
    assert person.listed("--scope", "global")[0]["evidence"][-1].endswith("you commit.”")


def test_a_home_in_which_choices_were_learned_is_well(person: Person, project: Path) -> None:
    for day in (1, 2, 3):
        capture(person, project, day, CHOICE, f"use make{day} instead of bake{day}")
    person.tacit("learn")
    assert person.tacit("doctor").out.endswith("The home is well.\n")
