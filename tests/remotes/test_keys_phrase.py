"""A recovery phrase can be read aloud, typed in any way, and its mistakes are found."""

from __future__ import annotations

import os

import pytest

from tacit.errors import UsageError
from tacit.remotes.keys import make_phrase, parse_phrase, phrase_lines


def test_a_phrase_has_nine_groups_of_five_letters() -> None:
    phrase = make_phrase(bytes(range(16)))
    assert [len(group) for group in phrase.split("-")] == [5] * 9
    assert make_phrase(bytes(range(16))) == phrase != make_phrase(bytes(range(1, 17)))


def test_case_blanks_dashes_and_lines_do_not_matter() -> None:
    for _ in range(50):
        phrase = make_phrase(os.urandom(16))
        assert parse_phrase("\n".join(phrase_lines(phrase)).upper()) == phrase
        assert parse_phrase(f"  {phrase.replace('-', ' - ')}\n") == phrase


def test_a_mistake_is_found_and_its_group_is_named() -> None:
    groups = make_phrase(bytes(16)).split("-")
    with pytest.raises(UsageError, match="group 3"):
        parse_phrase("-".join([*groups[:2], "bxbab", *groups[3:]]))
    with pytest.raises(UsageError, match="9 groups"):
        parse_phrase("-".join(groups[:8]))
    with pytest.raises(UsageError, match="typing mistake"):
        parse_phrase("-".join(["bababdabab"[5:], *groups[1:]]))
    with pytest.raises(UsageError, match="is needed"):
        parse_phrase(" \n")


def test_a_wrong_letter_is_found_nearly_always() -> None:
    phrase = make_phrase(os.urandom(16))
    letters = [(at, letter) for at in range(0, 10, 2) for letter in "bdfgz" if letter != phrase[at]]
    wrong = [phrase[:at] + letter + phrase[at + 1 :] for at, letter in letters]
    accepted = 0
    for text in wrong:
        try:
            parse_phrase(text)
            accepted += 1
        except UsageError:
            pass
    assert accepted <= 1
