"""Locks that are held, disks that are full, and versions with known faults."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from harness.person import Person

from tacit.vault.checks.files import file_system, has_wal_fix
from tests.support.findings import findings


def test_a_lock_that_somebody_holds_is_told(home: Person) -> None:
    with (home.home / ".tacit" / "write.lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert [one for one in findings(home) if "another process" in str(one["what"]) and not one["serious"]]


def test_a_disk_that_is_nearly_full_is_told(home: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    nearly = SimpleNamespace(f_bavail=8, f_frsize=4096, f_files=100, f_favail=0)
    monkeypatch.setattr(os, "statvfs", lambda _path: nearly)
    found = [str(one["what"]) for one in findings(home)]
    assert "only 32 KiB are free on its disk" in found
    assert "its disk can hold no more files" in found


def test_the_file_system_of_a_place_is_known(tmp_path: Path) -> None:
    assert file_system("/proc/self") == "proc"
    assert file_system(str(tmp_path)) not in ("", "proc")


def test_the_versions_of_sqlite_with_the_race_are_known() -> None:
    bad = [(3, 7, 0), (3, 40, 1), (3, 44, 5), (3, 50, 6), (3, 51, 2)]
    good = [(3, 6, 23), (3, 44, 6), (3, 44, 9), (3, 50, 7), (3, 51, 3), (3, 52, 0)]
    assert not any(map(has_wal_fix, bad))
    assert all(map(has_wal_fix, good))
