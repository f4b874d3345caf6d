"""The three-way merge of a page: what goes where, and which base is stored while edits are unread."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tacit.pages.facts import fact_id, reconcile_fact
from tacit.pages.hand_edits import long_term_edits
from tacit.pages.long_term import PRUNED_SECTION, entry_id
from tacit.pages.merge import (
    MergeConflict,
    base_with_read_edits,
    base_with_unread_edits,
    conflict_markers,
    find_conflicts,
    has_conflict_markers,
    merge,
    split_conflicts,
    without_markers,
)

A, B, C = (f"- 2024-01-01: {name} ^{number:012d}" for number, name in enumerate("abc"))
HEADING, OTHER = "## Rules", "## Decisions"
BASE = [HEADING, A, B]


def merged(base: Sequence[str] | None, mine: Sequence[str], theirs: Sequence[str], *removed: str) -> list[str]:
    return merge(base, mine, theirs, key=entry_id, removed=removed)


def reworded(line: str) -> str:
    return line.replace(": ", ": always ")


PRUNED = f"## {PRUNED_SECTION}"
LATER = A.replace("2024", "2025")
MOVED = [HEADING, B, OTHER, A]


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "expected"),
    [
        (BASE, [HEADING, C, A, B], [HEADING, A, "my note", B], [HEADING, C, A, "my note", B]),
        (BASE, [HEADING, C, A, B], ["first", *BASE], ["first", HEADING, C, A, B]),
        (BASE, [HEADING, A, B, C], [*BASE, "## Mine", "- milk"], [HEADING, A, B, C, "## Mine", "- milk"]),
        ([*BASE, OTHER], [*BASE, OTHER], MOVED, MOVED),
        ([*BASE, OTHER], [HEADING, LATER, B, OTHER], MOVED, [HEADING, B, OTHER, LATER]),
        ([*BASE, PRUNED], [HEADING, B, PRUNED, A], [*BASE, PRUNED], [HEADING, B, PRUNED, A]),
        (BASE, [HEADING, LATER, B], [HEADING, reworded(A), B], [HEADING, reworded(A), B]),
        (BASE, BASE, [HEADING, B], [HEADING, B]),
        ([HEADING, B, PRUNED, A], [*BASE, PRUNED], [HEADING, B, PRUNED], [*BASE, PRUNED]),
        ([HEADING, A, OTHER, ""], [HEADING, A, OTHER, ""], [HEADING, A], [HEADING, A]),
        ([HEADING, A, OTHER, ""], [HEADING, A, OTHER, "", C], [HEADING, A], [HEADING, A, OTHER, "", C]),
    ],
    ids=[
        "a line of theirs stays below the line it follows",
        "also at the beginning",
        "a heading of theirs follows the section before it",
        "an entry stays where it was moved to",
        "also if it changed meanwhile",
        "what Tacit moved goes with it",
        "an edit wins",
        "what was taken out is not drawn again",
        "unless it was pruned, and is restored",
        "a heading that was taken out stays out",
        "unless something is under it",
    ],
)
def test_edits_stay_where_they_were_made(
    base: list[str], mine: list[str], theirs: list[str], expected: list[str]
) -> None:
    assert merged(base, mine, theirs) == expected


def test_an_edit_and_what_tacit_wants_to_write_can_be_reconciled() -> None:
    base, mine, theirs = (
        f'{{"id": "x", "canonical": "{text}", "strength": {n}}}' for text, n in (("a", 1), ("a", 2), ("b", 1))
    )
    both = merge([base], [mine], [theirs], key=fact_id, reconcile=reconcile_fact)
    assert both == ['{"id": "x", "canonical": "b", "strength": 2}']


def test_a_forgotten_entry_goes_even_if_nobody_knows_who_wrote_it_and_an_unread_edit_of_it_stays() -> None:
    name = entry_id(A) or ""
    assert merged(None, [HEADING, B], BASE) == [HEADING, A, B]
    assert merged(None, [HEADING, B], BASE, name) == [HEADING, B]
    assert merged(BASE, [HEADING, B], [HEADING, A, A, B], name) == [HEADING, B]
    assert merged(BASE, [HEADING, B], [HEADING, reworded(A), B], name) == [HEADING, reworded(A), B]


def test_an_unread_edit_is_still_an_edit_after_the_page_was_drawn_again() -> None:
    theirs = [HEADING, reworded(A)]
    for mine in ([HEADING, A.replace("2024", "2025"), B, C], [HEADING, B, C]):
        base = base_with_unread_edits(BASE, mine, theirs, key=entry_id)
        page = merged(BASE, mine, theirs)
        assert long_term_edits(base, page) == long_term_edits(BASE, theirs)
        assert C in base and C in page


def test_a_line_that_was_read_is_no_edit_any_more_and_the_others_are() -> None:
    theirs = [HEADING, reworded(A), "- lint before a push"]
    edits = long_term_edits(BASE, theirs)
    for read in ({reworded(A)}, {"- lint before a push"}, {B}):
        base = base_with_read_edits(BASE, theirs, read, key=entry_id)
        assert long_term_edits(base, theirs) == [edit for edit in edits if edit.line not in read]


# Conflict markers as git writes them, and as people leave them


BLOCK = ["<<<<<<< HEAD", "a", "=======", "b", ">>>>>>> side"]


def test_a_block_has_two_sides() -> None:
    lines = ["x", *BLOCK, "y", "<<<<<<<", "=======", "c", ">>>>>>>"]
    assert list(split_conflicts(lines)) == [
        "x",
        MergeConflict(2, ("a",), ("b",)),
        "y",
        MergeConflict(8, (), ("c",)),
    ]
    assert without_markers(lines) == ["x", "a", "b", "y", "c"]


def test_the_common_ancestor_is_no_side() -> None:
    lines = ["<<<<<<< HEAD", "a", "||||||| 1a2b3c", "old", "=======", "b", ">>>>>>> side"]
    assert find_conflicts(lines) == [MergeConflict(1, ("a",), ("b",))]


@pytest.mark.parametrize("lines", [BLOCK[:2], BLOCK[:4], BLOCK[1:], ["a", ">>>>>>> side", "b"]])
def test_of_half_a_block_no_line_is_lost(lines: list[str]) -> None:
    assert [line for line in without_markers(lines) if line in "ab"] == [line for line in lines if line in "ab"]
    assert has_conflict_markers("\n".join(lines).encode())


@pytest.mark.parametrize(
    "text", ["", "a\n=======\nb\n", "x <<<<<<< y\n", '{"canonical": "<<<<<<< HEAD"}\n', "<<<<<<<<a\n", "<<<<<< HEAD\n"]
)
def test_what_is_no_marker(text: str) -> None:
    assert not has_conflict_markers(text.encode())
    assert conflict_markers(text.split("\n")) == set()


@pytest.mark.parametrize("text", ["<<<<<<< HEAD\r\n", "a\n>>>>>>> side", "<<<<<<<\n", "<<<<<<<<<< longer\n"])
def test_what_is_one(text: str) -> None:
    assert has_conflict_markers(text.encode())
