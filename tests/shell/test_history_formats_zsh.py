"""The history of zsh: plain, extended, over several lines, metafied; and as the real zsh writes it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tacit.shell.history_formats import LEADING_BLANK, NOT_TEXT, TOO_LONG
from tests.support.histories import AT, commands, entries, timed, unread

# What zsh 5.9 wrote, extended.
WRITTEN = (
    b": 1700000000:0;echo \xc3\xbcn\xc3\xafc\xc3\xb6d\xc3\xa9"
    b" \xe6\xbc\x83\x82\xe5\xad\x83\xb7 \xc5\x82\xc3\xb3d\xc5\xba\n"
    b": 1700000001:12;for i in 1 2\\\ndo echo $i\\\ndone\n"
    b": 1700000002:0;echo trailing\\ \n"
    b": 1700000003:0;echo trailing\\  \n"
    b": 1700000004:0;echo two\\\\\nlines\n"
    b": 1700000005:0;: colon\n"
    b": 1700000006:0;\n"
)
MEANT = [
    (AT, "echo ünïcödé 漢字 łódź"),
    (AT + 1, "for i in 1 2\ndo echo $i\ndone"),
    (AT + 2, "echo trailing\\"),
    (AT + 3, "echo trailing\\ "),
    (AT + 4, "echo two\\\nlines"),
    (AT + 5, ": colon"),
]


def test_an_extended_history_tells_times_durations_and_commands_as_typed() -> None:
    assert timed("zsh", WRITTEN) == MEANT
    assert [entry.milliseconds for entry in entries("zsh", WRITTEN)] == [0, 12_000, 0, 0, 0, 0]


def test_a_plain_history_hides_a_colon_behind_a_backslash() -> None:
    assert timed("zsh", b"ls\n\\: colon\nfor i in 1\\\ndo x; done\n") == [
        (0, "ls"),
        (0, ": colon"),
        (0, "for i in 1\ndo x; done"),
    ]


def test_a_damaged_head_makes_the_line_a_command() -> None:
    assert timed("zsh", b": 17x:0;ls\n: 1700000000;ls\n") == [(0, ": 17x:0;ls"), (0, ": 1700000000;ls")]


def test_a_meta_at_the_end_of_a_line_is_no_reason_to_stop() -> None:
    assert commands("zsh", b": 1700000000:0;echo ab\x83\n: 1700000001:0;ls\n") == ["echo ab\ufffd", "ls"]


def test_bytes_that_are_no_text_become_one_replacement_each_and_mostly_such_is_no_command() -> None:
    data = b": 1700000000:0;cat caf\xe9\n: 1700000001:0;\xff\xfe\x00\x01\xff\n: 1700000002:0;ls \x1b[A\x07\n"
    assert commands("zsh", data) == ["cat caf\ufffd", "ls \ufffd[A\ufffd"]
    assert unread("zsh", data) == {NOT_TEXT: 1}


def test_what_begins_with_a_blank_is_hidden() -> None:
    data = b": 1700000000:0; secret\n: 1700000001:0;\tsecret\n secret\n: 1700000002:0;ls\n"
    assert commands("zsh", data) == ["ls"]
    assert unread("zsh", data) == {LEADING_BLANK: 3}


def test_a_command_that_goes_on_without_end_is_one_that_is_too_long() -> None:
    data = b": 1700000000:0;ls\n: 1700000001:0;x\\\n" + b"more of it\\\n" * 100_000 + b"end\n: 1700000002:0;pwd\n"
    assert commands("zsh", data) == ["ls", "pwd"]
    assert unread("zsh", data) == {TOO_LONG: 1}


def test_a_line_of_megabytes_that_goes_on_takes_its_rest_with_it() -> None:
    data = b": 1700000001:0;" + b"x" * 2_000_000 + b"\n: 1700000002:0;pwd\n"
    assert commands("zsh", data) == ["pwd"]
    assert unread("zsh", data) == {TOO_LONG: 1}


def test_a_history_that_ends_in_the_middle_of_a_command_gives_what_is_there() -> None:
    assert commands("zsh", b": 1700000000:0;ls\n: 1700000001:0;for i\\\ndo\\") == ["ls", "for i\ndo\\"]


def test_a_number_that_is_too_large_does_no_harm() -> None:
    (entry,) = entries("zsh", b": 99999999999999999:999999999999999;ls\n")
    assert entry.command == "ls"


@pytest.mark.skipif(not shutil.which("zsh"), reason="there is no zsh here")
def test_what_the_real_zsh_writes_is_read_as_it_was_typed(tmp_path: Path) -> None:
    typed = ["echo 'ü 漢字 \u0083'", "for i in 1 2\ndo echo $i\ndone", "ends in\\", "ends in\\ ", ": colon", "a\\\nb"]
    script = "HISTFILE=$PWD/written HISTSIZE=100 SAVEHIST=100\nsetopt extendedhistory\n"
    script += (
        'for one in "$@"; do print -rs -- $one; done\nfc -W\nunsetopt extendedhistory\nHISTFILE=$PWD/plain; fc -W\n'
    )
    (tmp_path / "typing").write_text(script)
    environment = {"LC_ALL": "C.UTF-8", "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    subprocess.run(
        ["zsh", "-f", "-i", "typing", *typed], cwd=tmp_path, env=environment, check=True, stdin=subprocess.DEVNULL
    )
    for name in ("written", "plain"):
        found = commands("zsh", (tmp_path / name).read_bytes())
        assert found == [text.replace("\u0083", "\ufffd") for text in typed], name


def test_lines_of_blanks_that_go_on_are_no_command() -> None:
    assert commands("zsh", b"\\\n \nls\n") == ["ls"]
