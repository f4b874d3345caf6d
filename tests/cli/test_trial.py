"""`tacit trial`: what it prints, and what it wants."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.trials import BAD, GOOD, RULE, Trialist


@pytest.fixture
def kim(tmp_path: Path) -> Trialist:
    return Trialist(tmp_path / "kim")


def test_the_state_has_both_arms_and_says_when_it_is_too_early(kim: Trialist) -> None:
    kim.work_in(GOOD, told=True)
    kim.work_in(BAD, told=False)
    said = kim.person.tacit("trial").out
    assert "2 sessions, and it applied in 2; at most 38 more" in said
    assert "told: 0 of 1 went badly (0 %)" in said and "not told: 1 of 1 went badly (100 %): 1 violated" in said
    assert "too few sessions to say" in said
    short = kim.person.tacit("show", kim.person.id_of(RULE)).out
    assert "trial: on trial since 2026-03-02" in short
    why = kim.person.tacit("why", kim.person.id_of(RULE)).out
    assert "trial.started" in why and "not told: 1 of 1" in why


def test_injections_say_what_was_withheld(kim: Trialist) -> None:
    kim.work_in(BAD, told=False)
    said = kim.person.tacit("injected")
    assert f"withheld, because it is on trial: {kim.person.id_of(RULE)}  {RULE}" in said.out
    (injection,) = kim.person.tacit("injected", "--json").json
    assert [memory["text"] for memory in injection["withheld"]] == [RULE]


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--stop",), "--stop goes with ID"),
        (("ID", "--sessions", "3"), "a whole number of at least 40"),
        (("ID", "--sessions", "601"), "from 40 to 600"),
        (("ID", "--stop", "--sessions", "40"), "do not go together"),
    ],
)
def test_what_makes_no_sense_is_an_error_that_says_what_to_type(kim: Trialist, words: list[str], what: str) -> None:
    name = kim.person.id_of(RULE)
    said = kim.person.tacit("trial", *[name if word == "ID" else word for word in words], code=2)
    assert what in said.err


def test_without_any_trial_the_list_says_how_to_begin_one(kim: Trialist) -> None:
    kim.person.tacit("undo")
    assert "tacit trial ID" in kim.person.tacit("trial").out
    assert kim.person.tacit("trial", "--json").json == []
