"""Many texts that are searched for prints at once: the same is found as in each of them by itself."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.purge.fingerprint import FingerprintMatcher, FingerprintSearch, make_fingerprint
from tacit.purge.match import LiteralMatcher, matches_any, normalize_for_match
from tests.purge.test_prefilter import SECRETS, encoded_texts, noise

SALT = b"a salt for all of them"
PRINTS = {secret: make_fingerprint(secret, SALT) for secret in SECRETS}


@settings(max_examples=400, deadline=None)
@given(encoded_texts(), st.lists(noise, max_size=3), st.sampled_from(SECRETS))
def test_what_the_exact_search_finds_is_learned(example: tuple[str, str], others: list[str], other: str) -> None:
    secret, line = example
    matchers = {each: FingerprintMatcher(PRINTS[each]) for each in (secret, other)}
    FingerprintSearch(matchers.values()).learn([*others, line])
    for each, matcher in matchers.items():
        literal = LiteralMatcher(normalize_for_match(each))
        assert matcher.text in ("", literal.normalized)
        if any(matches_any(text, [literal]) for text in [*others, line]):
            assert matcher.text


@settings(max_examples=200, deadline=None)
@given(encoded_texts())
def test_a_print_finds_what_the_text_itself_would_find(example: tuple[str, str]) -> None:
    secret, line = example
    by_print = matches_any(line, [FingerprintMatcher(PRINTS[secret])])
    assert by_print == matches_any(line, [LiteralMatcher(normalize_for_match(secret))])


@pytest.mark.parametrize("before", ["", "x", "xy", "xyz"])
def test_runs_of_digits_are_decoded_together(before: str) -> None:
    inner = base64.b64encode(b"my hunter2 magic word, twice").decode()
    runs = [base64.b64encode(f"number {number} of many".encode()).decode() for number in range(50)]
    hidden = before + base64.b64encode(inner.encode()).decode().rstrip("=")
    for line in (hidden, before + "hunter2 magic word".encode("utf-16-be").hex()):
        matcher = FingerprintMatcher(PRINTS["Hunter2 magic word"])
        search = FingerprintSearch([matcher])
        search.learn(runs)
        assert len(matcher.text) == 0
        search.learn([*runs, line])
        assert matcher.text == "hunter2 magic word"


def test_a_run_that_was_met_inside_another_one_is_searched_as_deep_later() -> None:
    deep = b"hunter2 magic word"
    for _ in range(3):
        deep = base64.b64encode(deep)
    matcher = FingerprintMatcher(PRINTS["Hunter2 magic word"])
    search = FingerprintSearch([matcher])
    search.learn([base64.b64encode(deep).decode()])  # one level too deep
    assert not matcher.text
    search.learn([deep.decode()])
    assert matcher.text
