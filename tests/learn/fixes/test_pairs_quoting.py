"""Quotes that were missing are one lesson, whatever the command, the file and the shell."""

from __future__ import annotations

import pytest

from tacit.learn.fixes.pairs import asks_something_else
from tests.support.fix_session import failed, ran, rendered


@pytest.mark.parametrize(
    "error",
    [
        "bash: -c: line 1: syntax error near unexpected token `('",
        "zsh:1: no matches found: src/(app)/a.ts",
        "(eval):1: unknown file attribute: a",
    ],
)
def test_a_path_belongs_in_quotes_in_the_words_of_every_shell(error: str) -> None:
    lesson = "When a shell command fails on a path with `(` and `)`, put the path in quotes."
    assert rendered(failed("cat src/(app)/a.ts", error), ran("cat 'src/(app)/a.ts'")) == lesson
    assert rendered(failed("sed -n 1p src/(app)/b.ts", error), ran("sed -n 1p 'src/(app)/c.ts'")) == lesson


def test_what_the_shell_reads_in_double_quotes_belongs_in_single_ones() -> None:
    assert rendered(failed('git commit -m "wow!"', 'bash: !": event not found'), ran("git commit -m 'wow!'")) == (
        "When a shell command fails on `!` in double quotes, use single quotes."
    )
    assert rendered(failed("pip install a[b]", "zsh: no matches found: a[b]"), ran("pip install 'a[b]'")) == (
        "When a shell command fails on an argument with `[` and `]`, put the argument in quotes."
    )


def test_an_exclamation_mark_that_arrives_with_a_backslash_is_one_lesson_for_every_program() -> None:
    error = "jq: error: syntax error, unexpected INVALID_CHARACTER\nselect(.a \\!= null)"
    assert rendered(failed("jq -c 'select(.a != null)' x.json", error), ran("jq -c 'select(.a)' x.json")) == (
        "When a command fails because the shell passes `!` in quotes as `\\!`, write the argument without `!`."
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("rg 'a(' src", "rg 'b' src"),
        ("jq '.a[' x.json", "jq '.b' x.json"),
        ("python -c 'a('", "python -c 'a()'"),
        ("jq . <<EOF\n{\nEOF", "jq . <<EOF\n{}\nEOF"),
    ],
)
def test_another_pattern_or_program_is_another_question(before: str, after: str) -> None:
    assert asks_something_else(before, after)
    assert not asks_something_else(before, f"time {after}")
