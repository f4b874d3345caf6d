"""Every row of the tables of errors is found in its own example, and means there what it stands for."""

from __future__ import annotations

import pytest

from tacit.learn.fixes.errors import (
    ErrorClass,
    ErrorPattern,
    classify_line,
    error_patterns,
    is_work_error,
    named_in,
    parse_error,
)


@pytest.mark.parametrize("row", error_patterns(), ids=lambda row: row.example[:40])
def test_an_example_is_of_the_class_of_its_row(row: ErrorPattern) -> None:
    assert row.pattern.search(row.example)
    if row.error_class is ErrorClass.WORK:
        assert is_work_error(row.example)
    else:
        assert classify_line(row.example) is row.error_class


@pytest.mark.parametrize(
    "line",
    ["Switched to branch 'main'", "total 48", "added 3 packages in 2s", "http://127.0.0.1:3000 is up", "Done in 1.2s."],
)
def test_ordinary_output_is_no_trouble_of_any_sort(line: str) -> None:
    assert classify_line(line) is ErrorClass.OTHER
    assert not is_work_error(line)


def test_what_a_flag_is_called_does_not_decide() -> None:
    assert classify_line("error: unknown option '--timeout'") is ErrorClass.USAGE
    assert classify_line("zsh: command not found: timeout") is ErrorClass.MISSING


def test_the_plain_reason_is_told_before_the_advice() -> None:
    told = parse_error(
        "hint: You have divergent branches.\nfatal: Need to specify how to reconcile divergent branches."
    )
    assert (told.error_class, told.line) == (
        ErrorClass.STATE,
        "fatal: Need to specify how to reconcile divergent branches.",
    )


def test_what_a_host_puts_in_front_is_not_the_error() -> None:
    assert parse_error("Exit code 128\nfatal: not a git repository").line == "fatal: not a git repository"
    framed = "failed in sandbox with execution error, exit code: 2, stdout: , stderr: bash: line 1: unmatched `\"'"
    assert parse_error(framed).line == "bash: line 1: unmatched `\"'"


def test_a_line_in_which_the_result_was_cut_is_two_lines() -> None:
    told = parse_error("some noise […1,204 characters left out…] x\nerror: unknown option `--oops'")
    assert told.line == "error: unknown option `--oops'"


def test_what_an_error_names_are_words_in_quotes_and_flags() -> None:
    assert named_in("unknown option '--json' for \"view\", see --help") == {"--json", "view", "--help"}


def test_a_result_that_says_nothing_is_no_trouble() -> None:
    assert parse_error("Exit code 1\n\n").error_class is ErrorClass.NOTHING
