"""`cp -r` of a home in use is a backup. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.apart import apart
from tests.chaos.backup import Plan, backups


def test_a_copy_made_while_others_write_is_whole(tmp_path: Path) -> None:
    found = apart(backups, Plan(str(tmp_path), copies=12))
    assert found.acknowledged > 100
    assert found.lost == 0
    assert found.faults == ()


@pytest.mark.chaos
def test_writers_that_acknowledge_too_early_are_caught(tmp_path: Path) -> None:
    assert apart(backups, Plan(str(tmp_path), copies=60, early=True)).lost
