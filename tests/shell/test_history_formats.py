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
from tacit.shell.history_import import HistoryFile, possible_histories
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
    found = [file for file in possible_histories(environment, str(tmp_path)) if Path(file.path).exists()]
    assert found == [
        HistoryFile(f"{tmp_path}/z/.zsh_history", "zsh"),
        HistoryFile(f"{tmp_path}/elsewhere"),
    ]
    assert HistoryFile(f"{tmp_path}/d/fish/fish_history", "fish") in possible_histories(environment, str(tmp_path))
    assert HistoryFile(f"{tmp_path}/.local/share/atuin/history.db", "atuin") in possible_histories({}, str(tmp_path))


# What a history is read as: the commands with their times, and how many entries are not one

MANY = [f"command {number}" for number in range(500)]
LONG = b"x" * 9_000
# What zsh 5.9 wrote, extended.
ZSH_WRITTEN = (
    b": 1700000000:0;echo \xc3\xbcn\xc3\xafc\xc3\xb6d\xc3\xa9"
    b" \xe6\xbc\x83\x82\xe5\xad\x83\xb7 \xc5\x82\xc3\xb3d\xc5\xba\n"
    b": 1700000001:12;for i in 1 2\\\ndo echo $i\\\ndone\n"
    b": 1700000002:0;echo trailing\\ \n"
    b": 1700000003:0;echo trailing\\  \n"
    b": 1700000004:0;echo two\\\\\nlines\n"
    b": 1700000005:0;: colon\n"
    b": 1700000006:0;\n"
)
ZSH_MEANT = [
    (AT, "echo ünïcödé 漢字 łódź"),
    (AT + 1, "for i in 1 2\ndo echo $i\ndone"),
    (AT + 2, "echo trailing\\"),
    (AT + 3, "echo trailing\\ "),
    (AT + 4, "echo two\\\nlines"),
    (AT + 5, ": colon"),
]
Read = tuple[bytes, list[tuple[int, str]], dict[str, int]]
BASH: dict[str, Read] = {
    "a command a line": (b"ls\ngit status\n\nmake", [(0, "ls"), (0, "git status"), (0, "make")], {}),
    "a time and its command": (b"#1700000000\nls\n#1700000005\npwd\n", [(AT, "ls"), (AT + 5, "pwd")], {}),
    "with times a command goes on to the next time": (
        b"#1700000000\nfor i in 1 2\ndo echo $i\ndone\n#1700000009\nls\n",
        [(AT, "for i in 1 2\ndo echo $i\ndone"), (AT + 9, "ls")],
        {},
    ),
    "no time before the first": (b"ls\npwd\n#1700000000\nmake\n", [(0, "ls"), (0, "pwd"), (AT, "make")], {}),
    "a comment is no time": (b"#1700000000\nls\n# 17 things\n#17 x\n", [(AT, "ls\n# 17 things\n#17 x")], {}),
    "where times stop every line is a command": (
        b"#1700000000\n" + "\n".join(MANY).encode() + b"\n#1700000100\nls\n",
        [(AT, MANY[0]), *((0, text) for text in MANY[1:]), (AT + 100, "ls")],
        {},
    ),
    "a time without a command": (b"#1700000000\n#1700000001\nls\n#1700000002\n", [(AT + 1, "ls")], {}),
    "line ends of Windows": (b"#1700000000\r\nls\r\n", [(AT, "ls")], {}),
    "lines that are too long": (
        b"ls\n" + LONG + b"\n" + b"y" * 3_000_000 + b"\npwd\n",
        [(0, "ls"), (0, "pwd")],
        {TOO_LONG: 2},
    ),
}
ZSH: dict[str, Read] = {
    "as it is written": (ZSH_WRITTEN, ZSH_MEANT, {}),
    "plain, with a colon behind a backslash": (
        b"ls\n\\: colon\nfor i in 1\\\ndo x; done\n",
        [(0, "ls"), (0, ": colon"), (0, "for i in 1\ndo x; done")],
        {},
    ),
    "a damaged head": (b": 17x:0;ls\n: 1700000000;ls\n", [(0, ": 17x:0;ls"), (0, ": 1700000000;ls")], {}),
    "a meta at the end of a line": (
        b": 1700000000:0;echo ab\x83\n: 1700000001:0;ls\n",
        [(AT, "echo ab\ufffd"), (AT + 1, "ls")],
        {},
    ),
    "bytes that are no text": (
        b": 1700000000:0;cat caf\xe9\n: 1700000001:0;\xff\xfe\x00\x01\xff\n: 1700000002:0;ls \x1b[A\x07\n",
        [(AT, "cat caf\ufffd"), (AT + 2, "ls \ufffd[A\ufffd")],
        {NOT_TEXT: 1},
    ),
    "what begins with a blank is hidden": (
        b": 1700000000:0; secret\n: 1700000001:0;\tsecret\n secret\n: 1700000002:0;ls\n",
        [(AT + 2, "ls")],
        {LEADING_BLANK: 3},
    ),
    "a command that goes on without end": (
        b": 1700000000:0;ls\n: 1700000001:0;x\\\n" + b"more of it\\\n" * 100_000 + b"end\n: 1700000002:0;pwd\n",
        [(AT, "ls"), (AT + 2, "pwd")],
        {TOO_LONG: 1},
    ),
    "a line of megabytes": (
        b": 1700000001:0;" + b"x" * 2_000_000 + b"\n: 1700000002:0;pwd\n",
        [(AT + 2, "pwd")],
        {TOO_LONG: 1},
    ),
    "an end in the middle of a command": (
        b": 1700000000:0;ls\n: 1700000001:0;for i\\\ndo\\",
        [(AT, "ls"), (AT + 1, "for i\ndo\\")],
        {},
    ),
    "a number that is too large": (b": 99999999999999999:999999999999999;ls\n", [(99999999999999999, "ls")], {}),
    "lines of blanks that go on": (b"\\\n \nls\n", [(0, "ls")], {}),
}
FISH: dict[str, Read] = {
    "paths are passed over": (
        b"- cmd: vim README.md\n  when: 1700000000\n  paths:\n    - README.md\n- cmd: ls\n  when: 1700000003\n",
        [(AT, "vim README.md"), (AT + 3, "ls")],
        {},
    ),
    "escaped line breaks and backslashes": (
        rb"""- cmd: echo 'a\\nb' back\\\\slash
  when: 1700000000
- cmd: echo 'x\n y'\q
  when: 1700000001
""",
        [(AT, "echo 'a\\nb' back\\\\slash"), (AT + 1, "echo 'x\n y'\\q")],
        {},
    ),
    "an entry without a time": (b"- cmd: ls\n- cmd: pwd\n  when: soon\n", [(0, "ls"), (0, "pwd")], {}),
    "what belongs to no entry": (
        b"\x00\x01\x02\nwhen: 17\n- cmd: ls\n  when: 1700000000\njunk\n- cmd:  hidden\n- cmd: \n- cmd: " + LONG,
        [(AT, "ls")],
        {NOT_IN_ENTRY: 3, LEADING_BLANK: 1, TOO_LONG: 1},
    ),
}
CASES = [
    pytest.param(shell, *case, id=f"{shell}: {name}")
    for shell, cases in (("bash", BASH), ("zsh", ZSH), ("fish", FISH))
    for name, case in cases.items()
]


@pytest.mark.parametrize(("shell", "data", "read_as", "skipped"), CASES)
def test_a_history_is_read_as_it_was_typed(
    shell: str, data: bytes, read_as: list[tuple[int, str]], skipped: dict[str, int]
) -> None:
    assert timed(shell, data) == read_as
    assert unread(shell, data) == skipped


def test_zsh_tells_durations() -> None:
    assert [entry.milliseconds for entry in entries("zsh", ZSH_WRITTEN)] == [0, 12_000, 0, 0, 0, 0]


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
