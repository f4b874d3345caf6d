"""Recovery phrases, changes of keys, and machines that were lost."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tacit.errors import NotFoundError, RefusedError, UsageError
from tacit.remotes.keys import hand_over, make_ring
from tests.support.machines import Machine, connected, sync_all

OTHER_PHRASE = "babab-babab-babab-babab-babab-babab-babab-babab-vagah"
PNPM, TABS, TESTS = "use pnpm", "I prefer tabs", "always run tests before a commit"


def added(machine: Machine, phrase: str = "") -> str:
    with machine.vault() as vault:
        result = vault.exchange.machines.add("home", machine.remote, everything=False, ask_phrase=lambda: phrase)
    assert result.report.problem is None
    return result.phrase


@pytest.fixture
def apart(tmp_path: Path) -> list[Machine]:
    """Two machines with a folder between them, and no remote yet."""
    (tmp_path / "remote").mkdir()
    machines = [Machine(tmp_path / name / "home", str(tmp_path / "remote")) for name in ("laptop", "desktop")]
    for machine in machines:
        machine.home.parent.mkdir()
    return machines


def test_the_first_machine_gets_a_phrase_and_the_second_joins_with_it(apart: list[Machine]) -> None:
    laptop, desktop = apart
    laptop.add(PNPM)
    phrase = added(laptop)
    assert added(desktop, phrase.upper().replace("-", " ")) == ""
    assert desktop.known == {PNPM}
    modes = {path.stat().st_mode & 0o777 for path in (desktop.home / ".tacit" / "remotes").iterdir() if path.is_file()}
    assert modes == {0o600}
    with desktop.vault() as vault, pytest.raises(UsageError):
        vault.exchange.machines.add("Home!", desktop.remote, everything=False, ask_phrase=str)
    with desktop.vault() as vault, pytest.raises(RefusedError, match="the remote home"):
        vault.exchange.machines.add("other", desktop.remote, everything=False, ask_phrase=str)


def test_a_wrong_phrase_changes_nothing(apart: list[Machine]) -> None:
    laptop, desktop = apart
    added(laptop)
    with desktop.vault() as vault:
        with pytest.raises(RefusedError, match="not the recovery phrase"):
            vault.exchange.machines.add("home", desktop.remote, everything=False, ask_phrase=lambda: OTHER_PHRASE)
        assert vault.exchange.machines.remotes() == []


def test_a_folder_that_is_still_arriving_is_no_new_remote(apart: list[Machine]) -> None:
    laptop, desktop = apart
    added(laptop)
    Path(laptop.remote, laptop.area, "ring.age").unlink()
    with desktop.vault() as vault, pytest.raises(RefusedError, match="have not arrived"):
        vault.exchange.machines.add("home", desktop.remote, everything=False, ask_phrase=str)


def test_rotated_keys_reach_the_others_and_the_old_phrase_is_worth_nothing(tmp_path: Path) -> None:
    laptop, desktop = connected(tmp_path, 2)
    laptop.add(PNPM)
    sync_all(laptop, desktop, laptop)
    before = laptop.state.ring
    changed = laptop.rotate()
    assert changed.report.machines[0].id == desktop.area
    assert "changed the keys" in desktop.sync().notes[0]
    assert desktop.state.ring == laptop.state.ring != before
    desktop.add(TABS)
    sync_all(desktop, laptop)
    assert laptop.known == desktop.known == {PNPM, TABS}
    third = Machine(tmp_path / "third", laptop.remote)
    assert added(third, changed.phrase) == ""
    assert third.known == {PNPM, TABS}


def test_what_the_rotating_machine_knew_of_others_is_there_before_they_sync(tmp_path: Path) -> None:
    laptop, desktop = connected(tmp_path, 2)
    desktop.add(TABS)
    desktop.sync()
    phrase = laptop.rotate().phrase
    assert laptop.status().machines[0].has_old_keys
    third = Machine(tmp_path / "third", laptop.remote)
    added(third, phrase)
    assert third.known == {TABS}
    sync_all(desktop, laptop)
    assert len(list(Path(laptop.remote, laptop.area).iterdir())) == 3  # what the desktop sends itself is not sent twice


def test_a_lost_machine_reads_and_writes_nothing_more(tmp_path: Path) -> None:
    laptop, desktop, lost = connected(tmp_path, 3)
    lost.add(TESTS)
    sync_all(lost, laptop, desktop, laptop)
    area = lost.area
    changed = laptop.forget_machine(area[:6])
    assert changed.phrase
    assert not Path(laptop.remote, area).exists()
    desktop.sync()
    laptop.add(PNPM)
    lost.add(TABS)
    laptop.sync()
    problem = lost.try_sync().problem  # it has seen nobody before, so for all that it knows, the remote was made anew
    assert problem is not None and "or this machine was removed" in problem.message
    sync_all(desktop, laptop)
    assert PNPM not in lost.known
    assert laptop.known == desktop.known == {TESTS, PNPM}  # what it had sent stays
    fourth = Machine(tmp_path / "fourth", laptop.remote)
    added(fourth, changed.phrase)
    assert fourth.known == {TESTS, PNPM}


def test_a_machine_is_named_by_its_id_or_its_name_and_never_itself(tmp_path: Path) -> None:
    laptop, desktop = connected(tmp_path, 2)
    sync_all(laptop, desktop, laptop)
    with laptop.vault() as vault:
        with pytest.raises(RefusedError, match="this machine"):
            vault.exchange.machines.forget_machine(laptop.area)
        with pytest.raises(NotFoundError, match="no machine"):
            vault.exchange.machines.forget_machine("nobody")


def test_two_machines_that_change_keys_at_once_need_the_person(tmp_path: Path) -> None:
    """Whoever has the old keys can hand over new ones, a machine that was removed included: nothing is guessed."""
    laptop, desktop, server = connected(tmp_path, 3)
    laptop.add(PNPM)
    desktop.add(TABS)
    sync_all(laptop, desktop, server, laptop, desktop)
    replica = tmp_path / "replica"
    shutil.copytree(laptop.remote, replica)
    desktop.store().save(desktop.state._replace(url=str(replica)))
    phrase = laptop.rotate().phrase
    desktop.rotate()
    shutil.rmtree(Path(laptop.remote, desktop.area))
    shutil.copytree(replica / desktop.area, Path(laptop.remote, desktop.area))
    desktop.store().save(desktop.state._replace(url=laptop.remote))
    report = server.try_sync()
    assert report.problem is not None and "two machines" in report.problem.message
    assert {machine.id for machine in laptop.sync().machines if machine.has_old_keys} == {desktop.area, server.area}
    for machine in (desktop, server):
        added(machine, phrase)
    laptop.sync()
    assert laptop.state.ring == desktop.state.ring == server.state.ring
    assert laptop.known == desktop.known == server.known == {PNPM, TABS}


def test_new_keys_that_only_the_keys_before_the_last_vouch_for_are_not_taken(tmp_path: Path) -> None:
    """A machine that was removed knows the old keys, and the public keys of the others."""
    laptop, lost = connected(tmp_path, 2)
    sync_all(laptop, lost, laptop)
    old = lost.state.ring
    laptop.forget_machine(lost.area)
    holds = laptop.state.ring
    forged = make_ring(9)
    area = Path(laptop.remote, "f" * 32)
    area.mkdir()
    area.joinpath("keys.age").write_bytes(hand_over(forged, old, [laptop.store().machine().recipient]))
    area.joinpath("ring.age").write_bytes(b"a file")
    laptop.sync()
    assert laptop.state.ring == holds
