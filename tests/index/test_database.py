"""The SQLite file: it is opened only if it is whole, its own and of this version, and errors say whether to retry."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tacit.errors import IndexUnusableError, StoreError
from tacit.index import database
from tacit.index.database import TranscriptCursor


def no_line(segment: str, offset: int, length: int) -> bytes | None:
    return None


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A finished index."""
    path = str(tmp_path / "index.sqlite")
    build(path)
    return path


def build(path: str, *views: str) -> None:
    new = database.new_index_path(path)
    connection = database.create_index(new)
    database.mark_stale(connection, views)
    database.finish_index(connection, new)
    database.replace_index(path)


def views_in(path: str) -> list[str]:
    with closing(database.open_for_reading(path)) as connection:
        return [view for (view,) in connection.execute("SELECT name FROM stale_views ORDER BY name")]


def write(path: str, view: str) -> None:
    connection = database.open_for_writing(path, no_line)
    database.mark_stale(connection, [view])
    database.checkpoint_and_close(connection)


# Open


def test_what_was_written_is_read_and_the_write_ahead_log_is_empty_afterwards(path: str) -> None:
    with closing(database.open_for_reading(path)):
        write(path, "memory a")
        assert os.path.getsize(path + "-wal") == 0
    assert views_in(path) == ["memory a"]


def test_a_reader_cannot_write(path: str) -> None:
    with closing(database.open_for_reading(path)) as connection, pytest.raises(sqlite3.OperationalError):
        database.mark_stale(connection, ["memory a"])


def test_only_the_owner_can_read_the_file(path: str) -> None:
    assert os.stat(path).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("damage", ["missing", "another version", "a link", "no database", "a pipe beside it"])
def test_an_index_that_cannot_be_trusted_is_unusable(path: str, damage: str) -> None:
    match damage:
        case "missing":
            os.unlink(path)
        case "another version":
            with closing(sqlite3.connect(path)) as connection, connection:
                connection.execute("UPDATE meta SET value = '1' WHERE name = 'version'")
        case "a link":
            os.rename(path, path + ".real")
            os.symlink(path + ".real", path)
        case "no database":
            with open(path, "r+b") as file:
                file.write(b"\xff" * os.path.getsize(path))
        case "a pipe beside it":
            os.mkfifo(path + "-wal")
    with pytest.raises(IndexUnusableError):
        database.open_for_reading(path)
    with pytest.raises(IndexUnusableError):
        database.open_for_writing(path, no_line)


@pytest.mark.parametrize("suffixes", [("",), ("", "-file")], ids=["alone", "with the record of its inode"])
def test_a_copy_is_unusable(path: str, tmp_path: Path, suffixes: tuple[str, ...]) -> None:
    copy = str(tmp_path / "copy.sqlite")
    for suffix in suffixes:
        shutil.copyfile(path + suffix, copy + suffix)
    with pytest.raises(IndexUnusableError, match="copy"):
        database.open_for_reading(copy)


def test_an_index_with_a_hard_link_is_read_and_never_written(path: str, tmp_path: Path) -> None:
    os.link(path, tmp_path / "elsewhere")
    assert views_in(path) == []
    with pytest.raises(IndexUnusableError):
        database.open_for_writing(path, no_line)


def test_a_folder_in_its_place_is_left_for_the_person_to_move(path: str) -> None:
    os.unlink(path)
    os.mkdir(path)
    with pytest.raises(StoreError, match="is a folder"):
        database.open_for_writing(path, no_line)


def test_opening_for_writing_removes_an_unfinished_rebuild(path: str) -> None:
    new = database.new_index_path(path)
    database.create_index(new).close()
    write(path, "memory a")
    assert not os.path.exists(new)


def test_files_beside_an_unusable_index_are_removed_before_it_is_rebuilt(path: str) -> None:
    os.unlink(path)
    Path(path + "-wal").write_bytes(b"planted")
    with pytest.raises(IndexUnusableError):
        database.open_for_writing(path, no_line)
    assert not os.path.exists(path + "-wal")


def test_the_write_ahead_log_of_a_replaced_index_is_not_applied_to_the_new_one(path: str) -> None:
    connection = database.open_for_writing(path, no_line)
    database.mark_stale(connection, ["memory old"])
    assert os.path.getsize(path + "-wal") > 0
    build(path, "memory new")
    connection.close()
    assert views_in(path) == ["memory new"]


# Statements


def test_a_transaction_is_written_whole_or_not_at_all(path: str) -> None:
    with closing(database.open_for_writing(path, no_line)) as connection:
        with pytest.raises(KeyboardInterrupt), database.transaction(connection):
            database.mark_stale(connection, ["memory a"])
            raise KeyboardInterrupt
        with database.transaction(connection):
            database.mark_stale(connection, ["memory b", "memory b"])
    assert views_in(path) == ["memory b"]


def test_what_does_not_fit_on_a_full_disk_can_be_tried_again(path: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA max_page_count = 1")
        with pytest.raises(StoreError, match="disk may be full"), database.translate_sqlite_errors():
            connection.execute("INSERT INTO documents VALUES (1, ?, '')", ("x" * 1_000_000,))


def test_what_another_process_holds_can_be_tried_again(path: str) -> None:
    with (
        closing(sqlite3.connect(path, timeout=0)) as connection,
        closing(database.open_for_writing(path, no_line)) as other,
        database.transaction(other),
        pytest.raises(StoreError, match="cannot be used now"),
        database.translate_sqlite_errors(),
    ):
        connection.execute("BEGIN IMMEDIATE")


def test_a_lost_table_makes_the_index_unusable(path: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE documents")
        with pytest.raises(IndexUnusableError), database.translate_sqlite_errors():
            connection.execute("SELECT * FROM documents")


def test_the_line_of_an_event_is_its_own_or_none() -> None:
    def line(segment: str, offset: int, length: int) -> bytes | None:
        return b'{"id":"e1"}' if (segment, offset, length) == ("memory/events.jsonl", 5, 11) else None

    def selected(event: str | None, offset: int, raw: bytes | None = None) -> object:
        values = (event, "memory/events.jsonl", offset, 11, raw)
        return connection.execute("SELECT event_line(?, ?, ?, ?, ?)", values).fetchone()[0]

    with closing(database.create_index(":memory:", line)) as connection:
        assert selected("e1", 5) == b'{"id":"e1"}'
        assert selected("e1", 5, b'{"id":"e1","purged":1}') == b'{"id":"e1","purged":1}'
        assert selected("e2", 5) is None
        assert selected("e1", 6) is None
        assert selected(None, 5) is None


def test_a_transcript_has_the_cursor_that_was_saved_last() -> None:
    first = TranscriptCursor("/t.jsonl", 1, 10, 100, 10, "abc")
    with closing(database.create_index(":memory:")) as connection:
        database.save_transcript_cursors(connection, [first, first._replace(offset=20, size=20)])
        assert database.transcript_cursor(connection, "/t.jsonl") == first._replace(offset=20, size=20)
        assert database.transcript_cursor(connection, "/other.jsonl") is None
