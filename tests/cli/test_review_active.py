"""Cards about memories that name what is gone or were not followed, at a real terminal, as a list and as JSON."""

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


def violate(person: Person, folder: Path) -> None:
    """Have two sessions violate the only memory that holds in a folder."""
    claim = ClaimId(person.listed(cwd=folder)[0]["id"])
    with person.vault(cwd=folder) as vault, vault.home.store.change() as change:
        bodies = [MemoryChecked(claim, session_id("claude", name), "violated") for name in ("one", "two")]
        change.record([Draft(body, vault.home.store.scope()) for body in bodies])


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
    for actor in ("user", "agent:claude"):  # an agent decides nothing
        shown = person.tacit("review", cwd=project, TACIT_ACTOR=actor).out
        assert "names what is gone" in shown and "not in this work tree: docs/api.md" in shown
        assert "tacit forget " in shown and len(cards(person, project)) == 1


def test_a_file_that_comes_back_needs_no_card(person: Person, project: Path) -> None:
    (project / "docs" / "api.md").write_text("x")
    assert "Nothing to review." in person.tacit("review", cwd=project).out
    (project / "docs" / "api.md").unlink()
    assert len(cards(person, project)) == 1
    assert "Nothing to review." in person.tacit("review").out  # another folder


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


def test_two_cards_of_one_memory_end_with_the_first_that_changes_it(person: Person, project: Path) -> None:
    violate(person, project)
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


# Memories that agents were told and did not follow

TOLD = "never use npm"


@pytest.fixture
def violated(person: Person) -> Person:
    """Two sessions have violated a memory."""
    person.tacit("add", TOLD)
    violate(person, person.folder)
    return person


def ineffective(person: Person) -> int:
    return int(person.tacit("status", "--json").json["ineffective_count"])


def test_a_card_shows_how_often_it_was_violated_and_is_skipped(violated: Person) -> None:
    shown = converse(violated, "review", answers=[(ASK, "s")]).out
    assert "1 of 1, told but not followed" in shown and TOLD in shown and "violated 2" in shown
    assert ineffective(violated) == 1


@pytest.mark.parametrize("key", ["k", "g"])
def test_a_memory_that_was_not_followed_is_kept_or_guarded_and_stays_as_it_is(violated: Person, key: str) -> None:
    shown = converse(violated, "review", answers=[(ASK, key)]).out
    assert ("tacit guard on" in shown) == (key == "g")
    assert len(violated.listed()) == 1 and ineffective(violated) == 0


def test_the_state_of_the_home_names_the_next_step(violated: Person) -> None:
    assert "agents were told memories and did not follow them" in violated.tacit().out
    assert "1 memory was told and not followed, or corrected: tacit review" in violated.tacit("status").out


def test_filters_show_candidates_alone(violated: Person) -> None:
    violated.tacit("remember", "always squash", "--evidence", "said so")
    assert "told but not followed" not in violated.tacit("review", "--kind", "rule").out
    shown = violated.tacit("review", "--kind", "rule", "--json").json
    assert [(card["label"], card["card"]) for card in shown] == [("always squash", "candidate")]


def test_programs_get_both_kinds_of_cards(violated: Person) -> None:
    violated.tacit("remember", "always squash", "--evidence", "said so")
    told, candidate = violated.tacit("review", "--json").json
    assert (told["label"], told["card"], told["adherence"]["violated_count"]) == (TOLD, "not followed", 2)
    assert (candidate["label"], candidate["card"], candidate["adherence"]) == ("always squash", "candidate", None)


# Answers that both kinds of cards take


@pytest.fixture(params=["missing", "not followed"])
def asked(request: pytest.FixtureRequest) -> tuple[Person, Path]:
    """Somebody with one card, and where they stand."""
    if request.param == "missing":
        return request.getfixturevalue("person"), request.getfixturevalue("project")
    person = request.getfixturevalue("violated")
    return person, person.folder


def test_a_memory_is_reworded(asked: tuple[Person, Path]) -> None:
    review(*asked, (ASK, "r"), ("new text", "always follow the API guide"))
    assert [memory["label"] for memory in asked[0].listed(cwd=asked[1])] == ["always follow the API guide"]
    assert cards(*asked) == []


def test_a_memory_is_forgotten_and_that_is_undone(asked: tuple[Person, Path]) -> None:
    review(*asked, (ASK, "f"))
    assert asked[0].listed(cwd=asked[1]) == [] and cards(*asked) == []
    asked[0].tacit("undo", cwd=asked[1])
    assert len(asked[0].listed(cwd=asked[1])) == len(cards(*asked)) == 1
