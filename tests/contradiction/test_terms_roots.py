"""Tests of which words are derived from one root."""

from __future__ import annotations

import pytest

from tacit.contradiction.terms import is_same_word


@pytest.mark.parametrize(
    ("first", "second"),
    [("rotat", "rotation"), ("comment", "commenter"), ("availabl", "availabiliti"), ("explain", "explanation")],
)
def test_words_of_one_root_are_the_same(first: str, second: str) -> None:
    assert is_same_word(first, second)
    assert is_same_word(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("heroneu", "heronus"),
        ("billingworker", "billingweb"),
        ("password", "passwordles"),
        ("bucket_eu", "bucket_us"),
        ("worker1", "worker2"),
    ],
)
def test_an_ending_that_derives_nothing_makes_another_word(first: str, second: str) -> None:
    assert not is_same_word(first, second)
