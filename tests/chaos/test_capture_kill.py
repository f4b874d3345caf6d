"""A capture that was killed is completed by the next one, without anything twice. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

from tests.chaos.capture_kill import capture_kill


def test_a_capture_that_was_killed_is_completed_by_the_next(tmp_path: Path) -> None:
    found = capture_kill(tmp_path, most=6)

    assert found.runs == 6
    assert found.faults == ()
