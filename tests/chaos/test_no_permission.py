"""A home that may be read but not written, or not even read: questions are answered where they can be, and whatever
cannot be done is refused in plain words. As a person without rights: root may do anything and would notice nothing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from harness.homes import copy_home

from tests.chaos.kills import LIFE
from tests.chaos.nobody import NOBODY, becoming, folder_of_nobody, give, open_up
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row, together
from tests.chaos.program import Ended, run, tacit, wrong_end

# A brief is given from three memories on.
_ENOUGH = tuple(("add", text, "--global") for text in ("never force push", "always name the ticket", "I prefer tabs"))
QUESTIONS = {"recall": ("recall", "sign"), "list": ("list",), "brief": ("brief",), "status": ("status",)}
CHANGES = {"add": ("add", "always look both ways"), "log": ("log", "--task", "T", "--summary", "s"), "undo": ("undo",)}
ANSWERED, REFUSED, EITHER = "answered", "refused", "either"
Deny = Callable[[Path], None]


def _close(*paths: Path) -> None:
    for path in paths:
        path.chmod(0)


def _read_only(home: Path, *, files: bool) -> None:
    for path in (*home.rglob("*"), home):
        if path.is_dir() or files:
            path.chmod(0o500 if path.is_dir() else 0o400)


def _missing_in_a_closed_parent(home: Path) -> None:
    shutil.rmtree(home)
    home.parent.chmod(0o500)


# What is denied, and what becomes of questions and of changes.
DENIALS: dict[str, tuple[Deny, str, str]] = {
    "read only": (partial(_read_only, files=True), ANSWERED, REFUSED),
    # The log itself can be written, and that is what a change needs.
    "read-only folders": (partial(_read_only, files=False), ANSWERED, EITHER),
    "closed": (_close, EITHER, REFUSED),
    "closed parent": (lambda home: _close(home.parent), EITHER, REFUSED),
    "missing in a closed parent": (_missing_in_a_closed_parent, EITHER, REFUSED),
    "closed log": (lambda home: _close(home / "memory" / "events.jsonl"), EITHER, REFUSED),
    "closed index": (lambda home: _close(home / "index.sqlite"), EITHER, EITHER),
    "closed settings": (lambda home: _close(home / "tacit.toml"), EITHER, EITHER),
    "closed locks": (lambda home: _close(*(home / ".tacit").glob("*.lock")), ANSWERED, REFUSED),
    "closed page": (lambda home: _close(home / "memory" / "long-term.md"), ANSWERED, EITHER),
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
        return together(_one(home, before, denial, verb, who) for denial in DENIALS for verb in verbs)


def _one(home: Path, before: Path, denial: str, verb: str, who: Sequence[str]) -> Outcome:
    open_up(home.parent)
    shutil.rmtree(home.parent)
    copy_home(before, home.parent)
    give(home.parent, *home.parent.rglob("*"))
    deny, *expected = DENIALS[denial]
    deny(home)
    ended = run([*who, *tacit(*(QUESTIONS | CHANGES)[verb])], home, cwd=Path("/"))
    faults = tuple(f"{denial}, {verb}: {fault}" for fault in _faults(ended, verb, expected[verb in CHANGES]))
    return Outcome(1, 0, 0, faults)


def _faults(ended: Ended, verb: str, expected: str) -> Iterator[str]:
    refused = ended.code >= 3
    if "Traceback" in ended.err or (refused and wrong_end(ended)):
        yield f"not a clean end: {ended.err[-300:]}"
    elif expected == ANSWERED and (ended.code != 0 or (verb != "status" and "sign commits" not in ended.out)):
        yield f"not answered: {ended}"
    elif expected == REFUSED and (not refused or ended.out):
        yield f"not refused: {ended}"


@pytest.mark.parametrize("verb", ["recall", "add"])
def test_without_rights_questions_are_answered_and_changes_refused(verb: str) -> None:
    assert_held(denied(verbs=[verb]), runs=len(DENIALS))


def rows(short: bool) -> Iterator[Row]:
    verbs = ("recall", "add") if short else (*QUESTIONS, *CHANGES)
    yield Row("T13 no permission", lambda _at: denied(verbs=verbs), "as a person without rights")
    if os.geteuid() == 0:
        yield mutant_row("T13 mutant: as root", lambda _at: denied(verbs=["add"], as_root=True), "not refused")
