"""Forms of one word have one root; what is no English word stays as it is."""

from __future__ import annotations

import pytest

from tacit.text.words import STEMS


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        ("connect connected connecting connection connections", "connect"),
        ("hop hopping hopped hops", "hop"),
        ("hope hoping hoped hopes", "hope"),
        ("relational relate relates", "relat"),
        ("happy happiness", "happi"),
        ("digitizer digitize digitized", "digit"),
        ("agreed agree agrees", "agre"),
        ("controlling controlled control", "control"),
        ("sensibility sensible", "sensibl"),
        ("flies", "fli"),
    ],
)
def test_forms_of_a_word_share_a_root(forms: str, expected: str) -> None:
    assert {STEMS[form] for form in forms.split()} == {expected}


@pytest.mark.parametrize(
    "word", ["HTTP_TIMEOUT", "worker-47", "src/auth/login.ts", "größe", "日本", "go", "v2", "--", ""]
)
def test_names_and_other_scripts_stay_as_they_are(word: str) -> None:
    assert STEMS[word] == word


def test_words_that_are_not_related_stay_apart() -> None:
    assert len({STEMS[word] for word in "general generous university rate relay sky skies pass past".split()}) >= 8
