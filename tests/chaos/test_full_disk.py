"""A full disk loses nothing and is told in plain words. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.full_disk import Plan, full_disk, full_log, limited, namespace
from tests.chaos.mutants import BlindDisk


@pytest.mark.parametrize("room", [0, pytest.param(40_000, marks=pytest.mark.chaos)])
def test_what_was_acknowledged_on_a_full_disk_is_readable(tmp_path: Path, room: int) -> None:
    if not namespace():
        pytest.skip("nobody may mount here; the limit on the size of files shows it instead")
    found = full_disk(Plan(str(tmp_path), room))
    assert found.note == "refused"
    assert found.faults == ()


@pytest.mark.parametrize("room", [pytest.param(0, marks=pytest.mark.chaos), 5_000])
def test_what_was_acknowledged_under_a_limit_on_files_is_readable(tmp_path: Path, room: int) -> None:
    found = limited(Plan(str(tmp_path), room))
    assert found.note == "refused"
    assert found.faults == ()


def test_an_index_that_cannot_grow_refuses_no_line_of_the_log(tmp_path: Path) -> None:
    found = limited(Plan(str(tmp_path), 0), by="index.sqlite", most=12)
    assert found.note == "", "something was refused"
    assert found.acknowledged > 12
    assert found.faults == ()


def test_a_log_that_fills_the_disk_to_its_last_byte_goes_on_when_there_is_room(tmp_path: Path) -> None:
    if not namespace():
        pytest.skip("nobody may mount here; the limit on the size of files shows it instead")
    found = full_log(Plan(str(tmp_path), 60_000))
    assert found.runs == 3
    assert found.acknowledged > 100
    assert found.faults == ()


@pytest.mark.chaos
def test_a_log_that_takes_no_notice_of_a_full_disk_is_caught(tmp_path: Path) -> None:
    if not namespace():
        pytest.skip("nobody may mount here")
    assert full_log(Plan(str(tmp_path), 60_000, disk=BlindDisk)).lost
