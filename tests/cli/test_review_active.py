"""Cards about memories that name what is not in the work tree, at a real terminal, as a list and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness.person import Person
from harness.terminal import converse

from tacit.model.event import Draft
from tacit.model.ids import ClaimId
from tacit.model.observation import MemoryChecked, session_id

ASK = "q quit > "
RULE = "always follow docs/api.md"


@pytest.fixture
def project(person: Person) -> Path:
    """A project with a rule that names a file which is gone."""
    root = person.repository("shop")
    (root / "docs").mkdir()
    person.tacit("add", RULE, cwd=root)
    return root


def review(person: Person, project: Path, *answers: tuple[str, str]) -> str:
    return converse(person, "review", answers=list(answers), cwd=project).out


def cards(person: Person, project: Path) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = person.tacit("review", "--json", cwd=project).json
    return listed


def test_a_card_names_what_is_gone_and_is_skipped(person: Person, project: Path) -> None:
    shown = review(person, project, (ASK, "s"))
    assert "1 of 1, names what is gone" in shown and RULE in shown
    assert "not in this work tree: docs/api.md" in shown
    assert "r reword · f forget · k keep as it is · s skip" in shown
    assert len(cards(person, project)) == 1


def test_without_a_terminal_the_commands_are_named(person: Person, project: Path) -> None:
    shown = person.tacit("review", cwd=project).out
    assert "not in this work tree: docs/api.md" in shown and "tacit forget " in shown


def test_a_file_that_comes_back_needs_no_card(person: Person, project: Path) -> None:
    (project / "docs" / "api.md").write_text("x")
    assert "Nothing to review." in person.tacit("review", cwd=project).out
    (project / "docs" / "api.md").unlink()
    assert len(cards(person, project)) == 1
    assert "Nothing to review." in person.tacit("review").out  # another folder


def test_a_memory_is_reworded(person: Person, project: Path) -> None:
    review(person, project, (ASK, "r"), ("new text", "always follow the API guide"))
    assert [memory["label"] for memory in person.listed(cwd=project)] == ["always follow the API guide"]
    assert cards(person, project) == []


def test_a_memory_is_forgotten_and_that_is_undone(person: Person, project: Path) -> None:
    review(person, project, (ASK, "f"))
    assert person.listed(cwd=project) == []
    person.tacit("undo", cwd=project)
    assert len(cards(person, project)) == 1


def test_a_kept_name_is_not_asked_about_again(person: Person, project: Path) -> None:
    review(person, project, (ASK, "k"))
    assert cards(person, project) == []
    assert "not in this work tree" not in person.tacit("doctor", cwd=project).out
    assert "(not found here: docs/api.md)" in person.tacit("brief", cwd=project).out
    assert "kept although something is missing" in person.tacit("undo", cwd=project).out
    assert len(cards(person, project)) == 1


def test_another_name_in_other_words_is_asked_about(person: Person, project: Path) -> None:
    review(person, project, (ASK, "k"))
    person.tacit("edit", person.listed(cwd=project)[0]["id"], "--text", "always follow docs/rest.md", cwd=project)
    (card,) = cards(person, project)
    assert [name["text"] for name in card["missing"]] == ["docs/rest.md"]


def test_programs_get_the_card_with_the_session_that_changed_the_file(person: Person, project: Path) -> None:
    person.tacit("remember", "always squash", "--evidence", "said so", cwd=project)
    missing, candidate = cards(person, project)
    assert (missing["label"], missing["card"], missing["adherence"]) == (RULE, "missing", None)
    assert missing["missing"] == [{"text": "docs/api.md", "last_change": None}]
    assert (candidate["card"], candidate["missing"]) == ("candidate", [])


def test_filters_show_candidates_alone(person: Person, project: Path) -> None:
    assert person.tacit("review", "--kind", "rule", "--json", cwd=project).json == []


def test_two_cards_of_one_memory_end_with_the_first_that_changes_it(person: Person, project: Path) -> None:
    claim = ClaimId(person.listed(cwd=project)[0]["id"])
    with person.vault(cwd=project) as vault:
        bodies = [MemoryChecked(claim, session_id("claude", name), "violated") for name in ("one", "two")]
        scope = vault.home.store.scope()
        with vault.home.store.change() as change:
            change.record([Draft(body, scope) for body in bodies])
    assert [card["card"] for card in cards(person, project)] == ["not followed", "missing"]
    shown = review(person, project, (ASK, "k"), (ASK, "k"))
    assert "1 of 2, told but not followed" in shown and "2 of 2, names what is gone" in shown
    person.tacit("undo", cwd=project)
    assert [card["card"] for card in cards(person, project)] == ["missing"]
    person.tacit("undo", cwd=project)
    assert "names what is gone" not in review(person, project, (ASK, "f"))


def test_quitting_ends_the_review(person: Person, project: Path) -> None:
    person.tacit("remember", "always squash", "--evidence", "said so", cwd=project)
    assert "always squash" not in review(person, project, (ASK, "q"))


def test_an_agent_decides_nothing(person: Person, project: Path) -> None:
    shown = person.tacit("review", cwd=project, CLAUDECODE="1").out
    assert "names what is gone" in shown and len(cards(person, project)) == 1
