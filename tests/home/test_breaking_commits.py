"""Since which commit something is gone or there, and what no commit ever had."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tacit.home.breaking_commits import confirmed, history_of
from tacit.model.conditions import State, Trace, red
from tests.home.test_work_tree import git

LINT = Trace("Makefile", "^([^:=#]* )?lint( [^:=]*)?:", is_gone=True)


def commit(root: Path, subject: str) -> None:
    git(root, "add", "--all")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", subject)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    (root / "docs").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / "Makefile").write_text("lint: x\n\truff\n")
    (root / "docs" / "a.md").write_text("a")
    commit(root, "first")
    return root


def subject(root: Path, trace: Trace) -> str:
    found = history_of(str(root), os.environ, trace).commit
    return found.subject if found else ""


def test_the_commit_that_removed_a_line_or_a_file(root: Path) -> None:
    (root / "Makefile").write_text("test:\n")
    assert subject(root, LINT) == ""  # it is in HEAD
    commit(root, "no lint")
    (root / "docs" / "a.md").unlink()
    commit(root, "no docs")
    commit(root, "later")
    assert subject(root, LINT) == "no lint"
    assert subject(root, Trace("docs/a.md", is_gone=True)) == "no docs"
    assert subject(root, Trace("a.md", is_gone=True)) == "no docs"  # as people name files
    assert subject(root, Trace("docs", is_gone=True)) == "no docs"


def test_a_file_that_was_moved_is_gone_since_the_move(root: Path) -> None:
    (root / "old" / "docs").mkdir(parents=True)
    (root / "docs" / "a.md").rename(root / "old" / "docs" / "a.md")
    commit(root, "moved")
    (root / "old" / "docs" / "a.md").unlink()
    commit(root, "copy removed")
    assert subject(root, Trace("docs/a.md", is_gone=True)) == "moved"


def test_the_commit_that_added_a_line_or_a_file(root: Path) -> None:
    (root / "Makefile").write_text("lint: x\n\truff\n\tnpm  ci\n")
    added = Trace("Makefile", "npm[ ]+ci")
    assert subject(root, added) == ""  # not committed
    (root / "package-lock.json").write_text("{}")
    commit(root, "npm")
    commit(root, "later")
    assert subject(root, added) == subject(root, Trace("package-lock.json")) == "npm"


def test_a_file_that_no_commit_ever_had_is_unknown(root: Path, tmp_path: Path) -> None:
    gone = red("docs/none.md does not exist", Trace("docs/none.md", is_gone=True))
    assert confirmed(str(root), os.environ, gone).why == "no commit ever had docs/none.md"
    assert confirmed(str(root), os.environ, red("x", LINT)).state is State.RED
    (root / "docs" / "a.md").unlink()
    commit(root, "no docs")
    assert confirmed(str(root), os.environ, red("x", Trace("docs/a.md", is_gone=True))).state is State.RED
    # A shallow clone does not know what was before, and a folder without history says nothing.
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{root}", "shallow")
    assert confirmed(str(tmp_path / "shallow"), os.environ, gone).state is State.RED
    assert confirmed(str(tmp_path), os.environ, gone).state is State.RED


def test_nothing_that_a_repository_names_is_started(root: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    for name in ("core.fsmonitor", "diff.external", "diff.x.textconv", "core.pager", "filter.x.clean"):
        git(root, "config", name, f"touch {ran}; cat")
    (root / ".gitattributes").write_text("* diff=x filter=x\n")
    safely = ("-c", "core.fsmonitor=false", "-c", "filter.x.clean=cat", "-c", "user.name=a", "-c", "user.email=a@b")
    (root / "Makefile").write_text("test:\n")
    git(root, *safely, "add", ".gitattributes", "Makefile")
    git(root, *safely, "commit", "-q", "-m", "no lint")
    assert not ran.exists()
    assert subject(root, LINT) == "no lint"
    assert not ran.exists()
