"""What a person types is checked before it is stored: texts, tags and times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from harness.secret_examples import written

from tacit.errors import RefusedError, UsageError
from tacit.home.input import MAX_EVIDENCE_CHARS, checked_optional_text, checked_tags, checked_text, parse_time

SECRET = written("ghp_<a36>")
NOW = datetime(2026, 3, 2, 1, 30, tzinfo=timezone(timedelta(hours=2)))  # in UTC it is the day before


def test_a_text_loses_outer_blanks_and_what_cannot_be_stored() -> None:
    assert checked_text("  always lint\n", 20, "the text") == "always lint"
    assert checked_text("a\0b \ud800", 20, "the text") == "a\ufffdb ?"


def test_a_text_of_blanks_is_no_text_and_the_message_names_it() -> None:
    with pytest.raises(UsageError, match="the reason is empty"):
        checked_text(" \n\t", 20, "the reason")
    assert checked_optional_text(" \n\t", "the reason") == ""


def test_the_limit_counts_characters_after_the_blanks_are_gone() -> None:
    assert checked_text(" " + "ü" * 2000 + " ", 2000, "the text") == "ü" * 2000
    with pytest.raises(RefusedError, match="the text has 2,001 characters; the limit is 2,000"):
        checked_text("ü" * 2001, 2000, "the text")
    with pytest.raises(RefusedError, match="the evidence has"):
        checked_optional_text("x" * (MAX_EVIDENCE_CHARS + 1), "the evidence")


def test_a_secret_is_refused_wherever_it_is_and_its_value_is_not_repeated() -> None:
    for check in (
        lambda: checked_text(f"the token is {SECRET}", 2000, "the text"),
        lambda: checked_optional_text(f"the token is {SECRET}", "the evidence"),
        lambda: checked_tags(["build", SECRET]),
    ):
        with pytest.raises(RefusedError, match="looks like a secret") as refused:
            check()
        assert SECRET not in refused.value.message + refused.value.hint


def test_tags_become_single_words_in_lower_case_each_once() -> None:
    assert checked_tags(["Code  Review", " code review ", "CI", "", "  ", "ci"]) == ("code-review", "ci")
    assert [len(tag) for tag in checked_tags(["x" * 100])] == [64]


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("now", timedelta()),
        ("90m", timedelta(minutes=90)),
        ("5 min", timedelta(minutes=5)),
        ("12 Hours Ago", timedelta(hours=12)),
        ("7d", timedelta(days=7)),
        (" 2 weeks ago ", timedelta(days=14)),
        ("3 months", timedelta(days=90)),
        ("1y", timedelta(days=365)),
    ],
)
def test_a_time_before_now_is_exact_at_both_ends(text: str, before: timedelta) -> None:
    expected = (NOW - before).astimezone(UTC)
    assert {datetime.fromisoformat(parse_time(text, NOW, end_of_day=end_of_day)) for end_of_day in (False, True)} == {
        expected
    }


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("today", "2026-03-01T22:00:00.000000Z", "2026-03-02T21:59:59.999999Z"),
        ("Yesterday", "2026-02-28T22:00:00.000000Z", "2026-03-01T21:59:59.999999Z"),
        ("2026-11-15", "2026-11-14T22:00:00.000000Z", "2026-11-15T21:59:59.999999Z"),
    ],
)
def test_a_day_is_that_of_the_person_from_its_beginning_to_its_end(text: str, first: str, last: str) -> None:
    assert parse_time(text, NOW, end_of_day=False) == first
    assert parse_time(text, NOW, end_of_day=True) == last


def test_a_moment_is_in_the_persons_time_zone_unless_it_names_one() -> None:
    for end_of_day in (False, True):
        assert parse_time("2026-11-15T09:30", NOW, end_of_day=end_of_day) == "2026-11-15T07:30:00.000000Z"
        assert parse_time("2026-11-15T09:30Z", NOW, end_of_day=end_of_day) == "2026-11-15T09:30:00.000000Z"


@pytest.mark.parametrize(
    "text", ["", "soon", "7", "7x", "-7d", "tomorrow", "2026-13-01", "0001-01-01", "9999-12-31T23:59-12:00", "999999y"]
)
def test_anything_else_is_refused_with_examples(text: str) -> None:
    with pytest.raises(UsageError, match=r"not a time|too long ago") as refused:
        parse_time(text, NOW, end_of_day=False)
    assert "2 weeks ago" in refused.value.hint
