"""The merge driver in a repository: one line in .gitattributes, one setting of the clone, and both taken out again."""

from __future__ import annotations

import os
import sys

import pytest
from harness.person import Person

from tacit.errors import RefusedError
from tacit.install.merge_driver import (
    ATTRIBUTE_LINE,
    driver_command,
    driver_state,
    merge_attribute,
    register_driver,
    remove_driver,
    with_attribute,
    without_attribute,
)

FACTS = "docs/memory/memories.ndjson"
LINE = ATTRIBUTE_LINE.encode() + b"\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, LINE),
        (b"", LINE),
        (b"*.png binary\n", b"*.png binary\n" + LINE),
        (b"*.png binary", b"*.png binary\n" + LINE),
        (b"*.png binary\r\n", b"*.png binary\r\n" + LINE[:-1] + b"\r\n"),
        (b"# docs/memory/memories.ndjson merge=union\n", b"# docs/memory/memories.ndjson merge=union\n" + LINE),
    ],
)
def test_the_line_is_added_once_and_everything_else_stays(before: bytes | None, after: bytes) -> None:
    assert with_attribute(before) == with_attribute(after) == after
    assert (without_attribute(after) or b"").rstrip() == (before or b"").rstrip()


@pytest.mark.parametrize(
    "line", ["docs/memory/memories.ndjson merge=union", "/docs/memory/memories.ndjson merge=ours eol=lf"]
)
def test_a_driver_that_the_person_chose_stays(line: str) -> None:
    content = line.encode() + b"\n"
    assert with_attribute(content) == content
    assert merge_attribute(content) in ("union", "ours")
    assert without_attribute(content) == content


def test_registered_twice_nothing_changes_and_taken_out_nothing_is_left(person: Person) -> None:
    root, environment = person.repository(), person.environment()
    before = (root / ".git" / "config").read_text()
    program = ("/usr/bin/tacit",)
    change = register_driver(str(root), program, environment)
    assert (change.changed_attributes, change.changed_command) == (True, True)
    assert driver_state(str(root), environment).command == driver_command(program)
    assert not register_driver(str(root), program, environment).is_needed
    assert person.git(root, "check-attr", "merge", FACTS).strip().endswith("merge: tacit-facts")
    assert remove_driver(str(root), environment).is_needed
    assert not (root / ".gitattributes").exists()
    assert (root / ".git" / "config").read_text() == before
    assert not remove_driver(str(root), environment).is_needed


def test_a_work_tree_has_the_setting_of_its_repository(person: Person) -> None:
    root, environment = person.repository(), person.environment()
    register_driver(str(root), ("/usr/bin/tacit",), environment)
    person.commit(root)
    person.git(root, "worktree", "add", "--quiet", "../tree")
    tree = str(person.folder / "tree")
    assert not register_driver(tree, ("/usr/bin/tacit",), environment).is_needed
    assert driver_state(tree, {**environment, "GIT_DIR": "/nowhere"}).command


@pytest.mark.parametrize(
    "name", ["with blank", "it's", 'a "quote"', "100%O", "$(touch trapped)", "a;b", "bäm", "back\\slash"]
)
def test_the_path_of_the_program_is_passed_on_as_it_is(person: Person, name: str) -> None:
    root = person.repository()
    program = person.folder / name / "tacit"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m tacit "$@"\n')
    program.chmod(0o755)
    register_driver(str(root), (str(program),), person.environment())
    shared = root / FACTS
    shared.parent.mkdir(parents=True)
    shared.write_text("")
    person.commit(root)
    for branch, letter in (("side", "b"), ("main", "a")):
        person.git(root, "checkout", "--quiet", "-B", branch, *(["main"] if branch == "side" else []))
        shared.write_text(f'{{"id": "{letter * 12}", "canonical": "{letter}"}}\n')
        person.commit(root)
        if branch == "side":
            person.git(root, "checkout", "--quiet", "main")
    person.git(root, "merge", "--quiet", "--no-edit", "side")
    assert [line[8:10] for line in shared.read_text().splitlines()] == ["aa", "bb"]
    assert not (root / "trapped").exists()
    assert driver_state(str(root), person.environment()).missing_program == ""
    program.unlink()
    assert driver_state(str(root), person.environment()).missing_program == str(program)


@pytest.mark.parametrize("what", ["link", "pipe", "folder"])
def test_what_is_no_plain_file_is_refused_before_anything_changes(person: Person, what: str) -> None:
    root = person.repository()
    path, elsewhere = root / ".gitattributes", person.folder / "elsewhere"
    elsewhere.write_text("mine\n")
    before = (root / ".git" / "config").read_text()
    path.symlink_to(elsewhere) if what == "link" else os.mkfifo(path) if what == "pipe" else path.mkdir()
    with pytest.raises(RefusedError, match="no plain file"):
        register_driver(str(root), ("/usr/bin/tacit",), person.environment())
    assert elsewhere.read_text() == "mine\n"
    assert (root / ".git" / "config").read_text() == before


def test_the_person_is_shown_what_init_changed_and_how_to_take_it_back(person: Person) -> None:
    root = person.repository()
    out = person.process("init", cwd=root).out
    assert f"added to .gitattributes, to be committed: {ATTRIBUTE_LINE}" in out
    assert "tacit init --no-merge-driver" in out
    assert person.process("init", cwd=root).first.startswith("Nothing to do: ")
    assert person.process("init", "--no-merge-driver", cwd=root).out.count("was taken out of ~/work") == 1
    assert person.git(root, "status", "--short") == ""
    assert person.process("init", "--no-merge-driver", cwd=root).first.startswith("Nothing to do: ")


def test_an_agent_changes_nothing_in_the_repository(person: Person) -> None:
    root = person.repository()
    before = (root / ".git" / "config").read_text()
    said = person.process("init", cwd=root, CLAUDECODE="1")
    assert "No merge driver for fact files" in said.err and "tacit init" in said.err
    assert ((root / ".git" / "config").read_text(), person.git(root, "status", "--short")) == (before, "")
    person.process("init", cwd=root)
    assert person.process("init", cwd=root, CLAUDECODE="1").err == ""


def test_outside_of_a_git_repository_init_says_nothing_of_it(person: Person) -> None:
    (person.folder / "other" / ".hg").mkdir(parents=True)
    for cwd in (person.folder, person.folder / "other"):
        said = person.process("init", cwd=cwd)
        assert "merge" not in said.out + said.err
    assert not (person.folder / "other" / ".gitattributes").exists()


def test_a_repository_that_git_refuses_does_not_stop_init(person: Person) -> None:
    root = person.folder / "broken"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("nonsense\n")
    said = person.process("init", cwd=root)
    assert said.first.startswith("Home ready")
    assert "No merge driver for fact files: git did not change its settings" in said.err
    assert not (root / ".gitattributes").exists()
