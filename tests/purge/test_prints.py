"""Many texts that are searched for prints at once: the same is found as in each of them by itself."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.purge.matcher import TextFinder, normalize_for_match
from tacit.purge.prints import PRIME, HashedText, PrintSearch, PurgedText, hash_letters, make_fingerprint
from tests.purge.test_matcher import SECRETS, encoded_texts, noise

SALT = b"a salt for all of them"
PRINTS = {secret: make_fingerprint(secret, SALT) for secret in SECRETS}


@settings(max_examples=400, deadline=None)
@given(encoded_texts(), st.lists(noise, max_size=3), st.sampled_from(SECRETS))
def test_what_the_exact_search_finds_is_learned(example: tuple[str, str], others: list[str], other: str) -> None:
    secret, line = example
    matchers = {each: PurgedText(PRINTS[each]) for each in (secret, other)}
    PrintSearch(matchers.values()).learn([*others, line])
    for each, matcher in matchers.items():
        finder = TextFinder([normalize_for_match(each)])
        assert matcher.text in ("", *finder.texts)
        if finder.matching([*others, line]):
            assert matcher.text


@pytest.mark.parametrize("before", ["", "x", "xy", "xyz"])
def test_runs_of_digits_are_decoded_together(before: str) -> None:
    inner = base64.b64encode(b"my hunter2 magic word, twice").decode()
    runs = [base64.b64encode(f"number {number} of many".encode()).decode() for number in range(50)]
    hidden = before + base64.b64encode(inner.encode()).decode().rstrip("=")
    for line in (hidden, before + "hunter2 magic word".encode("utf-16-be").hex()):
        matcher = PurgedText(PRINTS["Hunter2 magic word"])
        search = PrintSearch([matcher])
        search.learn(runs)
        assert len(matcher.text) == 0
        search.learn([*runs, line])
        assert matcher.text == "hunter2 magic word"


def test_a_run_that_was_met_inside_another_one_is_searched_as_deep_later() -> None:
    deep = b"hunter2 magic word"
    for _ in range(3):
        deep = base64.b64encode(deep)
    matcher = PurgedText(PRINTS["Hunter2 magic word"])
    search = PrintSearch([matcher])
    search.learn([base64.b64encode(deep).decode()])  # one level too deep
    assert not matcher.text
    search.learn([deep.decode()])
    assert matcher.text


# The rolling hash

ALPHABETS = ("ab", "abcdé ", "a日\U0001f600", "\ud800x")
texts = st.builds(
    lambda part, times, rest: part * times + rest,
    st.one_of([st.text(alphabet, min_size=1, max_size=60) for alphabet in ALPHABETS]),
    st.integers(1, 60),
    st.text(max_size=9),
)


@settings(max_examples=300, deadline=None)
@given(texts, st.integers(1, 70), st.integers(256, PRIME - 1), st.data())
def test_each_window_with_the_hash_is_found_and_no_other(
    text: str, length: int, base: int, data: st.DataObject
) -> None:
    hashes = [hash_letters(text[start : start + length], base) for start in range(len(text) - length + 1)]
    wanted = data.draw(st.sampled_from(hashes) if hashes else st.just(0))
    hashed = HashedText(text, length + data.draw(st.integers(0, 9)))
    assert sorted(hashed.windows(length, base, wanted)) == [at for at, each in enumerate(hashes) if each == wanted]


def test_a_hash_that_two_forms_are_reduced_to_is_found() -> None:
    for wanted in range(70):  # of one letter, the hash is its code point
        text = "x" * 300 + chr(wanted) + chr(wanted + PRIME) + "x" * 300
        assert sorted(HashedText(text, 1).windows(1, 256, wanted)) == [300, 301]


def test_what_is_no_hash_of_a_window_is_found_nowhere() -> None:
    text = HashedText("x" * 1000, 2000)
    for length, wanted in ((0, 1), (-3, 1), (1001, 1), (10**12, 1), (3, -1), (3, PRIME), (3, 1 << 60)):
        assert list(text.windows(length, 300, wanted)) == []
