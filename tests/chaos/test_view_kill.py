"""A kill while views are drawn leaves whole files and no rests. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.view_kill import CAUGHT, COMMANDS, DEFERRED, deferred_kill, view_kill

_OTHERS = sorted(COMMANDS.keys() - {"add", "log"})


@pytest.mark.parametrize("verb", ["add", "log", *(pytest.param(verb, marks=pytest.mark.chaos) for verb in _OTHERS)])
def test_a_view_is_the_old_or_the_new_one_after_a_kill(tmp_path: Path, verb: str) -> None:
    found = view_kill(tmp_path, verb, most=3)
    assert found.runs == 3
    assert found.faults == ()


@pytest.mark.parametrize("half", DEFERRED)
def test_a_page_that_is_drawn_later_is_the_old_or_the_new_one_after_a_kill(tmp_path: Path, half: str) -> None:
    found = deferred_kill(tmp_path, half, most=4)
    assert found.runs == 4
    assert found.faults == ()


@pytest.mark.chaos
def test_a_view_that_is_written_in_place_is_caught(tmp_path: Path) -> None:
    found = view_kill(tmp_path, "add", mutant="in_place")
    assert any(CAUGHT in fault for fault in found.faults)
