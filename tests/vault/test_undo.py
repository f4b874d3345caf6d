"""Undo goes back step by step, redo forward again; one command is one step, and the log only grows."""

from __future__ import annotations

import json
from collections.abc import Collection

import pytest
from harness.person import Person
from harness.terminal import converse

from tacit.errors import RefusedError
from tests.learn.habits.test_habits import cards, days, typed

A, B, C = "use ruff", "use mypy", "use pytest"


def active(person: Person) -> set[str]:
    return {memory["label"] for memory in person.listed()}


def candidates(person: Person, *texts: str) -> list[str]:
    for text in texts:
        person.tacit("remember", text, "--evidence", "chat")
    return [person.id_of(text) for text in texts]


def stack(person: Person) -> list[str]:
    return [step["text"] for step in person.tacit("undo", "--list", "--json").json]


# One command is one step


@pytest.mark.parametrize(
    ("verb", "label", "held"), [("accept", "accepted", {A, B, C}), ("dismiss", "dismissed", set())]
)
def test_deciding_on_several_is_one_step(person: Person, verb: str, label: str, held: Collection[str]) -> None:
    person.tacit(verb, *candidates(person, A, B, C))
    assert (active(person), person.listed("--status", "pending")) == (set(held), [])
    assert person.process("undo").first == f"Undone: {label}: {A} and 2 more"
    assert (active(person), len(person.listed("--status", "pending"))) == (set(), 3)
    person.tacit("redo")
    assert (active(person), person.listed("--status", "pending")) == (set(held), [])


def test_where_one_of_several_is_unknown_none_is_accepted(person: Person) -> None:
    (name,) = candidates(person, A)
    person.tacit("accept", name, "zzzz", code=1)
    assert active(person) == set()


def test_a_memory_that_is_named_twice_is_accepted_once(person: Person) -> None:
    (name,) = candidates(person, A)
    assert person.tacit("accept", name, name[:6]).out.count("Accepted") == 1


def test_the_workflow_that_accepting_makes_is_part_of_the_step(person: Person) -> None:
    typed(person, *days("make lint", "make test", "git push"))
    (name,) = [card["id"] for card in cards(person, "workflow_pattern").values()]
    person.tacit("accept", name)
    assert len(person.tacit("workflow", "list", "--json").json) == 1
    person.tacit("undo")
    assert person.tacit("workflow", "list", "--json").json == []
    assert name in {card["id"] for card in cards(person).values()}
    person.tacit("redo")
    assert len(person.tacit("workflow", "list", "--json").json) == 1


# Back and forward


def test_a_change_after_undo_ends_what_redo_could_bring_back(person: Person) -> None:
    person.tacit("add", A)
    person.tacit("undo")
    person.tacit("add", B)
    said = person.tacit("redo", code=1)
    assert f"“added: {B}” came after the last undo" in said.err
    assert active(person) == {B}


def test_what_a_learner_notices_in_between_ends_nothing(person: Person) -> None:
    person.tacit("add", A)
    person.tacit("undo")
    typed(person, *days("make release", count=4))
    assert cards(person)
    person.tacit("redo")
    assert active(person) == {A}


def test_asking_and_evaluating_are_no_steps(person: Person) -> None:
    person.tacit("add", A)
    person.tacit("recall", "ruff")
    person.tacit("brief")
    assert stack(person) == [f"added: {A}"]


def test_the_log_only_grows(person: Person) -> None:
    person.tacit("add", A)
    for verb in ("undo", "redo", "undo", "redo"):
        before = person.events.read_bytes()
        person.tacit(verb)
        after = person.events.read_bytes()
        assert after.startswith(before) and after.count(b"\n") == before.count(b"\n") + 1
        assert person.event_types()[-1] == "judgement.undone"
    person.tacit("reindex")
    assert (active(person), stack(person)) == ({A}, [f"added: {A}"])


# The list


def test_the_stack_is_listed_newest_first_with_what_each_step_would_take_back(person: Person) -> None:
    person.tacit("add", A)
    person.tacit("accept", *candidates(person, B, C))
    person.tacit("log", "--task", "T-1", "--summary", "Moved the parser")
    person.tacit("forget", person.id_of(A))
    labels = stack(person)
    assert labels == [
        f"forgot: {A}",
        "logged: Moved the parser",
        f"accepted: {B} and 1 more",
        f"remembered: {C}",
        f"remembered: {B}",
        f"added: {A}",
    ]
    for label in labels[:3]:
        assert person.tacit("undo").out.splitlines()[0] == f"Undone: {label}"
    assert stack(person) == labels[3:]
    told = person.tacit("undo", "--list").out
    assert told.index(f"remembered: {C}") < told.index(f"added: {A}") < told.index("tacit redo brings these back")
    assert told.index(f"accepted: {B} and 1 more") < told.index("logged: Moved") < told.index(f"forgot: {A}")


def test_the_list_tells_programs_the_whole_ids_and_times(person: Person) -> None:
    person.tacit("add", A)
    (step,) = person.tacit("undo", "--list", "--json").json
    (event,) = [json.loads(line) for line in person.events.read_text().splitlines()]
    assert step == {
        "id": event["op"],
        "at": "2026-03-02T12:00:00.000000Z",
        "actor": "user",
        "text": f"added: {A}",
        "memory_ids": [person.id_of(A)],
    }


def test_the_list_changes_nothing_and_is_for_anybody(person: Person) -> None:
    person.tacit("add", A)
    before = person.events.read_bytes()
    assert A in person.tacit("undo", "--list", CLAUDECODE="1").out
    assert person.events.read_bytes() == before
    person.tacit("redo", code=1, CLAUDECODE="1")


def test_of_an_empty_home_the_list_is_empty(person: Person) -> None:
    assert person.tacit("undo", "--list").out == "Nothing to undo.\n"
    assert stack(person) == []
    for verb in ("undo", "redo"):
        assert f"nothing to {verb}" in person.tacit(verb, code=1).err


# One memory, and several people at once


def test_undo_of_one_memory_goes_further_back_as_well(person: Person) -> None:
    person.tacit("add", A)
    name = person.id_of(A)
    person.tacit("edit", name, "--tag", "python")
    person.tacit("add", B)
    person.tacit("undo", name)
    assert person.tacit("show", name, "--json").json["tags"] == []
    person.tacit("undo", name)
    assert active(person) == {B}


def test_a_step_that_was_changed_since_is_not_taken_back_by_guessing(person: Person) -> None:
    first, second = candidates(person, A, B)
    person.tacit("accept", first, second)
    person.tacit("edit", second, "--text", "use mypy in strict mode")
    before = person.events.read_bytes()
    said = person.tacit("undo", first, code=1)
    assert f"“accepted: {A} and 1 more” was changed since by “revised: {B}”" in said.err
    assert f"tacit undo {second[:4]}" in said.err
    assert person.events.read_bytes() == before
    person.tacit("undo", second)
    person.tacit("undo", first)
    assert active(person) == set()


def test_eight_undos_at_once_take_back_eight_different_steps(person: Person) -> None:
    with person.vault() as vault:
        for number in range(8):
            vault.add(f"rule number {number} holds")
    started = [person.start("undo") for _ in range(8)]
    said = [one.communicate(timeout=120)[0].splitlines()[0] for one in started]
    assert len(set(said)) == 8
    assert active(person) == set()


# Forgetting


@pytest.mark.parametrize(
    ("answers", "details"),
    [
        ([("why?", "superseded"), ("what shows it?", "the meeting")], "(reason: superseded; evidence: the meeting)"),
        ([("why?", ""), ("what shows it?", "")], ""),
        ([("why?", "superseded"), ("what shows it?", "")], "(reason: superseded)"),
    ],
)
def test_on_a_terminal_reason_and_evidence_are_asked_for_and_may_be_skipped(
    person: Person, answers: list[tuple[str, str]], details: str
) -> None:
    person.tacit("add", A)
    name = person.id_of(A)
    said = converse(person, "forget", name, answers=answers)
    assert said.code == 0 and f"Forget: {A}" in said.out
    assert person.section("Pruned Or Revised") == [f"- 2026-03-02: {A}{details and ' ' + details} ^{name}"]


@pytest.mark.parametrize("words", [("--reason", "r"), ("--evidence", "e"), ("--reason", "r", "--evidence", "e")])
def test_with_options_nothing_is_asked(person: Person, words: tuple[str, ...]) -> None:
    person.tacit("add", A)
    assert "why?" not in converse(person, "forget", "--text", A, *words, answers=[]).out
    assert active(person) == set()


def test_nobody_is_asked_about_what_is_not_there(person: Person) -> None:
    person.tacit("add", A)
    said = converse(person, "forget", "zzzz", answers=[])
    assert said.code == 1 and "why?" not in said.out


def test_a_certain_operation_is_undone_though_others_came_since(person: Person) -> None:
    one, two = candidates(person, A, B)
    with person.vault() as vault:
        vault.memories.accept(one)
        operation = vault.changes.latest()
        vault.memories.accept(two)
        assert vault.changes.undo(operation=operation) == f"accepted: {A}"
        with pytest.raises(RefusedError, match="nothing to undo"):
            vault.changes.undo(operation=operation)
    assert active(person) == {B}
