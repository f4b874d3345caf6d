"""init: makes the home, and tells agents about it in their own files without touching a foreign byte."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harness.person import BESIDE, Person

CLAUDE = ".claude/CLAUDE.md"
BEFORE = {
    "with a last line feed": b"# Mine\n\nBe kind.\n",
    "without a last line feed": b"# Mine\n\nBe kind.",
    "empty": b"",
    "one line feed": b"\n",
    "ending in blank lines": b"# Mine\n\n\n\n",
    "windows lines": b"# Mine\r\nBe kind.\r\n",
    "not utf-8": b"caf\xe9 \xff\xfe\n",
    "speaking of markers": b"The marker is `<!-- tacit:begin`, as you know.\n",
}


def state(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Every file with its bytes, mode and time of change."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(BESIDE)
    }


def agents_file(person: Person, before: bytes | None) -> Path:
    path = person.folder / CLAUDE
    path.parent.mkdir()
    if before is not None:
        path.write_bytes(before)
    return path


def test_init_makes_the_layout(person: Person) -> None:
    said = person.process("init")
    assert f"Home ready: {person.home}" in said.out
    for name in ("memory", "activity", "sessions", "worklog", "evaluations"):
        assert (person.home / name).is_dir()
    for name in ("memory/long-term.md", "memory/memories.ndjson", "index.sqlite", "tacit.toml", "AGENTS.md"):
        assert (person.home / name).is_file()
    instructions = (person.home / "AGENTS.md").read_text()
    for verb in ("tacit remember", "tacit recall", "tacit forget", "tacit improve"):
        assert verb in instructions


def test_init_twice_changes_nothing(person: Person) -> None:
    agents_file(person, b"# Mine\n")
    person.process("init", "--wrappers")
    before = state(person.folder)
    said = person.process("init", "--wrappers", now="2026-03-09T12:00:00+00:00")
    assert said.first.startswith("Nothing to do: ")
    assert state(person.folder) == before


def test_init_of_a_home_in_use_changes_nothing(person: Person) -> None:
    person.process("init")
    person.tacit("add", "never force push")
    person.tacit("log", "--task", "T-1", "--summary", "Moved the parser")
    (person.home / "tacit.toml").write_text("[recall]\nlimit = 5\n")
    person.wait_for_pages()
    os.utime(person.home / "worklog", (1_000_000_000, 1_000_000_000))  # old enough to be known to be complete
    person.process("init")
    before = state(person.home)
    assert person.process("init").first.startswith("Nothing to do: ")
    assert state(person.home) == before


def test_without_wrappers_no_agents_file_is_touched(person: Person) -> None:
    path = agents_file(person, b"# Mine\n")
    person.process("init")
    assert path.read_bytes() == b"# Mine\n"


@pytest.mark.parametrize("later", [b"", b"\nAdded later.\n"], ids=["as it was", "added to"])
@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_wrappers_are_added_between_markers_and_taken_out_exactly(person: Person, before: bytes, later: bytes) -> None:
    path = agents_file(person, before)
    person.tacit("init", "--wrappers")
    wrapped = path.read_bytes()
    assert wrapped.startswith(before) and b"tacit recall" in wrapped
    assert wrapped.rstrip().endswith(b"<!-- tacit:end -->")
    path.write_bytes(wrapped + later)
    person.tacit("init", "--wrappers")
    assert path.read_bytes() == wrapped + later
    for _ in range(2):
        person.tacit("init", "--no-wrappers")
        assert path.read_bytes() == before + later


@pytest.mark.parametrize("later", [b"", b"Mine.\n"], ids=["as it was", "added to"])
def test_a_file_that_was_not_there_is_gone_again_unless_it_grew(person: Person, later: bytes) -> None:
    path = agents_file(person, None)
    person.tacit("init", "--wrappers")
    assert b"tacit recall" in path.read_bytes()
    path.write_bytes(path.read_bytes() + later)
    person.tacit("init", "--no-wrappers")
    assert (path.read_bytes() if later else path.exists()) == (later or False)


def test_the_mode_of_an_agents_file_stays(person: Person) -> None:
    path = agents_file(person, b"# Mine\n")
    path.chmod(0o640)
    person.tacit("init", "--wrappers")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_linked_agents_file_is_changed_where_it_lies(person: Person) -> None:
    path = agents_file(person, None)
    real = person.folder / "dotfiles" / "CLAUDE.md"
    real.parent.mkdir()
    real.write_bytes(b"# Mine\n")
    path.symlink_to(real)
    person.tacit("init", "--wrappers")
    assert path.is_symlink()
    assert b"tacit recall" in real.read_bytes()
    person.tacit("init", "--no-wrappers")
    assert path.is_symlink()
    assert real.read_bytes() == b"# Mine\n"


def test_only_agents_that_are_used_are_told(person: Person) -> None:
    (person.folder / ".codex").mkdir()
    person.process("init", "--wrappers")
    assert (person.folder / ".codex" / "AGENTS.md").exists()
    assert not (person.folder / ".claude").exists()
    assert not (person.folder / ".gemini").exists()


def test_an_agent_can_be_named(person: Person) -> None:
    said = person.process("init", "--wrappers")
    assert "tacit init --wrappers --agent claude" in said.out
    person.process("init", "--wrappers", "--agent", "gemini")
    assert (person.folder / ".gemini" / "GEMINI.md").exists()
