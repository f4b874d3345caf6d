"""The history of fish."""

from __future__ import annotations

from tacit.shell.history_formats import LEADING_BLANK, NOT_IN_ENTRY, TOO_LONG
from tests.support.histories import AT, commands, timed, unread


def test_an_entry_has_a_command_a_time_and_paths_that_are_passed_over() -> None:
    data = b"- cmd: vim README.md\n  when: 1700000000\n  paths:\n    - README.md\n- cmd: ls\n  when: 1700000003\n"
    assert timed("fish", data) == [(AT, "vim README.md"), (AT + 3, "ls")]


def test_line_breaks_and_backslashes_are_escaped() -> None:
    data = rb"""- cmd: echo 'a\\nb' back\\\\slash
  when: 1700000000
- cmd: echo 'x\n y'\q
  when: 1700000001
"""
    assert commands("fish", data) == ["echo 'a\\nb' back\\\\slash", "echo 'x\n y'\\q"]


def test_an_entry_without_a_time_is_a_command() -> None:
    assert timed("fish", b"- cmd: ls\n- cmd: pwd\n  when: soon\n") == [(0, "ls"), (0, "pwd")]


def test_what_belongs_to_no_entry_is_counted() -> None:
    data = (
        b"\x00\x01\x02\nwhen: 17\n- cmd: ls\n  when: 1700000000\njunk\n- cmd:  hidden\n- cmd: \n- cmd: " + b"x" * 9_000
    )
    assert timed("fish", data) == [(AT, "ls")]
    assert unread("fish", data) == {NOT_IN_ENTRY: 3, LEADING_BLANK: 1, TOO_LONG: 1}
