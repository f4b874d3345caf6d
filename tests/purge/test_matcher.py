"""A text is found in every spelling and encoding, and only its own span is replaced.

`oracle.py` is the matcher of earlier versions, which decoded everything and remembered nothing: both find the same.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from unicodedata import normalize
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.purge import matcher
from tacit.purge.matcher import TextFinder, fold_letters, normalize_for_match
from tacit.text.display import PURGED_MARK
from tests.purge import oracle

SECRET = "Hunter2 magic word"
SECRETS = (
    "Hunter2 magic word",
    "hunter2",
    "ab c",
    "пароль Ёлка",
    "日本語の秘密",
    "한국어 비밀",
    "naïve cafe\u0301 noir",
    "ŞİŞLİ STRASSE ß",
    "🔑👩‍👩‍👧 wagon",
    'quo"ted \\ back slash',
    "per%20cent+1/path?a=b",
    "\\\\\\\\",
)
_FULL_WIDTH = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)})
SPELLINGS: tuple[Callable[[str], str], ...] = (
    str,
    str.upper,
    str.swapcase,
    lambda text: normalize("NFC", text),
    lambda text: normalize("NFD", text),
    lambda text: text.translate(_FULL_WIDTH),
    lambda text: text.replace(" ", "\n\t "),
    lambda text: text.replace(" ", "\u00a0"),
    lambda text: text[:2] + text[2:].translate(_FULL_WIDTH),
)


def _points(text: str, form: str) -> str:
    return "".join(form.format(ord(letter)) for letter in text)


def _bytes_as_letters(text: str, encoding: str) -> str:
    return text.encode(encoding, "surrogatepass").decode("latin-1")


def _base64(encoding: str, *, before: bytes = b"", url_safe: bool = False) -> Callable[[str], str]:
    encode = base64.urlsafe_b64encode if url_safe else base64.b64encode
    return lambda text: encode(before + text.encode(encoding, "surrogatepass")).decode().rstrip("=")


ENCODINGS: tuple[Callable[[str], str], ...] = (
    str,
    lambda text: _points(text, "\\u{{{:x}}}"),
    lambda text: text.encode("ascii", "backslashreplace").decode(),
    lambda text: re.sub("[a-z]", lambda letter: f"\\x{ord(letter[0]):02x}", text),
    lambda text: text.replace("e", "\\e").replace("n", "\\u006e"),
    lambda text: quote(text.encode("utf-8", "surrogatepass")),
    lambda text: quote_plus(text.encode("utf-8", "surrogatepass")),
    lambda text: "".join(f"%{byte:02X}" for byte in text.encode("utf-16-le", "surrogatepass")),
    lambda text: text.encode("utf-8", "surrogatepass").hex(),
    lambda text: "a" + text.encode("utf-16-be", "surrogatepass").hex().upper(),
    _base64("utf-8"),
    _base64("utf-8", before=b"x"),
    _base64("utf-8", before=b"x?", url_safe=True),
    _base64("utf-16-le"),
    _base64("utf-16-be", before=b"y"),
    lambda text: "\0".join(text) + "\0",
    "\ufffd".join,
    lambda text: _bytes_as_letters(text, "utf-8"),
    lambda text: _bytes_as_letters(text, "utf-16-le"),
    lambda text: _bytes_as_letters(text, "utf-16-be"),
)
noise = st.text(st.sampled_from("ab /-+%\\u0x é ß\n\x1eü日\"'{}:"), max_size=12)


@st.composite
def encoded_texts(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and a line with it in some spelling, encoded up to four times with something around it."""
    secret = draw(st.sampled_from(SECRETS))
    line = draw(st.sampled_from(SPELLINGS))(secret)
    for encode in draw(st.lists(st.sampled_from(ENCODINGS), max_size=4)):
        line = encode(draw(noise) + line + draw(noise) if draw(st.booleans()) else line)
    return secret, draw(noise) + line + draw(noise)


def sought(*texts: str) -> TextFinder:
    return TextFinder(map(normalize_for_match, texts))


def encoded(text: str, times: int) -> str:
    for _ in range(times):
        text = base64.b64encode(text.encode()).decode()
    return text


# What the oracle says


@settings(max_examples=200, deadline=None)
@given(encoded_texts(), st.lists(noise, max_size=3), st.sampled_from(SECRETS))
def test_the_same_is_found_and_replaced_as_by_the_oracle(
    example: tuple[str, str], others: list[str], other: str
) -> None:
    secret, line = example
    finder, lines = sought(secret, other), [*others, line, *others]
    literals = [oracle.literal(text) for text in finder.texts]
    expected = [text for text in lines if oracle.matches_any(text, literals)]
    assert finder.matching(lines) == set(expected)
    assert [text for text in lines if finder.contains(text)] == expected
    assert [finder.replace_matches(text) for text in lines] == [
        oracle.replace_matches(text, literals) for text in lines
    ]


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.integers(0, 40), st.integers(4, 12))
@example("00:00", 4, 4)
def test_any_part_of_any_text_is_found_as_by_the_oracle(text: str, start: int, length: int) -> None:
    if part := normalize_for_match(text[start : start + length]):
        literal = [oracle.literal(part)]
        assert sought(part).contains(text) == oracle.matches_any(text, literal)
        assert sought(part).replace_matches(text) == oracle.replace_matches(text, literal)


@pytest.mark.parametrize(
    "line",
    [
        "never run the build repeatedly because it is heavy",
        "/home/someone/project-name/src/main.py:12: error",
        "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
        'curl "https://example.org/%C3%BCber?a=b+c" \\\n  --data "\\u00fc"',
        "für Größe und Maß",
        base64.b64encode(b"something else altogether").decode(),
    ],
)
def test_an_ordinary_line_is_not_found(line: str) -> None:
    assert sought("hunter2 magic word").matching([line]) == set()


def test_a_letter_that_stands_for_many_is_found_in_few_digits() -> None:
    for letter, encoding in (("\ufdfa", "utf-16-le"), ("ﬃ", "utf-16-be"), ("㏂", "utf-16-le"), ("\U00020000", "utf-8")):
        text = normalize_for_match(letter * 2)
        line = "xx" + base64.b64encode(b"abcd" + (letter * 2).encode(encoding) + b"efgh").decode()
        assert sought(text).contains(line) == oracle.matches_any(line, [oracle.literal(text)])


def test_a_run_of_digits_is_found_again_in_later_lines() -> None:
    digits = base64.b64encode(b"hunter2 hunter2").decode()
    finder = sought("hunter2")
    assert finder.matching(["a", digits]) == {digits}
    assert finder.matching([digits, "b", f"<{digits}>"]) == {digits, f"<{digits}>"}


def test_a_run_that_was_met_inside_another_one_is_searched_as_deep_later() -> None:
    finder, deep = sought(SECRET), encoded(SECRET, 3)
    assert not finder.contains(encoded(deep, 1))  # one level too deep
    assert finder.contains(deep)


def test_letters_that_look_like_ascii_are_all_known() -> None:
    """The quick test of bytes relies on this for every letter that Unicode has."""
    known = {*range(0x80), *(code for block in matcher._ASCII_LOOKALIKE_BLOCKS for code in range(*block))}
    folding = {*range(0x80), *(code for block in matcher._FOLDING_BLOCKS for code in range(*block))}
    for code in (*range(0xD800), *range(0xE000, 0x110000)):
        folded = fold_letters(chr(code))
        assert code in known or not re.search("[!-~]", folded), hex(code)
        assert code in folding or folded == chr(code), hex(code)


# Spellings and spans


@pytest.mark.parametrize(
    ("one", "other"),
    [("Straße", "STRASSE"), ("café", "cafe\u0301"), ("ｆｏｏ", "foo"), ("a \n\t b", " a b "), ("ﬁne", "FINE")],
)
def test_spellings_that_look_alike_are_normalized_to_one(one: str, other: str) -> None:
    assert normalize_for_match(one) == normalize_for_match(other)


def test_each_of_several_matches_is_replaced_and_those_that_overlap_or_touch_are_one() -> None:
    mark = PURGED_MARK
    assert sought("aabaa").replace_matches("x aabaabaa y") == f"x {mark} y"
    assert sought("abcd").replace_matches("abcd, abcdabcd and ABCD") == f"{mark}, {mark} and {mark}"


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
    assert sought(SECRET).replace_matches(f"<< {form} >>") == f"<< {PURGED_MARK} >>"


@pytest.mark.parametrize("shift", [0, 1, 2])
def test_every_digit_of_base64_that_holds_a_part_of_the_text_is_replaced(shift: int) -> None:
    digits = encoded("x" * shift + "walrus12" + "yyy", 1)
    first, last = shift * 8 // 6, -(-(shift + 8) * 8 // 6)
    assert sought("walrus12").replace_matches(digits) == digits[:first] + PURGED_MARK + digits[last:]


def test_an_escaped_pair_of_surrogates_is_one_letter() -> None:
    assert sought("🔑 key").replace_matches("x \\ud83d\\udd11 key") == f"x {PURGED_MARK}"


def test_encodings_are_resolved_three_levels_deep() -> None:
    assert [sought(SECRET).contains(encoded(SECRET, times)) for times in range(5)] == [True] * 4 + [False]


def test_an_accent_after_a_match_makes_it_another_word() -> None:
    assert not sought("cafe").contains("the cafe\u0301") and not sought("resumes").contains("the résumés")
    assert sought("cafe").contains("the cafe")


def test_any_of_several_texts_is_found_and_each_is_replaced() -> None:
    assert sought("walrus", "hunter2").contains("my Hunter2")
    assert sought("walrus", "hunter2").replace_matches("walrus and Hunter2") == f"{PURGED_MARK} and {PURGED_MARK}"
    assert not sought("walrus", "hunter2").contains("my hunter3")


def test_matches_inside_an_excluded_span_stay() -> None:
    text = "walrus in `a walrus` and walrus"
    assert sought("walrus").replace_matches(text, r"`[^`]*`") == f"{PURGED_MARK} in `a walrus` and {PURGED_MARK}"


def test_a_text_that_is_part_of_the_mark_is_not_replaced_forever() -> None:
    assert sought("purged").replace_matches("it was purged") == "it was purged"


@pytest.mark.parametrize("text", ["", "\\", "%", "%zz", "\\u{FFFFFF}", "\udcff\udcfe", "\ufffd\0", "=" * 50, "\\ud83d"])
def test_a_broken_encoding_is_searched_as_far_as_it_can_be_decoded(text: str) -> None:
    assert sought(SECRET).replace_matches(text) == text
    assert sought(SECRET).replace_matches(f"{text} {SECRET}") == f"{text} {PURGED_MARK}"
