"""Pages on a disk: written only when changed, never over a hand edit, never through a link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tacit.disk.files import OsDisk
from tacit.errors import RefusedError
from tacit.pages import facts, long_term
from tacit.pages.view_store import SHARED_FILE_MODE, ViewStore, checked_path
from tests.support.pages import active, render_long_term, says

RULES = ("use pnpm", "run the tests", "write short commits")


@pytest.fixture
def store(tmp_path: Path) -> ViewStore:
    return ViewStore(str(tmp_path / "copies"), OsDisk())


def put(store: ViewStore, path: Path, *texts: str) -> None:
    page = render_long_term([active(says(text)) for text in texts])
    store.write_page(str(path), page, key=long_term.entry_id)


def line(text: str) -> str:
    return long_term.entry_line(active(says(text)))


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").split("\n")


def test_a_page_is_written_with_private_modes_and_only_when_it_changed(store: ViewStore, tmp_path: Path) -> None:
    page = tmp_path / "memory" / "long-term.md"
    put(store, page, *RULES)
    assert page.stat().st_mode & 0o777 == 0o600
    assert page.parent.stat().st_mode & 0o777 == 0o700
    written = page.stat().st_ino
    put(store, page, *RULES)
    assert page.stat().st_ino == written
    put(store, page, *RULES[:2])
    assert page.stat().st_ino != written
    assert sorted(os.listdir(page.parent)) == ["long-term.md"]


def test_what_a_person_wrote_stays_when_the_page_is_drawn_again(store: ViewStore, tmp_path: Path) -> None:
    page = tmp_path / "long-term.md"
    put(store, page, *RULES)
    edited = page.read_text("utf-8").replace(line(RULES[0]), line(RULES[0]).replace("use pnpm", "use pnpm, please"))
    page.write_text(edited.replace(line(RULES[1]) + "\n", "") + "a remark of mine\n", "utf-8")
    put(store, page, *RULES, "keep it short")
    now = lines(page)
    assert line(RULES[0]).replace("use pnpm", "use pnpm, please") in now
    assert line(RULES[1]) not in now
    assert "a remark of mine" in now
    assert line("keep it short") in now
    put(store, page, *RULES)
    assert "a remark of mine" in lines(page)
    assert line("keep it short") not in lines(page)


def test_a_page_that_was_deleted_is_written_again_whole(store: ViewStore, tmp_path: Path) -> None:
    page = tmp_path / "long-term.md"
    put(store, page, *RULES)
    before = page.read_bytes()
    page.unlink()
    assert store.last_written(str(page)) is None
    put(store, page, *RULES)
    assert page.read_bytes() == before
    page.write_bytes(before + b"caf\xe9\r\n")  # bytes that are no text survive
    assert store.last_written(str(page)) == render_long_term([active(says(text)) for text in RULES])
    put(store, page, *RULES, "keep it short")
    assert b"caf\xe9\r\n" in page.read_bytes()


def test_a_shared_fact_file_keeps_its_mode_and_the_lines_of_others(store: ViewStore, tmp_path: Path) -> None:
    path = tmp_path / "docs" / "memory" / "memories.ndjson"
    foreign = '{"id": "theirs000000", "dedupe_key": "zzz", "by": "another tool"}'
    path.parent.mkdir(parents=True)
    path.write_text(foreign + "\n")
    mine = facts.update_facts([], [active(says(text)) for text in RULES])
    for _ in range(2):
        store.write_page(
            str(path),
            mine,
            key=facts.fact_id,
            reconcile=facts.reconcile_fact,
            arrange=facts.sort_facts,
            below=str(tmp_path),
        )
        assert lines(path) == [*mine, foreign, ""]
    mask = os.umask(0)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == SHARED_FILE_MODE & ~mask


def test_a_page_with_nothing_to_say_is_taken_away(store: ViewStore, tmp_path: Path) -> None:
    page = tmp_path / "worklog" / "2024-03-01.md"
    put(store, page, *RULES)
    store.remove_page(str(page))
    assert not page.exists()
    assert not [path for path in (tmp_path / "copies").rglob("*") if path.is_file()]
    store.remove_page(str(page))


def test_a_link_inside_a_repository_is_not_written_through(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "repo", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    path = root / "docs" / "memory" / "memories.ndjson"
    assert checked_path(str(root), str(path)) == str(path)
    (root / "docs").symlink_to(elsewhere)
    with pytest.raises(RefusedError, match="symbolic link"):
        checked_path(str(root), str(path))
    (root / "docs").unlink()
    path.parent.mkdir(parents=True)
    path.symlink_to(elsewhere / "target")
    with pytest.raises(RefusedError, match="symbolic link"):
        checked_path(str(root), str(path))


def test_what_a_killed_writer_left_of_another_page_is_cleared_away(store: ViewStore, tmp_path: Path) -> None:
    page = tmp_path / "long-term.md"
    put(store, page, *RULES)
    name = os.path.basename(store.copy_path(str(page)))
    left = tmp_path / "copies" / "unwritten" / f".{name}.0123456789abcdef.tacit-new"
    left.write_text("half of a pa")
    put(store, page, *RULES[:2])
    assert os.listdir(left.parent) == []


class Killed(Exception):
    """The writer was killed."""


class KilledDisk(OsDisk):
    """A disk whose writer is killed before it replaces the page."""

    def rename(self, source: str, target: str) -> None:
        if target.endswith("long-term.md") and "copies" not in target:
            raise Killed
        super().rename(source, target)


@pytest.mark.parametrize("end", [b"\r\n", b"\r\r\n"])
def test_a_page_whose_line_ends_an_editor_changed_keeps_its_copy_when_a_writer_is_killed(
    store: ViewStore, tmp_path: Path, end: bytes
) -> None:
    page = tmp_path / "memory" / "long-term.md"
    put(store, page, *RULES[:2])
    with pytest.raises(Killed):
        put(ViewStore(str(tmp_path / "copies"), KilledDisk()), page, *RULES)
    page.write_bytes(page.read_bytes().replace(b"\n", end))
    put(store, page, *RULES)
    assert lines(page) == [*render_long_term([active(says(text)) for text in RULES]), ""]
    assert store.edited_versions(str(page)) is None
