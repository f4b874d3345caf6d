"""tacit review: filters, one card for what several projects say, and dismissing all that filters select."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person
from harness.terminal import converse

RULE = "Always run the linter before a commit"
ASK = "q quit > "
KIND = ("--kind", "rule")


@pytest.fixture
def projects(person: Person) -> dict[str, Path]:
    """Three projects with the same candidate, in the last one in other words, and one candidate of its own."""
    folders = {name: person.folder / name for name in ("shop", "blog", "docs")}
    for name, folder in folders.items():
        (folder / ".git").mkdir(parents=True)
        text = "always run linters before commits" if name == "docs" else RULE
        person.tacit("remember", text, "--evidence", f"said in {name}", cwd=folder)
    person.tacit("suggest", "never push to main", "--evidence", "e", cwd=folders["docs"], TACIT_ACTOR="agent:codex")
    return folders


def statuses(person: Person) -> dict[str, list[str]]:
    """The scopes of all memories by their status, without the path of a project."""
    found: dict[str, list[str]] = {}
    for memory in person.listed("--status", "all", "--scope", "all"):
        found.setdefault(memory["status"], []).append(memory["scope"].rpartition("/")[2])
    return {status: sorted(scopes) for status, scopes in found.items()}


def short(person: Person, project: str) -> str:
    waiting = person.listed("--status", "pending", "--project", project)
    return str(next(memory["short"] for memory in waiting if "linter" in memory["label"]))


# One card for several projects


def test_what_several_projects_say_is_one_card(person: Person, projects: dict[str, Path]) -> None:
    shown = person.tacit("review").out
    assert shown.count("── 2 of 2 ──") == 1
    assert "in 3 projects: docs, blog, shop" in shown
    assert "based on 3 observations" in shown and shown.count("evidence: said in") == 3
    shorts = " ".join(short(person, name) for name in ("docs", "blog", "shop"))
    assert f"tacit accept {shorts}   tacit dismiss {shorts}" in shown
    assert f"for all projects: tacit accept {short(person, 'docs')} --global" in shown


def test_a_card_as_json_names_the_other_candidates(person: Person, projects: dict[str, Path]) -> None:
    cards = person.tacit("review", "--json").json
    (card,) = [card for card in cards if "linter" in card["text"]]
    assert [other["scope"].rpartition("/")[2] for other in card["others"]] == ["blog", "shop"]
    assert [card["others"] for card in cards if "linter" not in card["text"]] == [[]]


def test_a_card_is_accepted_in_each_project_and_undone_at_once(person: Person, projects: dict[str, Path]) -> None:
    before = statuses(person)
    said = converse(person, "review", *KIND, answers=[(ASK, "a")])
    assert "a accept in each · g accept for all projects" in said.out
    assert "Decided 3 of 3 candidates." in said.out
    assert statuses(person)["active"] == ["blog", "docs", "shop"]
    assert "and 2 more" in person.tacit("undo").out
    assert statuses(person) == before


def test_a_card_is_accepted_for_all_projects(person: Person, projects: dict[str, Path]) -> None:
    before = statuses(person)
    converse(person, "review", *KIND, answers=[(ASK, "g")])
    assert statuses(person) == {"active": ["global"], "pending": ["docs"], "retired": ["blog", "docs", "shop"]}
    (memory,) = person.listed("--scope", "global")
    assert memory["strength"] == 3
    assert sorted(memory["evidence"]) == ["said in blog", "said in docs", "said in shop"]
    person.tacit("undo")
    assert statuses(person) == before


def test_a_card_is_dismissed_in_all_projects(person: Person, projects: dict[str, Path]) -> None:
    before = statuses(person)
    converse(person, "review", *KIND, answers=[(ASK, "d")])
    assert statuses(person) == {"dismissed": ["blog", "docs", "shop"], "pending": ["docs"]}
    person.tacit("undo")
    assert statuses(person) == before


def test_a_card_is_edited_in_all_projects(person: Person, projects: dict[str, Path]) -> None:
    converse(person, "review", *KIND, answers=[(ASK, "e"), ("new text", "run make lint first")])
    active = person.listed("--scope", "all")
    assert {memory["label"] for memory in active} == {"run make lint first"}
    assert statuses(person)["active"] == ["blog", "docs", "shop"]


def test_a_card_is_merged_into_one_memory(person: Person, projects: dict[str, Path]) -> None:
    person.tacit("add", "--global", "the linter runs first")
    target = person.id_of("the linter runs first")
    converse(person, "review", *KIND, answers=[(ASK, "m"), ("merge into which id", target)])
    (memory,) = person.listed("--scope", "global")
    assert memory["strength"] == 4
    assert statuses(person)["pending"] == ["docs"]


@pytest.mark.parametrize("verb", ["accept", "dismiss"])
def test_a_decision_on_one_names_the_others(person: Person, projects: dict[str, Path], verb: str) -> None:
    others = f"{short(person, 'shop')} {short(person, 'blog')}"
    said = person.tacit(verb, short(person, "docs")).out
    assert f"the same waits in project shop, project blog: tacit {verb} {others}" in said
    assert "the same waits" not in person.tacit(verb, *others.split()).out


def test_one_is_accepted_for_all_projects_with_the_others(person: Person, projects: dict[str, Path]) -> None:
    said = person.tacit("accept", short(person, "docs"), "--global", "--kind", "rule", "--evidence", "agreed").out
    assert said.startswith("Accepted (global, rule) [")
    assert statuses(person) == {"active": ["global"], "pending": ["docs"], "retired": ["blog", "docs", "shop"]}
    (memory,) = person.listed("--scope", "global")
    assert "agreed" in memory["evidence"]
    assert "not a candidate" in person.tacit("accept", memory["id"], "--global", code=1).err


# Filters


def test_filters_combine(person: Person, projects: dict[str, Path]) -> None:
    shown = person.tacit("review", "--project", "docs", "--agent", "codex", "--kind", "constraint").out
    assert "never push to main" in shown and "linter" not in shown
    card = person.tacit("review", "--project", "blog", "--json").json[0]
    assert card["scope"].endswith("blog") and card["others"] == []


def test_a_filter_that_matches_nothing_says_which_values_there_are(person: Person, projects: dict[str, Path]) -> None:
    (person.folder / "empty" / ".git").mkdir(parents=True)
    assert person.tacit("review", "--agent", "gemini").out == (
        "No candidate matches --agent gemini.\n  agents with candidates: codex (1)\n"
    )
    shown = person.tacit("review", "--project", str(person.folder / "empty"), "--kind", "decision").out
    assert "projects with candidates: docs (2), blog (1), shop (1)" in shown
    kinds = {memory["kind"] for memory in person.listed("--status", "pending", "--scope", "all")}
    assert "kinds with candidates: " in shown and all(f"{kind} (" in shown for kind in kinds)
    said = person.tacit("review", "--json", "--agent", "gemini")
    assert said.json == [] and "agents with candidates: codex (1)" in said.err


# Dismissing a batch


def test_all_that_filters_select_is_dismissed_as_one_operation(person: Person, projects: dict[str, Path]) -> None:
    before = statuses(person)
    said = person.tacit("review", *KIND, "--dismiss", "--reason", "one-off orders", "--yes").out
    assert said.startswith("Dismissed 3 candidates for good. To take all of it back: tacit undo ")
    dismissed = person.listed("--status", "dismissed", "--scope", "all")
    assert [memory["reason"] for memory in dismissed] == ["one-off orders"] * 3
    assert statuses(person)["pending"] == ["docs"]
    person.tacit("undo", dismissed[-1]["short"])
    assert statuses(person) == before


def test_a_batch_is_shown_and_confirmed_at_a_terminal(person: Person, projects: dict[str, Path]) -> None:
    for number in range(4):
        person.tacit("remember", f"rule number {number} holds for every release", "--evidence", "e")
    before = statuses(person)
    said = converse(person, "review", "--dismiss", answers=[("Dismiss 8 candidates for good? [y/N] ", "n")])
    assert said.out.count("\n- [") + said.out.startswith("- [") == 5 and "… and 3 more" in said.out
    assert "Nothing was changed." in said.out and statuses(person) == before
    converse(person, "review", "--dismiss", "--limit", "1", answers=[("Dismiss 1 candidate for good? [y/N] ", "y")])
    assert len(statuses(person)["dismissed"]) == 1


def test_a_batch_needs_somebody_who_confirms_it(person: Person, projects: dict[str, Path]) -> None:
    before = statuses(person)
    assert "add --yes" in person.process("review", "--dismiss", code=2).err
    refused = person.process("review", "--dismiss", "--yes", code=1, TACIT_ACTOR="agent:codex")
    assert "tacit review --dismiss" in refused.err
    assert statuses(person) == before
    assert "--reason goes with --dismiss" in person.tacit("review", "--reason", "r", code=2).err
    assert "No candidate matches" in person.tacit("review", "--dismiss", "--yes", "--agent", "gemini").out
