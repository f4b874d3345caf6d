"""The fact file of a project is written by commands that change a memory of it, and by nothing else."""

from __future__ import annotations

import errno
import json
import shutil
from pathlib import Path

import pytest
from harness.person import Person, facts_in, tree

from tacit.home.shared_facts import SharedFacts
from tacit.model.claim import GLOBAL

RULE, OTHER = "always deploy from the release branch", "never force push"
REMOTE = "https://example.org/team/app.git"


def fact_file(root: Path) -> Path:
    return root / "docs" / "memory" / "memories.ndjson"


def texts(path: Path) -> list[str]:
    return [fact["canonical"] for fact in facts_in(path)]


def no_room(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def clones(person: Person) -> list[Path]:
    """Two clones of a project, in which a private and a shared memory were recorded, and a third that has a file."""
    first, second, third = (person.folder / name for name in ("first", "second", "third"))
    for root in (first, second, third):
        (root / ".git").mkdir(parents=True)
        (root / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {REMOTE}\n')
    fact_file(third).parent.mkdir(parents=True)
    fact_file(third).touch()
    for root in (third, second, first):
        person.tacit("add", f"remember the {root.name} clone", "--private", cwd=root)
    person.tacit("add", RULE, cwd=first)
    return [first, second, third]


def test_a_shared_memory_is_written_to_the_clone_one_stands_in_alone(person: Person, clones: list[Path]) -> None:
    """Other clones get it by git. A file that changes there by itself would stop their next merge."""
    first, second, third = clones
    assert texts(fact_file(first)) == [RULE]
    assert fact_file(third).read_bytes() == b""
    assert not (second / "docs").exists()
    assert RULE not in person.facts.read_text()


def test_what_is_forgotten_elsewhere_leaves_every_clone_that_has_a_file(person: Person, clones: list[Path]) -> None:
    first, _, third = clones
    shutil.copyfile(fact_file(first), fact_file(third))
    person.tacit("forget", person.id_of(RULE))
    assert not fact_file(first).exists() and not fact_file(third).exists()


def test_a_query_writes_no_fact_file(person: Person, clones: list[Path]) -> None:
    first = clones[0]
    shutil.rmtree(first / "docs")
    shutil.rmtree(person.home / ".tacit" / "written")
    person.long_term.unlink()
    person.tacit("recall", "deploy", cwd=first)
    assert not (first / "docs").exists()
    assert RULE in person.tacit("list", cwd=first).out


def test_a_fact_file_that_was_deleted_stays_so_until_something_is_shared(person: Person, clones: list[Path]) -> None:
    """A branch without the file looks the same."""
    first = clones[0]
    shutil.rmtree(first / "docs")
    person.tacit("add", "use tabs here", "--private", cwd=first)
    person.tacit("doctor", "--reindex", cwd=first)
    assert not (first / "docs").exists()
    person.tacit("add", OTHER, cwd=first)
    assert texts(fact_file(first)) == [OTHER]
    person.tacit("share", person.id_of(RULE), cwd=first)
    assert sorted(texts(fact_file(first))) == sorted([OTHER, RULE])


def test_what_changes_in_one_clone_leaves_the_others_as_they_are(person: Person, clones: list[Path]) -> None:
    first, _, third = clones
    shutil.copyfile(fact_file(first), fact_file(third))
    before = fact_file(third).read_bytes()
    person.tacit("add", RULE, cwd=first)
    assert [fact["strength"] for fact in facts_in(fact_file(first))] == [2]
    person.tacit("edit", person.id_of(RULE), "--text", OTHER, cwd=first)
    person.tacit("forget", person.id_of(OTHER), cwd=first)
    assert not fact_file(first).exists() and fact_file(third).read_bytes() == before


def test_what_is_stated_during_a_conflict_is_written_when_it_is_resolved(person: Person, clones: list[Path]) -> None:
    first = clones[0]
    line = fact_file(first).read_text()
    fact_file(first).write_text(f"<<<<<<< ours\n{line}=======\n>>>>>>> theirs\n")
    person.tacit("add", OTHER, cwd=first)
    assert OTHER not in fact_file(first).read_text()
    fact_file(first).write_text(line)
    person.tacit("add", "name the ticket in every commit", cwd=first)
    assert sorted(texts(fact_file(first))) == sorted([RULE, OTHER, "name the ticket in every commit"])


def test_a_link_in_a_repository_is_not_followed_and_stops_no_other_file(person: Person, clones: list[Path]) -> None:
    first, _, third = clones
    elsewhere = person.folder / "elsewhere"
    (first / "docs").rename(elsewhere)
    (first / "docs").symlink_to(elsewhere)
    before = tree(elsewhere)
    person.tacit("add", OTHER, cwd=third)
    assert tree(elsewhere) == before
    assert texts(fact_file(third)) == [OTHER]


def test_what_is_not_shared_leaves_the_file_and_lines_of_others_stay(person: Person, clones: list[Path]) -> None:
    first = clones[0]
    theirs = '{"canonical": "use tabs", "by": "somebody"}\n'
    with fact_file(first).open("a") as file:
        file.write(theirs)
    person.tacit("unshare", person.id_of(RULE), cwd=first)
    assert fact_file(first).read_text() == theirs


@pytest.mark.parametrize("later", [("add", OTHER), ("sync",)])
def test_a_line_that_could_not_be_written_is_written_by_the_next_change(
    person: Person, monkeypatch: pytest.MonkeyPatch, later: tuple[str, ...]
) -> None:
    root = person.repository()
    with monkeypatch.context() as patch:
        patch.setattr(SharedFacts, "write_changes", no_room)
        person.tacit("add", RULE, cwd=root)
    assert not fact_file(root).exists()
    person.tacit("recall", "deploy", cwd=root)
    assert not fact_file(root).exists()
    person.tacit(*later, cwd=root)
    assert RULE in texts(fact_file(root))


def test_what_a_command_did_not_record_is_no_reason_to_take_a_line_of_others_out(person: Person) -> None:
    root = person.repository()
    person.tacit("add", RULE, cwd=root)
    other = Person(person.folder / "other")
    other.folder.mkdir()
    journal = other.home / ".tacit" / "sharing"
    other.tacit("add", "global: use metric units")
    journal.write_text(json.dumps({"root": str(root), "scope": GLOBAL, "claims": [person.id_of(RULE)]}) + "\n{")
    other.tacit("add", OTHER, cwd=root)
    assert sorted(texts(fact_file(root))) == sorted([RULE, OTHER]) and not journal.exists()


@pytest.mark.parametrize("line", ["{", "3", "[]", '{"root": 3, "scope": [], "claims": [7, "x"]}', '{"claims": null}'])
def test_a_journal_that_tacit_did_not_write_is_no_obstacle(person: Person, line: str) -> None:
    root = person.repository()
    person.tacit("add", OTHER, cwd=root)
    (person.home / ".tacit" / "sharing").write_text(line + "\n")
    person.tacit("add", RULE, cwd=root)
    assert sorted(texts(fact_file(root))) == sorted([RULE, OTHER])


def test_a_clone_that_is_gone_is_not_made_again(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    root = person.repository()
    with monkeypatch.context() as patch:
        patch.setattr(SharedFacts, "write_changes", no_room)
        person.tacit("add", RULE, cwd=root)
    shutil.rmtree(root)
    person.tacit("add", "global: use metric units")
    assert not root.exists() and not (person.home / ".tacit" / "sharing").exists()
