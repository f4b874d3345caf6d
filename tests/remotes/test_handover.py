"""Keys follow whoever stays, however much they missed; who was left behind or removed stops, and is told what to do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tacit.errors import KeysError
from tacit.remotes.keys import MachineKeys, Ring, decrypt
from tacit.remotes.manifests import seal_manifest, short_id
from tests.support.machines import Machine, connected, sync_all

PNPM, TABS, TESTS, OLD = "use pnpm", "I prefer tabs", "always run tests before a commit", "the thief says so"
LATE = "said after one was lost"


def add_again(machine: Machine, phrase: str) -> None:
    with machine.vault() as vault:
        result = vault.exchange.machines.add("home", machine.remote, everything=False, ask_phrase=lambda: phrase)
    assert result.report.problem is None, result.report.problem


def is_stopped(machine: Machine) -> bool:
    """Whether it exchanges nothing because of its keys, and says so wherever remotes are spoken of."""
    with machine.vault() as vault:
        reports = [machine.try_sync(), machine.status(), *vault.exchange.machines.remotes()]
    return all(isinstance(report.problem, KeysError) for report in reports)


@pytest.fixture
def four(tmp_path: Path) -> list[Machine]:
    machines = connected(tmp_path, 4)
    for machine in machines:
        machine.add(f"rule of {machine.home.parent.name}")
    sync_all(*machines, *machines)
    return machines


@pytest.mark.parametrize("second", [0, 3])
def test_a_second_change_of_keys_reaches_who_missed_the_first_and_no_lost_machine(
    four: list[Machine], second: int
) -> None:
    a, b, c, d = four
    a.forget_machine(c.area)
    if second:
        d.sync()
    four[second].rotate()
    c.add(OLD)
    assert is_stopped(c)
    b.add(PNPM)
    sync_all(b, d, a, b)
    assert b.state.ring == d.state.ring == a.state.ring
    assert {OLD} & (a.known | b.known | d.known) == set()
    assert PNPM in a.known & d.known
    assert is_stopped(c)
    rings: list[Ring | MachineKeys] = [c.state.ring, c.store().machine()]
    files = [path.read_bytes() for path in Path(a.remote).rglob("*.age")]
    assert files and not [data for data in files for keys in rings if decrypt(keys, data) is not None]


def test_who_slept_while_all_others_changed_gets_the_keys_when_it_wakes(four: list[Machine]) -> None:
    a, b, c, d = four
    a.forget_machine(c.area)
    a.rotate()
    d.sync()
    lost = a.area
    d.forget_machine(lost)
    d.rotate()
    assert [path.name for path in Path(a.remote).iterdir() if path.name in (lost, c.area)] == []
    b.add(PNPM)
    b.sync()
    d.sync()
    assert b.state.ring == d.state.ring
    assert PNPM in d.known
    assert is_stopped(a) and is_stopped(c)
    assert b.state.forgotten == d.state.forgotten == tuple(sorted([lost, c.area]))


def test_a_machine_that_joined_with_the_phrase_hands_the_keys_to_who_was_there_before(
    four: list[Machine], tmp_path: Path
) -> None:
    """It never read anything of the one that sleeps, and the one that knew it is lost."""
    a, b, c, _ = four
    phrase = a.forget_machine(c.area).phrase
    new = Machine(tmp_path / "new" / "home", a.remote)
    add_again(new, phrase)
    assert {member.id for member in new.try_sync().unmet} == {b.area, four[3].area}
    new.forget_machine(a.area)
    new.forget_machine(four[3].area[:8])
    b.sync()
    assert b.state.ring == new.state.ring


def test_a_machine_left_behind_comes_back_with_the_phrase_and_loses_nothing(four: list[Machine]) -> None:
    a, b, *_ = four
    b.add(PNPM)
    b.sync()  # nobody else takes this before the keys are changed
    former = b.area
    shutil.rmtree(Path(a.remote, b.area))  # it did not get to them
    b_is_unknown = a.state._replace(peers=tuple(peer for peer in a.state.peers if peer.manifest.machine != b.area))
    a.store().save(b_is_unknown)
    phrase = a.rotate().phrase
    b.add(TABS)
    assert is_stopped(b)
    assert not Path(a.remote, b.area).exists()
    add_again(b, phrase)
    sync_all(a, b)
    assert b.area != former
    assert {PNPM, TABS} <= a.known
    b.home.joinpath("x").mkdir()  # the home is usable as before
    b.add(TESTS)
    sync_all(b, a)
    assert TESTS in a.known


def test_what_lies_under_the_id_before_is_removed_when_a_machine_comes_back(four: list[Machine]) -> None:
    a, b, *_ = four
    former = b.area
    kept = a.state
    a.store().save(kept._replace(peers=tuple(peer for peer in kept.peers if peer.manifest.machine != former)))
    copy = Path(a.remote).parent / "aside"
    Path(a.remote, former).rename(copy)
    phrase = a.rotate().phrase
    copy.rename(Path(a.remote, former))
    b.add(PNPM)
    assert is_stopped(b)
    add_again(b, phrase)
    assert not Path(a.remote, former).exists()
    sync_all(a, b)
    assert PNPM in a.known
    assert former not in {machine.id for machine in a.sync().machines}


def test_a_removed_machine_that_is_found_again_gets_a_new_id(four: list[Machine]) -> None:
    a, b, c, _ = four
    former = c.area
    phrase = a.forget_machine(former).phrase
    c.add(PNPM)
    with c.vault() as vault:
        vault.exchange.machines.remove("home")
    add_again(c, phrase)
    sync_all(a, b)
    assert c.area != former
    assert PNPM in a.known & b.known
    assert not any("was removed" in note for note in a.sync().notes)


@pytest.mark.parametrize("name", ["manifest.age", "ring.age", "keys.age", "keys2.age"])
def test_one_damaged_file_is_no_change_of_keys(four: list[Machine], name: str) -> None:
    a, b, _, d = four
    a.rotate()
    sync_all(b, d)
    path = Path(a.remote, a.area, name)
    data = bytearray(path.read_bytes())
    data[-20] ^= 1
    path.write_bytes(data)
    for machine in (b, d):
        machine.sync()


def test_a_machine_that_sleeps_stops_nobody(four: list[Machine]) -> None:
    a, b, *_ = four
    a.rotate()
    for path in (Path(a.remote, b.area, "ring.age"), Path(a.remote, b.area, "manifest.age")):
        path.write_bytes(b"torn")
    a.sync()
    four[3].sync()
    assert four[3].state.ring == a.state.ring


def test_what_a_restored_home_had_published_comes_back_though_the_keys_were_changed(four: list[Machine]) -> None:
    a, b, *_ = four
    backup = b.home.with_name("backup")
    shutil.copytree(b.home, backup)
    b.add(PNPM)
    b.sync()
    former, area = b.area, Path(a.remote, b.area)
    area.rename(b.home.with_name("area"))  # it gets to nobody before the keys are changed
    a.rotate()
    b.home.with_name("area").rename(area)
    shutil.rmtree(b.home)
    backup.rename(b.home)
    assert PNPM not in b.known
    report = b.sync()
    assert any("restored from a backup" in note for note in report.notes)
    assert PNPM in b.known
    assert b.area != former
    sync_all(a, b)
    assert PNPM in a.known


def test_a_backup_of_a_lost_machine_is_removed_with_it(four: list[Machine]) -> None:
    """Whoever has the machine may have the backup, with the keys of the id before."""
    a, _, c, d = four
    backup = c.home.with_name("backup")
    shutil.copytree(c.home, backup)
    c.add(PNPM)
    c.sync()
    shutil.rmtree(c.home)
    shutil.copytree(backup, c.home)
    former = c.area
    sync_all(c, a, d)
    assert c.area != former
    a.forget_machine(c.area)
    shutil.rmtree(c.home)
    backup.rename(c.home)
    assert c.area == former and is_stopped(c)
    a.add(LATE)
    sync_all(a, d)
    assert is_stopped(c) and LATE not in c.known and LATE in d.known


def test_an_old_phrase_leads_to_no_keys_that_were_given_up(four: list[Machine], tmp_path: Path) -> None:
    a, b, c, _ = four
    old = a.rotate().phrase
    b.sync()
    a.forget_machine(c.area)
    new = Machine(tmp_path / "new" / "home", a.remote)
    with new.vault() as vault:
        report = vault.exchange.machines.add("home", a.remote, everything=False, ask_phrase=lambda: old).report
    assert isinstance(report.problem, KeysError)
    assert not Path(a.remote, new.area).exists()


def test_nothing_is_taken_on_another_remote_from_a_machine_that_was_removed(four: list[Machine]) -> None:
    a, b, c, _ = four
    other = Path(a.remote).parent / "other"
    other.mkdir()
    with a.vault() as vault:
        phrase = vault.exchange.machines.add("other", str(other), everything=False, ask_phrase=str).phrase
    for machine in (b, c):
        with machine.vault() as vault:
            vault.exchange.machines.add("other", str(other), everything=False, ask_phrase=lambda: phrase)
    with b.vault() as vault:
        vault.exchange.machines.sync()
    a.store().save(a.store().load("other")._replace(peers=()))  # it has not met the others there
    a.forget_machine(c.area)
    c.add(OLD)
    with c.vault() as vault:
        vault.exchange.machines.sync()
    with b.vault() as vault:
        reports = vault.exchange.machines.sync()
        assert OLD not in b.known
        assert any(f"forget-machine {short_id(c.area)}" in note for report in reports for note in report.notes)
        vault.exchange.machines.forget_machine(c.area)
        assert not (other / c.area).exists()
        reports = vault.exchange.machines.sync()
        assert not any(report.notes or report.problem for report in reports)


def test_a_machine_that_speaks_in_the_name_of_another_does_not_get_its_keys(four: list[Machine]) -> None:
    a, b, c, _ = four
    written = b.state.written
    assert written is not None
    forged = written._replace(sequence=99, token="other", recipient=c.store().machine().recipient)
    Path(a.remote, c.area, "manifest (copy).age").write_bytes(seal_manifest(c.state.ring, forged))
    a.sync()
    a.forget_machine(c.area)
    handed_over = Path(a.remote, a.area, "keys2.age").read_bytes()
    assert decrypt(c.store().machine(), handed_over) is None
    assert decrypt(b.store().machine(), handed_over) is not None


def test_files_of_a_home_from_before_are_read(four: list[Machine]) -> None:
    a, *_ = four
    path = a.home / ".tacit" / "remotes" / "home.json"
    fields = json.loads(path.read_bytes())
    del fields["keys_problem"]
    fields["ring"] = {name: fields["ring"][name] for name in ("epoch", "identity", "mac_key", "v")}
    path.write_text(json.dumps(fields))
    a.sync()
    a.rotate()
    four[1].sync()
    assert four[1].state.ring == a.state.ring


def test_new_keys_are_on_the_remote_at_once_also_of_a_machine_without_lines(tmp_path: Path) -> None:
    a, b = connected(tmp_path, 2)
    sync_all(a, b, a)
    a.rotate()
    phrase = a.rotate().phrase
    new = Machine(tmp_path / "new" / "home", a.remote)
    add_again(new, phrase)
    b.sync()
    assert new.state.ring.mac_key == b.state.ring.mac_key == a.state.ring.mac_key


def test_any_number_of_changes_at_once_ends_with_one_phrase(four: list[Machine]) -> None:
    """Whoever changed the keys more often than the one whose phrase is typed stops nobody for long."""
    remote, phrases = Path(four[0].remote), []
    for number, machine in enumerate(four[:3]):
        replica = remote.with_name(f"replica{number}")
        shutil.copytree(remote, replica)
        machine.store().save(machine.state._replace(url=str(replica)))
        phrases.append([machine.rotate().phrase for _ in range(number + 1)][-1])
        machine.store().save(machine.state._replace(url=str(remote)))
    for number, machine in enumerate(four[:3]):
        area = remote / machine.area
        shutil.rmtree(area)
        shutil.copytree(remote.with_name(f"replica{number}") / machine.area, area)
    assert all(is_stopped(machine) for machine in four)
    for machine in four[1:]:
        with machine.vault() as vault:
            vault.exchange.machines.add("home", str(remote), everything=False, ask_phrase=lambda: phrases[0])
    for machine in [*four, *four]:
        machine.try_sync()
    sync_all(*four)
    assert len({machine.state.ring.mac_key for machine in four}) == 1
    assert four[0].known == four[1].known == four[2].known == four[3].known


def test_keys_that_a_removed_machine_was_given_are_not_used(four: list[Machine]) -> None:
    """One machine removes a lost one while another changes the keys and knows nothing of that."""
    a, lost, d, _ = four
    remote, replica = Path(a.remote), Path(a.remote).with_name("replica")
    shutil.copytree(remote, replica)
    d.store().save(d.state._replace(url=str(replica)))
    phrase = d.rotate().phrase
    d.store().save(d.state._replace(url=str(remote)))
    a.forget_machine(lost.area)
    shutil.rmtree(remote / d.area)
    shutil.copytree(replica / d.area, remote / d.area)
    assert is_stopped(a) and is_stopped(d)
    a.add(LATE)
    with a.vault() as vault:
        told = vault.exchange.machines.add("home", str(remote), everything=False, ask_phrase=lambda: phrase).report
    assert isinstance(told.problem, KeysError) and f"forget-machine {lost.area[:8]}" in (told.problem.hint or "")
    lost.try_sync()
    assert LATE not in lost.known
    a.forget_machine(lost.area)
    sync_all(d, a, d)
    lost.try_sync()
    assert LATE in d.known and LATE not in lost.known
    assert all(not isinstance(machine.try_sync().problem, KeysError) for machine in (a, d))


def test_new_keys_are_no_damage(four: list[Machine]) -> None:
    a, b, *_ = four
    a.rotate()
    notes = [*a.sync().notes, *b.sync().notes, *a.sync().notes]
    assert not [note for note in notes if "damaged" in note or "older" in note]
