"""A purge reaches every machine and every file on the remote, and it is known who has not confirmed it."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from tacit.errors import StoreError
from tacit.vault.purging import Purger
from tests.support.machines import Machine, connected, plain_text, sync_all

SECRET, PNPM = "the plan for Operation Walrus", "use pnpm"


@pytest.fixture
def pair(tmp_path: Path) -> list[Machine]:
    laptop, desktop = connected(tmp_path, 2)
    laptop.add(PNPM, SECRET)
    sync_all(laptop, desktop)
    return [laptop, desktop]


def remote_texts(machine: Machine) -> bytes:
    """Everything that the remote holds, decrypted."""
    ring = machine.state.ring
    return b"".join(plain_text(ring, path.read_bytes()) for path in Path(machine.remote).rglob("*.age"))


def log_text(machine: Machine) -> bytes:
    return b"".join(path.read_bytes() for path in machine.home.rglob("*") if path.is_file())


def test_it_is_gone_from_both_machines_and_the_remote(pair: list[Machine]) -> None:
    laptop, desktop = pair
    assert b"Walrus" in remote_texts(laptop)
    laptop.purge("Operation Walrus")
    assert laptop.sync().machines[0].unconfirmed == 1
    assert b"Walrus" not in remote_texts(laptop)
    report = desktop.sync()
    assert (report.machines[0].unconfirmed, report.applied_purges) == (0, 1)
    assert b"Walrus" not in log_text(desktop)
    assert desktop.sync().applied_purges == 0
    assert laptop.status().machines[0].unconfirmed == 0
    assert laptop.known == desktop.known == {PNPM}


def test_only_what_changed_is_written_anew(pair: list[Machine]) -> None:
    laptop, _ = pair
    for number in range(3):
        laptop.add(f"rule number {number}")
        laptop.sync()
    files = set(os.listdir(Path(laptop.remote, laptop.area)))
    laptop.purge("Operation Walrus")
    laptop.sync()
    after = set(os.listdir(Path(laptop.remote, laptop.area)))
    assert len(files - after) == 1  # the segment that had it
    assert len(after - files) == 2  # what is left of that, and the tombstone


def test_deletion_wins_over_a_machine_that_did_not_know(pair: list[Machine]) -> None:
    """Whatever the clocks say: the desktop's is ahead, so its line has the greater id."""
    laptop, desktop = pair
    desktop.clock = timedelta(hours=12)
    desktop.add("Operation Walrus begins on Monday")
    laptop.purge("Operation Walrus")
    sync_all(laptop, desktop, laptop)
    for machine in pair:
        assert machine.known == {PNPM}
        assert b"Walrus" not in log_text(machine)


def test_deletion_wins_when_the_other_had_published_before(pair: list[Machine]) -> None:
    laptop, desktop = pair
    desktop.clock = timedelta(hours=12)
    desktop.add("Operation Walrus begins on Monday", evidence="Operation Walrus")
    desktop.add("another rule", evidence="a call about Operation Walrus")
    desktop.sync()
    laptop.purge("Operation Walrus")
    laptop.sync()
    assert laptop.known == {PNPM, "another rule"}
    assert b"Walrus" not in log_text(laptop)
    sync_all(desktop, laptop)
    assert laptop.everything_known == desktop.everything_known
    assert b"Walrus" not in log_text(desktop)


def test_deletion_wins_over_a_machine_that_never_hears_of_it(tmp_path: Path) -> None:
    """The laptop has taken its line before the purge reaches the laptop, and the server does not come back."""
    laptop, desktop, server = connected(tmp_path, 3)
    desktop.add(SECRET)
    desktop.purge("Operation Walrus")
    server.clock = timedelta(hours=12)
    server.add("Operation Walrus begins on Monday", PNPM)
    sync_all(server, laptop)
    assert laptop.known == {"Operation Walrus begins on Monday", PNPM}
    sync_all(desktop, laptop, desktop)
    assert laptop.known == desktop.known == {PNPM}
    assert b"Walrus" not in log_text(laptop)


def test_who_knows_of_the_purge_may_say_the_same_again(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.purge("Operation Walrus")
    sync_all(laptop, desktop)
    desktop.add("Operation Walrus was a success")
    sync_all(desktop, laptop)
    assert laptop.known == desktop.known == {PNPM, "Operation Walrus was a success"}


def test_saying_it_again_survives_a_third_machine_that_had_not_known(tmp_path: Path) -> None:
    """What the server adds to the purge means its own line, and not what the laptop said on purpose afterwards."""
    laptop, desktop, server = connected(tmp_path, 3)
    server.clock = timedelta(hours=12)
    server.add("Operation Walrus begins on Monday")
    laptop.add(SECRET)
    laptop.purge("Operation Walrus")
    laptop.minutes += 60 * 24
    laptop.add("Operation Walrus was a success")
    for machine in (laptop, server, desktop, laptop, desktop, server):
        machine.minutes = max(machine.minutes, laptop.minutes)
        machine.sync()
    assert laptop.known == desktop.known == server.known == {"Operation Walrus was a success"}


def test_a_purge_that_fails_is_completed_by_the_next_sync(pair: list[Machine], monkeypatch: pytest.MonkeyPatch) -> None:
    laptop, desktop = pair
    laptop.purge("Operation Walrus")
    laptop.sync()

    def fails(*_arguments: object, **_options: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(Purger, "_apply_tombstones", fails)
    report = desktop.try_sync()
    monkeypatch.undo()
    assert report.problem is not None
    assert laptop.status().machines[0].unconfirmed == 1
    desktop.sync()
    assert b"Walrus" not in log_text(desktop)
    assert laptop.status().machines[0].unconfirmed == 0


def test_nothing_is_confirmed_while_a_purge_is_interrupted(pair: list[Machine]) -> None:
    laptop, desktop = pair
    (laptop.home / ".tacit" / "purging").write_bytes(b"")  # a purge that was killed before its tombstone
    laptop.add("another rule")
    laptop.sync()
    assert not (laptop.home / ".tacit" / "purging").exists()
    desktop.sync()
    assert "another rule" in desktop.known


def test_a_machine_that_was_off_brings_nothing_back(tmp_path: Path) -> None:
    laptop, desktop, server = connected(tmp_path, 3)
    laptop.add(SECRET)
    sync_all(laptop, desktop, server)
    laptop.purge("Operation Walrus")
    sync_all(laptop, desktop)
    report = laptop.sync()
    assert sorted(machine.unconfirmed for machine in report.machines) == [0, 1]
    server.minutes += 60 * 24 * 100
    sync_all(server, laptop)
    assert all(b"Walrus" not in log_text(machine) for machine in (laptop, desktop, server))
