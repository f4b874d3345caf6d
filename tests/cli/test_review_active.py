"""Cards about memories that are not true or were not followed, at a real terminal, as a list and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness.person import Person
from harness.terminal import converse
from harness.transcripts import name_of

from tacit.model.event import Draft
from tacit.model.ids import ClaimId
from tacit.model.observation import MemoryChecked, session_id
from tests.support.hook_session import Sitting
from tests.support.talking import capture

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
    assert "1 of 1, not true of the work tree" in shown and RULE in shown
    assert "not so here: docs/api.md does not exist" in shown
    assert "r reword · f forget · k keep as it is · s skip" in shown
    assert len(cards(person, project)) == 1


def test_without_a_terminal_the_commands_are_named(person: Person, project: Path) -> None:
    for actor in ("user", "agent:claude"):  # an agent decides nothing
        shown = person.tacit("review", cwd=project, TACIT_ACTOR=actor).out
        assert "not true of the work tree" in shown and "not so here: docs/api.md does not exist" in shown
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
    assert "(not true here: docs/api.md)" in person.tacit("brief", cwd=project).out
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
    assert missing["missing"] == [
        {"text": "docs/api.md", "reason": "docs/api.md does not exist", "commit": None, "last_change": None}
    ]
    assert (candidate["card"], candidate["missing"]) == ("candidate", [])


def test_two_cards_of_one_memory_end_with_the_first_that_changes_it(person: Person, project: Path) -> None:
    violate(person, project)
    assert [card["card"] for card in cards(person, project)] == ["not followed", "missing"]
    shown = review(person, project, (ASK, "k"), (ASK, "k"))
    assert "1 of 2, told but not followed" in shown and "2 of 2, not true of the work tree" in shown
    person.tacit("undo", cwd=project)
    assert [card["card"] for card in cards(person, project)] == ["missing"]
    person.tacit("undo", cwd=project)
    assert "not true of the work tree" not in review(person, project, (ASK, "f"))


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


# Memories that agents were told often, and that had to do with nothing

USELESS = "the crane port of the harbour service is 7080"
KEEP_TELLING = "told often, of no use so far: keep telling?"


def sit(person: Person, *days: int, asked: str = "rename the otter") -> None:
    """Have sessions of these days in March begin with what is remembered, and then be about something else."""
    for day in days:
        Sitting(person, name_of(day), person.folder).start(TACIT_NOW=f"2026-03-{day:02}T10:00:00+00:00")
        capture(person, person.folder, day, asked)


def of_no_use(person: Person) -> int:
    return int(person.tacit("status", "--json").json["idle_count"])


@pytest.fixture
def useless(person: Person) -> Person:
    """Five sessions were told a memory that none of them needed."""
    person.tacit("add", USELESS, "--kind", "pattern", now="2026-03-01T08:00:00+00:00")
    sit(person, 1, 2, 3, 4, 5)
    person.now = "2026-03-05T12:00:00+00:00"
    return person


def test_a_memory_that_was_of_no_use_is_asked_about(useless: Person) -> None:
    shown = converse(useless, "review", answers=[(ASK, "s")]).out
    assert f"1 of 1, {KEEP_TELLING}" in shown and USELESS in shown and "told 5 times" in shown
    assert "not followed" not in shown and of_no_use(useless) == 1


def test_a_memory_of_no_use_is_in_the_list_of_the_state_and_the_next_step(useless: Person) -> None:
    listed = useless.tacit("review").out
    assert f"1 of 1, {KEEP_TELLING}" in listed and "tacit forget " in listed and "tacit edit " in listed
    assert "Of no use 1 memory was told often and had to do with nothing: tacit review" in useless.tacit("status").out
    assert "told and not followed" not in useless.tacit("status").out and ineffective(useless) == 0
    assert "tacit review  (memories were told often and of no use so far)" in useless.tacit().out


def test_programs_get_the_card_of_a_memory_of_no_use(useless: Person) -> None:
    (card,) = useless.tacit("review", "--json").json
    assert (card["label"], card["card"], card["missing"]) == (USELESS, "of no use", [])
    found = card["adherence"]
    assert (found["injected_count"], found["violated_count"], found["violations"]) == (5, 0, [])


def test_sessions_that_needed_a_memory_make_no_card(person: Person) -> None:
    person.tacit("add", USELESS, "--kind", "pattern", now="2026-03-01T08:00:00+00:00")
    sit(person, 1, 2, 3, 4)
    sit(person, 5, asked="is 7080 the port of the harbour service?")
    assert "Nothing to review." in person.tacit("review").out and of_no_use(person) == 0
    assert "Of no use" not in person.tacit("status").out


def test_a_memory_that_is_kept_is_told_on_and_asked_about_after_five_more_sessions(useless: Person) -> None:
    assert "Kept" in converse(useless, "review", answers=[(ASK, "k")]).out
    assert of_no_use(useless) == 0 and "Nothing to review." in useless.tacit("review").out
    useless.now = "2026-03-10T12:00:00+00:00"
    sit(useless, 6, 7, 8, 9)
    assert of_no_use(useless) == 0
    sit(useless, 10)
    assert of_no_use(useless) == 1 and KEEP_TELLING in useless.tacit("review").out


def test_a_memory_that_is_not_to_be_told_any_more_is_forgotten_and_that_is_undone(useless: Person) -> None:
    converse(useless, "review", answers=[(ASK, "f")])
    assert useless.listed() == [] and of_no_use(useless) == 0
    useless.tacit("undo")
    assert len(useless.listed()) == of_no_use(useless) == 1


@pytest.mark.parametrize("key", ["f", "k"])
def test_the_reason_that_is_recorded_does_not_say_that_a_memory_of_no_use_was_not_followed(
    useless: Person, key: str
) -> None:
    short = useless.id_of(USELESS)
    converse(useless, "review", answers=[(ASK, key)])
    assert "not followed" not in useless.tacit("why", short).out + useless.tacit("show", short).out


def test_what_is_not_followed_comes_before_what_is_of_no_use(useless: Person) -> None:
    useless.tacit("add", TOLD, "--kind", "constraint")
    claim = ClaimId(useless.id_of(TOLD))
    with useless.vault() as vault, vault.home.store.change() as change:
        bodies = [MemoryChecked(claim, session_id("claude", name), "violated") for name in ("one", "two")]
        change.record([Draft(body, vault.home.store.scope()) for body in bodies])
    assert [card["card"] for card in useless.tacit("review", "--json").json] == ["not followed", "of no use"]
    state = useless.tacit("status", "--json").json
    assert (state["ineffective_count"], state["idle_count"]) == (1, 1)


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
