"""Commands that list and show memories, and how conflicts are decided."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from harness.person import Person

from tacit.cli.show import ask_conflicts


def labels(person: Person, *words: str) -> list[str]:
    return [memory["label"] for memory in person.listed(*words)]


@contextmanager
def typed(text: str) -> Iterator[None]:
    """Make a text the standard input."""
    reading, writing = os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    with open(reading) as answers, pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", answers)
        yield


@pytest.fixture
def undecided(person: Person) -> Person:
    """Somebody with two constraints that contradict each other."""
    for text in ("always use tabs", "always use spaces"):
        person.tacit("add", text, "--kind", "constraint")
    return person


def test_a_list_has_one_status_and_all_has_every_one(person: Person) -> None:
    for text in ("use tabs", "use vim"):
        person.tacit("add", text)
    person.tacit("remember", "use mypy", "--evidence", "chat")
    person.tacit("remember", "use uv", "--evidence", "chat")
    person.tacit("dismiss", "use uv")
    person.tacit("forget", "use vim", "--reason", "x")
    assert labels(person) == ["use tabs"] and labels(person, "--status", "pending") == ["use mypy"]
    assert labels(person, "--forgotten") == labels(person, "--status", "forgotten") == ["use vim"]
    assert labels(person, "--status", "dismissed") == ["use uv"]
    assert sorted(labels(person, "--status", "all")) == ["use mypy", "use tabs", "use uv", "use vim"]
    assert "no such status: 'odd'" in person.tacit("list", "--status", "odd", code=2).err


def test_a_list_is_filtered_limited_and_says_how_to_see_the_rest(person: Person) -> None:
    for text in ("use tabs", "use vim", "use uv"):
        person.tacit("add", text, "--tag", text[4:])
    assert labels(person, "--tag", "vim") == ["use vim"] and labels(person, "--kind", "constraint") == []
    told = person.tacit("list", "--limit", "1").out
    assert told.startswith("Memories (3)\n- [") and told.count("\n- [") == 1
    assert "… and 2 more memories. To see all: tacit list --all\n" in told


def test_candidates_are_cards_and_none_is_told_apart_from_none_like_that(person: Person) -> None:
    assert person.tacit("list", "--pending").out.startswith("No suggestions. They come from what you run")
    assert person.tacit("list", "--pending", "--kind", "rule").out == "No suggestions like that.\n"
    person.tacit("remember", "use mypy", "--evidence", "chat")
    told = person.tacit("list", "--pending").out
    assert told.startswith("── 1 of 1 ── [") and "evidence: chat" in told and "tacit accept" in told


def test_a_memory_is_shown_whole(person: Person) -> None:
    person.tacit("add", "use tabs", "--tag", "style", "--evidence", "the Makefile")
    memory = person.tacit("show", "use tabs", "--json").json
    told = person.tacit("show", memory["short"]).out.splitlines()
    assert told[0] == f"[{memory['short']}] use tabs"
    assert told[2:] == [
        f"    id {memory['id']}, source user_direct, confidence 1.00",
        "    says: agent | use | tabs",
        "    tags: style",
        "    evidence of 2026-03-02: the Makefile",
        f"    more: tacit why {memory['short']}",
    ]
    assert "no memory is or says “zzzz”" in person.tacit("show", "zzzz", code=1).err


def test_why_tells_each_event_with_its_line_in_the_log_and_whether_it_was_undone(person: Person) -> None:
    person.tacit("add", "use tabs", "--evidence", "the Makefile")
    person.tacit("edit", "use tabs", "--tag", "style")
    person.tacit("undo")
    told = person.tacit("why", "use tabs").out
    assert f"user: memory.added (user_direct)\n      evidence: the Makefile\n      {person.events}:1\n" in told
    assert ", undone\n" in told
    first, second, *_ = person.tacit("why", "use tabs", "--json").json["events"]
    assert (first["line"], first["evidence"], first["undone"]) == (1, ["the Makefile"], False)
    assert (second["line"], second["undone"], second["path"]) == (2, True, str(person.events))


def test_words_that_one_memory_has_open_it(person: Person) -> None:
    person.tacit("add", "use pnpm instead of npm")
    person.tacit("add", "use uv for python")

    assert "use pnpm instead of npm" in person.tacit("show", "pnpm").out
    assert "memory.added" in person.tacit("why", "python", "uv").out
    several = person.tacit("show", "use", code=1)
    assert "use pnpm instead of npm" in several.err and "use uv for python" in several.err
    person.tacit("forget", "pnpm", code=1)  # what changes a memory takes no guess


def test_a_conflict_names_who_holds_and_how_to_resolve_it(person: Person) -> None:
    person.tacit("add", "I prefer npm")
    person.tacit("add", "I prefer pnpm")
    newer, older = (person.tacit("show", text, "--json").json for text in ("I prefer pnpm", "I prefer npm"))
    told = person.tacit("conflicts").out
    assert told.startswith("Conflicts (1)\n") and ": the newest wins\n" in told
    assert f"    holds    [{newer['short']}] I prefer pnpm (preference, 2026-03-02)\n" in told
    assert f"    against  [{older['short']}] I prefer npm (preference, 2026-03-02)\n" in told
    (conflict,) = person.tacit("conflicts", "--json").json
    assert (conflict["rule"], conflict["winner"]) == ("newest", newer["id"])


def test_a_conflict_that_no_rule_decides_has_no_winner(undecided: Person) -> None:
    told = undecided.tacit("conflicts").out
    assert "    between  [" in told and "    and      [" in told
    assert undecided.tacit("conflicts", "--json").json[0]["winner"] is None


def test_the_memory_to_keep_is_kept_and_the_others_forgotten(undecided: Person) -> None:
    told = undecided.tacit("conflicts", "--keep", "always use tabs").out.splitlines()
    assert told[0].startswith("Forgot [") and told[0].endswith(": always use spaces")
    assert told[1].startswith("Kept [") and labels(undecided) == ["always use tabs"]
    assert undecided.tacit("show", "always use spaces", "--json").json["reason"] == "contradicted"


@pytest.mark.parametrize(
    ("answers", "open_conflicts", "left"),
    [("1\n", 0, 1), ("2\n", 0, 1), ("b\n", 0, 2), ("s\n", 1, 2), ("q\n", 1, 2), ("", 1, 2)],
)
def test_the_person_is_asked_about_a_conflict_once(
    undecided: Person, capsys: pytest.CaptureFixture[str], answers: str, open_conflicts: int, left: int
) -> None:
    with typed(answers), undecided.vault() as vault:
        ask_conflicts(vault)
    assert capsys.readouterr().out.count("1 or 2 holds") == 1
    assert len(labels(undecided)) == left
    assert len(undecided.tacit("conflicts", "--json").json) == open_conflicts


def test_the_answer_decides_which_memory_stays(undecided: Person, capsys: pytest.CaptureFixture[str]) -> None:
    with typed("2\n"), undecided.vault() as vault:
        ask_conflicts(vault)
    told = capsys.readouterr().out
    (second,) = [line for line in told.splitlines() if line.startswith("   2  [")]
    assert labels(undecided)[0] in second
