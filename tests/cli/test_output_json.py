"""Every verb that reads prints JSON for programs, with fields that stay."""

from __future__ import annotations

import pytest
from harness.person import Person

PENDING = {"id", "kind", "key", "label", "confidence", "status", "evidence"}


@pytest.fixture
def lively(person: Person) -> Person:
    """A home with something of everything in it."""
    person.tacit("add", "I prefer npm", "--tag", "tools")
    person.tacit("add", "I prefer pnpm", "--tag", "tools")
    person.tacit("add", "never force push")
    person.tacit("add", "always sign commits")
    person.tacit("remember", "Prefer small commits", "--evidence", "review")
    person.tacit("remember", "Prefer small commits", "--evidence", "another review")
    person.tacit("log", "--task", "PROJ-12", "--summary", "Validated commits")
    return person


def test_a_pending_memory_has_its_fields(lively: Person) -> None:
    for verb in (("suggestions",), ("candidates",), ("list", "--status", "pending")):
        (memory,) = lively.process(*verb, "--json").json
        assert set(memory) >= PENDING
        assert memory["label"] == "Prefer small commits"
        assert memory["key"] == "user|prefers|small commits"
        assert memory["kind"] == "preference"
        assert memory["status"] == "pending"
        assert memory["evidence"] == ["review", "another review"]
        assert 0 < memory["confidence"] < 1


def test_show_and_why_give_one_object(lively: Person) -> None:
    name = lively.id_of("Prefer small commits")
    shown = lively.process("show", name, "--json").json
    explained = lively.process("why", name, "--json").json
    assert set(shown) >= PENDING
    assert shown == {
        field: value for field, value in explained.items() if field not in ("events", "commands", "adherence", "trial")
    }
    assert [event["evidence"] for event in explained["events"]] == [["review"], ["another review"]]


def test_status_counts(lively: Person) -> None:
    status = lively.process("status", "--json").json
    assert (status["active"], status["pending"], status["worklog"]) == (4, 1, 1)
    assert status["home"] == str(lively.home)


def test_brief_gives_entries_text_and_cost(lively: Person) -> None:
    brief = lively.process("brief", "--json").json
    assert {entry["text"] for entry in brief["memories"]} == {
        "I prefer pnpm",
        "never force push",
        "always sign commits",
    }
    assert all(set(entry) >= {"id", "kind", "scope", "text"} for entry in brief["memories"])
    assert 0 < brief["tokens"] <= 1200


def test_improve_and_evaluate_give_scores_and_patterns(lively: Person) -> None:
    improved = lively.process("improve", "--json").json
    (pattern,) = improved["patterns"]
    assert (pattern["text"], pattern["strength"]) == ("Prefer small commits", 2)
    assert pattern["promote"].startswith("tacit promote ")
    evaluated = lively.process("evaluate", "--json").json
    assert evaluated["created"] is False
    assert {score["points"] for score in evaluated["scores"]} <= {0, 1, 2}
    assert len(evaluated["scores"]) == 7


@pytest.mark.parametrize("verb", ["suggestions", "list", "conflicts", "recall x", "verify"])
def test_an_empty_home_gives_empty_lists_and_is_not_made_by_asking(person: Person, verb: str) -> None:
    assert person.process(*verb.split(), "--json", code=None).json == []
    assert not person.home.exists()
