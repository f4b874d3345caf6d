"""Damaged files on a remote are told and written again by whoever wrote them; a remote that went back is repaired."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tacit.errors import KeysError, RemoteError
from tests.remotes.test_machines import newcomer, segment_paths
from tests.remotes.test_remotes_purges import log_text, remote_texts
from tests.support.machines import Machine, connected, sync_all

PNPM, TABS, TESTS = "use pnpm", "I prefer tabs", "always run tests before a commit"
DAY = 60 * 24


@pytest.fixture
def pair(tmp_path: Path) -> list[Machine]:
    return connected(tmp_path, 2)


@pytest.fixture
def replicas(tmp_path: Path) -> list[Machine]:
    """Two machines, each with a replica of the folder that a sync program keeps equal: `carry` does."""
    laptop, desktop = connected(tmp_path, 2)
    replica = tmp_path / "replica"
    replica.mkdir()
    desktop.store().save(desktop.state._replace(url=str(replica)))
    desktop.remote = str(replica)
    return [laptop, desktop]


def carry(source: Machine, target: Machine) -> None:
    """Bring what a machine wrote since to the replica of another one."""
    into = Path(target.remote, source.area)
    into.mkdir(exist_ok=True)
    files = {path.name: path for path in Path(source.remote, source.area).iterdir()}
    for path in into.iterdir():
        if path.name not in files:
            path.unlink()
    for name, path in files.items():
        if not (into / name).exists() or (into / name).stat().st_mtime_ns < path.stat().st_mtime_ns:
            shutil.copy2(path, into / name)


def flip(path: Path, bit: int = 0) -> None:
    """Change a bit and nothing else of a file, its time included."""
    data, times = bytearray(path.read_bytes()), path.stat()
    data[len(data) // 2] ^= 1 << bit
    path.write_bytes(data)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def area_of(machine: Machine) -> Path:
    return Path(machine.remote, machine.area)


# Damage that a reader meets


def test_a_flipped_bit_is_told_asked_for_and_mended(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    laptop.sync()
    flip(segment_paths(laptop)[0])
    assert desktop.status().damaged == 1
    for report in (desktop.sync(), desktop.status()):
        (machine,) = report.machines
        assert (machine.new, machine.waiting, machine.missing, machine.damaged) == (0, 0, 0, 1)
    assert laptop.sync().notes == ("1 file was damaged or lost on the way to machine1: sent again",)
    assert desktop.status().machines[0].waiting == 1
    report = desktop.sync()
    assert (report.machines[0].new, report.damaged) == (1, 0)
    assert laptop.sync().notes == ()
    assert desktop.known == {PNPM}


def test_damage_on_the_way_of_a_sync_program_is_mended_although_the_author_has_it_whole(
    replicas: list[Machine],
) -> None:
    laptop, desktop = replicas
    laptop.add(PNPM)
    laptop.sync()
    carry(laptop, desktop)
    flip(Path(desktop.remote, laptop.area, segment_paths(laptop)[0].name))
    assert desktop.sync().damaged == 1
    carry(desktop, laptop)
    assert "sent again" in laptop.sync().notes[0]
    carry(laptop, desktop)
    assert desktop.sync().machines[0].new == 1


def test_what_is_asked_for_is_sent_once_for_each_time_it_is_asked(replicas: list[Machine]) -> None:
    laptop, desktop = replicas
    laptop.add(PNPM)
    laptop.sync()
    carry(laptop, desktop)
    flip(Path(desktop.remote, laptop.area, segment_paths(laptop)[0].name))
    desktop.sync()
    carry(desktop, laptop)
    laptop.sync()
    sent = segment_paths(laptop)[0].read_bytes()
    assert laptop.sync().notes == ()
    assert segment_paths(laptop)[0].read_bytes() == sent
    desktop.minutes += 2 * 60  # it has not arrived, and is asked for again
    desktop.sync()
    carry(desktop, laptop)
    assert "sent again" in laptop.sync().notes[0]
    assert segment_paths(laptop)[0].read_bytes() != sent


def test_a_torn_file_is_arriving_for_hours_and_a_missing_one_for_a_day(replicas: list[Machine]) -> None:
    laptop, desktop = replicas
    laptop.add(PNPM)
    laptop.sync()
    laptop.add(TABS)
    laptop.sync()
    carry(laptop, desktop)
    torn, missing = (Path(desktop.remote, laptop.area, path.name) for path in segment_paths(laptop))
    torn.write_bytes(torn.read_bytes()[:-9])
    missing.unlink()
    counts = []
    for hours in (0, 5, 2, 18):
        desktop.minutes += hours * 60
        (machine,) = desktop.sync().machines
        counts.append((machine.missing, machine.damaged))
    assert counts == [(2, 0), (2, 0), (1, 1), (0, 2)]
    carry(desktop, laptop)
    assert "2 files were damaged or lost" in laptop.sync().notes[0]
    carry(laptop, desktop)
    assert desktop.sync().damaged == 0
    assert desktop.known == {PNPM, TABS}


def test_a_manifest_that_nobody_can_read_is_asked_for(replicas: list[Machine]) -> None:
    laptop, desktop = replicas
    laptop.add(PNPM)
    laptop.sync()
    carry(laptop, desktop)
    desktop.sync()
    flip(Path(desktop.remote, laptop.area, "manifest.age"))
    report = desktop.sync()
    assert (report.damaged, report.foreign) == (1, ())
    carry(desktop, laptop)
    assert "sent again" in laptop.sync().notes[0]
    carry(laptop, desktop)
    assert desktop.sync().damaged == 0


def test_other_keys_of_a_machine_that_was_never_read_are_no_damage(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.sync()
    damage_both(laptop)
    desktop.sync()
    desktop.minutes += DAY
    report = desktop.sync()
    assert (report.damaged, report.foreign) == (0, (laptop.area,))


def test_a_manifest_and_keys_that_are_both_damaged_are_arriving_for_hours_and_then_asked_for(
    pair: list[Machine],
) -> None:
    laptop, desktop = pair
    sync_all(laptop, desktop)
    damage_both(laptop)
    report = desktop.sync()
    assert (report.damaged, report.machines[0].missing, report.foreign) == (0, 1, ())
    desktop.minutes += DAY
    assert desktop.sync().damaged == 1
    assert "sent again" in "".join(laptop.sync().notes)
    assert desktop.sync().damaged == 0


def damage_both(machine: Machine) -> None:
    """Leave nothing that shows which keys a machine has."""
    area_of(machine).joinpath("manifest.age").write_bytes(b"encrypted to somebody else")
    area_of(machine).joinpath("ring.age").write_bytes(b"another ring")


# Damage that the author meets


@pytest.mark.parametrize("name", ["manifest.age", "ring.age", "keys.age"])
def test_a_flipped_bit_in_a_fixed_file_is_mended_by_the_next_sync(pair: list[Machine], name: str) -> None:
    laptop, desktop = pair
    sync_all(laptop, desktop, laptop)
    laptop.rotate()
    path = area_of(laptop) / name
    whole = path.read_bytes()
    flip(path)
    assert "files of this machine are damaged" in laptop.status().notes[0]
    assert laptop.sync().notes == ("1 file of this machine was damaged or gone on the remote: written again",)
    assert path.read_bytes() == whole or name == "manifest.age"
    assert laptop.sync().notes == ()
    desktop.sync()
    assert desktop.state.ring == laptop.state.ring


def test_a_segment_that_nobody_reads_any_more_is_found_within_a_day(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    sync_all(laptop, desktop)
    flip(segment_paths(laptop)[0])
    laptop.minutes += DAY
    assert laptop.sync().notes == ("1 file of this machine was damaged or gone on the remote: written again",)
    third = newcomer(laptop)
    assert third.sync().damaged == 0
    assert third.known == {PNPM}


def test_a_file_that_is_gone_is_written_again_and_told(pair: list[Machine]) -> None:
    laptop, _ = pair
    laptop.add(PNPM)
    laptop.sync()
    segment_paths(laptop)[0].unlink()
    assert "damaged or gone" in laptop.sync().notes[0]
    assert len(segment_paths(laptop)) == 1


def test_the_lines_of_a_machine_that_never_comes_back_come_from_another_one(tmp_path: Path) -> None:
    laptop, desktop, server = connected(tmp_path, 3)
    laptop.add(PNPM)
    sync_all(laptop, desktop)
    flip(segment_paths(laptop)[0])
    assert server.sync().damaged == 1
    sync_all(desktop, server, desktop)
    desktop.forget_machine(laptop.area)
    assert server.sync().damaged == 0
    assert server.known == {PNPM}


# The copy of a git repository


def repository(tmp_path: Path) -> str:
    path = tmp_path / "memory.git"
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    return str(path)


@pytest.mark.parametrize("place", ["objects", "HEAD", "config", "gone"])
def test_a_damaged_copy_of_the_branches_is_fetched_anew(tmp_path: Path, place: str) -> None:
    laptop, desktop = connected(tmp_path, 2, repository(tmp_path))
    laptop.add(PNPM)
    sync_all(laptop, desktop)
    mirror = desktop.home / ".tacit" / "remotes" / "home.git"
    objects = [path for path in (mirror / "objects").rglob("*") if path.is_file()]
    for path in objects if place in ("objects", "gone") else [mirror / place]:
        path.chmod(0o600)
        if place == "gone":
            path.unlink()
        else:
            path.write_bytes(bytes(255 - byte for byte in path.read_bytes()))
    laptop.add(TABS)
    laptop.sync()
    assert any("were fetched anew" in note for note in desktop.sync().notes)
    assert desktop.sync().notes == ()
    assert desktop.known == {PNPM, TABS}


def test_a_repository_that_is_not_there_is_no_damaged_copy(tmp_path: Path) -> None:
    path = repository(tmp_path)
    (laptop,) = connected(tmp_path, 1, path)
    laptop.sync()
    shutil.rmtree(path)
    report = laptop.try_sync()
    assert isinstance(report.problem, RemoteError) and report.notes == ()


# Remotes that went back


def snapshot(machine: Machine) -> Path:
    copy = Path(machine.remote).parent / "snapshot"
    shutil.copytree(machine.remote, copy)
    return copy


def roll_back(machine: Machine, copy: Path) -> None:
    shutil.rmtree(machine.remote)
    shutil.copytree(copy, machine.remote)


def test_a_remote_that_went_back_is_told_and_repaired(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    sync_all(laptop, desktop)
    copy = snapshot(laptop)
    laptop.add(TABS)
    desktop.add(TESTS)
    sync_all(laptop, desktop, laptop)
    roll_back(laptop, copy)
    assert laptop.status().notes == ("the remote is older than what this machine saw: tacit sync publishes it again",)
    report = laptop.sync()
    assert report.notes == ("the remote is older than what this machine saw: published again",)
    assert [machine.is_rolled_back for machine in report.machines] == [True]
    third = newcomer(laptop)
    told = {machine.id: machine for machine in third.sync().machines}
    assert told[desktop.area].is_incomplete and not told[laptop.area].is_incomplete
    assert third.known == {PNPM, TABS}
    assert "published again" in desktop.sync().notes[0]
    for machine in (laptop, desktop, third):
        report = machine.sync()
        assert report.notes == ()
        assert not any(other.is_rolled_back or other.is_incomplete or other.damaged for other in report.machines)
        assert machine.known == {PNPM, TABS, TESTS}


@pytest.mark.parametrize("is_emptied", [False, True])
def test_nothing_is_taken_back_from_an_older_manifest(pair: list[Machine], is_emptied: bool) -> None:
    """It has what was purged, of a machine that had not applied the purge."""
    laptop, desktop = pair
    laptop.add(PNPM, "the plan for Operation Walrus")
    sync_all(laptop, desktop)
    copy = snapshot(laptop)
    laptop.purge("Operation Walrus")
    sync_all(laptop, desktop, laptop)
    before = desktop.state.peer(laptop.area)
    roll_back(laptop, copy)
    if is_emptied:
        shutil.rmtree(area_of(laptop))
    report = desktop.sync()
    after = desktop.state.peer(laptop.area)
    assert before is not None and after is not None and after.manifest == before.manifest
    assert [machine.is_rolled_back for machine in report.machines] == [True]
    sync_all(laptop, desktop, laptop)
    assert b"Walrus" not in log_text(desktop) + remote_texts(laptop)
    assert desktop.known == {PNPM}


def test_an_area_that_vanished_is_told_and_what_it_lacked_stays_asked_for(tmp_path: Path) -> None:
    laptop, desktop = connected(tmp_path, 2)
    laptop.add(PNPM)
    laptop.sync()
    laptop.add(TABS)
    laptop.sync()
    segment_paths(laptop)[0].unlink()
    assert desktop.sync().machines[0].missing == 1
    shutil.rmtree(area_of(laptop))
    (machine,) = desktop.sync().machines
    assert (machine.is_rolled_back, machine.missing, machine.damaged) == (True, 1, 0)
    desktop.minutes += DAY
    assert desktop.sync().damaged == 1
    laptop.sync()
    assert desktop.sync().damaged == 0
    assert desktop.known == {PNPM, TABS}


def test_what_a_machine_had_sent_that_does_not_repair_its_part_is_passed_on_after_a_day(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    desktop.add(TABS)
    sync_all(laptop, desktop)
    shutil.rmtree(area_of(laptop))
    desktop.sync()
    assert len(segment_paths(desktop)) == 1
    desktop.minutes += DAY + 1
    desktop.sync()
    third = newcomer(desktop)
    assert not any(machine.is_incomplete for machine in third.sync().machines)
    assert third.known == {PNPM, TABS}
    laptop.sync()
    desktop.sync()
    assert len(segment_paths(desktop)) == 1


def test_a_restored_home_is_told_from_a_remote_that_went_back(pair: list[Machine], tmp_path: Path) -> None:
    """The remote is older than the backup. Only the others know that this home had written more."""
    laptop, desktop = pair
    laptop.add(PNPM)
    laptop.sync()
    copy = snapshot(laptop)
    laptop.add(TABS)
    laptop.sync()
    shutil.copytree(laptop.home, tmp_path / "backup")
    laptop.add(TESTS)
    sync_all(laptop, desktop)
    roll_back(laptop, copy)
    desktop.sync()
    shutil.rmtree(laptop.home)
    shutil.copytree(tmp_path / "backup", laptop.home)
    area = laptop.area
    assert "restored from a backup" in laptop.sync().notes[0]
    assert laptop.area != area
    desktop.minutes += DAY + 2
    laptop.minutes = desktop.minutes
    sync_all(desktop, laptop, desktop, laptop)  # the old part is not repaired by anybody, so its lines are passed on
    assert laptop.known == desktop.known == {PNPM, TABS, TESTS}


def test_the_same_home_goes_on_under_its_id_when_only_the_remote_went_back(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    sync_all(laptop, desktop)
    copy, area = snapshot(laptop), laptop.area
    for sentence in (TABS, TESTS):
        laptop.add(sentence)
        sync_all(laptop, desktop)
    roll_back(laptop, copy)
    sync_all(desktop, laptop, desktop, laptop)
    assert laptop.area == area
    assert desktop.sync().notes == ()


def test_who_is_known_from_the_keys_and_what_others_saw_is_told_once_and_by_name(pair: list[Machine]) -> None:
    laptop, desktop = pair
    sync_all(laptop, desktop, laptop)
    laptop.rotate()
    sync_all(desktop, laptop)
    shutil.rmtree(area_of(laptop))
    third = newcomer(desktop)
    report = third.sync()
    assert [(machine.name, machine.is_incomplete) for machine in report.machines if machine.id == laptop.area] == [
        ("machine0", True)
    ]
    assert report.unmet == ()


# A remote that was started anew


def test_a_remote_that_somebody_started_anew_splits_nothing_silently(pair: list[Machine], tmp_path: Path) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    desktop.add(TABS)
    sync_all(laptop, desktop, laptop)
    shutil.rmtree(laptop.remote)
    Path(laptop.remote).mkdir()
    third = Machine(tmp_path / "third", laptop.remote)
    third.add(TESTS)
    with third.vault() as vault:
        phrase = vault.exchange.machines.add("home", laptop.remote, everything=False, ask_phrase=str).phrase
    assert phrase
    for machine in (laptop, desktop):
        for report in (machine.try_sync(), machine.status()):
            assert report.problem is not None and "started anew with other keys" in report.problem.message
            assert f"tacit remote add home {laptop.remote}" in report.problem.hint
            assert isinstance(report.problem, KeysError)
        assert not area_of(machine).exists()
        with machine.vault() as vault:
            vault.exchange.machines.add("home", laptop.remote, everything=False, ask_phrase=lambda: phrase)
    sync_all(laptop, third, desktop)
    assert laptop.known == desktop.known == third.known == {PNPM, TABS, TESTS}


def test_a_damaged_file_with_our_keys_is_no_remote_that_was_started_anew(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    sync_all(laptop, desktop)  # the laptop has not seen the desktop
    shutil.rmtree(area_of(laptop))
    for name in ("manifest.age", "ring.age"):
        flip(area_of(desktop) / name)
    laptop.sync()
    assert "written again" in desktop.sync().notes[0]
    assert laptop.sync().damaged == 0


def test_adding_an_emptied_remote_again_keeps_its_keys(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    sync_all(laptop, desktop)
    shutil.rmtree(laptop.remote)
    Path(laptop.remote).mkdir()
    ring = laptop.state.ring
    with laptop.vault() as vault:
        added = vault.exchange.machines.add("home", laptop.remote, everything=False, ask_phrase=str)
    assert (added.phrase, laptop.state.ring) == ("", ring)
    assert desktop.sync().machines[0].id == laptop.area
