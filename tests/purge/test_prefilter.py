"""The prefilter names every line in which the exact search finds a text, and hardly any other."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from unicodedata import normalize
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.purge import prefilter
from tacit.purge.match import LiteralMatcher, fold_letters, matches_any, normalize_for_match
from tacit.purge.prefilter import MatchPrefilter

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


@settings(max_examples=400, deadline=None)
@given(encoded_texts(), st.lists(noise, max_size=3))
def test_every_line_that_the_exact_search_finds_is_named(example: tuple[str, str], others: list[str]) -> None:
    secret, line = example
    normalized = normalize_for_match(secret)
    lines = [*others, line, *others]
    expected = {at for at, text in enumerate(lines) if matches_any(text, [LiteralMatcher(normalized)])}
    assert expected <= MatchPrefilter([normalized]).candidates(lines)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.integers(0, 40), st.integers(4, 12))
@example("00:00", 4, 4)
def test_any_part_of_any_text_is_found_in_it(text: str, start: int, length: int) -> None:
    normalized = normalize_for_match(text[start : start + length])
    if normalized and matches_any(text, [LiteralMatcher(normalized)]):
        assert MatchPrefilter([normalized]).candidates(["x", text]) >= {1}


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
def test_an_ordinary_line_is_ruled_out(line: str) -> None:
    assert MatchPrefilter(["hunter2 magic word"]).candidates([line]) == set()


def test_a_letter_that_stands_for_many_is_found_in_few_digits() -> None:
    for letter, encoding in (("\ufdfa", "utf-16-le"), ("ﬃ", "utf-16-be"), ("㏂", "utf-16-le")):
        text = normalize_for_match(letter * 2)
        line = "xx" + base64.b64encode(b"abcd" + (letter * 2).encode(encoding) + b"efgh").decode()
        assert matches_any(line, [LiteralMatcher(text)]) <= (MatchPrefilter([text]).candidates([line]) == {0})


def test_several_texts_are_searched_at_once() -> None:
    lines = ["nothing", "my Walrus", base64.b64encode(b"hunter2!").decode()]
    assert MatchPrefilter(["walrus", "hunter2"]).candidates(lines) == {1, 2}
    assert MatchPrefilter([]).candidates(lines) == set()


def test_a_run_of_digits_is_found_again_in_later_lines() -> None:
    digits = base64.b64encode(b"hunter2 hunter2").decode()
    search = MatchPrefilter(["hunter2"])
    assert search.candidates(["a", digits]) == {1}
    assert search.candidates([digits, "b", f"<{digits}>"]) == {0, 2}


def test_letters_that_look_like_ascii_are_all_known() -> None:
    """The quick test of bytes relies on this for every letter that Unicode has."""
    known = {*range(0x80), *prefilter._codes_in(prefilter._ASCII_LOOKALIKE_BLOCKS)}
    folding = {*range(0x80), *prefilter._codes_in(prefilter._ALL_BLOCKS)}
    for code in (*range(0xD800), *range(0xE000, 0x110000)):
        folded = fold_letters(chr(code))
        assert code in known or not re.search("[!-~]", folded), hex(code)
        assert code in folding or folded == chr(code), hex(code)
