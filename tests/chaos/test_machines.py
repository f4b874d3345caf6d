"""Three machines with random work, offline, in any order, with kills and partial copies; long form: `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.apart import apart
from tests.chaos.machines import MUTANTS, Plan, stories


@pytest.mark.parametrize(
    ("git", "count"), [(False, 4), pytest.param(True, 2, marks=pytest.mark.chaos)], ids=["folders", "git"]
)
def test_after_any_story_all_machines_know_the_same_and_nothing_is_lost(tmp_path: Path, git: bool, count: int) -> None:
    found = apart(stories, Plan(str(tmp_path), first=0, stories=count, git=git))
    assert found.acknowledged > count
    assert found.faults == ()


@pytest.mark.chaos
@pytest.mark.parametrize(("mutant", "first"), [("late", 505), ("tokens", 510), ("torn", 500)])
def test_a_program_that_leaves_out_a_step_is_caught(tmp_path: Path, mutant: str, first: int) -> None:
    assert mutant in MUTANTS
    assert apart(stories, Plan(str(tmp_path), first=first, stories=20, mutant=mutant)).faults
