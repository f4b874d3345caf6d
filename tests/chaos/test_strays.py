"""Copies of sync programs and editors in a home. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos import strays

_SOME = (strays.NAMES[0], strays.NAMES[4], strays.NAMES[7])


def test_events_that_stand_in_a_copy_too_count_once(tmp_path: Path) -> None:
    assert strays.copies_count_once(tmp_path, _SOME).faults == ()


def test_events_that_stand_only_in_a_copy_are_read(tmp_path: Path) -> None:
    assert strays.events_of_a_copy_are_read(tmp_path, _SOME[:2]).faults == ()


@pytest.mark.chaos
def test_copies_that_are_not_read_are_caught(tmp_path: Path) -> None:
    assert strays.unread(tmp_path).faults


def test_a_purge_reaches_every_copy(tmp_path: Path) -> None:
    assert strays.purge_reaches_copies(tmp_path, _SOME[:2]).faults == ()


def test_tombstones_in_a_copy_hold(tmp_path: Path) -> None:
    assert strays.tombstones_of_a_copy_hold(tmp_path).faults == ()
