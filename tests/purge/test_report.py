"""Where a text may be that no purge reaches."""

from __future__ import annotations

from pathlib import Path

from harness.person import Person

from tests.purge.conftest import SECRET


def test_what_no_purge_can_reach_is_listed_as_far_as_it_is_there(planted: Person, project: Path) -> None:
    (planted.folder / ".claude").mkdir()
    (planted.folder / ".bash_history").write_text("ls\n")
    said = planted.tacit("purge", "--text", SECRET, "--yes").out
    assert f"history of git in {project}" in said
    assert f"{planted.folder}/.claude" in said and f"{planted.folder}/.bash_history" in said
    assert ".codex" not in said and "other machines" in said and "backups" in said


def test_the_history_of_git_is_named_also_when_the_fact_file_is_gone(person: Person) -> None:
    shared, private = person.repository("shared"), person.repository("private")
    person.tacit("add", f"we never tell {SECRET}", cwd=shared)
    person.tacit("add", f"I never tell {SECRET}", cwd=private)
    person.tacit("forget", "--text", f"we never tell {SECRET}", cwd=shared)
    assert not (shared / "docs").exists()
    said = person.tacit("purge", "--text", SECRET, "--yes").out
    assert f"history of git in {shared}" in said and f"history of git in {private}" not in said
