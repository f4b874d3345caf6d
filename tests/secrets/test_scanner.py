"""Laws of hiding: done once is done, the rest is untouched, and no way of asking changes the answer."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest
from harness.secret_examples import BLOCKS, FORMATS, written
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.secrets import MAX_SECRET_CHARS, Secret, find_secrets, redact_stream, redacted, scanner, secret_kind
from tacit.secrets.scanner import MAX_PREFIX_SCAN_CHARS, KeywordMatcher, UnescapedText, lowered

SHOWN = [written(text) for example in (*FORMATS, *BLOCKS) for text in (example.text, example.near_miss)]
# What surrounds secrets, and what breaks readers of them.
BITS = [
    *(" ", "\n", "\r", "=", ": ", '"', "'", "\\", "\\n", "%3D", "İ", "é", "😀", "\x00"),
    *("password", "token ", "export ", "the ", "https://me:", "@example.org/", "-----END KEY-----"),
    *("[redacted:github-token]", "[redacted:", ":00c0ffee]"),
]
texts = st.lists(st.sampled_from(SHOWN) | st.sampled_from(BITS) | st.text(max_size=12), max_size=8).map("".join)
MATCHER = KeywordMatcher(list(scanner.probe_makers()))
LAW = settings(max_examples=150, deadline=None)


def mark(value: str) -> str:
    return f"{len(value):08x}"


@LAW
@given(texts)
def test_what_is_hidden_once_is_hidden_for_good(text: str) -> None:
    for marked in (None, mark):
        once = redacted(text, marked)
        assert redacted(once, marked) == once
        assert secret_kind(once) is None


@LAW
@example('password="adafruit_feed = d7xl7vx2opyd')
@example("bittrex=77b416375eaff9d7b28c467b715d0fW\\İ")
@example("passord@i r o_Q7dmfX\\")
@example("passord\x08OCSPX-j7")
@example("KEY=7jB5jsbttps://me:")
@example('token p0b-online:"\u20288\x13u\u2028z\x0f<$*日e')
@example("passord=\r%3D7")
@given(texts)
def test_what_was_hidden_stays_the_same_in_a_json_string(text: str) -> None:
    for ascii_only in (True, False):
        line = json.dumps({"text": redacted(text, mark)}, ensure_ascii=ascii_only)
        assert redacted(line, mark) == line


@pytest.mark.parametrize(
    ("escaped", "text"),
    [
        (r"a\nb", "a\nb"),
        (r"a\\nb", "a\nb"),
        (r"a\\\nb", "a\\\nb"),
        (r"a\\\\nb", "a\nb"),
        (r"a\"b", 'a"b'),
        (r'a\\"b', 'a\\"b'),
        (r"a\\\"b", 'a"b'),
        (r"a\\\\\"b", 'a\\"b'),
        (r"a\\\u0130b", "a\\İb"),
        (r"a\\'b", "a'b"),
    ],
)
def test_a_backslash_before_an_escape_stays_one(escaped: str, text: str) -> None:
    """As many backslashes as strings inside strings have are one escape; any more stand for a backslash."""
    unescaped = UnescapedText(escaped)
    assert unescaped.text == text
    assert escaped[unescaped.original_offset(len(text) - 1) :] == "b"


def test_a_redaction_before_a_backslash_leaves_a_json_string_whole() -> None:
    line = json.dumps({"text": f"export TOKEN={written('ghp_<a36>')}\\"})
    assert json.loads(redacted(line))["text"].startswith("export TOKEN=[redacted:")


def test_a_secret_that_runs_into_another_leaves_no_half_of_a_redaction() -> None:
    token = written("gb_api_<a40>")
    text = f"AQE{'p' * 100}-{'N7mCYIehzTXVSyKggkTub4N' * 2}-r7X{token}"
    assert re.fullmatch(r"(\[redacted:[a-z-]+\])+", redacted(text)), redacted(text)


@LAW
@given(texts)
def test_finds_are_ordered_and_everything_else_is_untouched(text: str) -> None:
    found = find_secrets(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    first, *others = re.split(r"\[redacted:[a-z0-9-]+:0000[0-9a-f]{4}\]", redacted(text, mark))
    assert text.startswith(first) and text.endswith(others[-1] if others else first)
    at = len(first)
    for piece in others:
        at = text.index(piece, at) + len(piece)


@LAW
@given(texts)
def test_all_ways_to_ask_for_keywords_answer_the_same(text: str) -> None:
    low = lowered(text)
    expected = sorted(keyword for keyword in MATCHER._keywords if keyword in low)
    assert sorted(MATCHER.find_by_prefix(low)) == sorted(MATCHER.find_by_regex(low)) == expected
    assert sorted(MATCHER.find_in_words(text)[0]) == sorted(MATCHER.find_in_words(text)[0]) == expected


def test_keywords_that_overlap_are_all_found() -> None:
    matcher = KeywordMatcher(["asana", "api", "nap", "asana-x"])
    assert sorted(matcher.find_by_regex("asanapi")) == ["api", "asana", "nap"]
    assert sorted(matcher.find_by_regex("asana-x")) == ["asana", "asana-x"]


def test_the_way_changes_after_some_text_and_the_answer_does_not() -> None:
    asked = KeywordMatcher(list(scanner.probe_makers()))
    line = " ".join(SHOWN[:40]).lower()
    first = sorted(asked.find(line)[0])
    for _ in range(MAX_PREFIX_SCAN_CHARS // len(line) + 1):
        assert sorted(asked.find(line)[0]) == first


def test_the_same_secrets_are_found_before_and_after_words_are_remembered() -> None:
    texts = SHOWN[::4]
    assert sum(map(len, texts)) < MAX_PREFIX_SCAN_CHARS
    scanner.prefilter.cache_clear()
    first = [find_secrets(text) for text in texts]
    scanner.prefilter().find(" " * MAX_PREFIX_SCAN_CHARS)
    assert [find_secrets(text) for text in texts] == [find_secrets(text) for text in texts] == first


@LAW
@given(texts)
def test_words_show_their_keywords_in_any_case(text: str) -> None:
    asked = KeywordMatcher(["token", "api_key", "contraseña", "лозинка"])
    low = lowered(text)
    assert sorted(asked.find_in_words(text)[0]) == sorted(word for word in asked._keywords if word in low)


def test_special_words_are_told_each_time() -> None:
    asked = KeywordMatcher(["token"], str.isupper)
    for _ in range(2):
        assert asked.find_in_words("a TOKEN and ONE more") == (["token"], {"TOKEN", "ONE"})


@LAW
@given(texts)
def test_a_place_without_escapes_is_found_again_in_the_original(text: str) -> None:
    """What is no escape is the same sign here and there."""
    plain = UnescapedText(text)
    for at, sign in enumerate(plain.text):
        there = plain.original_offset(at)
        assert sign == "\x00" or text[there] in (sign, "\\", "%")
    assert plain.original_offset(len(plain.text)) == len(text)


@LAW
@given(texts, st.integers(1, 60))
def test_a_text_in_pieces_is_hidden_like_the_whole(text: str, size: int) -> None:
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    counted: list[Secret] = []
    assert "".join(redact_stream(pieces, mark, counted.append)) == redacted(text, mark)
    assert bool(counted) == (secret_kind(text) is not None)


def test_no_cut_goes_through_a_secret() -> None:
    """Secrets every few hundred characters, read in blocks whose ends fall anywhere, with and without line ends."""
    secret = written("ghp_<a36>")
    for gap, size in (("word " * 60, 40_000), ("x" * 311, 65_537), ("a line\n" * 50, 100_003)):
        text = (gap + " " + secret + " ") * (4 * MAX_SECRET_CHARS // len(gap))
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert "".join(redact_stream(pieces, mark, lambda _: None)) == text.replace(
            secret, "[redacted:github-token:00000028]"
        )


def test_a_key_across_many_blocks_is_hidden_whole() -> None:
    body = "\n".join(["MIIEpAIBAAKCAQEA7bq9Zk2x8Qz7vB3nM1pLr0sT4uWyXcVfHjKdEaZoRiQ2b7Na"] * 200)
    key = "-----BEGIN " + f"RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
    text = "line\n" * 30_000 + key + "\nline" * 30_000
    for size in (4096, 30_000, 70_001):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        told = "".join(redact_stream(pieces, mark, lambda _: None))
        assert told == "line\n" * 30_000 + f"[redacted:private-key:{len(key):08x}]" + "\nline" * 30_000


def test_a_key_that_was_seen_without_context_is_found_with_it() -> None:
    key = "9f1c4be27a05d38e6b7740c2f19ad853e64b0f72c8d51a3b"
    assert find_secrets(f"image {key}") == []
    assert find_secrets(f"printf '{key}' | xxd -r -p > psk.bin")
