"""What a person decides alike in several sessions of a project is suggested, with the words of all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness.person import Person

CHOICE = "Please add the package with pnpm instead of npm."
QUESTION = "I can set that up. Which test runner should I use?"


@pytest.fixture
def project(person: Person) -> Path:
    folder = person.folder / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder


def capture(person: Person, project: Path, name: str, *turns: tuple[str, str]) -> None:
    """Capture a transcript of Claude Code: (prompt, reply) in order."""
    session = f"5c2a8f6e-1111-4222-8333-{name:0>12}"
    common = {"sessionId": session, "cwd": str(project), "isSidechain": False, "userType": "external"}
    lines = []
    for number, (prompt, reply) in enumerate(turns):
        uuid = f"{number:08x}-0000-4000-8000-{name:0>12}"
        at = f"2026-03-0{name}T10:{number:02d}"
        asked = {"type": "user", "uuid": uuid, "timestamp": f"{at}:00.000Z"}
        said = {"type": "assistant", "uuid": uuid.replace("4000", "4001"), "timestamp": f"{at}:30.000Z"}
        lines.append({**common, **asked, "message": {"role": "user", "content": prompt}})
        content = [{"type": "text", "text": reply}]
        lines.append({**common, **said, "message": {"role": "assistant", "content": content}})
    path = person.folder / f"{session}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    person.tacit("capture", str(path))


def suggested(person: Person, text: str) -> list[dict[str, Any]]:
    return [memory for memory in person.tacit("suggestions", "--json").json if text in memory["label"]]


def test_the_same_choice_in_two_sessions_is_suggested(person: Person, project: Path) -> None:
    capture(person, project, "1", (CHOICE, "Done."))
    person.tacit("learn")
    assert suggested(person, "Prefer pnpm") == []
    capture(person, project, "2", ("hello", "Hi."), ("run it with pnpm, not npm.", "Done."))
    person.tacit("learn")
    (memory,) = suggested(person, "Prefer pnpm over npm.")
    assert memory["kind"] == "preference" and memory["reason"] == "chosen in 2 sessions"
    why = person.tacit("why", memory["id"]).out
    assert CHOICE in why and "run it with pnpm, not npm." in why


def test_another_project_and_a_choice_the_other_way_round_do_not_count(person: Person, project: Path) -> None:
    (person.folder / "blog" / ".git").mkdir(parents=True)
    capture(person, project, "1", (CHOICE, "Done."))
    capture(person, person.folder / "blog", "2", (CHOICE, "Done."))
    capture(person, project, "3", ("use npm instead of pnpm", "Done."))
    capture(person, project, "4", (CHOICE, "Done."))
    person.tacit("learn")
    assert suggested(person, "Prefer") == []


def test_a_question_answered_alike_in_two_sessions_is_suggested(person: Person, project: Path) -> None:
    for name in ("1", "2"):
        capture(person, project, name, ("add tests", QUESTION), ("vitest please", "Done."))
        person.tacit("learn")
    (memory,) = suggested(person, "Decided on the test runner: vitest.")
    assert memory["kind"] == "decision" and memory["reason"] == "answered alike in 2 sessions"
    assert memory["provenance"] == "model"
    assert person.tacit("why", memory["id"]).out.count("vitest please") == 2


def test_choices_survive_a_new_index(person: Person, project: Path) -> None:
    capture(person, project, "1", (CHOICE, "Done."))
    person.tacit("learn")
    person.tacit("doctor", "--reindex")
    capture(person, project, "2", (CHOICE, "Done."))
    person.tacit("learn")
    assert len(suggested(person, "Prefer pnpm over npm.")) == 1


def test_learning_again_adds_nothing(person: Person, project: Path) -> None:
    for name in ("1", "2", "3"):
        capture(person, project, name, (CHOICE, "Done."))
    person.tacit("learn")
    (before,) = suggested(person, "Prefer pnpm over npm.")
    assert before["strength"] == 2  # the second and the third session
    person.tacit("learn", "--all")
    (after,) = suggested(person, "Prefer pnpm over npm.")
    assert after["strength"] in (2, 3)  # the first session now knows of the others
    person.tacit("learn", "--all")
    assert suggested(person, "Prefer pnpm over npm.") == [after]


def test_a_dry_run_sees_the_sessions_that_it_reads(person: Person, project: Path) -> None:
    for name in ("1", "2"):
        capture(person, project, name, (CHOICE, "Done."))
    assert "Prefer pnpm over npm." in person.tacit("learn", "--dry-run").out
    assert suggested(person, "Prefer") == []


def test_what_holds_for_all_projects_is_not_suggested_for_one(person: Person, project: Path) -> None:
    person.tacit("add", "--global", "always run the linter before you commit")
    capture(person, project, "1", ("From now on, always run the linter before you commit.", "Done."))
    person.tacit("learn")
    assert suggested(person, "linter") == []
    assert person.listed("--scope", "global")[0]["evidence"][-1].endswith("you commit.”")


def test_a_home_in_which_choices_were_learned_is_well(person: Person, project: Path) -> None:
    for name in ("1", "2", "3"):
        capture(person, project, name, (CHOICE, "Done."), (f"use make{name} instead of bake{name}", "Done."))
    person.tacit("learn")
    assert person.tacit("doctor").out.endswith("The home is well.\n")
