"""Files beside the log: ours are scrubbed, those of the person are left and named."""

from __future__ import annotations

import sqlite3
from base64 import b64encode
from contextlib import closing
from pathlib import Path

import pytest
from harness.person import Person
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.log.codec import encode
from tacit.model.observation import WorkLogged
from tacit.purge import files
from tacit.purge.files import APPLICATION_ID, FilePurge, index_copies, is_index_copy, is_stray_copy
from tacit.purge.matcher import TextFinder
from tacit.purge.remains import PurgeTarget
from tests.purge.conftest import SECRET
from tests.support.events import event
from tests.support.planting import traces


def test_a_hand_edit_of_a_purged_memory_stays_as_the_persons_own_line(person: Person) -> None:
    person.tacit("add", "use pnpm")
    name = person.id_of("use pnpm")
    page = person.long_term.read_text()
    person.long_term.write_text(page.replace("use pnpm", "choose yarn wisely"))
    person.tacit("purge", name, "--yes")
    assert "choose yarn wisely" in person.long_term.read_text() and name not in person.long_term.read_text()


def test_files_of_the_person_are_told_and_not_changed(planted: Person) -> None:
    theirs = planted.home / "skills" / "notes.md"
    theirs.parent.mkdir()
    theirs.write_text(f"my own {SECRET}\n")
    settings = planted.home / "tacit.toml"
    settings.write_text(f"# {SECRET}\n")
    said = planted.tacit("purge", "--text", SECRET, "--yes", code=1)
    assert f"✗ {theirs} still holds it" in said.out and f"✗ {settings} still holds it" in said.out
    assert SECRET in theirs.read_text() and SECRET in settings.read_text()


def test_a_file_that_is_moved_while_files_are_searched_is_no_error(
    planted: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the new page of somebody who draws pages at that moment."""
    gone = planted.home / "memory" / ".long-term.md.0123456789abcdef.tacit-new"
    listed = files._regular_files
    monkeypatch.setattr(files, "_regular_files", lambda root: [*listed(root), str(gone)])
    planted.tacit("purge", "--text", SECRET, "--yes")
    assert traces(planted.folder, SECRET) == []


def test_a_page_that_is_read_in_blocks_loses_it_everywhere(planted: Person) -> None:
    lines = [f"- my own line {number} about nothing" for number in range(4000)]
    lines[10], lines[2000] = f"- first {SECRET}", "- second Hunter q999x\n\n  MAGIC\n  word, and more"
    planted.long_term.write_text(planted.long_term.read_text() + "\n".join(lines) + f"\n- last {SECRET}")
    planted.tacit("purge", "--text", SECRET, "--yes")
    page = planted.long_term.read_text()
    assert traces(planted.folder, SECRET) == []
    assert (
        "- first [purged]\n" in page and "- second [purged], and more\n" in page and page.endswith("- last [purged]\n")
    )
    assert all(line in page for line in lines[11:2000])


# Blocks of lines

WORDS = ("hunter2", "magic", "word", "", "  ", "other", "- 2026-01-02: x", b64encode(b"hunter2 magic word").decode())
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=2).map(" ".join), max_size=12)


def purge_of(text: str) -> FilePurge:
    return FilePurge([PurgeTarget(TextFinder([text]))])


@settings(deadline=None, max_examples=300)
@given(texts, st.integers(1, 5), st.sampled_from(("hunter2", "hunter2 magic word", "word hunter2 other")))
def test_blocks_are_scrubbed_like_the_whole(lines: list[str], size: int, text: str) -> None:
    blocks = [lines[start : start + size] for start in range(0, len(lines), size)]
    whole, finder = "\n".join(lines), TextFinder([text])
    assert purge_of(text).is_in(blocks) == finder.contains(whole)
    scrubbed = [line for block in purge_of(text).replace(blocks) for line in block]
    assert "\n".join(scrubbed) == finder.replace_matches(whole)


@pytest.mark.parametrize("gap", ["\n", "\n\n\n\n\n\n\n\n"])
def test_a_match_may_span_lines_and_empty_ones_between_them(gap: str) -> None:
    lines = f"before\nmy hunter2{gap}magic\nword\nafter".split("\n")
    scrubbed = [line for block in purge_of("hunter2 magic word").replace([[line] for line in lines]) for line in block]
    assert scrubbed == ["before", "my [purged]", "after"]


def test_ids_and_dates_of_entries_stay() -> None:
    lines = ["- 2026-01-02: since 2026-01-02", '{"id": "2026-01-02", "text": "2026-01-02"}']
    scrubbed = [line for block in purge_of("2026-01-02").replace([lines]) for line in block]
    assert scrubbed == ["- 2026-01-02: since [purged]", '{"id": "2026-01-02", "text": "[purged]"}']


# Files that other programs leave in a home


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


INDEX_COPY = "index (Kims Konfliktkopie).sqlite"
# By folder, names that sync programs and editors give; and our own names with those of the person.
COPIES = {
    "": ("tacit.sync-conflict-20260302-120000-ABCDEFG.toml", "tacit-LAPTOP.toml", "AGENTS (1).md", INDEX_COPY),
    "memory": (
        "events 2.jsonl",
        "events-LAPTOP.jsonl",
        "long-term-LAPTOP.md",
        "long-term (conflicted copy 2026-03-02).md",
    ),
    "sessions": ("2026-03-02-a.md~", ".2026-03-02-a.md.swp", "#2026-03-02-a.md#"),
    "evaluations": ("2026-03-02.md.orig",),
}
ORIGINALS = {
    "": ("tacit.toml", "AGENTS.md", "index.sqlite-wal", "index.sqlite.new", "settings (1).json", "notes.md.bak"),
    "memory": ("events.jsonl", ".events.jsonl.tacit-new"),
    "activity": ("2026-03.jsonl",),
    "sessions": ("2026-03-02-LAPTOP.md",),
    "worklog": ("release 2026.md",),
}


def in_folders(names: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(folder, name) for folder, own in names.items() for name in own]


@pytest.mark.parametrize(("folder", "name"), in_folders(COPIES))
def test_names_that_sync_programs_and_editors_give_are_copies(folder: str, name: str) -> None:
    assert is_stray_copy(folder, name)


@pytest.mark.parametrize(("folder", "name"), in_folders(ORIGINALS))
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
