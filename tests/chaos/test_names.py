"""No name becomes a path. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.names import ALL, OUTSIDE, Scene, hostile_names, page_named_by_its_task


def test_no_name_makes_a_file_elsewhere_and_no_two_are_taken_for_one(tmp_path: Path) -> None:
    found = hostile_names(tmp_path, ALL[::30])
    assert found.runs > len(ALL[::30])
    assert found.faults == ()


@pytest.mark.chaos
def test_a_page_named_by_what_somebody_said_is_caught(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    page_named_by_its_task(scene, "../../outside/y")
    assert any(OUTSIDE in fault for fault in scene.faults("../../outside/y"))
