"""tacit review --doubtful: what is not suggested because it may be meant otherwise."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from harness.person import Person
from harness.terminal import converse

from tests.support.fake_client import FakeClient
from tests.support.talking import capture

ASK = "q quit > "
DOUBTFUL = "Keep in mind that the demo data is thrown away at night"
LATER = "We never use a modal when the user clicks"


@pytest.fixture
def shop(person: Person, tmp_path: Path) -> Person:
    """Two sessions of one project: a rule and a doubtful sentence in the first, another one in the second."""
    folder = tmp_path / "shop"
    folder.mkdir()
    capture(person, folder, 1, DOUBTFUL.lower(), "never edit the generated clients by hand")
    capture(person, folder, 2, LATER.lower())
    person.tacit("learn")
    return person


def doubtful(person: Person) -> list[str]:
    listed = json.loads(person.tacit("review", "--doubtful", "--json").out)
    return [conclusion["text"] for conclusion in listed]


def test_what_is_doubtful_is_shown_when_asked_for_and_counted_nowhere(shop: Person) -> None:
    assert doubtful(shop) == [LATER, DOUBTFUL]
    assert "Review    1 candidate to decide" in shop.tacit("status").out
    assert [memory["label"] for memory in shop.listed("--status", "pending")] == [
        "Never edit the generated clients by hand"
    ]
    assert "Keep in mind" not in shop.tacit("review").out + shop.tacit("list", "--pending").out
    shown = shop.tacit("review", "--doubtful").out
    assert f"convention, project shop\n   “{DOUBTFUL}”\n   you said: {DOUBTFUL.lower()}\n   claude, 2026-03-01" in shown
    assert "confidence" not in shown


def test_accepting_it_proposes_it_with_its_words_and_makes_it_active(shop: Person) -> None:
    said = converse(shop, "review", "--doubtful", answers=[(ASK, "s"), (ASK, "a")])
    assert "Accepted (project shop, convention) [" in said.out
    assert doubtful(shop) == [LATER]
    (memory,) = shop.listed("--status", "active")
    assert memory["text"] == DOUBTFUL and memory["strength"] == 1
    assert DOUBTFUL.lower() in shop.tacit("why", memory["id"]).out
    shop.tacit("undo")  # the proposal and the decision are one operation
    assert doubtful(shop) == [LATER, DOUBTFUL]
    assert shop.listed("--status", "active") == []


def test_what_is_dismissed_does_not_come_back(shop: Person) -> None:
    said = converse(shop, "review", "--doubtful", answers=[(ASK, "d"), (ASK, "q")])
    assert f"]: {LATER}" in said.out and "Dismissed for good (project shop" in said.out
    assert doubtful(shop) == [DOUBTFUL]
    assert shop.listed("--status", "active") == []
    shop.tacit("learn", "--all")
    assert doubtful(shop) == [DOUBTFUL]


def test_a_judge_has_read_what_a_session_says(shop: Person, tmp_path: Path) -> None:
    client = FakeClient(tmp_path / "bin")
    client.answers({"memories": [], "summaries": {}})
    shop.tacit("learn", "--agent", "claude", PATH=f"{client.folder}{os.pathsep}{os.environ['PATH']}")
    assert "Nothing doubtful" in shop.tacit("review", "--doubtful").out


def test_other_options_are_refused_and_the_limit_holds(shop: Person) -> None:
    refused = shop.tacit("review", "--doubtful", "--kind", "rule", code=2)
    assert "exclude each other" in refused.err
    assert shop.tacit("review", "--doubtful", "--limit", "1").out.count("doubtful ──") == 1


def test_nothing_doubtful_is_said(person: Person) -> None:
    assert "Nothing doubtful" in person.tacit("review", "--doubtful").out
