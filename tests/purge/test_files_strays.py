"""Files that other programs leave in a home: recognised by their names, and copies of the index."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tacit.log.codec import encode
from tacit.model.observation import WorkLogged
from tacit.purge.files import APPLICATION_ID, index_copies, is_index_copy, is_stray_copy
from tests.support.events import event

LINE = encode(event(1, WorkLogged("T-1", "a step")))


def put(home: Path, name: str, data: bytes = LINE) -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def database(path: Path, application_id: int = APPLICATION_ID) -> str:
    path.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {application_id}")
        connection.execute("CREATE TABLE t (a)")
    return str(path)


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("", "tacit.sync-conflict-20260302-120000-ABCDEFG.toml"),
        ("", "tacit-LAPTOP.toml"),
        ("", "AGENTS (1).md"),
        ("", "index (Kims Konfliktkopie).sqlite"),
        ("memory", "events 2.jsonl"),
        ("memory", "events-LAPTOP.jsonl"),
        ("memory", "long-term-LAPTOP.md"),
        ("memory", "long-term (conflicted copy 2026-03-02).md"),
        ("sessions", "2026-03-02-a.md~"),
        ("sessions", ".2026-03-02-a.md.swp"),
        ("sessions", "#2026-03-02-a.md#"),
        ("evaluations", "2026-03-02.md.orig"),
    ],
)
def test_names_that_sync_programs_and_editors_give_are_copies(folder: str, name: str) -> None:
    assert is_stray_copy(folder, name)


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("", "tacit.toml"),
        ("", "AGENTS.md"),
        ("", "index.sqlite-wal"),
        ("", "index.sqlite.new"),
        ("", "settings (1).json"),
        ("", "notes.md.bak"),
        ("memory", "events.jsonl"),
        ("memory", ".events.jsonl.tacit-new"),
        ("activity", "2026-03.jsonl"),
        ("sessions", "2026-03-02-LAPTOP.md"),
        ("worklog", "release 2026.md"),
    ],
)
def test_our_own_files_and_those_of_the_person_are_no_copies(folder: str, name: str) -> None:
    assert not is_stray_copy(folder, name)


def test_the_files_of_sqlite_beside_the_index_are_its_own() -> None:
    own = ("index.sqlite", "index.sqlite-wal", "index.sqlite-shm", "index.sqlite-journal", "index.sqlite.new-wal")
    assert not any(map(is_index_copy, own))
    assert is_index_copy("index.sqlite-wal.bak") and is_index_copy(".index 2.sqlite")


def test_copies_of_the_index_are_found_by_name_or_by_their_application_id(tmp_path: Path) -> None:
    database(tmp_path / "index.sqlite")
    database(tmp_path / "other.sqlite", 7)
    put(tmp_path, "index.sqlite.txt", b"notes about the index")
    wanted = {database(tmp_path / "index 2.sqlite", 7), database(tmp_path / "before.sqlite")}
    wanted.add(database(tmp_path / "memory" / "saved.sqlite"))
    wanted.add(str(put(tmp_path, "before.sqlite-wal", b"\x37\x7f\x06\x82 pages")))
    wanted.add(str(put(tmp_path, "index 2.sqlite-shm", b"")))
    assert set(index_copies(str(tmp_path), ["memory"])) == wanted
    assert str(tmp_path / "memory" / "saved.sqlite") not in index_copies(str(tmp_path), [])
