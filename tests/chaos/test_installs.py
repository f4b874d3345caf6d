"""Whatever was there is there again. The long forms are in `make chaos`; agents' formats are tried in tests/install."""

from __future__ import annotations

from pathlib import Path

from tests.chaos.installs import again, killed


def test_taking_out_leaves_what_was_there(tmp_path: Path) -> None:
    found = again(tmp_path, 25)
    assert found.faults == ()
    assert found.acknowledged > 15


def test_a_kill_while_installing_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    assert killed(tmp_path / "person", "gemini", most=1).faults == ()
