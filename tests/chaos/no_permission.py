"""A home that may be read but not written, or not even read: questions are answered where they can be, and whatever
cannot be done is refused in plain words. As a person without rights: root may do anything and would notice nothing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from harness.homes import copy_home

from tests.chaos.index_kill import LIFE
from tests.chaos.nobody import NOBODY, becoming, folder_of_nobody, give, open_up
from tests.chaos.outcome import Outcome, together
from tests.chaos.program import Ended, run, tacit, wrong_end

# A brief is given from three memories on.
_ENOUGH = tuple(("add", text, "--global") for text in ("never force push", "always name the ticket", "I prefer tabs"))
QUESTIONS = {"recall": ("recall", "sign"), "list": ("list",), "brief": ("brief",), "status": ("status",)}
CHANGES = {"add": ("add", "always look both ways"), "log": ("log", "--task", "T", "--summary", "s"), "undo": ("undo",)}
ANSWERED, REFUSED, EITHER = "answered", "refused", "either"
Deny = Callable[[Path], None]


def read_only(home: Path) -> None:
    for path in (*home.rglob("*"), home):
        path.chmod(0o500 if path.is_dir() else 0o400)


def read_only_folders(home: Path) -> None:
    for path in (*home.rglob("*"), home):
        if path.is_dir():
            path.chmod(0o500)


def closed(home: Path) -> None:
    home.chmod(0)


def closed_parent(home: Path) -> None:
    home.parent.chmod(0)


def missing_in_a_closed_parent(home: Path) -> None:
    shutil.rmtree(home)
    home.parent.chmod(0o500)


def closed_log(home: Path) -> None:
    (home / "memory" / "events.jsonl").chmod(0)


def closed_index(home: Path) -> None:
    (home / "index.sqlite").chmod(0)


def closed_settings(home: Path) -> None:
    (home / "tacit.toml").chmod(0)


def closed_locks(home: Path) -> None:
    for lock in (home / ".tacit").glob("*.lock"):
        lock.chmod(0)


def closed_page(home: Path) -> None:
    (home / "memory" / "long-term.md").chmod(0)


# What is denied, and what becomes of questions and of changes.
DENIALS: dict[Deny, tuple[str, str]] = {
    read_only: (ANSWERED, REFUSED),
    read_only_folders: (ANSWERED, EITHER),  # the log itself can be written, and that is what a change needs
    closed: (EITHER, REFUSED),
    closed_parent: (EITHER, REFUSED),
    missing_in_a_closed_parent: (EITHER, REFUSED),
    closed_log: (EITHER, REFUSED),
    closed_index: (EITHER, EITHER),
    closed_settings: (EITHER, EITHER),
    closed_locks: (ANSWERED, REFUSED),
    closed_page: (ANSWERED, EITHER),
}


def denied(*, verbs: Sequence[str] = (*QUESTIONS, *CHANGES), as_root: bool = False) -> Outcome:
    """Every denial, every verb. `as_root` is the mutant: the test runs, and denies nothing."""
    with folder_of_nobody() as folder:
        home, before = folder / "person" / "home", folder / "before"
        home.parent.mkdir()
        give(home.parent)
        who = () if as_root else becoming(NOBODY)
        for words in (*LIFE, *_ENOUGH):
            assert run([*becoming(NOBODY), *tacit(*words)], home).code == 0
        copy_home(home.parent, before)
        return together(_one(home, before, deny, verb, who) for deny in DENIALS for verb in verbs)


def _one(home: Path, before: Path, deny: Deny, verb: str, who: Sequence[str]) -> Outcome:
    open_up(home.parent)
    shutil.rmtree(home.parent)
    copy_home(before, home.parent)
    give(home.parent, *home.parent.rglob("*"))
    deny(home)
    ended = run([*who, *tacit(*(QUESTIONS | CHANGES)[verb])], home, cwd=Path("/"))
    expected = DENIALS[deny][verb in CHANGES]
    faults = tuple(f"{deny.__name__}, {verb}: {fault}" for fault in _faults(ended, verb, expected))
    return Outcome(1, 0, 0, faults)


def _faults(ended: Ended, verb: str, expected: str) -> Iterator[str]:
    refused = ended.code >= 3
    if "Traceback" in ended.err or (refused and wrong_end(ended)):
        yield f"not a clean end: {ended.err[-300:]}"
    elif expected == ANSWERED and (ended.code != 0 or (verb != "status" and "sign commits" not in ended.out)):
        yield f"not answered: {ended}"
    elif expected == REFUSED and (not refused or ended.out):
        yield f"not refused: {ended}"


def is_root() -> bool:
    return os.geteuid() == 0
