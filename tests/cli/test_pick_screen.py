"""The screen of `tacit pick`: what a row says, which part of a passage it shows, and what goes onto the line."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime

import pytest

from tacit.cli.pick_screen import Screen, line_for, page_size, render
from tacit.model.claim import GLOBAL
from tacit.vault.hits import Hit, SessionQuote

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
BOLD = re.compile("\x1b\\[1m([^\x1b]+)\x1b\\[22m")


def command(text: str, at: str = "2026-03-02T11:58:00+00:00", directory: str = "/srv/shop") -> Hit:
    return Hit("e", "e", "command", "recorded", GLOBAL, text, at, 1, 1.0, "p", 1, directory=directory)


def drawn(query: str, *hits: Hit, columns: int = 80, lines: int = 24) -> list[str]:
    """The rows of what was found, with their styles."""
    text = render(Screen(os.terminal_size((columns, lines)), query, None, hits, 0, ""), NOW)
    parts = re.split("\x1b\\[\\d+;1H\x1b\\[K", text)
    return parts[3 : 3 + page_size(os.terminal_size((columns, lines)))]


@pytest.mark.parametrize(
    ("at", "age"),
    [
        ("2026-03-02T11:59:30+00:00", "now"),
        ("2026-03-02T11:01:00+00:00", "59m"),
        ("2026-03-01T12:01:00+00:00", "23h"),
        ("2026-02-24T12:00:00+00:00", "6d"),
        ("2025-03-03T12:00:00+00:00", "52w"),
        ("2020-03-02T12:00:00+00:00", "6y"),
        ("2027-03-02T12:00:00+00:00", "now"),
        ("", "   "),
    ],
)
def test_a_row_says_how_long_ago_that_was(at: str, age: str) -> None:
    assert f"command {age:>3}  make" in drawn("", command("make", at))[0]


def test_a_row_says_where_that_was_if_there_is_room() -> None:
    assert "\x1b[77Gshop" in drawn("", command("make"))[0]
    assert "shop" not in drawn("", command("make"), columns=59)[0]
    assert "> c  2m  make" in drawn("", command("make"), columns=59)[0]


def test_all_matches_are_marked_in_whatever_case() -> None:
    assert BOLD.findall(drawn("MAKE est", command("make test MAKE"))[0]) == ["make", "est", "MAKE"]
    assert BOLD.findall(drawn("ma ak", command("make"))[0]) == ["mak"]
    assert BOLD.findall(drawn("x", command("make"))[0]) == []
    assert "größer" in drawn("gr", command("größer"))[0]


def test_the_first_match_of_a_long_line_is_shown() -> None:
    row = drawn("needle", command("x" * 300 + " needle " + "y" * 300))[0]
    assert BOLD.findall(row) == ["needle"] and "…x" in row and row.count("…") == 2


def test_words_of_a_session_that_answer_are_marked_in_other_forms_too() -> None:
    quote = SessionQuote("it authenticates\nusers", "claude", "2026-03-01T12:00:00+00:00", "s", "s", "t", 1, ((3, 16),))
    hit = command("ignored")._replace(kind="session", quote=quote)
    assert BOLD.findall(drawn("authentication", hit)[0]) == ["authenticates"]


def test_nothing_deceptive_reaches_the_terminal() -> None:
    for text in ("\x1b]0;x\x07", "\u202egnp", "a\rb"):
        row = "".join(drawn("", command(text)))
        assert text not in row and "<U+" in row


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("make\n\ttest", ""),
        ("grep 日本語 e\u0301 👩‍👩‍👧", ""),
        ("echo [redacted:token]", ""),
        ("echo \x1b[31m", "do not show"),
        ("echo \u202e", "do not show"),
        ("echo \ufffd", "were not kept"),
        ("echo x\ry", "do not show"),
        ("rm -rf /srv/sho…", "only a part"),
        ("cat […4,000 characters left out…] done", "only a part"),
    ],
)
def test_a_command_goes_onto_the_line_unchanged_or_not_at_all(text: str, problem: str) -> None:
    line, reason = line_for(command(text))
    assert (line, reason) == (text, "") if not problem else (line == "" and problem in reason)


@pytest.mark.parametrize("lines", range(1, 40))
def test_a_screen_has_as_many_rows_as_the_terminal(lines: int) -> None:
    hits = [command(f"make {number}") for number in range(50)]
    text = render(Screen(os.terminal_size((80, lines)), "", None, hits, 30, ""), NOW)
    rows = [int(row) for row in re.findall("\x1b\\[(\\d+);1H", text)]
    assert rows == list(range(1, lines + 1))
    assert lines < 4 or "> command" in text


@pytest.mark.parametrize("lines", [10, 14, 24])
def test_of_the_selected_hit_both_the_text_and_who_and_when_are_shown(lines: int) -> None:
    text = render(Screen(os.terminal_size((40, lines)), "", None, [command("make " + "x" * 900)], 0, ""), NOW)
    below = text.split("─" * 40)[1]
    assert "$ make" in below and "you ran this" in below
