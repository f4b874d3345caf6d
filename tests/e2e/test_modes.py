"""Who may read the files: only their owner, whatever the umask."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .person import Person

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


def test_everything_in_the_home_is_private_under_umask_000(person: Person) -> None:
    root = person.repository()
    for line in EVERYTHING:
        under(person, 0, line, root)
    found = modes(person.home)
    assert len(found) > 15
    for name, mode in found.items():
        wanted = 0o700 if (person.home / name).is_dir() else 0o600
        assert mode == wanted, f"{name} has {mode:o}"


def test_parents_of_a_new_home_are_private_too(person: Person) -> None:
    person.home = person.folder / "deep" / "deeper" / "home"
    under(person, 0, "add never-force-push", person.folder)
    assert modes(person.folder / "deep")["deeper"] == 0o700


def test_what_is_shared_in_a_repository_is_as_open_as_its_neighbours(person: Person) -> None:
    root = person.repository()
    under(person, 0o022, "add never-force-push", root)
    assert modes(root / "docs") == {".": 0o755, "memory": 0o755, "memory/memories.ndjson": 0o644}
