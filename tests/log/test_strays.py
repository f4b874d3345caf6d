"""Files that other programs leave in a home: copies of segments by their content, other copies by their names."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tacit.log.codec import encode
from tacit.log.strays import (
    APPLICATION_ID,
    index_copies,
    is_index_copy,
    is_own_segment,
    is_stray_copy,
    stray_segments,
)
from tacit.model.observation import WorkLogged
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
    ("folder", "name", "own"),
    [
        ("memory", "events.jsonl", True),
        ("memory", "purged.jsonl", True),
        ("memory", "events 2.jsonl", False),
        ("memory", "2026-03.jsonl", False),
        ("imported", "2026-03-02-0123456789ab.jsonl", True),
        ("imported", "history-zsh-0123456789ab.jsonl", True),
        ("imported", "history-zsh-0123456789ab.jsonl.bak", False),
        ("activity", "2026-03.jsonl", True),
        ("activity", "2026-03-agents.jsonl", True),
        ("activity", "2026-03-late.jsonl", True),
        ("activity", "2026-03-laptop.jsonl", False),
    ],
)
def test_own_segments_have_the_names_that_tacit_gives(folder: str, name: str, own: bool) -> None:
    assert is_own_segment(folder, name) is own


@pytest.mark.parametrize("name", ["memory/events (Kopie von Kim).jsonl", "activity/~", "imported/日本.txt"])
def test_a_copy_of_a_segment_is_known_by_its_events_whatever_its_name(tmp_path: Path, name: str) -> None:
    put(tmp_path, "memory/events.jsonl")
    put(tmp_path, name, b"<<<<<<< a line of a merge\n" + LINE)
    assert list(stray_segments(str(tmp_path))) == [name]


def test_an_event_behind_a_very_long_line_counts(tmp_path: Path) -> None:
    put(tmp_path, "memory/copy", b"x" * 100_000 + b"\n" + LINE)
    assert list(stray_segments(str(tmp_path))) == ["memory/copy"]


def test_files_without_events_views_and_unfinished_writes_are_no_segments(tmp_path: Path) -> None:
    put(tmp_path, "memory/notes.txt", b"buy milk\n")
    put(tmp_path, "memory/changed.jsonl", LINE.replace(b"a step", b"a stop"))
    for name in ("long-term 2.md", "memories.ndjson", ".events.jsonl.tacit-new", ".events.jsonl.suspect"):
        put(tmp_path, f"memory/{name}")
    put(tmp_path, "sessions/copy.jsonl")
    assert list(stray_segments(str(tmp_path))) == []


def test_links_folders_and_named_pipes_are_not_read(tmp_path: Path) -> None:
    target = put(tmp_path, "elsewhere.jsonl")
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "link.jsonl").symlink_to(target)
    (folder / "folder.jsonl").mkdir()
    os.mkfifo(folder / "pipe.jsonl")
    assert list(stray_segments(str(tmp_path))) == []


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
