"""Files beside the log: ours are scrubbed, those of the person are left and named."""

from __future__ import annotations

from base64 import b64encode

import pytest
from harness.person import Person
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.purge import files
from tacit.purge.files import FilePurge
from tacit.purge.matcher import TextFinder
from tacit.purge.remains import PurgeTarget
from tests.purge.conftest import SECRET
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
