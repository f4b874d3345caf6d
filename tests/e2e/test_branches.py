"""Branches of a repository: what another branch, a stash or a rebase has is neither forgotten nor copied."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from harness.person import Person, facts_in

from tests.support.clones import FACTS, clone, fact_file, sentences_in

PUSH, SIGN, RUFF, TABS = "never force push", "always sign commits", "the team uses ruff", "indent with tabs"


def texts(root: Path) -> set[str]:
    return set(sentences_in(root))


def active(person: Person, root: Path) -> set[str]:
    return {memory["label"] for memory in person.listed(cwd=root)}


def add(person: Person, root: Path, *sentences: str) -> None:
    for text in sentences:
        person.tacit("add", text, cwd=root)


def take_out(root: Path, text: str) -> None:
    lines = fact_file(root).read_text().splitlines(keepends=True)
    assert any(text in line for line in lines)
    fact_file(root).write_text("".join(line for line in lines if text not in line))


def dirty(person: Person, root: Path) -> str:
    return person.git(root, "status", "--porcelain")


def synced(person: Person, root: Path) -> str:
    return person.tacit("sync", "--yes", cwd=root).out


@pytest.fixture
def root(person: Person) -> Path:
    """A repository with a fact on `main`, and one more on `feat`, which is checked out."""
    root = person.repository()
    add(person, root, PUSH)
    person.commit(root)
    person.git(root, "checkout", "--quiet", "-b", "feat")
    add(person, root, SIGN)
    person.commit(root)
    return root


@pytest.fixture
def colleague(person: Person, root: Path) -> tuple[Person, Path]:
    """Somebody with a clone in which `main` is checked out, who trusts its facts."""
    other, work = clone(person, "colleague", root, "--branch", "main")
    other.tacit("trust", "--yes", cwd=work)
    return other, work


def test_a_fact_of_another_branch_is_not_forgotten(person: Person, root: Path) -> None:
    person.git(root, "checkout", "--quiet", "main")
    assert "No unread edits." in synced(person, root)
    assert active(person, root) == {PUSH, SIGN}
    person.git(root, "merge", "--quiet", "feat")
    assert "No unread edits." in synced(person, root)
    assert active(person, root) == {PUSH, SIGN}
    assert dirty(person, root) == ""


def test_what_is_added_on_one_branch_leaves_the_lines_of_others_where_they_are(person: Person, root: Path) -> None:
    person.git(root, "checkout", "--quiet", "main")
    add(person, root, RUFF)
    assert texts(root) == {PUSH, RUFF}
    person.commit(root)
    assert "No unread edits." in synced(person, root)
    person.tacit("doctor", "--reindex", cwd=root)
    assert dirty(person, root) == ""
    person.git(root, "checkout", "--quiet", "feat")
    assert "No unread edits." in synced(person, root)
    assert texts(root) == {PUSH, SIGN}
    assert active(person, root) == {PUSH, SIGN, RUFF}


def test_a_branch_without_the_file_gets_no_lines_of_others(person: Person, root: Path) -> None:
    person.git(root, "checkout", "--quiet", "--orphan", "empty")
    person.git(root, "rm", "--quiet", "-rf", ".")
    (root / "readme").write_text("empty\n")
    person.commit(root)
    assert not fact_file(root).exists()
    assert "No unread edits." in synced(person, root)
    person.tacit("recall", "push", cwd=root)
    person.tacit("doctor", "--reindex", cwd=root)
    assert dirty(person, root) == ""
    add(person, root, RUFF)
    assert texts(root) == {RUFF}
    person.git(root, "checkout", "--quiet", "--force", "feat")
    assert active(person, root) == {PUSH, SIGN, RUFF}


def test_a_second_work_tree_has_the_lines_of_its_branch(person: Person, root: Path) -> None:
    person.git(root, "worktree", "add", "--quiet", "../tree", "main")
    tree = person.folder / "tree"
    add(person, tree, RUFF)
    assert (texts(tree), texts(root)) == ({PUSH, RUFF}, {PUSH, SIGN})
    assert dirty(person, root) == ""
    for place in (tree, root):
        assert "No unread edits." in synced(person, place)
    take_out(tree, PUSH)
    assert f"forget: {PUSH}" in synced(person, tree)
    assert active(person, root) == {SIGN, RUFF}


def test_a_line_that_was_restated_on_one_branch_stays_as_it_is_on_the_other(person: Person, root: Path) -> None:
    add(person, root, PUSH)
    person.commit(root)
    person.git(root, "checkout", "--quiet", "main")
    add(person, root, RUFF)
    person.tacit("doctor", "--reindex", cwd=root)
    assert "No unread edits." in synced(person, root)
    assert {fact["canonical"]: fact["strength"] for fact in facts_in(fact_file(root))} == {PUSH: 1, RUFF: 1}


@pytest.mark.parametrize("is_committed", [False, True])
def test_a_line_taken_out_by_hand_is_forgotten(person: Person, root: Path, is_committed: bool) -> None:
    take_out(root, SIGN)
    if is_committed:
        person.commit(root)
    assert active(person, root) == {PUSH, SIGN}
    assert f"forget: {SIGN}" in person.tacit("sync", cwd=root).out
    assert active(person, root) == {PUSH, SIGN}  # nobody vouched for it
    assert f"forget: {SIGN}" in synced(person, root)
    assert active(person, root) == {PUSH}
    assert "No unread edits." in synced(person, root)


@pytest.mark.parametrize("has_commits", [True, False])
def test_a_line_that_was_never_committed_can_be_taken_out_by_hand(
    person: Person, request: pytest.FixtureRequest, has_commits: bool
) -> None:
    root = request.getfixturevalue("root") if has_commits else person.repository()
    before = active(person, root)
    add(person, root, RUFF, TABS)
    take_out(root, RUFF)
    assert f"forget: {RUFF}" in synced(person, root)
    assert active(person, root) == {*before, TABS}


def test_a_file_that_git_ignores_is_compared_with_what_was_written(person: Person, root: Path) -> None:
    person.git(root, "rm", "--quiet", "--cached", FACTS)
    (root / ".gitignore").write_text("docs/memory\n")
    person.commit(root)
    add(person, root, RUFF)
    (root / "readme").write_text("more\n")
    person.commit(root)
    take_out(root, RUFF)
    assert f"forget: {RUFF}" in synced(person, root)


@pytest.mark.parametrize("way", [("stash",), ("reset", "--hard"), ("checkout", "--", FACTS)], ids=lambda way: way[0])
def test_what_was_put_aside_is_not_forgotten(person: Person, root: Path, way: tuple[str, ...]) -> None:
    add(person, root, RUFF)
    person.git(root, *way)
    assert texts(root) == {PUSH, SIGN}
    assert "No unread edits." in synced(person, root)
    add(person, root, TABS)
    assert texts(root) == {PUSH, SIGN, TABS}
    assert "No unread edits." in synced(person, root)
    assert active(person, root) == {PUSH, SIGN, RUFF, TABS}


@pytest.mark.parametrize("way", ["reset --quiet --hard HEAD~1", "checkout --quiet --detach main"])
def test_an_earlier_commit_is_no_edit(person: Person, root: Path, way: str) -> None:
    person.git(root, *way.split())
    assert "No unread edits." in synced(person, root)
    assert active(person, root) == {PUSH, SIGN}


def test_a_rebase_that_stopped_is_no_edit(person: Person, root: Path) -> None:
    (root / "notes").write_text("of feat\n")
    person.commit(root)
    person.git(root, "checkout", "--quiet", "main")
    (root / "notes").write_text("of main\n")
    add(person, root, RUFF)
    person.commit(root)
    person.git(root, "checkout", "--quiet", "feat")
    done = subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "rebase", "main"],
        cwd=root,
        env=person.environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode != 0
    synced(person, root)
    person.git(root, "rebase", "--abort")
    synced(person, root)
    assert active(person, root) == {PUSH, SIGN, RUFF}


def test_a_shallow_clone_knows_its_own_commits(person: Person, root: Path, colleague: tuple[Person, Path]) -> None:
    other, _ = colleague
    take_out(root, SIGN)
    person.commit(root)
    other.git(other.folder, "clone", "--quiet", "--depth=1", "--branch", "feat", root.as_uri(), "shallow")
    shallow = other.folder / "shallow"
    assert "No unread edits." in synced(other, shallow)
    take_out(shallow, PUSH)
    assert f"forget: {PUSH}" in synced(other, shallow)


def test_what_a_colleague_removed_is_asked_about(person: Person, root: Path, colleague: tuple[Person, Path]) -> None:
    other, work = colleague
    person.git(root, "checkout", "--quiet", "main")
    person.tacit("forget", person.id_of(PUSH), cwd=root)
    person.commit(root)
    other.git(work, "pull", "--quiet")
    assert texts(work) == set()
    add(other, work, RUFF)
    assert active(other, work) == {PUSH, RUFF}
    said = other.tacit("sync", cwd=work).out
    assert f"forget: {PUSH}" in said and "commit" in said
    assert active(other, work) == {PUSH, RUFF}
    synced(other, work)
    assert active(other, work) == {RUFF}


def test_a_fact_that_a_colleague_removed_can_be_shared_again(
    person: Person, root: Path, colleague: tuple[Person, Path]
) -> None:
    other, work = colleague
    person.git(root, "checkout", "--quiet", "main")
    add(person, root, RUFF)
    person.tacit("forget", person.id_of(PUSH), cwd=root)
    person.commit(root)
    other.git(work, "pull", "--quiet")
    add(other, work, PUSH)
    assert texts(work) == {PUSH, RUFF}
    assert "No unread edits." in synced(other, work)
    assert PUSH in active(other, work)


def test_words_that_a_colleague_changed_are_asked_about(
    person: Person, root: Path, colleague: tuple[Person, Path]
) -> None:
    other, work = colleague
    add(other, work, PUSH)
    other.commit(work)
    fact_file(work).write_text(fact_file(work).read_text().replace('"kind": "constraint"', '"kind": "rule"'))
    other.commit(work)
    assert "make it a rule" in synced(other, work)


def test_what_was_accepted_holds_on_every_branch(person: Person, root: Path, colleague: tuple[Person, Path]) -> None:
    other, work = colleague
    other.git(work, "checkout", "--quiet", "feat")
    other.tacit("trust", "--yes", cwd=work)
    for branch in ("main", "feat", "main", "feat"):
        other.git(work, "checkout", "--quiet", branch)
        assert active(other, work) == {PUSH, SIGN}
        assert "Nothing waits" in other.tacit("trust", "--show", cwd=work).out
        assert "No unread edits." in synced(other, work)
        assert dirty(other, work) == ""
    take_out(work, SIGN)
    assert f"forget: {SIGN}" in synced(other, work)
    assert active(other, work) == {PUSH}


def test_a_submodule_has_branches_of_its_own(person: Person, root: Path) -> None:
    outer = person.repository("outer")
    person.git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(root), "sub")
    person.commit(outer)
    inner = outer / "sub"
    person.git(inner, "checkout", "--quiet", "main")
    assert "No unread edits." in synced(person, inner)
    take_out(inner, PUSH)
    assert f"forget: {PUSH}" in synced(person, inner)


def test_settings_of_a_repository_run_nothing(person: Person, root: Path) -> None:
    touched = person.folder / "touched"
    program = person.folder / "program"
    program.write_text(f"#!/bin/sh\ntouch {touched}\nexit 1\n")
    program.chmod(0o755)
    for name in ("core.fsmonitor", "diff.external", "core.pager", "gpg.program", "core.sshCommand", "diff.x.textconv"):
        person.git(root, "config", name, str(program))
    person.git(root, "config", "log.showSignature", "true")
    (root / ".gitattributes").write_text(f"{FACTS} diff=x filter=x\n")
    person.git(root, "config", "filter.x.smudge", str(program))
    touched.unlink(missing_ok=True)
    take_out(root, SIGN)
    assert f"forget: {SIGN}" in person.tacit("sync", cwd=root).out
    fact_file(root).write_text("")
    person.tacit("sync", cwd=root)
    assert not touched.exists()


def test_without_git_nothing_is_taken_for_a_deletion(person: Person, root: Path) -> None:
    person.git(root, "checkout", "--quiet", "main")
    empty = person.folder / "bin"
    empty.mkdir()
    said = person.tacit("sync", "--yes", cwd=root, PATH=str(empty))
    assert "No unread edits." in said.out
    assert active(person, root) == {PUSH, SIGN}
    assert os.path.exists(fact_file(root))


def test_what_is_shared_on_another_branch_can_be_shared_here(person: Person, root: Path) -> None:
    person.git(root, "checkout", "--quiet", "main")
    person.tacit("share", person.id_of(SIGN), cwd=root)
    assert texts(root) == {PUSH, SIGN}
    assert "shared already" in person.tacit("share", person.id_of(SIGN), cwd=root, code=1).err
