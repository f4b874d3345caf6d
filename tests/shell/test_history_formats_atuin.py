"""The history of Atuin: a database that is only read."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from tacit.model.observation import UNKNOWN_STATUS
from tacit.shell import history_formats
from tacit.shell.history_formats import NOT_TEXT, TOO_LONG, UNREADABLE, HistoryEntry, HistoryItem, SkippedEntry

AT = 1_700_000_000_123_456_789
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


def row(name: str, command: object, at: int = AT, **more: object) -> Row:
    rest: dict[str, object] = {"took": 2_500_000, "exit": 1, "cwd": "/src", "session": "s1", "deleted": None, **more}
    return (
        name, at, rest["took"], rest["exit"], command, rest["cwd"], rest["session"], "box:me", rest["deleted"],
    )  # fmt: skip


def read(path: Path) -> list[HistoryItem]:
    with open(path, "rb") as file:
        return list(history_formats.read_atuin(file))


def test_a_row_tells_all_there_is_to_know(tmp_path: Path) -> None:
    path = kept(tmp_path / "history.db", [row("b", "make test"), row("a", "ls", AT - 1000)])
    assert read(path) == [
        HistoryEntry("ls", AT // 1000 - 1, 2, 1, "/src", "s1", "box"),
        HistoryEntry("make test", AT // 1000, 2, 1, "/src", "s1", "box"),
    ]


def test_what_was_deleted_there_does_not_come_here(tmp_path: Path) -> None:
    assert read(kept(tmp_path / "history.db", [row("a", "ls", deleted=17), row("b", "  ")])) == []


def test_what_atuin_took_over_has_neither_status_nor_session(tmp_path: Path) -> None:
    (entry,) = read(kept(tmp_path / "history.db", [row("a", "ls", took=-1, exit=0, cwd="unknown")]))
    assert entry == HistoryEntry("ls", AT // 1000, 0, UNKNOWN_STATUS, "", "", "box")


def test_an_older_table_with_fewer_columns_is_read(tmp_path: Path) -> None:
    table = "CREATE TABLE history (id TEXT, command TEXT, timestamp INTEGER)"
    assert read(kept(tmp_path / "history.db", [("a", "ls", AT)], table)) == [HistoryEntry("ls", AT // 1000)]


def test_a_row_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    rows = [row("a", "ls"), row("b", "x" * 5_000_000, AT + 1), row("c", 17.5, AT + 2), row("d", "pwd", AT + 3)]
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
        tmp_path / "history.db", [row(f"{n:04}", f"command {n} {'x' * 200}", AT + n * 10**9) for n in range(500)]
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
        connection.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row("b", "pwd", AT + 10))
        connection.commit()
        before = path.read_bytes()
        found = read(path)
        assert [one.command for one in found if isinstance(one, HistoryEntry)] == ["ls", "pwd"]
        assert path.read_bytes() == before


def test_a_name_with_signs_of_an_address_is_a_name(tmp_path: Path) -> None:
    assert len(read(kept(tmp_path / "a?b#c%20.db", [row("a", "ls")]))) == 1
