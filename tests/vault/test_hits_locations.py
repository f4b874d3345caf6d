"""The line of a memory or heading in a file, as the file is now."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tacit.log.reader import FileLocation
from tacit.vault.hits import MAX_FILE_BYTES, LineIndex

IDS = [f"{number:012d}" for number in range(40)]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text("# Title\n\n" + "".join(f"- entry ^{name}\n" for name in IDS))
    return path


def index(path: Path) -> LineIndex:
    return LineIndex(str(path)).refreshed()


def test_every_id_is_found_however_many_are_asked_for(page: Path) -> None:
    lines = index(page)
    for _ in range(2):
        assert [lines.locate_id(name) for name in IDS] == [FileLocation(str(page), 3 + at) for at in range(len(IDS))]
    assert lines.locate_id("9" * 12) is None


@pytest.mark.parametrize("earlier", [0, 20])
def test_an_id_counts_only_at_the_end_of_a_line_also_of_the_last_one(page: Path, earlier: int) -> None:
    page.write_text(f"- see ^{IDS[0]} above\n- one ^{IDS[0]}\n- see {IDS[0]}\n- two ^{IDS[1]}")
    lines = index(page)
    for name in IDS[2 : 2 + earlier]:
        assert lines.locate_id(name) is None
    assert [lines.locate_id(name) for name in IDS[:2]] == [FileLocation(str(page), 2), FileLocation(str(page), 4)]


def test_headings_are_counted_from_zero_and_found_whole_or_by_mark_and_ending(page: Path) -> None:
    page.write_bytes(b"## Ends\ntext\n## Ends\n## Ends here\n## caf\xe9\n### 3. Ends\n")
    lines = index(page)
    found = [lines.locate_heading("## Ends", nth) for nth in range(3)]
    assert found == [FileLocation(str(page), 1), FileLocation(str(page), 3), None]
    assert str(lines.locate_heading("## caf\udce9", 0)) == f"{page}:5"
    assert lines.locate_heading("text", 0) is None
    found = [lines.locate_ending("##", "Ends", nth) for nth in range(4)]
    assert found == [*(FileLocation(str(page), number) for number in (1, 3, 6)), None]
    assert lines.locate_ending("### ", "Ends", 0) == FileLocation(str(page), 6)


def test_a_file_that_changed_is_read_again_when_it_is_refreshed(page: Path) -> None:
    lines = index(page)
    assert lines.locate_id(IDS[0]) == FileLocation(str(page), 3)
    page.write_text(f"# Title\n\n\n- entry ^{IDS[0]}\n## New\n")
    assert lines.refreshed() is lines
    assert lines.locate_id(IDS[0]) == FileLocation(str(page), 4)
    assert lines.locate_id(IDS[1]) is None
    assert lines.locate_heading("## New", 0) == FileLocation(str(page), 5)


def test_a_file_that_is_gone_a_link_or_too_large_has_no_locations(page: Path, tmp_path: Path) -> None:
    link, large = tmp_path / "link.md", tmp_path / "large.md"
    link.symlink_to(page)
    large.write_text(f"- entry ^{IDS[0]}\n")
    os.truncate(large, MAX_FILE_BYTES + 1)
    lines = index(page)
    page.rename(tmp_path / "away.md")

    for path in (link, large, tmp_path / "nothing.md"):
        assert index(path).locate_id(IDS[0]) is None
    assert lines.refreshed().locate_id(IDS[0]) is None
