"""No two processes are inside the index or the log at once. The long form is in `make chaos`."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from harness.person import Person

from tests.chaos.guard import ALONE, guard
from tests.chaos.workload import Plan


def test_nobody_writes_to_index_or_log_without_holding_its_lock(tmp_path: Path) -> None:
    found = guard(Plan(str(tmp_path / "home"), str(tmp_path / "project"), processes=6, operations=12))
    assert found.note, "nobody has written: this shows nothing"
    assert found.faults == ()


@pytest.mark.chaos
def test_writers_without_a_lock_are_caught(tmp_path: Path) -> None:
    plan = Plan(str(tmp_path / "home"), str(tmp_path / "project"), processes=2, operations=4)
    assert any(ALONE in fault for fault in guard(plan, mutant=True).faults)


@pytest.mark.parametrize(
    ("version", "has_the_race"),
    [
        *[(version, True) for version in [(3, 40, 1), (3, 44, 5), (3, 45, 0), (3, 50, 6), (3, 51, 0), (3, 51, 2)]],
        *[(version, False) for version in [(3, 44, 6), (3, 44, 9), (3, 50, 7), (3, 51, 3), (3, 52, 0), (4, 0, 0)]],
    ],
)
def test_the_doctor_knows_which_sqlite_has_the_race(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], has_the_race: bool
) -> None:
    person = Person(tmp_path)
    person.tacit("init")
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    assert ("known race" in person.tacit("doctor").out) is has_the_race
