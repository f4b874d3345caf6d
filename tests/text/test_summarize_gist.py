"""The gist of a text: its first telling sentence, as one line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.text.summarize import opening_line, summarize


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Rename the cart table. Then the docs.", "Rename the cart table."),
        ("Done. The cart table is renamed.", "Done. The cart table is renamed."),
        ("## Summary\n\nThe tests pass now.", "Summary"),
        ("- **Fixed** the `parser`. More.", "Fixed the parser."),
        ("See .env and v1.2 of it, e.g. here. End.", "See .env and v1.2 of it, e.g. here."),
        ("```\ncode here\n```\nThe code is above.", "The code is above."),
        ("---\n***\nAfter a rule it begins.", "After a rule it begins."),
        ("What I changed:\n- the parser. And more.", "What I changed: the parser. And more."),
        ("これは長い文章です。次の文。", "これは長い文章です。次の文。"),
        ("", ""),
        ("   \n\n  ", ""),
        ("```\nonly code\n```", ""),
        ("no end at all", "no end at all"),
    ],
)
def test_the_gist_is_the_first_sentence_that_tells_something(text: str, told: str) -> None:
    assert summarize(text) == told


def test_a_long_sentence_is_cut_and_the_cut_is_seen() -> None:
    assert summarize("word " * 100, 40).endswith("…") and len(summarize("word " * 100, 40)) <= 40


def test_the_lead_is_the_beginning_of_all_lines() -> None:
    assert opening_line("# Title\n\n- one\n- two", 100) == "Title one two"
    assert opening_line("# Title\n\n- one\n- two", 8) == "Title o…"


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=400), limit=st.integers(1, 200))
def test_it_is_one_line_within_its_limit(text: str, limit: int) -> None:
    for told in (summarize(text, limit), opening_line(text, limit)):
        assert len(told) <= limit
        assert "\n" not in told and told == told.strip()


def test_a_text_without_end_takes_no_time() -> None:
    """Nothing is looked at behind the first few thousand characters."""
    assert len(summarize("a" * 5_000_000)) <= 160
    assert len(summarize("- " * 1_000_000)) <= 160
