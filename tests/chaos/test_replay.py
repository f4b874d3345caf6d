"""Capturing again changes nothing. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

from tests.chaos.replay import replay


def test_what_was_captured_many_times_is_there_once(tmp_path: Path) -> None:
    found = replay(tmp_path, transcripts=4, rounds=3)
    assert found.faults == ()
    assert found.acknowledged > 80
