"""Conflict markers as git writes them, and as people leave them."""

from __future__ import annotations

import pytest

from tacit.pages.merge import (
    MergeConflict,
    conflict_markers,
    find_conflicts,
    has_conflict_markers,
    split_conflicts,
    without_markers,
)

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
