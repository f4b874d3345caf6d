"""A text is found in another spelling or encoding, and only its own span is replaced."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest

from tacit.purge.match import LiteralMatcher, matches_any, normalize_for_match, replace_matches
from tacit.text.display import PURGED_MARK

SECRET = "Hunter2 magic word"


def sought(*texts: str) -> list[LiteralMatcher]:
    return [LiteralMatcher(normalize_for_match(text)) for text in texts]


def encoded(text: str, times: int) -> str:
    for _ in range(times):
        text = base64.b64encode(text.encode()).decode()
    return text


@pytest.mark.parametrize(
    ("one", "other"),
    [("Straße", "STRASSE"), ("café", "cafe\u0301"), ("ｆｏｏ", "foo"), ("a \n\t b", " a b "), ("ﬁne", "FINE")],
)
def test_spellings_that_look_alike_are_normalized_to_one(one: str, other: str) -> None:
    assert normalize_for_match(one) == normalize_for_match(other)


def test_overlapping_matches_are_found() -> None:
    assert list(LiteralMatcher("aa").find("aaaa")) == [0, 1, 2]
    assert LiteralMatcher("aa").length == 2


@pytest.mark.parametrize(
    "form",
    [
        "Hunter2\\u0020magic word",
        "Hunter2\\x20magic\\u{20}word",
        "\\u{48}unter2 magic word",
        "Hunter2\\nmagic\\tword",
        "Hunter2+magic+word",
        "Hunter2%20magic%20word",
        quote(encoded(SECRET, 1)),
        SECRET.encode().hex().upper(),
    ],
)
def test_exactly_the_encoded_span_is_replaced(form: str) -> None:
    assert replace_matches(f"<< {form} >>", sought(SECRET)) == f"<< {PURGED_MARK} >>"


@pytest.mark.parametrize("shift", [0, 1, 2])
def test_every_digit_of_base64_that_holds_a_part_of_the_text_is_replaced(shift: int) -> None:
    digits = encoded("x" * shift + "walrus12" + "yyy", 1)
    first, last = shift * 8 // 6, -(-(shift + 8) * 8 // 6)
    assert replace_matches(digits, sought("walrus12")) == digits[:first] + PURGED_MARK + digits[last:]


def test_an_escaped_pair_of_surrogates_is_one_letter() -> None:
    assert replace_matches("x \\ud83d\\udd11 key", sought("🔑 key")) == f"x {PURGED_MARK}"


def test_encodings_are_resolved_three_levels_deep() -> None:
    assert [matches_any(encoded(SECRET, times), sought(SECRET)) for times in range(5)] == [True] * 4 + [False]


def test_an_accent_after_a_match_makes_it_another_word() -> None:
    assert not matches_any("the cafe\u0301", sought("cafe"))
    assert matches_any("the cafe", sought("cafe"))


def test_any_of_several_texts_is_found_and_each_is_replaced() -> None:
    assert matches_any("my Hunter2", sought("walrus", "hunter2"))
    assert replace_matches("walrus and Hunter2", sought("walrus", "hunter2")) == f"{PURGED_MARK} and {PURGED_MARK}"
    assert not matches_any("my hunter3", sought("walrus", "hunter2"))


def test_matches_inside_an_excluded_span_stay() -> None:
    text = "walrus in `a walrus` and walrus"
    assert replace_matches(text, sought("walrus"), r"`[^`]*`") == f"{PURGED_MARK} in `a walrus` and {PURGED_MARK}"


def test_a_text_that_is_part_of_the_mark_is_not_replaced_forever() -> None:
    assert replace_matches("it was purged", sought("purged")) == "it was purged"


@pytest.mark.parametrize("text", ["", "\\", "%", "%zz", "\\u{FFFFFF}", "\udcff\udcfe", "\ufffd\0", "=" * 50, "\\ud83d"])
def test_a_broken_encoding_is_searched_as_far_as_it_can_be_decoded(text: str) -> None:
    assert replace_matches(text, sought(SECRET)) == text
    assert replace_matches(f"{text} {SECRET}", sought(SECRET)) == f"{text} {PURGED_MARK}"
