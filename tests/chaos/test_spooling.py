"""No command is lost because the log cannot be appended to. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos import spooling
from tests.chaos.full_disk import namespace


def test_commands_that_end_while_the_lock_is_held_are_all_recorded_once_and_in_order(tmp_path: Path) -> None:
    found = spooling.held(tmp_path)
    assert found.acknowledged == 22
    assert found.faults == ()


@pytest.mark.chaos
def test_a_recorder_that_does_not_spool_is_caught(tmp_path: Path) -> None:
    assert spooling.held(tmp_path, 2, mutant="never_spools").lost == 2


def test_commands_that_end_while_the_disk_is_full_are_recorded_when_there_is_room(tmp_path: Path) -> None:
    if not namespace():
        pytest.skip("this machine forbids to mount a file system")
    assert spooling.full(tmp_path).faults == ()


def test_a_recorder_that_is_killed_while_it_spools_loses_nothing_that_was_spooled(tmp_path: Path) -> None:
    found = spooling.killed_spooling(tmp_path, most=3)
    assert found.runs >= 3
    assert found.faults == ()


def test_whoever_is_killed_while_filing_loses_and_repeats_nothing(tmp_path: Path) -> None:
    found = spooling.killed_filing(tmp_path, most=4)
    assert found.runs >= 4
    assert found.faults == ()


@pytest.mark.chaos
def test_a_record_that_is_deleted_before_it_is_filed_is_caught(tmp_path: Path) -> None:
    assert spooling.killed_filing(tmp_path, most=6, mutant="unlink_first").lost > 0


@pytest.mark.chaos
def test_a_record_that_is_filed_again_is_caught(tmp_path: Path) -> None:
    found = spooling.killed_filing(tmp_path, mutant="forgets_ids")
    assert any("times in the log" in fault for fault in found.faults)
