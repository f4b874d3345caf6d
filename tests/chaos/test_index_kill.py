"""A kill anywhere between the log and the index loses nothing. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.index_kill import CAUGHT, COMMANDS, index_kill


@pytest.mark.parametrize("verb", COMMANDS)
def test_after_a_kill_the_next_question_finds_everything(tmp_path: Path, verb: str) -> None:
    found = index_kill(tmp_path, verb, most=3)
    assert found.runs == 3
    assert found.faults == ()


@pytest.mark.chaos
def test_an_index_that_notes_how_far_it_read_too_early_is_caught(tmp_path: Path) -> None:
    found = index_kill(tmp_path, "add", mutant="cursor_first")
    assert any(CAUGHT in fault for fault in found.faults)
