"""What git knows of a fact file: the version in HEAD, former lines, and what was written since."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person

from tacit.disk.files import OsDisk
from tacit.errors import RefusedError
from tacit.home.git_versions import (
    note_written,
    postpone_facts,
    postponed_facts,
    read_fact_history,
    written_since_commit,
)
from tacit.home.project import head_commit
from tacit.model.ids import ClaimId
from tacit.pages.view_store import ViewStore

ONE, TWO = '{"id": "000000000001", "ts": "1"}', '{"id": "000000000002", "ts": "2"}'


def put(root: Path, *lines: str, end: str = "\n") -> Path:
    path = root / "docs" / "memory" / "memories.ndjson"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + end for line in lines), newline="")
    return path


@pytest.fixture
def root(person: Person) -> Path:
    """A repository whose last commit has one fact, and whose former commit had two."""
    root = person.repository()
    put(root, ONE, TWO)
    person.commit(root)
    put(root, TWO)
    person.commit(root)
    return root


def test_the_lines_of_the_last_and_of_former_commits_are_known(person: Person, root: Path) -> None:
    put(root)
    history = read_fact_history(str(root), person.environment())
    assert history is not None
    assert (history.head, history.past_lines()) == ([TWO], {ONE, TWO})


def test_lines_of_branches_that_were_not_merged_are_not_known(person: Person, root: Path) -> None:
    three = '{"id": "000000000003", "ts": "3"}'
    person.git(root, "checkout", "--quiet", "-b", "feat")
    put(root, TWO, three)
    person.commit(root)
    person.git(root, "checkout", "--quiet", "-")
    history = read_fact_history(str(root), person.environment())
    assert history is not None and history.past_lines() == {ONE, TWO}
    person.git(root, "merge", "--quiet", "feat")
    history = read_fact_history(str(root), person.environment())
    assert history is not None and history.past_lines() == {ONE, TWO, three}


def test_ends_of_lines_of_other_systems_do_not_matter(person: Person, root: Path) -> None:
    put(root, ONE, TWO, end="\r\n")
    person.git(root, "-c", "core.autocrlf=false", "commit", "--quiet", "--all", "--message", "CRLF")
    history = read_fact_history(str(root), person.environment())
    assert history is not None
    assert (history.head, history.past_lines()) == ([ONE, TWO], {ONE, TWO})


def test_without_a_commit_or_in_no_repository_there_is_no_history(person: Person) -> None:
    root = person.repository("new")
    put(root, ONE)
    assert read_fact_history(str(root), person.environment()) is None
    assert read_fact_history(str(person.folder), person.environment()) is None


def test_a_file_that_is_ignored_has_no_history_and_one_that_is_new_has_an_empty_one(person: Person) -> None:
    root = person.repository("new")
    (root / "readme").touch()
    person.commit(root)
    put(root, ONE)
    history = read_fact_history(str(root), person.environment())
    assert history is not None and history.head == [] and history.past_lines() == set()
    (root / ".gitignore").write_text("*.ndjson\n")
    assert read_fact_history(str(root), person.environment()) is None


def test_a_repository_that_git_cannot_read_is_refused(person: Person, root: Path) -> None:
    with pytest.raises(RefusedError, match="git cannot be asked"):
        read_fact_history(str(root), {"PATH": str(person.folder)})


@pytest.mark.parametrize("way", ["branch", "packed", "detached", "work tree"])
def test_the_commit_of_head_is_read_from_files(person: Person, root: Path, way: str) -> None:
    commit, place = person.git(root, "rev-parse", "HEAD").strip(), root
    if way == "packed":
        person.git(root, "pack-refs", "--all")
    elif way == "detached":
        person.git(root, "checkout", "--quiet", "--detach")
    elif way == "work tree":
        person.git(root, "worktree", "add", "--quiet", "../tree")
        place = person.folder / "tree"
    assert head_commit(str(place)) == commit


def test_what_was_written_counts_until_the_next_commit(person: Person, root: Path) -> None:
    store = ViewStore(str(person.home / ".tacit" / "written"), OsDisk())
    path = put(root, TWO, ONE)
    assert written_since_commit(store, str(root), str(path)) == set()
    note_written(store, str(root), str(path))
    put(root, TWO)
    assert written_since_commit(store, str(root), str(path)) == {"000000000001", "000000000002"}
    (root / "readme").touch()
    person.commit(root)
    assert written_since_commit(store, str(root), str(path)) == set()


def test_what_waits_for_the_end_of_a_conflict_is_kept_until_the_file_is_written(person: Person, root: Path) -> None:
    store = ViewStore(str(person.home / ".tacit" / "written"), OsDisk())
    path = put(root, ONE)
    for claims in ([ClaimId("a")], [ClaimId("b"), ClaimId("a")]):
        postpone_facts(store, str(path), claims)
    assert postponed_facts(store, str(path)) == {"a", "b"}
    assert written_since_commit(store, str(root), str(path)) == set()
    note_written(store, str(root), str(path))
    assert postponed_facts(store, str(path)) == set()
