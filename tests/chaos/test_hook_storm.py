"""Hooks that race, that are killed, and whose hosts are killed: each prompt once, and nothing goes on running.

The long forms are in `make chaos`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.hook_storm import killed, live, sittings, stops


def test_stops_that_race_with_a_growing_transcript_capture_each_prompt_once(tmp_path: Path) -> None:
    assert stops(tmp_path, 40).faults == ()


@pytest.mark.chaos
def test_hooks_of_all_sorts_beside_a_growing_transcript_capture_each_prompt_once(tmp_path: Path) -> None:
    assert live(tmp_path, 24).faults == ()


def test_what_a_killed_hook_has_left_the_next_one_captures(tmp_path: Path) -> None:
    found = killed(tmp_path, 8)

    assert found.faults == ()
    assert found.acknowledged > 0, "nobody was killed: this shows nothing"


def test_sessions_whose_hosts_are_killed_leave_no_process_and_no_lock(tmp_path: Path) -> None:
    assert sittings(tmp_path, 12).faults == ()
