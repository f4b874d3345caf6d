"""A home that cannot be written to still answers; what would change it is refused in plain words.

Root may write anywhere, so under root the commands are run as nobody, in a folder that nobody can reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.person import Person, tree

from tests.chaos.nobody import NOBODY, becoming, folder_of_nobody, give

READS = {
    "recall force": "never force push",
    "brief": "never force push",
    "list": "never force push",
    "show force-id": "never force push",
    "why force-id": "never force push",
    "status": "3 active",
    "suggestions": "Prefer tea",
    "conflicts": "Conflicts (0)",
    "verify": "Every line of the log can be read.",
    "recall force --as-of today": "never force push",
}
WRITES = (
    *("add another", "remember another --evidence e", "note another", "log --task T --summary S", "undo", "improve"),
    *("accept tea-id", "dismiss tea-id", "edit force-id --text other", "forget force-id --reason r --evidence e"),
    *("reindex", "promote tea-id --kind rule --evidence e", "conflicts --keep-both force-id", "evaluate"),
)


@pytest.fixture
def nobody() -> Iterator[Person]:
    """Somebody without rights, in a folder of their own outside of the folders that only root can enter."""
    with folder_of_nobody() as folder:
        person = Person(folder)
        person.prefix = becoming(NOBODY)
        yield person


def read_only(folder: Path) -> None:
    for path in (*folder.rglob("*"), folder):
        path.chmod(0o500 if path.is_dir() else 0o400)


def filled(person: Person) -> dict[str, str]:
    """A home with something in it; returns the ids that the lines above speak of."""
    for text in ("never force push", "always sign commits", "always name the ticket"):
        person.process("add", text)
    person.process("remember", "Prefer tea", "--evidence", "chat")
    listed = person.process("list", "--json", "--status", "all").json
    ids = {memory["label"]: memory["id"] for memory in listed}
    return {"force-id": ids["never force push"], "tea-id": ids["Prefer tea"]}


def words(line: str, ids: dict[str, str]) -> list[str]:
    return [ids.get(word, word) for word in line.split()]


@pytest.mark.parametrize("leave_out", [(), ("index.sqlite-wal", "index.sqlite-shm"), ("index.sqlite",)], ids=str)
def test_questions_are_answered(nobody: Person, leave_out: tuple[str, ...]) -> None:
    ids = filled(nobody)
    for name in leave_out:
        (nobody.home / name).unlink(missing_ok=True)
    read_only(nobody.home)
    before = tree(nobody.home)
    for line, answer in READS.items():
        said = nobody.process(*words(line, ids))
        assert answer in said.out, line
    assert tree(nobody.home) == before


def test_changes_are_refused_cleanly_and_the_home_is_as_it_was(nobody: Person) -> None:
    ids = filled(nobody)
    read_only(nobody.home)
    before = tree(nobody.home)
    for line in WRITES:
        said = nobody.process(*words(line, ids), code=None)
        assert said.code >= 3, line
        assert "cannot be written to" in said.err
        assert "TACIT_HOME" in said.err
        assert said.out == ""
    assert tree(nobody.home) == before


def test_made_writable_again_it_goes_on(nobody: Person) -> None:
    filled(nobody)
    read_only(nobody.home)
    nobody.process("add", "always be kind", code=4)
    for path in (nobody.home, *nobody.home.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    nobody.process("add", "always be kind")
    assert "always be kind" in nobody.process("recall", "kind").out


def test_a_home_that_cannot_be_made_is_refused_cleanly(nobody: Person) -> None:
    read_only(nobody.folder)
    said = nobody.process("init", code=4)
    assert str(nobody.home) in said.err
    assert nobody.process("recall", "anything").first == "Recall Results (0)"


def test_a_project_that_cannot_be_written_to_keeps_its_memories_in_the_home(nobody: Person) -> None:
    root = nobody.folder / "work"
    (root / ".git").mkdir(parents=True)
    give(root)
    read_only(root)
    nobody.process("add", "never force push", cwd=root)
    assert "never force push" in nobody.process("recall", "force", cwd=root).out
    assert not (root / "docs").exists()
