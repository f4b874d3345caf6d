"""Which lines correct others, and which words are misspelled."""

from __future__ import annotations

import pytest

from tacit.learn.habits.corrections import is_misspelled, misspelled_name


@pytest.mark.parametrize(
    ("wrong", "right"), [("claer", "clear"), ("dcoker", "docker"), ("gitt", "git"), ("mke", "make"), ("sl", "ls")]
)
def test_a_letter_more_less_or_other_or_two_swapped_is_a_misspelling(wrong: str, right: str) -> None:
    assert is_misspelled(wrong, right)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("clear", "clear"), ("a1", "a2"), ("file1", "file2"), ("gp", "ga"), ("grep", "rg"), ("v", "vi")],
)
def test_another_word_is_no_misspelling(wrong: str, right: str) -> None:
    assert not is_misspelled(wrong, right)


@pytest.mark.parametrize(
    ("steps", "name"),
    [
        (("claer", "clear"), "clear"),
        (("vi", "vim"), ""),
        (("npm isntall", "npm install"), ""),
        (("mak'e", "make"), ""),
        (("grep", "rg"), ""),
    ],
)
def test_only_the_name_of_no_program_can_be_an_alias(steps: tuple[str, str], name: str) -> None:
    assert misspelled_name(steps) == name
