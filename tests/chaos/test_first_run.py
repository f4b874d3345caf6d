"""The very first command may be killed anywhere: the second one makes it good. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.first_run import CAUGHT, COMMANDS, first_run


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_home_that_was_killed_in_the_making_is_made_by_the_next_run(tmp_path: Path, verb: str) -> None:
    found = first_run(tmp_path, verb, most=3)
    assert found.runs == 3
    assert found.faults == ()


@pytest.mark.chaos
def test_a_home_made_of_half_written_files_is_caught(tmp_path: Path) -> None:
    found = first_run(tmp_path, "init", mutant="in_place")
    assert any(CAUGHT in fault for fault in found.faults)
