"""Every verb that reads prints JSON for programs, with fields that stay."""

from __future__ import annotations

from pathlib import Path

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


def test_confidence_rises_with_what_is_seen(person: Person) -> None:
    person.tacit("remember", "Prefer small commits", "--evidence", "one")
    first = person.listed("--status", "pending")[0]["confidence"]
    person.tacit("remember", "Prefer small commits", "--evidence", "two", TACIT_SESSION="another")
    assert person.listed("--status", "pending")[0]["confidence"] > first


def test_recall_gives_a_list_of_facts_with_their_place(lively: Person) -> None:
    hits = lively.process("recall", "commits", "--json").json
    assert {hit["text"] for hit in hits} == {
        "always sign commits",
        "Prefer small commits",
        "PROJ-12: Validated commits",
    }
    for hit in hits:
        assert set(hit) >= {"id", "kind", "status", "scope", "text", "at", "strength", "path", "line", "tags"}
        assert Path(hit["path"]).is_file()


def test_list_is_a_list_and_can_be_narrowed(lively: Person) -> None:
    assert {memory["label"] for memory in lively.listed()} == {
        *("I prefer npm", "I prefer pnpm", "never force push", "always sign commits")
    }
    assert [memory["label"] for memory in lively.listed("--kind", "constraint")] == ["never force push"]
    assert {memory["label"] for memory in lively.listed("--tag", "tools")} == {"I prefer npm", "I prefer pnpm"}
    assert lively.listed("--status", "forgotten") == []


def test_show_and_why_give_one_object(lively: Person) -> None:
    name = lively.id_of("Prefer small commits")
    shown = lively.process("show", name, "--json").json
    explained = lively.process("why", name, "--json").json
    assert set(shown) >= PENDING
    assert shown == {
        field: value for field, value in explained.items() if field not in ("events", "commands", "adherence")
    }
    assert [event["evidence"] for event in explained["events"]] == [["review"], ["another review"]]


def test_status_counts(lively: Person) -> None:
    status = lively.process("status", "--json").json
    assert (status["active"], status["pending"], status["worklog"]) == (4, 1, 1)
    assert status["home"] == str(lively.home)


def test_conflicts_name_rule_and_winner(lively: Person) -> None:
    (dispute,) = lively.process("conflicts", "--json").json
    assert (dispute["rule"], dispute["winner"]) == ("newest", lively.id_of("I prefer pnpm"))
    assert {memory["label"] for memory in dispute["memories"]} == {"I prefer npm", "I prefer pnpm"}


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


@pytest.mark.parametrize("verb", ["verify", "doctor"])
def test_a_check_gives_a_list_of_findings(lively: Person, verb: str) -> None:
    lively.events.write_bytes(lively.events.read_bytes().replace(b"npm", b"mpn", 1))
    findings = lively.process(verb, "--json", code=3).json
    assert any(finding["serious"] and finding["where"].endswith("events.jsonl:1") for finding in findings)
    assert all(set(finding) >= {"where", "what", "mend", "serious"} for finding in findings)


@pytest.mark.parametrize("verb", ["suggestions", "list", "conflicts", "recall x", "verify"])
def test_an_empty_home_gives_empty_lists_and_is_not_made_by_asking(person: Person, verb: str) -> None:
    assert person.process(*verb.split(), "--json", code=None).json == []
    assert not person.home.exists()
