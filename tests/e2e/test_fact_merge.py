"""Fact files that git merges: with the driver, without it, and what is believed afterwards."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from harness.person import Person, facts_in

from tests.support.clones import clone, fact_file, sentences_in

PUSH, SIGN, RUFF, TABS = "never force push", "always sign commits", "the team uses ruff", "indent with tabs"
TUESDAY = "2026-03-03T12:00:00+00:00"


def git(person: Person, root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *who, *words], cwd=root, env=person.environment(), capture_output=True, text=True, check=False
    )


def add(person: Person, root: Path, *sentences: str) -> None:
    for text in sentences:
        person.tacit("add", text, cwd=root)
    person.commit(root)


def reword(root: Path, before: str, after: str) -> None:
    text = fact_file(root).read_text()
    assert before in text
    fact_file(root).write_text(text.replace(f'"canonical": "{before}"', f'"canonical": "{after}"'))


@pytest.fixture
def origin(person: Person) -> Path:
    """A repository on a server, with the line that names the driver and one fact."""
    root = person.folder / "origin.git"
    person.git(person.folder, "init", "--quiet", "--bare", "--initial-branch=main", str(root))
    first = person.repository("first", str(root))
    person.tacit("init", cwd=first)
    add(person, first, PUSH)
    person.git(first, "push", "--quiet", "origin", "main")
    return root


@pytest.fixture
def ada(person: Person, origin: Path) -> tuple[Person, Path]:
    """Somebody who ran `tacit init` in her clone and added a fact."""
    ada, root = clone(person, "ada", origin)
    ada.tacit("init", cwd=root)
    add(ada, root, SIGN)
    return ada, root


@pytest.fixture
def bob(person: Person, origin: Path) -> tuple[Person, Path]:
    """Somebody else who added a fact meanwhile and pushed it."""
    bob, root = clone(person, "bob", origin)
    add(bob, root, RUFF, TABS)
    bob.git(root, "push", "--quiet")
    return bob, root


@pytest.fixture
def cleo(person: Person, origin: Path) -> tuple[Person, Path]:
    """Somebody who did not run `tacit init` in her clone."""
    return clone(person, "cleo", origin)


@pytest.mark.parametrize("way", ["merge", "rebase"])
def test_facts_of_two_branches_are_merged_without_a_conflict(
    ada: tuple[Person, Path], bob: tuple[Person, Path], way: str
) -> None:
    person, root = ada
    lines = {*fact_file(root).read_text().splitlines(), *fact_file(bob[1]).read_text().splitlines()}
    person.git(root, "pull", "--quiet", "--rebase" if way == "rebase" else "--no-rebase")
    assert set(fact_file(root).read_text().splitlines()) == lines
    assert sorted(sentences_in(root)) == sorted((PUSH, SIGN, RUFF, TABS))
    names = [fact["id"] for fact in facts_in(fact_file(root))]
    assert names == sorted(names)
    assert person.git(root, "status", "--short") == ""


def test_facts_are_merged_when_a_commit_is_picked_in_another_work_tree(
    ada: tuple[Person, Path], bob: tuple[Person, Path]
) -> None:
    person, root = ada
    other = person.folder / "other tree"
    person.git(root, "fetch", "--quiet")
    person.git(root, "worktree", "add", "--quiet", "-b", "side", str(other))
    person.git(other, "cherry-pick", "origin/main")
    assert sorted(sentences_in(other)) == sorted((PUSH, SIGN, RUFF, TABS))


def test_a_fact_that_both_added_is_one_line(ada: tuple[Person, Path], bob: tuple[Person, Path]) -> None:
    person, root = ada
    person.tacit("add", RUFF, cwd=root, now=TUESDAY)
    person.commit(root)
    person.git(root, "pull", "--quiet", "--no-rebase")
    assert sorted(sentences_in(root)) == sorted((PUSH, SIGN, RUFF, TABS))
    (fact,) = [fact for fact in facts_in(fact_file(root)) if fact["canonical"] == RUFF]
    assert fact["ts"].startswith("2026-03-03")  # the later of the two


def test_in_a_clone_without_a_driver_git_keeps_both_sides_and_nothing_stands_twice_afterwards(
    cleo: tuple[Person, Path], bob: tuple[Person, Path]
) -> None:
    person, root = cleo
    texts_of_bob = set(sentences_in(bob[1]))
    for text in (RUFF, SIGN, "zebras are striped", "apples are green", "name the ticket"):
        person.tacit("add", text, cwd=root, now=TUESDAY)
    person.commit(root)
    person.git(root, "config", "--remove-section", "merge.tacit-facts")
    (root / ".git" / "info" / "attributes").unlink()
    assert "merge driver" not in person.process("doctor", cwd=root).out  # git needs none
    person.git(root, "pull", "--quiet", "--no-rebase")
    assert texts_of_bob | {SIGN} <= set(sentences_in(root))
    person.tacit("add", "one more rule", cwd=root)
    kept = facts_in(fact_file(root))
    assert len({fact["id"] for fact in kept}) == len(kept)
    assert texts_of_bob | {SIGN, "one more rule"} <= {fact["canonical"] for fact in kept}
    assert [one["label"] for one in person.listed(cwd=root)].count(RUFF) == 1


def test_what_a_colleague_added_waits_for_trust_and_what_was_trusted_stays(
    ada: tuple[Person, Path], bob: tuple[Person, Path]
) -> None:
    person, root = ada
    assert PUSH in person.tacit("trust", "--yes", cwd=root).out
    person.git(root, "pull", "--quiet", "--no-rebase")
    assert {one["label"] for one in person.listed(cwd=root)} == {PUSH, SIGN}
    waiting = person.tacit("trust", "--show", cwd=root).out
    assert RUFF in waiting and TABS in waiting and PUSH not in waiting
    assert "ended" not in waiting
    assert "ruff" not in person.tacit("brief", cwd=root).out


def test_lines_that_were_trusted_in_two_work_trees_stay_trusted_after_their_merge(
    ada: tuple[Person, Path], bob: tuple[Person, Path]
) -> None:
    person, root = ada
    other = person.folder / "other"
    person.git(root, "fetch", "--quiet")
    person.git(root, "worktree", "add", "--quiet", "-b", "side", str(other), "origin/main")
    person.tacit("trust", "--yes", cwd=root)
    person.tacit("trust", "--yes", cwd=other)
    person.git(root, "merge", "--quiet", "--no-edit", "side")
    for place in (root, other):
        assert {one["label"] for one in person.listed(cwd=place)} == {PUSH, SIGN, RUFF, TABS}
    shown = person.tacit("trust", "--show", cwd=root).out
    assert "ended" not in shown and "Nothing waits" in shown


# What both changed


@pytest.fixture
def conflict(ada: tuple[Person, Path]) -> tuple[Person, Path]:
    """Two branches that have other words for one fact, merged."""
    person, root = ada
    add(person, root, "use ruff")
    person.git(root, "branch", "side")
    reword(root, "use ruff", "use ruff 0.9")
    person.commit(root)
    person.git(root, "checkout", "--quiet", "side")
    reword(root, "use ruff", "use ruff 0.6")
    person.commit(root)
    person.git(root, "checkout", "--quiet", "main")
    assert git(person, root, "merge", "side").returncode == 1
    return person, root


def test_a_conflict_is_marked_and_reported_and_both_sides_are_read(conflict: tuple[Person, Path]) -> None:
    person, root = conflict
    lines = fact_file(root).read_text().splitlines()
    start = lines.index("<<<<<<< ours")
    assert [line[0] for line in lines[start : start + 5]] == ["<", "{", "=", "{", ">"]
    hint = "docs/memory/memories.ndjson has a conflict that a merge left; both sides are read: tacit sync"
    for words in (("list",), ("recall", "ruff"), ("brief",), ("trust", "--show")):
        assert hint in person.process(*words, cwd=root, code=None).err.splitlines(), words
    assert hint in person.process("status", cwd=root).out
    assert person.tacit("status", "--json", cwd=root).json["fact_conflicts"] == 1
    assert "has a conflict" in person.process("doctor", cwd=root, code=3).out
    assert "Next: tacit sync" in person.tacit(cwd=root).out
    shown = person.tacit("trust", "--show", cwd=root)
    assert "use ruff 0.9" in shown.out and "use ruff 0.6" in shown.out and "! line" not in shown.out
    assert "has a conflict" not in person.process("list").err  # elsewhere nobody is told


def test_views_leave_a_conflict_alone_and_catch_up_when_it_is_resolved(conflict: tuple[Person, Path]) -> None:
    person, root = conflict
    before = fact_file(root).read_bytes()
    person.tacit("add", "name the ticket", cwd=root)
    person.tacit("forget", "--text", SIGN, "--reason", "r", "--evidence", "e", cwd=root)
    person.tacit("reindex", cwd=root)
    person.tacit("sync", cwd=root)  # there is nobody to choose
    assert fact_file(root).read_bytes() == before
    resolved = [line for line in before.decode().splitlines() if line[0] == "{" and "ruff 0.6" not in line]
    fact_file(root).write_text("".join(line + "\n" for line in resolved))
    person.process("add", "keep a changelog", cwd=root)
    assert sorted(sentences_in(root)) == sorted((PUSH, "use ruff 0.9", "name the ticket", "keep a changelog"))


@pytest.mark.parametrize(("side", "kept"), [("ours", ["0.9"]), ("theirs", ["0.6"]), ("both", ["0.6", "0.9"])], ids=str)
def test_a_person_chooses_a_side(conflict: tuple[Person, Path], side: str, kept: list[str]) -> None:
    person, root = conflict
    said = person.process("sync", "--keep", side, cwd=root).out
    assert "ours:   use ruff 0.9" in said and "theirs: use ruff 0.6" in said
    assert "Next: git add docs/memory/memories.ndjson" in said
    assert sorted(text.removeprefix("use ruff ") for text in sentences_in(root) if "ruff" in text) == kept
    names = [fact["id"] for fact in facts_in(fact_file(root))]
    assert names == sorted(set(names))
    assert {PUSH, SIGN} <= set(sentences_in(root))
    assert person.process("list", cwd=root).err == ""


def test_a_marker_that_somebody_left_over_is_removed(ada: tuple[Person, Path]) -> None:
    person, root = ada
    before = fact_file(root).read_text()
    fact_file(root).write_text(before + ">>>>>>> side\n")
    assert "remove it: tacit sync --keep both" in person.tacit("sync", cwd=root).out
    person.tacit("sync", "--keep", "both", cwd=root)
    assert fact_file(root).read_text() == before
    assert "No conflicts of a merge." in person.tacit("sync", "--keep", "both", cwd=root).out


def test_an_agent_does_not_choose(conflict: tuple[Person, Path]) -> None:
    person, root = conflict
    before = fact_file(root).read_bytes()
    said = person.process("sync", "--keep", "ours", cwd=root, code=None, CLAUDECODE="1")
    assert said.code != 0 and "tacit sync --keep ours" in said.err
    assert person.process("sync", "--keep", "all", cwd=root, code=2).err.startswith("tacit: --keep takes")
    assert fact_file(root).read_bytes() == before


def test_removed_on_one_side_and_reworded_on_the_other_is_a_conflict(ada: tuple[Person, Path]) -> None:
    person, root = ada
    add(person, root, "use ruff")
    person.git(root, "branch", "side")
    person.tacit("forget", "--text", "use ruff", "--reason", "r", "--evidence", "e", cwd=root)
    person.commit(root)
    person.git(root, "checkout", "--quiet", "side")
    reword(root, "use ruff", "use ruff 0.6")
    person.commit(root)
    person.git(root, "checkout", "--quiet", "main")
    assert git(person, root, "merge", "side").returncode == 1
    said = person.tacit("sync", cwd=root).out
    assert "ours:   no such fact" in said and "theirs: use ruff 0.6" in said


# A driver that cannot be run, or that somebody wants to replace


def test_without_its_program_the_driver_keeps_the_lines_of_both_sides(
    ada: tuple[Person, Path], bob: tuple[Person, Path]
) -> None:
    person, root = ada
    key = "merge.tacit-facts.driver"
    command = person.git(root, "config", "--get", key).strip()
    program = command.split(" ")[0]
    person.git(root, "config", key, command.replace(program, "/nowhere/tacit"))
    said = person.process("doctor", cwd=root, code=None).out
    assert "/nowhere/tacit, which is no longer there" in said and "tacit init" in said
    own = ("zebras are striped", "apples are green", "name the ticket", "use rg", "be kind")
    add(person, root, *own)
    person.git(root, "pull", "--quiet", "--no-rebase")
    kept = {json.loads(line)["canonical"] for line in fact_file(root).read_text().splitlines() if line[0] == "{"}
    assert kept == {PUSH, SIGN, RUFF, TABS, *own}
    person.tacit("init", cwd=root)
    assert person.git(root, "config", "--get", key).strip() == command


def test_nothing_of_the_repository_is_run_by_a_merge(ada: tuple[Person, Path], bob: tuple[Person, Path]) -> None:
    person, root = ada
    trap = f"open({str(person.folder / 'trapped')!r}, 'w')\n"
    for name in ("tacit.py", "json.py", "sitecustomize.py", "tacit/__init__.py", "tacit/__main__.py"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(trap)
    person.git(root, "pull", "--quiet", "--no-rebase")
    assert sorted(sentences_in(root)) == sorted((PUSH, SIGN, RUFF, TABS))
    assert not (person.folder / "trapped").exists()
