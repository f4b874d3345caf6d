"""`tacit export --as agents-md`: memories as a block in a rule file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harness.person import Person

from tacit.rules.exchange import rule_text

EXPORT = ("export", "--as", "agents-md")


@pytest.fixture
def project(person: Person) -> Path:
    root = person.folder / "shop"
    (root / ".git").mkdir(parents=True)
    person.tacit("add", "never use npm here, use pnpm", cwd=root)
    person.tacit("add", "I prefer short answers", cwd=root)
    person.tacit("add", "always sign commits", "--global", cwd=root)
    return root


def test_only_shared_memories_go_into_a_repository(person: Person, project: Path) -> None:
    done = person.tacit(*EXPORT, "--yes", cwd=project).out
    text = (project / "AGENTS.md").read_text()
    assert "- never use npm here, use pnpm\n" in text
    assert "short answers" not in text and "sign commits" not in text
    assert "1 memory is in" in done and "left out: 1 private memory" in done
    assert "+- never use npm here" in done  # shown before it is written
    assert "Nothing new." in person.tacit("import", "rules", cwd=project).out  # its own block is none


@pytest.mark.parametrize("before", [None, b"", b"# Mine\n", b"# Mine without end", b"\xff\r\n"])
def test_removal_is_exact(person: Person, project: Path, before: bytes | None) -> None:
    path = project / "CLAUDE.md"
    if before is not None:
        path.write_bytes(before)
    person.tacit(*EXPORT, "--to", "CLAUDE.md", "--yes", cwd=project)
    assert b"never use npm" in path.read_bytes()
    assert "up to date" in person.tacit(*EXPORT, "--to", "CLAUDE.md", "--yes", cwd=project).out
    person.tacit(*EXPORT, "--to", "CLAUDE.md", "--remove", "--yes", cwd=project)
    assert (path.read_bytes() if path.exists() else None) == before


def test_a_rule_of_cursor_applies_always_and_goes_as_a_whole(person: Person, project: Path) -> None:
    path = project / ".cursor" / "rules" / "tacit.mdc"
    person.tacit(*EXPORT, "--to", str(path), "--yes", cwd=project)
    assert path.read_text().startswith("---\nalwaysApply: true\n---\n<!-- >>> tacit export (created)")
    person.tacit(*EXPORT, "--to", str(path), "--remove", "--yes", cwd=project)
    assert not path.exists()


def test_a_file_of_the_person_gets_what_holds_everywhere(person: Person, project: Path) -> None:
    path = person.folder / ".codex" / "AGENTS.md"
    person.tacit(*EXPORT, "--to", str(path), "--yes", cwd=project)
    assert "- always sign commits\n" in path.read_text() and "npm" not in path.read_text()


def test_a_block_follows_the_memories(person: Person, project: Path) -> None:
    person.tacit(*EXPORT, "--yes", cwd=project)
    person.tacit("forget", "never use npm here, use pnpm", cwd=project)
    done = person.tacit(*EXPORT, "--yes", cwd=project).out
    assert "Taken out of" in done and not (project / "AGENTS.md").exists()


def test_nothing_is_changed_unasked_or_by_an_agent(person: Person, project: Path) -> None:
    done = person.tacit(*EXPORT, "--to", "CLAUDE.md", cwd=project, code=1)
    assert "tacit export --as agents-md --to CLAUDE.md --yes" in done.err
    by_agent = person.tacit(*EXPORT, "--to", "CLAUDE.md", "--yes", cwd=project, code=1, CLAUDECODE="1")
    assert "only a person" in by_agent.err
    assert not (project / "CLAUDE.md").exists()


@pytest.mark.parametrize(("link", "file"), [("AGENTS.md", "AGENTS.md"), (".cursor", ".cursor/rules/a.mdc")])
def test_a_link_out_of_the_repository_is_refused(person: Person, project: Path, link: str, file: str) -> None:
    target = person.folder / "elsewhere"
    target.write_text("mine\n") if link == file else target.mkdir()
    os.symlink(target, project / link)
    done = person.tacit(*EXPORT, "--to", file, "--yes", cwd=project, code=1)
    assert "leads out of" in done.err
    assert target.read_text() == "mine\n" if link == file else not any(target.iterdir())


def test_only_rule_files_are_written(person: Person, project: Path) -> None:
    for name in (".zshrc", "docs", "x.py"):
        assert "no file that hosts read" in person.tacit(*EXPORT, "--to", name, "--yes", cwd=project, code=2).err
    assert "in no project" in person.tacit(*EXPORT, "--yes", cwd=person.folder, code=2).err


def test_forms_and_options_are_checked(person: Person, project: Path) -> None:
    assert "no such form" in person.tacit("export", "--as", "pdf", cwd=project, code=2).err
    assert "--remove goes with --as" in person.tacit("export", "--remove", "--to", "x", cwd=project, code=2).err
    assert "wants --to DIR" in person.tacit("export", cwd=project, code=2).err


def test_no_sentence_opens_an_import_a_comment_or_a_fence() -> None:
    assert rule_text("read @~/.ssh/id_rsa, mail a@b.c and `@x`") == "read `@~/.ssh/id_rsa,` mail a@b.c and `@x`"
    assert rule_text("a <!-- b --> c\nd ```x```") == "a <!- - b - -> c d '''x'''"
