"""One line of a request or a reply: what it is about, what came of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.text.display import clip_at_word
from tacit.text.summarize import (
    headline,
    last_sentence,
    opening_line,
    result_sentence,
    specificity,
    summarize,
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Rename the cart table to baskets. Then the docs.", "Rename the cart table to baskets."),
        ("Hello Claude! Can you explain how decorators work?", "Can you explain how decorators work?"),
        ("Thanks. Now the changelog.", "Now the changelog."),
        (
            "Implement the following plan:\n\n# Dark mode for the settings page\n\n## Context",
            "Dark mode for the settings page",
        ),
        (
            "I got this feedback:\n\nThe parser should refuse identifiers that are too short.",
            "The parser should refuse identifiers that are too short.",
        ),
        (
            "Quality score\n\nCreate a page that shows label counts.",
            "Quality score: Create a page that shows label counts.",
        ),
        (
            "Updating a team to assign a lead or change from viewer to\n  contributor is very slow. Can you look?",
            "Updating a team to assign a lead or change from viewer to contributor is very slow.",
        ),
        (
            "2026-03-02 10:00:01 ERROR worker failed\nERROR worker failed again\nwhy does the worker crash?",
            "why does the worker crash?",
        ),
        ("fix lint errors:\n  a.go:12:3: unused variable\n        return main", "fix lint errors"),
        ("```\nonly code\n```", ""),
        ("Operation stopped by hook: Another session is active.\n\nYou can continue with the checkpoints.", ""),
        ('Traceback (most recent call last):\n  File "a.py", line 3\n    x()', ""),
        ("日本語でコードを書いてください。", "日本語でコードを書いてください。"),
        ("", ""),
    ],
)
def test_the_headline_of_a_request_is_the_sentence_that_tells_what_it_is_about(text: str, told: str) -> None:
    assert headline(text, 100) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Done. The cart table is renamed.", "The cart table is renamed."),
        (
            "All green. Here's a summary of the changes:\n\n- Renamed the cart table\n- Moved the seeds",
            "Renamed the cart table",
        ),
        (
            "Done. I added:\n\n1. A new row in the `options` table\n2. A section about filters",
            "I added: A new row in the options table; A section about filters",
        ),
        ("## Summary\n\nThe parser now refuses short identifiers.", "The parser now refuses short identifiers."),
        ("| a | b |\n|---|---|\nThe cache of teams is warm now.", "The cache of teams is warm now."),
        ("Now it prints a hint:\n\n```\nHint: use --session\n```", "Now it prints a hint: Hint: use --session"),
        ("Let me look at the parser first.", ""),
        ("Now I'll run the migration of the cart table.", ""),
        ("Perfect! Pushed successfully.", ""),
        ("You're welcome! I'm glad I could help you build the table component.", ""),
        ("Which of the two parsers should refuse them?", ""),
        ("Committed as 6706f449.", ""),
        ("Draft PR created: https://example.org/kim/shop/pull/139", ""),
    ],
)
def test_the_result_of_a_reply_is_the_sentence_that_tells_what_was_done(text: str, told: str) -> None:
    assert result_sentence(text, 160) == told


_STEPS = """- Read src/auth.ts to understand how it works now
- Identified missing token validation
- Added validateToken() function
- Updated login handler to use it"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{_STEPS}\n\nFixed authentication bug. Tests passing.", "Fixed authentication bug."),
        ("Fixed authentication bug. Tests passing.", "Fixed authentication bug."),
        ("Identified missing token validation.\n\nFixed authentication bug.", "Fixed authentication bug."),
        (
            "Fixed the login of guests in two places:\n\n## auth.ts\n- Reads the token first",
            "Fixed the login of guests in two places",
        ),
        (_STEPS, "Added validateToken() function"),
        ("- Renamed the cart table to baskets\n- Fixed the import", "Renamed the cart table to baskets"),
        ("- The cart table is called baskets\n- Fixed the import", "The cart table is called baskets"),
        ("Identified missing token validation.", "Identified missing token validation."),
        ("The cart table is called baskets now. Fixed the import.", "The cart table is called baskets now."),
        ("Fixed it. Done.", ""),
        ("Fixed the parser?", ""),
    ],
)
def test_what_was_done_in_the_end_comes_before_the_steps_that_led_there(text: str, told: str) -> None:
    assert result_sentence(text, 160) == told


def test_only_words_that_tell_pieces_of_work_apart_have_weight() -> None:
    for nothing in ("yes", "continue", "draft PR please", "fix the failing tests", "ok go ahead", "commit this"):
        assert specificity(nothing) == 0, nothing
    assert specificity("rename the cart table") == 3
    assert specificity("see core/text.py") > specificity("see text")


def test_a_line_is_cut_behind_a_word_and_the_cut_is_seen() -> None:
    assert clip_at_word("Rename the cart table", 17) == "Rename the cart…"
    assert clip_at_word("x" * 30, 10) == "x" * 9 + "…"


def test_the_last_sentence_is_outside_of_code() -> None:
    assert last_sentence("It works. Shall I commit?\n\n```\ngit commit\n```") == "Shall I commit?"


@settings(max_examples=150, deadline=None)
@given(text=st.text(max_size=600), limit=st.integers(1, 200))
def test_each_is_one_line_within_its_limit(text: str, limit: int) -> None:
    for line in (headline, result_sentence, summarize, opening_line):
        told = line(text, limit)
        assert len(told) <= limit
        assert "\n" not in told and told == told.strip()


def test_a_text_without_end_takes_no_time() -> None:
    for text in ("a" * 3_000_000, "at (" * 500_000, "- " * 500_000, "let me " * 300_000, "x: " * 500_000):
        assert max(len(line(text, 100)) for line in (headline, result_sentence, summarize, opening_line)) <= 100


# The first sentence of a text as one line


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
