"""tacit review, at a real terminal."""

from __future__ import annotations

import pytest
from harness.person import Person, facts_in
from harness.terminal import END_OF_INPUT, INTERRUPT, converse

ASK = "q quit > "
CARDS = ("always squash commits", "always sign commits", "always name the ticket")


@pytest.fixture
def waiting(person: Person) -> Person:
    """Three candidates; review shows the latest first, the others of the same moment by id."""
    for text in CARDS:
        person.tacit("remember", text, "--evidence", f"said in review: {text}")
    return person


def pending(person: Person) -> list[str]:
    return [memory["label"] for memory in person.listed("--status", "pending")]


def active(person: Person) -> set[str]:
    return {fact["canonical"] for fact in facts_in(person.facts)}


def test_nothing_to_review_is_said(person: Person) -> None:
    assert "Nothing to review." in converse(person, "review", answers=[]).out


def test_cards_are_accepted_dismissed_and_skipped(waiting: Person) -> None:
    first, second, third = pending(waiting)
    said = converse(waiting, "review", answers=[(ASK, "a"), (ASK, "d"), (ASK, "s")])
    assert said.code == 0
    assert "1 of 3" in said.out and "3 of 3" in said.out
    assert f"evidence: said in review: {first}" in said.out
    assert "based on 1 observation in 1 session\n" in said.out
    assert "Decided 2 of 3 candidates." in said.out
    assert active(waiting) == {first}
    assert [memory["label"] for memory in waiting.listed("--status", "dismissed")] == [second]
    assert pending(waiting) == [third]


def test_quitting_leaves_the_rest_as_it_is(waiting: Person) -> None:
    first, *rest = pending(waiting)
    said = converse(waiting, "review", answers=[(ASK, "a"), (ASK, "q")])
    assert "Decided 1 of 3 candidates." in said.out
    assert active(waiting) == {first}
    assert pending(waiting) == rest


@pytest.mark.parametrize(("key", "code"), [(END_OF_INPUT, 0), (INTERRUPT, 130)])
def test_leaving_in_the_middle_keeps_what_was_decided(waiting: Person, key: str, code: int) -> None:
    first, *rest = pending(waiting)
    said = converse(waiting, "review", answers=[(ASK, "a"), (ASK, key)])
    assert said.code == code
    assert "Traceback" not in said.out
    assert active(waiting) == {first}
    assert pending(waiting) == rest


def test_a_card_is_edited_and_accepted(waiting: Person) -> None:
    answers = [(ASK, "e"), ("new text", "always 署名 commits"), (ASK, "q")]
    said = converse(waiting, "review", answers=answers)
    assert "Revised and accepted" in said.out
    assert active(waiting) == {"always 署名 commits"}
    assert len(pending(waiting)) == 2


def test_a_card_is_edited_in_the_persons_editor(waiting: Person) -> None:
    editor = waiting.folder / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/^always/usually always/' \"$1\"\n")
    editor.chmod(0o755)
    first = pending(waiting)[0]
    converse(waiting, "review", answers=[(ASK, "e"), ("new text", ""), (ASK, "q")], EDITOR=str(editor))
    assert active(waiting) == {f"usually {first}"}


def test_an_editor_that_fails_changes_nothing(waiting: Person) -> None:
    before = pending(waiting)
    said = converse(waiting, "review", answers=[(ASK, "e"), ("new text", ""), (ASK, "q")], EDITOR="false")
    assert "nothing was changed" in said.out
    assert pending(waiting) == before


def test_no_new_text_and_no_id_change_nothing_and_the_card_is_asked_again(waiting: Person) -> None:
    before = pending(waiting)
    typed = [(ASK, "e"), ("new text", END_OF_INPUT), (ASK, "m"), ("merge into which id", END_OF_INPUT), (ASK, "q")]
    said = converse(waiting, "review", answers=typed)
    assert "Traceback" not in said.out and said.out.count("nothing was typed") == 2
    assert pending(waiting) == before


def test_a_card_is_merged_into_another_memory(waiting: Person) -> None:
    first, second, third = pending(waiting)
    answers = [(ASK, "m"), ("merge into which id", waiting.id_of(third)[:6]), (ASK, "q")]
    said = converse(waiting, "review", answers=answers)
    assert "Merged into" in said.out
    assert set(pending(waiting)) == {second, third}
    (merged,) = [memory for memory in waiting.listed("--status", "pending") if memory["label"] == third]
    assert merged["strength"] == 2
    assert f"said in review: {first}" in merged["evidence"]


def test_a_merge_into_nothing_is_told_and_asked_again(waiting: Person) -> None:
    said = converse(waiting, "review", answers=[(ASK, "m"), ("merge into which id", "zzzz"), (ASK, "q")])
    assert "no memory is or says" in said.out
    assert len(pending(waiting)) == 3


def test_another_key_shows_the_keys_again(waiting: Person) -> None:
    first = pending(waiting)[0]
    converse(waiting, "review", answers=[(ASK, "?"), (ASK, "a"), (ASK, "q")])
    assert active(waiting) == {first}


def test_undo_takes_back_the_latest_decision_of_a_review(waiting: Person) -> None:
    before = pending(waiting)
    converse(waiting, "review", answers=[(ASK, "d"), (ASK, "q")])
    waiting.tacit("undo")
    assert pending(waiting) == before


def test_a_card_cannot_speak_to_the_terminal(person: Person) -> None:
    person.tacit("remember", "bell \x07 title \x1b]0;pwned\x07 clear \x1b[2J", "--evidence", "\x1b[8mhidden")
    shown = converse(person, "review", answers=[(ASK, "q")]).out
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "<U+001B>" in shown


def test_without_a_terminal_nothing_is_asked_and_the_commands_are_shown(waiting: Person) -> None:
    said = waiting.process("review")
    assert said.out.count("tacit accept ") == 3
    assert len(pending(waiting)) == 3
