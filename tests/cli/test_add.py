"""`tacit add`, `remember` and `suggest`: what is recorded, and what the person is told about it."""

from __future__ import annotations

import pytest
from harness.person import Person

from tacit.model.claim import Kind


@pytest.mark.parametrize("words", [("use pnpm", "--private"), ("I prefer vim",)])
def test_what_is_private_is_told_how_to_be_shared(person: Person, words: tuple[str, ...]) -> None:
    work = person.repository()
    told = person.tacit("add", *words, cwd=work).out
    assert f"  private: it stays in your home; to share it with the project: tacit share {short(person)}" in told
    assert not (work / "docs").exists()


def short(person: Person) -> str:
    (memory,) = person.listed("--status", "all", "--scope", "all")
    return str(memory["short"])


def test_outside_of_projects_nothing_is_said_about_sharing(person: Person) -> None:
    assert person.tacit("add", "use pnpm").out == f"Added (global, rule) [{short(person)}]: use pnpm\n"


def test_a_statement_made_again_becomes_stronger(person: Person) -> None:
    person.tacit("add", "use pnpm", "--global")
    assert person.tacit("add", "use pnpm", "--global").out.startswith("Reinforced, strength 2 (global, rule)")


def test_options_are_kept_with_the_memory(person: Person) -> None:
    person.tacit(
        "add", "--text", "use pnpm", "--kind", "constraint", "--tag", "js", "--tag", "ci", "--evidence", "seen"
    )
    (memory,) = person.listed()
    assert (memory["kind"], memory["tags"], memory["evidence"]) == ("constraint", ["js", "ci"], ["seen"])


def test_several_rules_are_several_memories_unless_the_text_is_to_stay_whole(person: Person) -> None:
    text = "Always run the tests. Never commit to main."
    told = person.tacit("add", text).out
    assert told.count("Added (") == 2
    assert "That text holds 2 rules; each is a memory of its own. tacit undo takes all of them back." in told
    person.tacit("undo")
    assert person.tacit("add", text, "--whole").out.count("Added (") == 1
    assert [memory["label"] for memory in person.listed()] == [text]


def test_the_memory_that_is_overruled_is_named_with_commands_that_decide_otherwise(person: Person) -> None:
    person.tacit("add", "I prefer npm")
    told = person.tacit("add", "I prefer pnpm").out
    older, newer = person.id_of("I prefer npm"), person.tacit("show", "I prefer pnpm", "--json").json["short"]
    assert f"  It contradicts and overrules [{older[:6]}]: I prefer npm\n" in told
    keep = f"tacit conflicts --keep {older[:6]}"
    assert f"  Not so? {keep}, or if both hold: tacit conflicts --keep-both {newer}\n" in told
    person.tacit(*keep.split()[1:])
    assert [memory["label"] for memory in person.listed()] == ["I prefer npm"]


def test_an_older_constraint_is_named_as_what_holds(person: Person) -> None:
    person.tacit("add", "never use npm", "--kind", "constraint")
    told = person.tacit("add", "use npm").out
    assert f"  It contradicts [{person.id_of('never use npm')[:6]}]: never use npm\n" in told
    assert "  An older constraint holds against what is not one: this one is kept and told to nobody.\n" in told


def test_two_constraints_are_left_for_the_person_to_decide(person: Person) -> None:
    person.tacit("add", "always use tabs", "--kind", "constraint")
    told = person.tacit("add", "always use spaces", "--kind", "constraint").out
    assert "Here no rule decides, so both are kept and marked as a conflict until you do:" in told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("add", "use pnpm", "--kind", "wish"), "no such kind: 'wish'"),
        (("suggest", "use pnpm", "--evidence", "seen", "--kind", "wish"), "no such kind: 'wish'"),
        (("add", "--candidate", "use pnpm", "--whole"), "--whole is for what holds at once"),
        (("add", "--candidate", "use pnpm", "--tag", "js"), "--tag is for what holds at once"),
        (("add", "use pnpm", "--text", "use npm"), "the text was given twice"),
        (("add", " "), "tacit add wants TEXT"),
        (("remember", "use pnpm"), "tacit remember wants --evidence TEXT"),
        (("suggest", "use pnpm"), "the evidence is empty"),
    ],
)
def test_wrong_words_are_refused_and_nothing_is_recorded(person: Person, words: tuple[str, ...], message: str) -> None:
    assert message in person.tacit(*words, code=2).err
    assert not person.events.exists()


def test_an_unknown_kind_is_answered_with_all_kinds(person: Person) -> None:
    hint = person.tacit("add", "use pnpm", "--kind", "wish", code=2).err
    assert all(kind.label in hint for kind in Kind)


@pytest.mark.parametrize(("words", "source"), [(("add", "--candidate"), "note"), (("remember",), "remember")])
def test_a_candidate_waits_and_is_recorded_once(person: Person, words: tuple[str, ...], source: str) -> None:
    told = person.tacit(*words, "use pnpm", "--evidence", "chat").out
    assert told.startswith("Remembered candidate: use pnpm\n")
    assert f"tacit accept {short(person)}   tacit dismiss {short(person)}" in told
    assert person.tacit(*words, "use pnpm", "--evidence", "chat").out == "Memory candidate already exists: use pnpm\n"
    (memory,) = person.listed("--status", "pending")
    assert (memory["source"], memory["evidence"]) == (source, ["chat"])


def test_what_an_agent_adds_waits_for_a_person(person: Person) -> None:
    told = person.tacit("add", "use pnpm", CLAUDECODE="1").out
    assert told == f"Suggested, waiting for a person (global, rule) [{short(person)}]: use pnpm\n"


def test_a_suggestion_is_a_question_to_the_person_and_is_not_asked_twice_as_new(person: Person) -> None:
    told = person.tacit("suggest", "use uv", "--evidence", "you typed it twice", "--reason", "speed").out
    assert told.startswith("I noticed: you typed it twice. Should I remember: “use uv”?\n  decide: tacit accept ")
    assert person.tacit("suggest", "use uv", "--evidence", "you typed it twice").out.startswith(
        "Suggested before: use uv\n"
    )


def test_remembering_what_was_decided_on_says_what_became_of_it(person: Person) -> None:
    person.tacit("add", "use pnpm instead of npm", "--kind", "constraint")
    said = person.tacit("remember", "use pnpm instead of npm", "--evidence", "chat").out
    assert said.startswith("Holds already, strength 2 (constraint) [")
    name = person.id_of("use pnpm instead of npm")
    person.tacit("forget", name)
    said = person.tacit("remember", "use pnpm instead of npm", "--evidence", "b", TACIT_ACTOR="agent:claude").out
    assert said.startswith("Noted, and still forgotten: use pnpm") and "tacit restore" in said
