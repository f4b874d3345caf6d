"""By default a command answers first, and the pages of the home are drawn by another process a moment later."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.person import Person, facts_in

from tests.chaos.strace import need_strace
from tests.support.pages import parse_entries

TEXT = "never deploy on a friday evening"
REMOTE = "https://example.org/team/app.git"


@pytest.fixture
def home(person: Person) -> Person:
    person.tacit("add", "always sign commits")
    return person


def soon(holds: Callable[[], bool]) -> bool:
    """Wait for something that takes a moment, on a busy machine some seconds."""
    until = time.monotonic() + 30
    while not (held := holds()) and time.monotonic() < until:
        time.sleep(0.02)
    return held


def test_the_page_shows_the_change_soon_after_the_answer(home: Person) -> None:
    assert home.process("add", TEXT).first.startswith("Added")
    assert soon(lambda: TEXT in home.long_term.read_text())
    assert soon(lambda: TEXT in home.facts.read_text())


def test_the_next_command_knows_it_whether_or_not_the_page_is_drawn(home: Person) -> None:
    home.process("add", TEXT)
    assert TEXT in home.process("recall", "deploy friday").out


def test_a_burst_of_changes_loses_none(home: Person) -> None:
    texts = [f"never use the tool number {number}" for number in range(12)]
    for text in texts:
        home.process("add", text)
    assert soon(lambda: all(text in home.long_term.read_text() for text in texts))


def test_the_fact_file_of_a_repository_is_written_before_the_command_returns(home: Person) -> None:
    root = home.repository(remote=REMOTE)
    home.process("add", TEXT, cwd=root)
    assert [fact["canonical"] for fact in facts_in(root / "docs" / "memory" / "memories.ndjson")] == [TEXT]


def test_lines_that_a_person_edited_are_drawn_again_after_a_sync(home: Person) -> None:
    """The line that was typed gets a date and an id, and the one that was edited is not there twice."""
    page = home.long_term.read_text()
    changed = page.replace("always sign commits", "always sign commits with a key")
    home.long_term.write_text(changed.replace("## Constraints\n", f"## Constraints\n\n- {TEXT}\n", 1))
    home.process("sync", "--yes")

    def entries() -> dict[str, bool]:
        return {
            entry.text: bool(entry.day and entry.id) for entry in parse_entries(home.long_term.read_text().split("\n"))
        }

    drawn = {TEXT: True, "always sign commits with a key": True, "always sign commits": True}  # the last is pruned
    assert soon(lambda: entries() == drawn)
    assert home.long_term.read_text().count("with a key") == home.long_term.read_text().count(TEXT) == 1
    assert "No unread edits" in home.process("sync").out


def test_an_edit_that_is_made_before_the_page_is_drawn_stays(home: Person) -> None:
    home.process("add", TEXT)
    home.long_term.write_text(home.long_term.read_text() + "\nA remark of mine.\n")
    home.tacit("list")
    page = home.long_term.read_text()
    assert "A remark of mine." in page
    assert TEXT in page


def test_nothing_below_a_work_tree_changes_after_a_command_has_returned(home: Person) -> None:
    root = home.repository(remote=REMOTE)
    for number in range(6):
        home.process("add", f"never use the tool number {number}", cwd=root)
        home.commit(root)
        home.wait_for_pages()
        assert home.git(root, "status", "--porcelain") == ""


def test_edits_are_read_right_after_a_change(home: Person) -> None:
    """The process that follows the change draws the page that is being read."""
    for number in range(6):
        home.process("add", f"never use the tool number {number}")
        home.process("undo")
        assert "No unread edits" in home.process("sync", "--yes").out


@pytest.mark.parametrize("words", [("add", TEXT), ("forget", "--text", "always sign commits"), ("undo",)])
def test_a_change_waits_for_one_sync(home: Person, tmp_path: Path, words: tuple[str, ...]) -> None:
    need_strace()
    trace = tmp_path / "trace"
    home.prefix = ("strace", "-qq", "-y", "-o", str(trace), "-e", "trace=fsync,fdatasync")  # of this process alone
    home.process(*words)
    assert [line.split(">")[0].rpartition("/")[2] for line in trace.read_text().splitlines() if "(" in line] == [
        "events.jsonl"
    ]
