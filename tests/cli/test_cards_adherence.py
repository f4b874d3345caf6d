"""Memories that agents were told and did not follow: cards at a real terminal, lists and JSON."""

from __future__ import annotations

import pytest
from harness.person import Person
from harness.terminal import converse

from tacit.model.claim import GLOBAL
from tacit.model.event import Draft
from tacit.model.observation import MemoryChecked, session_id

ASK = "q quit > "
RULE = "never use npm"


@pytest.fixture
def violated(person: Person) -> Person:
    """Two sessions have violated a memory."""
    person.tacit("add", RULE)
    claim = person.id_of(RULE)
    with person.vault() as vault:
        bodies = [MemoryChecked(claim, session_id("claude", name), "violated") for name in ("one", "two")]
        with vault.home.store.change() as change:
            change.record([Draft(body, GLOBAL) for body in bodies])
    return person


def cards(person: Person) -> int:
    return int(person.tacit("status", "--json").json["ineffective_count"])


def test_a_card_shows_the_memory_and_is_skipped(violated: Person) -> None:
    shown = converse(violated, "review", answers=[(ASK, "s")]).out
    assert "1 of 1, told but not followed" in shown and RULE in shown and "violated 2" in shown
    assert cards(violated) == 1


def test_a_memory_is_reworded(violated: Person) -> None:
    converse(violated, "review", answers=[(ASK, "r"), ("new text", "use pnpm instead of npm")])
    assert [memory["label"] for memory in violated.listed()] == ["use pnpm instead of npm"]
    assert cards(violated) == 0


def test_a_memory_is_forgotten_and_that_is_undone(violated: Person) -> None:
    converse(violated, "review", answers=[(ASK, "f")])
    assert violated.listed() == [] and cards(violated) == 0
    violated.tacit("undo")
    assert len(violated.listed()) == 1 and cards(violated) == 1


@pytest.mark.parametrize("key", ["k", "g"])
def test_a_memory_is_kept_or_guarded_and_stays_as_it_is(violated: Person, key: str) -> None:
    shown = converse(violated, "review", answers=[(ASK, key)]).out
    assert ("tacit guard on" in shown) == (key == "g")
    assert len(violated.listed()) == 1 and cards(violated) == 0


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
    assert (told["label"], told["card"], told["adherence"]["violated_count"]) == (RULE, "not followed", 2)
    assert (candidate["label"], candidate["card"], candidate["adherence"]) == ("always squash", "candidate", None)
