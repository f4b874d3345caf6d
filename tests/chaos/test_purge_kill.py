"""A kill while something is purged or set aside loses nothing else. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

from tests.chaos.purge_kill import mend_kill, purge_kill


def test_a_purge_that_was_killed_has_lost_nothing_else_and_is_completed_by_the_next(tmp_path: Path) -> None:
    found = purge_kill(tmp_path, most=2)
    assert found.faults == ()


def test_a_damaged_line_is_in_the_log_or_set_aside_at_any_moment(tmp_path: Path) -> None:
    found = mend_kill(tmp_path, most=2)
    assert found.faults == ()
