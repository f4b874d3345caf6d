"""What holds of every format: junk is counted and never an error, memory has a bound, and a file tells its shell."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.model.observation import UNKNOWN_STATUS
from tacit.shell import history_formats
from tacit.shell.history_formats import (
    FORMATS,
    LEADING_BLANK,
    MAX_COMMAND_CHARS,
    NOT_IN_ENTRY,
    NOT_TEXT,
    TOO_LONG,
    UNREADABLE,
    HistoryEntry,
    HistoryItem,
    SkippedEntry,
    detect_shell,
)
from tacit.shell.history_import import HistoryFile, existing_histories, possible_histories
from tests.support.histories import AT, commands, entries, timed, unread

TEXTS = [shell for shell in FORMATS if shell != "atuin"]
PIECES = [
    b"\n",
    b"\\\n",
    b"- cmd: ",
    b"  when: ",
    b"#1700000000",
    b": 1700000000:0;",
    b"\x83",
    b"\0",
    b"\xff",
    b"ls",
    b" ",
]
junk = st.lists(st.sampled_from(PIECES) | st.binary(max_size=12), max_size=40).map(b"".join)


@pytest.mark.parametrize("shell", TEXTS)
@settings(max_examples=150, deadline=None)
@given(data=junk)
def test_whatever_is_read_can_be_stored_and_shown(shell: str, data: bytes) -> None:
    for one in FORMATS[shell].read(BytesIO(data)):
        if isinstance(one, HistoryEntry):
            assert one.command.strip() and len(one.command) <= MAX_COMMAND_CHARS
            one.command.encode("utf-8")
            assert one.command.replace("\n", "").replace("\t", "").isprintable() or not one.command.isascii()
            assert not any(sign < " " and sign not in "\n\t" for sign in one.command)


@pytest.mark.parametrize("shell", TEXTS)
@settings(max_examples=60, deadline=None)
@given(data=junk, size=st.integers(1, 7))
def test_it_does_not_matter_how_the_bytes_come(shell: str, data: bytes, size: int) -> None:
    class Slow(BytesIO):
        def read(self, _: int | None = -1, /) -> bytes:
            return super().read(size)

    assert list(FORMATS[shell].read(Slow(data))) == list(FORMATS[shell].read(BytesIO(data)))


@pytest.mark.parametrize("shell", TEXTS)
def test_a_line_without_end_costs_no_memory(shell: str) -> None:
    """A third of a gigabyte in one line, in a process that may have no more than the interpreter and a little."""
    program = f"""
from tacit.shell.history_formats import FORMATS
class Endless:
    left = 330
    def read(self, size):
        self.left -= 1
        return b"y" * (1 << 20) if self.left > 10 else b"\\nls\\n" if self.left == 10 else b""
print(len(list(FORMATS[{shell!r}].read(Endless()))))
"""
    limit = 160 << 20

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, preexec_fn=bounded, check=False
    )
    assert (done.stdout, done.stderr) == ("2\n", "")


@pytest.mark.parametrize(
    ("name", "head", "shell"),
    [
        ("x", b": 1700000000:0;ls\n", "zsh"),
        ("x", b"- cmd: ls\n  when: 17\n", "fish"),
        ("x", b"ls\n#1700000000\nls\n", "bash"),
        ("x.db", b"SQLite format 3\0", "atuin"),
        (".zsh_history", b"ls\n", "zsh"),
        (".histfile", b"ls\n", "zsh"),
        ("my_bash_history.old", b"ls\n", "bash"),
        (".bash_history", b": 1700000000:0;ls\n", "zsh"),
        ("history.txt", b"ls\n", None),
    ],
)
def test_a_file_tells_its_shell_by_what_it_holds_or_is_called(name: str, head: bytes, shell: str | None) -> None:
    assert detect_shell(f"/somewhere/{name}", head) == shell


def test_histories_are_looked_for_where_shells_keep_them(tmp_path: Path) -> None:
    (tmp_path / "z").mkdir()
    (tmp_path / "z/.zsh_history").write_text("ls\n")
    (tmp_path / ".zsh_history").symlink_to("z/.zsh_history")
    (tmp_path / "elsewhere").write_text("ls\n")
    environment = {"ZDOTDIR": f"{tmp_path}/z", "HISTFILE": f"{tmp_path}/elsewhere", "XDG_DATA_HOME": f"{tmp_path}/d"}
    assert existing_histories(environment, str(tmp_path)) == [
        HistoryFile(f"{tmp_path}/z/.zsh_history", "zsh"),
        HistoryFile(f"{tmp_path}/elsewhere"),
    ]
    assert HistoryFile(f"{tmp_path}/d/fish/fish_history", "fish") in possible_histories(environment, str(tmp_path))
    assert HistoryFile(f"{tmp_path}/.local/share/atuin/history.db", "atuin") in possible_histories({}, str(tmp_path))


# The history of bash, plain and with times


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


# The history of zsh: plain, extended, over several lines, metafied; and as the real zsh writes it


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


# The history of fish


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


# The history of Atuin: a database that is only read


NANOS = 1_700_000_000_123_456_789  # as Atuin writes a time
TABLE = (
    "CREATE TABLE history (id TEXT PRIMARY KEY, timestamp INTEGER NOT NULL, duration INTEGER NOT NULL,"
    " exit INTEGER NOT NULL, command TEXT NOT NULL, cwd TEXT NOT NULL, session TEXT NOT NULL, hostname TEXT NOT NULL,"
    " deleted_at INTEGER, UNIQUE (timestamp, cwd, command))"
)
Row = Sequence[object]


def kept(path: Path, rows: Iterable[Row], table: str = TABLE, mode: str = "DELETE") -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.execute(table)
        for row in rows:
            connection.execute(f"INSERT INTO history VALUES ({', '.join('?' * len(row))})", row)
    return path


def row(name: str, command: object, at: int = NANOS, **more: object) -> Row:
    rest: dict[str, object] = {"took": 2_500_000, "exit": 1, "cwd": "/src", "session": "s1", "deleted": None, **more}
    return (
        name, at, rest["took"], rest["exit"], command, rest["cwd"], rest["session"], "box:me", rest["deleted"],
    )  # fmt: skip


def read(path: Path) -> list[HistoryItem]:
    with open(path, "rb") as file:
        return list(history_formats.read_atuin(file))


def test_a_row_tells_all_there_is_to_know(tmp_path: Path) -> None:
    path = kept(tmp_path / "history.db", [row("b", "make test"), row("a", "ls", NANOS - 1000)])
    assert read(path) == [
        HistoryEntry("ls", NANOS // 1000 - 1, 2, 1, "/src", "s1", "box"),
        HistoryEntry("make test", NANOS // 1000, 2, 1, "/src", "s1", "box"),
    ]


def test_what_was_deleted_there_does_not_come_here(tmp_path: Path) -> None:
    assert read(kept(tmp_path / "history.db", [row("a", "ls", deleted=17), row("b", "  ")])) == []


def test_what_atuin_took_over_has_neither_status_nor_session(tmp_path: Path) -> None:
    (entry,) = read(kept(tmp_path / "history.db", [row("a", "ls", took=-1, exit=0, cwd="unknown")]))
    assert entry == HistoryEntry("ls", NANOS // 1000, 0, UNKNOWN_STATUS, "", "", "box")


def test_an_older_table_with_fewer_columns_is_read(tmp_path: Path) -> None:
    table = "CREATE TABLE history (id TEXT, command TEXT, timestamp INTEGER)"
    assert read(kept(tmp_path / "history.db", [("a", "ls", NANOS)], table)) == [HistoryEntry("ls", NANOS // 1000)]


def test_a_row_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    rows = [
        row("a", "ls"),
        row("b", "x" * 5_000_000, NANOS + 1),
        row("c", 17.5, NANOS + 2),
        row("d", "pwd", NANOS + 3),
    ]
    table = TABLE.replace("command TEXT", "command")
    found = read(kept(tmp_path / "history.db", rows, table))
    assert [one.command if isinstance(one, HistoryEntry) else one for one in found] == [
        "ls",
        SkippedEntry(TOO_LONG),
        SkippedEntry(NOT_TEXT),
        "pwd",
    ]


def test_what_is_no_database_of_atuin_is_one_line_that_could_not_be_read(tmp_path: Path) -> None:
    junk = tmp_path / "junk.db"
    junk.write_bytes(b"SQLite format 3\0" + os.urandom(5000))
    assert read(junk) == [SkippedEntry(UNREADABLE)]
    assert read(kept(tmp_path / "other.db", [], "CREATE TABLE history (id TEXT)")) == [SkippedEntry(UNREADABLE)]


def test_a_damaged_page_does_not_stop_the_others(tmp_path: Path) -> None:
    path = kept(
        tmp_path / "history.db",
        [row(f"{n:04}", f"command {n} {'x' * 200}", NANOS + n * 10**9) for n in range(500)],
    )
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = os.urandom(4096)
    path.write_bytes(bytes(data))
    found = read(path)
    assert found, "whatever is damaged is told"
    assert all(isinstance(one, SkippedEntry) or one.command.isprintable() for one in found)


def test_reading_leaves_no_trace(tmp_path: Path) -> None:
    path = kept(tmp_path / "history.db", [row("a", "ls")], mode="WAL")
    assert os.listdir(tmp_path) == ["history.db"]
    before = path.read_bytes()
    assert len(read(path)) == 1
    assert os.listdir(tmp_path) == ["history.db"]
    assert path.read_bytes() == before


def test_what_still_stands_in_the_write_ahead_log_is_read_too(tmp_path: Path) -> None:
    path = kept(tmp_path / "history.db", [row("a", "ls")], mode="WAL")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row("b", "pwd", NANOS + 10))
        connection.commit()
        before = path.read_bytes()
        found = read(path)
        assert [one.command for one in found if isinstance(one, HistoryEntry)] == ["ls", "pwd"]
        assert path.read_bytes() == before


def test_a_name_with_signs_of_an_address_is_a_name(tmp_path: Path) -> None:
    assert len(read(kept(tmp_path / "a?b#c%20.db", [row("a", "ls")]))) == 1
