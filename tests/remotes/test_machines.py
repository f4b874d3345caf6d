"""Two and three machines on a folder: what one knows the others know, once, and nothing is forgotten or comes back."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from harness.person import tree

from tacit.errors import NotFoundError, RefusedError
from tacit.home.actor import Actor
from tacit.log.verify import verify
from tests.support.machines import BEGIN, Machine, connected, sync_all

PNPM, TABS, TESTS = "use pnpm", "I prefer tabs", "always run tests before a commit"


@pytest.fixture
def pair(tmp_path: Path) -> list[Machine]:
    return connected(tmp_path, 2)


def settle(*machines: Machine) -> None:
    sync_all(*machines, *machines)


def test_memories_and_decisions_go_both_ways_and_what_came_is_signed(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM, TABS)
    desktop.add(TESTS)
    laptop.sync()
    assert [machine.new for machine in desktop.sync().machines] == [2]
    laptop.sync()
    assert laptop.known == desktop.known == {PNPM, TABS, TESTS}
    desktop.forget(TABS)
    settle(desktop, laptop)
    assert laptop.known == {PNPM, TESTS}
    assert laptop.everything_known == desktop.everything_known
    with desktop.vault() as vault:
        assert list(verify(vault.home.store.log)) == []


def test_a_second_sync_sends_and_takes_nothing(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    settle(laptop, desktop)
    root = Path(laptop.remote)
    before = tree(root)
    report = laptop.sync()
    assert (report.sent, [machine.new for machine in report.machines]) == (0, [0])
    assert tree(root) == before


def test_lines_that_others_publish_themselves_from_now_on_are_not_taken_from_what_was_sent(pair: list[Machine]) -> None:
    laptop, desktop = pair
    desktop.add(TABS, TESTS)
    sync_all(desktop, laptop)
    laptop.rotate()  # the laptop passes on what the desktop said, until that has the new keys
    sync_all(desktop)
    laptop.add(PNPM)
    assert laptop.status().unsent == 1
    assert laptop.sync().sent == 1


def test_a_segment_grows_by_appending(pair: list[Machine]) -> None:
    """So that the index catches up with what is new instead of being built again."""
    laptop, desktop = pair
    laptop.add(PNPM)
    settle(laptop, desktop)
    (segment,) = (desktop.home / "imported").iterdir()
    before = segment.read_bytes()
    laptop.add(TABS)
    settle(laptop, desktop)
    assert list((desktop.home / "imported").iterdir()) == [segment]
    assert segment.read_bytes().startswith(before) and len(segment.read_bytes()) > len(before)


def test_a_third_machine_that_only_meets_one_of_them_gets_everything(tmp_path: Path) -> None:
    """Lines of a machine that is on another remote are passed on."""
    laptop, desktop = connected(tmp_path, 2)
    (tmp_path / "other").mkdir()
    (server,) = connected(tmp_path / "other", 1)
    laptop.add(PNPM)
    settle(laptop, desktop)
    store = desktop.store()
    store.save(server.state._replace(name="other", peers=(), parts=(), written=None))
    with desktop.vault() as vault:
        vault.exchange.machines.sync()
    server.sync()
    assert server.known == {PNPM}


# Accidents of a folder


def test_a_torn_segment_will_come(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    laptop.sync()
    path = segment_paths(laptop)[0]
    whole = path.read_bytes()
    path.write_bytes(whole[:-7])
    report = desktop.sync()
    assert (report.machines[0].new, report.machines[0].missing) == (0, 1)
    path.write_bytes(whole)
    assert desktop.status().machines[0].waiting == 1
    assert desktop.sync().machines[0].new == 1
    assert desktop.known == {PNPM}


def test_a_manifest_that_has_not_arrived_hides_nothing_that_was_known(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    settle(laptop, desktop)
    manifest = Path(laptop.remote, laptop.area, "manifest.age")
    manifest.write_bytes(manifest.read_bytes()[:50])
    report = desktop.sync()
    assert (report.machines[0].id, report.damaged, report.foreign) == (laptop.area, 1, ())
    assert desktop.known == {PNPM}


@pytest.mark.parametrize("name", ["{stem} (conflicted copy 2026-03-02){suffix}", "{stem}{suffix}~", "x{stem}"])
def test_renamed_segments_are_recognised_by_their_content(pair: list[Machine], name: str) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    laptop.sync()
    for path in segment_paths(laptop):
        path.rename(path.with_name(name.format(stem=path.stem, suffix=path.suffix)))
    assert desktop.sync().machines[0].new == 1


def test_a_renamed_manifest_is_recognised_and_the_latest_counts(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    laptop.sync()
    manifest = Path(laptop.remote, laptop.area, "manifest.age")
    old = manifest.read_bytes()
    laptop.add(TABS)
    laptop.sync()
    manifest.rename(manifest.with_name("manifest.sync-conflict-20260302-120000.age"))
    manifest.write_bytes(old)
    desktop.sync()
    assert desktop.known == {PNPM, TABS}


def test_foreign_files_are_left_alone(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    laptop.sync()
    root = Path(laptop.remote)
    (root / "holiday.jpg").write_bytes(b"a picture")
    (root / laptop.area / "notes.txt").write_bytes(b"my notes")
    (root / ("f" * 32)).mkdir()
    (root / ("f" * 32) / "manifest.age").write_bytes(b"no manifest")
    (root / laptop.area / f"{'a' * 32}.age").write_bytes(b"no segment")
    settle(desktop, laptop)
    assert desktop.known == {PNPM}
    assert (root / "holiday.jpg").exists() and (root / laptop.area / "notes.txt").exists()


def test_a_segment_of_one_machine_under_the_name_of_another_is_refused(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    laptop.sync()
    desktop.add(TABS)
    desktop.sync()
    (own,), (others,) = segment_paths(laptop), segment_paths(desktop)
    own.write_bytes(others.read_bytes())
    laptop.add(TESTS)
    third = newcomer(laptop)
    report = third.sync()
    assert {machine.id: machine.missing for machine in report.machines} == {laptop.area: 1, desktop.area: 0}


def test_an_emptied_remote_is_filled_again(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    settle(laptop, desktop)
    shutil.rmtree(laptop.remote)
    Path(laptop.remote).mkdir()
    settle(laptop, desktop)
    third = newcomer(laptop)
    third.sync()
    assert third.known == {PNPM}


def test_a_link_on_the_remote_is_not_followed(pair: list[Machine], tmp_path: Path) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    laptop.sync()
    (path,) = segment_paths(laptop)
    moved = tmp_path / "moved"
    path.rename(moved)
    path.symlink_to(moved)
    assert desktop.sync().machines[0].missing == 1


# Restored homes, copies of a home


def test_a_restored_home_gets_back_what_it_had_sent(pair: list[Machine], tmp_path: Path) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    laptop.sync()
    shutil.copytree(laptop.home, tmp_path / "backup")
    laptop.add(TABS)
    laptop.sync()
    shutil.rmtree(laptop.home)
    shutil.copytree(tmp_path / "backup", laptop.home)
    laptop.add(TESTS)
    before = laptop.area
    assert "restored" in laptop.status().notes[0] and laptop.area == before
    report = laptop.sync()
    assert "restored" in report.notes[0] and laptop.area != before
    desktop.sync()
    assert laptop.known == desktop.known == {PNPM, TABS, TESTS}
    assert laptop.sync().notes == ()


def test_two_homes_with_one_id_become_two_machines(pair: list[Machine], tmp_path: Path) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    laptop.sync()
    (tmp_path / "copy").mkdir()
    shutil.copytree(laptop.home, tmp_path / "copy" / "home")
    copy = Machine(tmp_path / "copy" / "home", laptop.remote)
    copy.minutes = laptop.minutes
    laptop.add(TABS)
    copy.add(TESTS)
    settle(laptop, copy, desktop)
    settle(laptop, copy, desktop)
    assert len({laptop.area, copy.area, desktop.area}) == 3
    assert laptop.known == copy.known == desktop.known == {PNPM, TABS, TESTS}


def test_a_remote_that_is_removed_and_added_again_sees_the_same_machine(tmp_path: Path) -> None:
    (tmp_path / "remote").mkdir()
    laptop = Machine(tmp_path / "home", str(tmp_path / "remote"))
    phrases: list[str] = []
    laptop.add(PNPM)
    with laptop.vault() as vault:
        phrases.append(vault.exchange.machines.add("home", laptop.remote, everything=False, ask_phrase=str).phrase)
        area = laptop.area
        vault.exchange.machines.remove("home")
        assert vault.exchange.machines.remotes() == []
        added = vault.exchange.machines.add("home", laptop.remote, everything=False, ask_phrase=phrases.pop)
    assert (added.phrase, added.report.notes, laptop.area) == ("", (), area)


# Clocks


@pytest.mark.parametrize("hours", [-9, 9, 24 * 400])
def test_a_wrong_clock_loses_nothing_and_a_later_decision_is_later(pair: list[Machine], hours: int) -> None:
    laptop, desktop = pair
    desktop.clock = timedelta(hours=hours)
    desktop.add(PNPM, TABS)
    settle(desktop, laptop)
    assert laptop.known == {PNPM, TABS}
    laptop.forget(TABS)
    settle(laptop, desktop)
    assert laptop.known == desktop.known == {PNPM}


def test_a_clock_that_is_ahead_or_behind_is_reported(tmp_path: Path) -> None:
    laptop, desktop = connected(tmp_path, 2)
    laptop.sync()
    desktop.clock = timedelta(hours=9)
    desktop.sync()
    laptop.add(PNPM)  # otherwise there is no reason to write a new manifest
    assert laptop.sync().machines[0].clock_seconds == pytest.approx(9 * 3600, abs=300)
    assert desktop.sync().machines[0].clock_seconds == pytest.approx(-9 * 3600, abs=300)


def test_lines_of_a_clock_that_is_decades_ahead_are_held_and_not_lost(tmp_path: Path) -> None:
    laptop, desktop = connected(tmp_path, 2)
    desktop.clock = timedelta(days=365 * 30)
    desktop.add(PNPM)
    desktop.sync()
    assert laptop.sync().machines[0].held == 1
    assert laptop.known == set()
    laptop.clock = timedelta(days=365 * 25)  # the years pass
    assert laptop.sync().machines[0].new == 1


def test_a_machine_that_was_off_for_months_just_syncs(pair: list[Machine]) -> None:
    laptop, desktop = pair
    settle(laptop, desktop)
    for number in range(12):
        laptop.add(f"rule number {number}")
        laptop.sync()
        laptop.minutes += 60 * 24 * 30
    desktop.minutes = laptop.minutes
    assert desktop.sync().machines[0].new == 12


# Who may


def test_an_agent_is_refused(pair: list[Machine]) -> None:
    from tacit.home.home import Home
    from tacit.vault import Vault

    actor = Actor(lambda: BEGIN, "agent:claude")
    with Vault(Home(pair[0].home, environment={}, actor=actor)) as vault:
        for work in (
            vault.exchange.machines.sync,
            vault.exchange.machines.status,
            lambda: vault.exchange.machines.rotate("home"),
            lambda: vault.exchange.machines.remove("home"),
            lambda: vault.exchange.machines.forget_machine("x"),
            lambda: vault.exchange.machines.add("a", "/", everything=False, ask_phrase=str),
        ):
            with pytest.raises(RefusedError):
                work()


def test_a_remote_that_is_not_there_stops_nothing_else(pair: list[Machine]) -> None:
    laptop, desktop = pair
    laptop.add(PNPM)
    store = laptop.store()
    store.save(laptop.state._replace(name="stick", url="/nowhere/at/all"))
    with laptop.vault() as vault:
        home, stick = vault.exchange.machines.sync()
        assert home.problem is None and home.sent == 1
        assert stick.problem is not None and "not mounted" in stick.problem.message
        with pytest.raises(NotFoundError):
            vault.exchange.machines.sync("other")
    desktop.sync()
    assert desktop.known == {PNPM}


def segment_paths(machine: Machine) -> list[Path]:
    fixed = ("manifest.age", "ring.age", "keys.age")
    return sorted(path for path in Path(machine.remote, machine.area).iterdir() if path.name not in fixed)


def newcomer(machine: Machine) -> Machine:
    """Another machine of the same remote, which has never synced."""
    home = Path(machine.remote).parent / "newcomer" / "home"
    home.parent.mkdir()
    made = Machine(home, machine.remote)
    made.join(machine.state.ring)
    return made
