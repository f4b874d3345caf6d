"""The history of bash, plain and with times."""

from __future__ import annotations

from tacit.shell.history_formats import TOO_LONG
from tests.support.histories import AT, commands, timed, unread


def test_a_plain_history_is_a_command_a_line() -> None:
    assert timed("bash", b"ls\ngit status\n\nmake test") == [(0, "ls"), (0, "git status"), (0, "make test")]


def test_a_time_belongs_to_the_command_behind_it() -> None:
    assert timed("bash", b"#1700000000\nls\n#1700000005\ngit status\n") == [(AT, "ls"), (AT + 5, "git status")]


def test_with_times_a_command_goes_on_to_the_next_time() -> None:
    data = b"#1700000000\nfor i in 1 2\ndo echo $i\ndone\n#1700000009\nls\n"
    assert timed("bash", data) == [(AT, "for i in 1 2\ndo echo $i\ndone"), (AT + 9, "ls")]


def test_lines_before_the_first_time_are_commands_without_one() -> None:
    assert timed("bash", b"ls\npwd\n#1700000000\nmake\n") == [(0, "ls"), (0, "pwd"), (AT, "make")]


def test_a_comment_is_no_time() -> None:
    assert timed("bash", b"#1700000000\nls\n# 17 things\n#17 x\n") == [(AT, "ls\n# 17 things\n#17 x")]


def test_where_times_stop_every_line_is_a_command() -> None:
    many = b"".join(b"command %d\n" % number for number in range(500))
    found = timed("bash", b"#1700000000\n" + many + b"#1700000100\nls\n")
    assert found[0] == (AT, "command 0")
    assert found[1:500] == [(0, f"command {number}") for number in range(1, 500)]
    assert found[500:] == [(AT + 100, "ls")]


def test_a_time_without_a_command_is_passed_over() -> None:
    assert timed("bash", b"#1700000000\n#1700000001\nls\n#1700000002\n") == [(AT + 1, "ls")]


def test_line_ends_of_windows_are_no_part_of_a_command() -> None:
    assert timed("bash", b"#1700000000\r\nls\r\n") == [(AT, "ls")]


def test_a_line_that_is_too_long_is_counted_and_its_neighbours_are_read() -> None:
    data = b"ls\n" + b"x" * 9_000 + b"\n" + b"y" * 3_000_000 + b"\npwd\n"
    assert commands("bash", data) == ["ls", "pwd"]
    assert unread("bash", data) == {TOO_LONG: 2}
