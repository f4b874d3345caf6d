"""Many merges of added facts by a real git: no conflict, no fact lost and none shown twice, whoever merges."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from harness.person import Person, facts_in

from tacit.model.claim import project_scope
from tacit.model.statement import claim_from
from tacit.pages.facts import sort_facts
from tests.support.clones import FACTS, clone, fact_file

REMOTE = "https://example.org/team/app.git"
SCOPE = project_scope("example.org/team/app")
MERGES = 15
ADDED = 3  # on each side, and one more fact that both sides state


def fact(text: str, day: int = 1) -> str:
    claim = claim_from(text, SCOPE)
    fields = {
        "id": claim.id,
        "ts": f"2026-03-{day:02}T12:00:00.000000Z",
        "scope": "local",
        "kind": claim.kind.label,
        "triple": claim.triple._asdict(),
        "canonical": claim.sentence,
        "strength": 1,
        "source": "user_direct",
        "tags": [],
        "dedupe_key": claim.key,
    }
    return json.dumps(fields, ensure_ascii=False, separators=(", ", ": "))


def write(root: Path, texts: Iterable[str], day: int = 1) -> None:
    lines = [*fact_file(root).read_text().splitlines(), *(fact(text, day) for text in texts)]
    fact_file(root).write_text("".join(f"{line}\n" for line in sort_facts(lines)))


def sentences(dice: random.Random, count: int) -> list[str]:
    """Notes of made-up words, none of which has anything to do with another."""
    words = ["".join(dice.choices("bdfglmnprst", k=7)) for _ in range(3 * count)]
    return [" ".join(words[3 * at : 3 * at + 3]) for at in range(count)]


def merge(person: Person, root: Path, number: int, dice: random.Random) -> tuple[int, set[str]]:
    """Add facts on two branches and merge them. Return git's exit code, and the facts that are expected."""
    texts = sentences(dice, 2 * ADDED + 1)
    for side, own in (("left", texts[:ADDED]), ("right", texts[ADDED:-1])):
        person.git(root, "checkout", "--quiet", "-B", f"{side}-{number}", "main")
        write(root, [*own, texts[-1]], day=2 if side == "left" else 3)
        person.git(root, "commit", "--quiet", "--all", "--message", side)
    done = subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "merge", "--no-edit", f"left-{number}"],
        cwd=root,
        env=person.environment(),
        capture_output=True,
        check=False,
    )
    return done.returncode, set(texts)


@pytest.fixture
def root(person: Person, request: pytest.FixtureRequest) -> Path:
    """A repository with so many facts, and the line that the first fact of somebody added to `.gitattributes`."""
    root = person.repository(remote=REMOTE)
    person.tacit("add", "never force push", cwd=root)
    write(root, sentences(random.Random(request.param), request.param - 1))
    person.commit(root)
    return root


def without_driver(person: Person, root: Path) -> None:
    """A clone of somebody who has no Tacit."""
    person.git(root, "config", "--remove-section", "merge.tacit-facts")
    (root / ".git" / "info" / "attributes").unlink()


@pytest.mark.parametrize("root", [10, 50, 200], indirect=True)
@pytest.mark.parametrize("driver", [False, True], ids=["union", "driver"])
def test_added_facts_never_conflict_and_all_are_read_once(person: Person, root: Path, driver: bool) -> None:
    if not driver:
        without_driver(person, root)
    dice, before = random.Random(7), {one["canonical"] for one in facts_in(fact_file(root))}
    for number in range(MERGES if not driver else MERGES // 5):
        code, added = merge(person, root, number, dice)
        assert code == 0
        assert {one["canonical"] for one in facts_in(fact_file(root))} == before | added
        names = [one["id"] for one in facts_in(fact_file(root))]
        assert not driver or len(names) == len(set(names))  # git repeats lines between those that both sides added
    for reader in (person, Person(person.folder / "colleague")):
        reader.folder.mkdir(exist_ok=True)
        waiting = [one["text"] for one in reader.tacit("trust", "--json", cwd=root).json["waiting"]]
        assert len(waiting) == len(set(waiting)) >= len(before | added) - 1
        reader.tacit("trust", "--yes", cwd=root)
        labels = [one["label"] for one in reader.listed(cwd=root)]
        assert sorted(labels) == sorted(before | added)
    person.tacit("add", "always sign commits", cwd=root)
    names = [one["id"] for one in facts_in(fact_file(root))]
    assert len(names) == len(before | added) + 1


@pytest.mark.parametrize("mergers", ["both have the driver", "one has it", "none has it"])
def test_two_people_who_only_add_and_trust_merge_without_a_conflict(person: Person, mergers: str) -> None:
    server = person.folder / "server.git"
    person.git(person.folder, "init", "--quiet", "--bare", "--initial-branch=main", str(server))
    first = person.repository("first", str(server))
    for text in ("never force push", "always sign commits"):
        person.tacit("add", text, cwd=first)
    person.commit(first)
    person.git(first, "push", "--quiet", "origin", "main")
    other, second = clone(person, "other", server)
    other.tacit("trust", "--yes", cwd=second)
    for one, root in ((person, first), (other, second)):
        if mergers == "none has it" or (mergers == "one has it" and one is other):
            without_driver(one, root)
    stated = {"never force push", "always sign commits"}
    dice = random.Random(1)
    for _ in range(4):
        for one, root in ((person, first), (other, second)):
            texts = sentences(dice, ADDED)
            stated.update(texts)
            for text in texts:
                one.tacit("add", "--whole", text, cwd=root)
            one.commit(root)
        for one, root in ((other, second), (person, first), (other, second)):
            one.git(root, "pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main")
            one.git(root, "push", "--quiet", "origin", "HEAD:main")
        for one, root in ((person, first), (other, second)):
            one.tacit("trust", "--yes", cwd=root)
            assert sorted(memory["label"] for memory in one.listed(cwd=root)) == sorted(stated)
            assert {fact["canonical"] for fact in facts_in(fact_file(root))} == stated
            assert "No unread edits." in one.tacit("sync", "--yes", cwd=root).out
            assert one.git(root, "status", "--porcelain") == ""


def test_what_comes_with_the_first_fact_is_shown_and_goes_with_it(person: Person) -> None:
    root = person.repository()
    config = (root / ".git" / "config").read_text()
    said = person.tacit("add", "never force push", cwd=root).out
    assert "added to .gitattributes, to be committed: /docs/memory/memories.ndjson merge=union" in said
    assert "tacit init --no-merge-driver" in said
    assert (root / ".gitattributes").read_text() == "/docs/memory/memories.ndjson merge=union\n"
    assert person.git(root, "check-attr", "merge", FACTS).strip().endswith("merge: tacit-facts")
    assert ".gitattributes" not in person.tacit("add", "always sign commits", cwd=root).out
    person.tacit("undo", cwd=root)
    assert (root / ".gitattributes").exists()
    assert "was taken out of" in person.tacit("undo", cwd=root).out
    assert not (root / ".gitattributes").exists()
    assert (root / ".git" / "config").read_text() == config
    assert person.git(root, "status", "--porcelain") == ""
    assert "merge=union" in person.tacit("redo", cwd=root).out
    assert (root / ".gitattributes").exists()


def test_who_took_the_driver_out_is_not_given_it_again(person: Person) -> None:
    root = person.repository()
    person.tacit("add", "never force push", cwd=root)
    person.tacit("init", "--no-merge-driver", cwd=root)
    person.tacit("add", "always sign commits", cwd=root)
    person.tacit("undo", cwd=root)
    assert not (root / ".gitattributes").exists()
    assert person.git(root, "check-attr", "merge", FACTS).strip().endswith("merge: unspecified")


def test_trust_registers_the_driver_in_a_clone_and_changes_no_tracked_file(person: Person) -> None:
    root = person.repository()
    person.tacit("add", "never force push", cwd=root)
    fact_file(root).write_text(2 * fact_file(root).read_text())  # as git may leave it where it keeps both sides
    person.commit(root)
    other, work = clone(person, "other", root)
    assert "merge driver" in other.tacit("trust", "--yes", cwd=work).out
    assert other.git(work, "check-attr", "merge", FACTS).strip().endswith("merge: tacit-facts")
    assert other.git(work, "config", "--get", "merge.tacit-facts.driver")
    assert other.git(work, "status", "--porcelain") == ""


def test_a_line_of_an_earlier_version_becomes_one_that_needs_no_driver(person: Person) -> None:
    root = person.repository()
    (root / ".gitattributes").write_text(f"*.png binary\n{FACTS} merge=tacit-facts\n*.txt text\n")
    person.tacit("init", cwd=root)
    assert (root / ".gitattributes").read_text() == f"*.png binary\n/{FACTS} merge=union\n*.txt text\n"
    person.tacit("init", "--no-merge-driver", cwd=root)
    assert (root / ".gitattributes").read_text() == "*.png binary\n*.txt text\n"


def test_a_folder_that_only_looks_like_a_repository_is_left_alone(person: Person) -> None:
    root = person.folder / "work"
    (root / ".git").mkdir(parents=True)
    said = person.tacit("add", "never force push", cwd=root)
    assert "gitattributes" not in said.out + said.err
    assert sorted(path.name for path in root.iterdir()) == [".git", "docs"]
    shutil.rmtree(root)
