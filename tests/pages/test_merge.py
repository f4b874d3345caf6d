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


def test_a_line_of_theirs_stays_below_the_line_that_it_follows() -> None:
    mine = [HEADING, C, A, B]
    assert merged(BASE, mine, [HEADING, A, "my note", B]) == [HEADING, C, A, "my note", B]
    assert merged(BASE, mine, ["first", *BASE]) == ["first", *mine]


def test_a_heading_of_theirs_with_its_lines_follows_the_section_before_it() -> None:
    theirs = [*BASE, "## Mine", "- milk"]
    assert merged(BASE, [HEADING, A, B, C], theirs) == [HEADING, A, B, C, "## Mine", "- milk"]


def test_an_entry_stays_under_the_heading_that_the_person_moved_it_to() -> None:
    base = [HEADING, A, B, OTHER]
    theirs = [HEADING, B, OTHER, A]
    assert merged(base, base, theirs) == theirs
    assert merged(base, [HEADING, A.replace("2024", "2025"), B, OTHER], theirs) == [
        HEADING,
        B,
        OTHER,
        A.replace("2024", "2025"),
    ]


def test_an_entry_that_tacit_moved_meanwhile_goes_with_it() -> None:
    pruned = f"## {PRUNED_SECTION}"
    assert merged([HEADING, A, B, pruned], [HEADING, B, pruned, A], [HEADING, A, B, pruned]) == [HEADING, B, pruned, A]


def test_an_edit_wins_over_what_tacit_wants_to_write_unless_both_are_reconciled() -> None:
    newer = A.replace("2024", "2025")
    assert merged(BASE, [HEADING, newer, B], [HEADING, reworded(A), B]) == [HEADING, reworded(A), B]

    base, mine, theirs = (
        f'{{"id": "x", "canonical": "{text}", "strength": {n}}}' for text, n in (("a", 1), ("a", 2), ("b", 1))
    )
    both = merge([base], [mine], [theirs], key=fact_id, reconcile=reconcile_fact)
    assert both == ['{"id": "x", "canonical": "b", "strength": 2}']


def test_what_the_person_took_out_is_not_drawn_again_but_a_pruned_entry_that_is_restored_is() -> None:
    assert merged(BASE, BASE, [HEADING, B]) == [HEADING, B]
    pruned = [HEADING, B, f"## {PRUNED_SECTION}", A]
    assert merged(pruned, [HEADING, A, B, f"## {PRUNED_SECTION}"], pruned[:-1]) == [
        HEADING,
        A,
        B,
        f"## {PRUNED_SECTION}",
    ]


def test_a_heading_that_was_taken_out_comes_back_only_with_something_under_it() -> None:
    base, theirs = [HEADING, A, OTHER, ""], [HEADING, A]
    assert merged(base, base, theirs) == theirs
    assert merged(base, [*base, C], theirs) == [HEADING, A, OTHER, "", C]


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
