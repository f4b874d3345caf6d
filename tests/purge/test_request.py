"""What may be purged: memories by their ids, and texts that do not destroy our own files."""

from __future__ import annotations

import pytest
from harness.person import Person, tree

from tests.purge.conftest import SECRET


@pytest.fixture
def home(person: Person) -> Person:
    person.tacit("add", f"the secret is {SECRET}")
    return person


def test_an_id_that_nobody_has_is_not_found(home: Person) -> None:
    assert "no memory has the id zzzz" in home.tacit("purge", "zzzz", "--yes", code=1).err


def test_words_are_not_taken_for_an_id_and_not_repeated(home: Person) -> None:
    for words in ((SECRET,), tuple(SECRET.split())):
        said = home.tacit("purge", *words, "--yes", code=2)
        assert "q999x" not in said.out + said.err and "--text" in said.err


@pytest.mark.parametrize("text", ["", "   ", "abc", "  ab "])
def test_a_text_has_four_letters_at_least(home: Person, text: str) -> None:
    assert "at least 4" in home.tacit("purge", "--text", text, "--yes", code=2).err


@pytest.mark.parametrize("word", ["memory", "User", "sentence", "[purged]", "constraint", "promotion candidates"])
def test_a_word_of_our_own_files_is_refused(home: Person, word: str) -> None:
    before = tree(home.home)
    assert "longer text" in home.tacit("purge", "--text", word, "--yes", code=1).err
    assert tree(home.home) == before
