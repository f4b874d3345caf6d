"""A large file is scrubbed in blocks as it would be as a whole."""

from __future__ import annotations

from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.purge.match import LiteralMatcher, matches_any, normalize_for_match, replace_matches
from tacit.purge.scrub import Scrubber

WORDS = ("hunter2", "magic", "word", "", "  ", "other", "- 2026-01-02: x", b64encode(b"hunter2 magic word").decode())
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=2).map(" ".join), max_size=12)


@settings(deadline=None, max_examples=300)
@given(texts, st.integers(1, 5), st.sampled_from(("hunter2", "hunter2 magic word", "word hunter2 other")))
def test_blocks_are_scrubbed_like_the_whole(lines: list[str], size: int, text: str) -> None:
    matchers = [LiteralMatcher(normalize_for_match(text))]
    blocks = [lines[start : start + size] for start in range(0, len(lines), size)]
    scrubber = Scrubber(lambda _text: matchers)
    assert scrubber.contains(blocks) == matches_any("\n".join(lines), matchers)
    scrubbed = [line for block in scrubber.replace(blocks) for line in block]
    assert "\n".join(scrubbed) == replace_matches("\n".join(lines), matchers)


@pytest.mark.parametrize("gap", ["\n", "\n\n\n\n\n\n\n\n"])
def test_a_match_may_span_lines_and_empty_ones_between_them(gap: str) -> None:
    lines = f"before\nmy hunter2{gap}magic\nword\nafter".split("\n")
    blocks = [[line] for line in lines]
    scrubber = Scrubber(lambda _text: [LiteralMatcher("hunter2 magic word")])
    scrubbed = [line for block in scrubber.replace(blocks) for line in block]
    assert scrubbed == ["before", "my [purged]", "after"]


def test_what_is_excluded_stays() -> None:
    texts = [LiteralMatcher("walrus")]
    scrubber = Scrubber(lambda _text: texts, lambda text, matchers: replace_matches(text, matchers, r"`[^`]*`"))
    assert list(scrubber.replace([["`a walrus` and walrus"]]))[-1] == ["`a walrus` and [purged]"]
