"""Who may read the files: only their owner, whatever the umask."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest
from harness.person import Person

from tests.chaos.program import tacit
from tests.chaos.strace import traced

# Every verb that writes something, at least once.
EVERYTHING = (
    "init",
    "add never-force-push",
    "remember sign-commits --evidence chat",
    "note name-the-ticket",
    "log --task T-1 --summary done",
    "recall push",
    "brief",
    "accept sign-commits",
    "improve",
    "forget --text never-force-push --reason r --evidence e",
    "undo",
    "reindex",
)


def modes(folder: Path) -> dict[str, int]:
    found = {str(path.relative_to(folder)): stat.S_IMODE(path.lstat().st_mode) for path in folder.rglob("*")}
    return {**found, ".": stat.S_IMODE(folder.stat().st_mode)}


def under(person: Person, umask: int, line: str, cwd: Path) -> None:
    """A process with this umask: a child inherits it."""
    before = os.umask(umask)
    try:
        started = person.start(*line.split(), cwd=cwd)
    finally:
        os.umask(before)
    _, err = started.communicate(timeout=60)
    assert started.returncode == 0, err


@pytest.mark.parametrize("umask", [0, 0o077])
def test_everything_in_the_home_is_private_whatever_the_umask(person: Person, umask: int) -> None:
    root = person.repository()
    for line in EVERYTHING:
        under(person, umask, line, root)
    found = modes(person.home)
    assert len(found) > 15
    for name, mode in found.items():
        wanted = 0o700 if (person.home / name).is_dir() else 0o600
        assert mode == wanted, f"{name} has {mode:o}"


@pytest.mark.parametrize(
    "line", ["init", "add never-force-push", "log --task T-1 --summary done", "improve", "reindex"]
)
def test_no_file_is_open_to_others_even_for_a_moment(person: Person, line: str) -> None:
    """Also those that are gone when the command ends: temporary files, and what SQLite keeps beside the index."""
    if line != "init":
        under(person, 0, "init", person.folder)
        under(person, 0, "add sign-commits", person.folder)
    made = created_under_umask_000(person, line)
    assert made
    assert {path: oct(mode) for path, mode in made.items() if mode & 0o077} == {}


def test_files_made_for_everybody_are_caught(person: Person) -> None:
    made = created_under_umask_000(person, "init", mutant="open_to_all")
    assert any(mode & 0o077 for mode in made.values())


_MADE = re.compile(r'"(?P<path>[^"]+)"(, (?P<flags>[A-Z_|]+))?, (?P<mode>0\d+)$')


def created_under_umask_000(person: Person, line: str, *, mutant: str = "") -> dict[str, int]:
    """What a command makes in the home, and with which mode each was made."""
    before = os.umask(0)
    try:
        ended, calls = traced(tacit(*line.split(), mutant=mutant), person.home, cwd=person.folder)
    finally:
        os.umask(before)
    assert ended.code == 0, ended
    made: dict[str, int] = {}
    for call in calls:
        found = _MADE.search(call.words)
        makes = call.name.startswith("mkdir") or "O_CREAT" in call.words
        if found and makes and not call.failed and str(person.home) in found["path"]:
            made.setdefault(found["path"], int(found["mode"], 8))  # made once, opened often
    return made


def test_parents_of_a_new_home_are_private_too(person: Person) -> None:
    person.home = person.folder / "deep" / "deeper" / "home"
    under(person, 0, "add never-force-push", person.folder)
    assert modes(person.folder / "deep")["deeper"] == 0o700


def test_what_is_shared_in_a_repository_is_as_open_as_its_neighbours(person: Person) -> None:
    root = person.repository()
    under(person, 0o022, "add never-force-push", root)
    assert modes(root / "docs") == {".": 0o755, "memory": 0o755, "memory/memories.ndjson": 0o644}
