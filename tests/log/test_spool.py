"""Commands that wait: told by doctor and status, filed by whoever comes next, reached by a purge, never in the way."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from harness.person import Person, tree

from tacit.log import Log, spool
from tacit.log.codec import encode
from tacit.log.spool import BLOCK_BYTES, RESERVE_FILES, Spool
from tacit.model.claim import GLOBAL, Provenance
from tacit.model.event import USER, Draft, EventOrigin
from tacit.model.observation import CommandRan, WorkLogged
from tacit.purge.plan import PurgePlan, StagedSegments
from tests.chaos.logs import open_log
from tests.chaos.test_spooling import commands, dropped, lock_held, record, waiting

SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
WORDS = "violet lighthouse"


@pytest.fixture
def person(tmp_path: Path) -> Person:
    one = Person(tmp_path)
    one.now = datetime.now(UTC).isoformat()
    assert record(one.home, "make first") == []
    return one


@pytest.fixture
def kept_out(person: Person) -> Iterator[None]:
    """Nobody can append."""
    with lock_held(person.home):
        yield


def spooled(person: Person, *lines: str) -> None:
    with lock_held(person.home):
        assert [fault for line in lines for fault in record(person.home, line)] == []
    assert len(waiting(person.home)) == len(lines)


def origin(at: datetime | None = None) -> EventOrigin:
    return EventOrigin(at or datetime.now(UTC), 0, "here", "1.2", USER, Provenance.USER_DIRECT)


def holds(person: Person, text: str) -> list[str]:
    return [name for name, data in tree(person.home).items() if text.encode() in data]


# Waiting


def test_a_command_waits_in_a_private_file_without_its_secrets(person: Person) -> None:
    spooled(person, f"curl -H 'Authorization: Bearer {SECRET}' https://example.org")

    (file,) = (person.home / ".tacit" / "spool").glob("0*")
    assert file.stat().st_mode & 0o777 == 0o600
    assert "[redacted:" in file.read_text()
    assert holds(person, SECRET) == []


def test_what_waits_and_what_is_lost_is_told_by_doctor_and_status(person: Person, kept_out: None) -> None:
    assert record(person.home, "make waiting") == []
    (person.home / ".tacit" / "spool" / ".dropped").write_bytes(
        b"3\n2026-03-01T10:00:00.000000Z\n2026-03-02T10:00:00.000000Z\nthere was no room on the disk"
    )

    told = person.process("doctor", code=3).out
    assert "1 command since " in told and "another process holds the log's lock" in told
    assert "3 commands could not be recorded and are lost, since 2026-03-01T10:00:00.000000Z" in told
    assert f"rm {person.home}/.tacit/spool/.dropped" in told
    assert "1 wait to be recorded, 3 lost: tacit doctor" in person.process("status").out


@pytest.mark.parametrize("words", [("add", "always sign commits"), ("recall", "make"), ("doctor",), ("stats",)])
def test_any_command_files_what_waits(person: Person, words: tuple[str, ...]) -> None:
    spooled(person, "make waiting")

    person.process(*words, code=None)

    assert waiting(person.home) == []
    assert commands(person.home) == ["make first", "make waiting"]


def test_a_command_that_waited_counts_as_any_other(person: Person) -> None:
    before = person.process("stats", "--json").json
    spooled(person, "make waiting")
    after = person.process("stats", "--json").json

    assert (before["command_count"], after["command_count"]) == (1, 2)
    assert person.process("verify").code == 0
    assert person.process("doctor", code=None).code == 0


def test_it_is_filed_in_the_month_in_which_it_ran(tmp_path: Path) -> None:
    log = open_log(str(tmp_path / "home"))
    log.spool(Draft(CommandRan("make old"), GLOBAL), origin(datetime(2025, 7, 31, 23, 59, tzinfo=UTC)))
    log.drain_spool(10)

    assert [path.name for path in (tmp_path / "home" / "activity").iterdir()] == ["2025-07-late.jsonl"]


# Bounds


def test_only_so_many_wait_and_the_others_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "MAX_FILES", 3)
    log = open_log(str(tmp_path / "home"))
    Spool(log).prepare()

    kept = [log.spool(Draft(CommandRan(f"make {at}"), GLOBAL), origin()) for at in range(5)]

    assert kept == [True, True, True, False, False]
    lost = Spool(log).dropped()
    assert lost is not None and (lost.commands, lost.reason) == (2, spool.TOO_MANY)


def test_what_cannot_be_read_is_counted_and_keeps_nothing_else_waiting(person: Person) -> None:
    spooled(person, "make waiting")
    folder = person.home / ".tacit" / "spool"
    (folder / "01a1e2e6-4cc3-74a8-a06f-8be530f7d9a9").write_bytes(b"")
    (folder / "01a1e2e6-4cc3-74a8-a06f-8be530f7d9aa").symlink_to("/etc/passwd")
    (folder / "01a1e2e6-4cc3-74a8-a06f-8be530f7d9ab").mkdir()
    (folder / "ffffffff-ffff-ffff-ffff-ffffffffffff").mkdir()

    assert record(person.home, "make after") == []

    assert commands(person.home) == ["make first", "make waiting", "make after"]
    assert dropped(person.home) == 2
    person.process("doctor", code=3)


def test_nothing_but_commands_comes_into_the_log_by_the_spool(person: Person) -> None:
    forged = spool._make_event(Draft(WorkLogged("T-1", "said by nobody"), GLOBAL), origin(), None)
    (person.home / ".tacit" / "spool" / forged.id).write_bytes(encode(forged))

    assert record(person.home, "make after") == []

    assert holds(person, "said by nobody") == []
    assert dropped(person.home) == 1


def test_the_spool_is_not_written_through_a_link(person: Person, tmp_path: Path) -> None:
    folder, elsewhere = person.home / ".tacit" / "spool", tmp_path / "elsewhere"
    folder.rename(elsewhere)
    before = tree(elsewhere)
    folder.symlink_to(elsewhere)

    with lock_held(person.home):
        assert record(person.home, "make waiting") == []

    assert tree(elsewhere) == before


def test_the_reserve_is_not_written_through_a_second_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = open_log(str(tmp_path / "home"))
    Spool(log).prepare()
    victim = tmp_path / "victim"
    victim.write_bytes(b"somebody else's words\n")
    for file in (tmp_path / "home" / ".tacit" / "spool" / ".reserve").iterdir():
        file.unlink()
        file.hardlink_to(victim)

    def no_room(folder: int, name: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spool, "_create_file", no_room)
    assert not log.spool(Draft(CommandRan("make full"), GLOBAL), origin())
    assert victim.read_bytes() == b"somebody else's words\n"


def test_the_reserve_is_made_again_when_it_was_used(person: Person) -> None:
    reserve = person.home / ".tacit" / "spool" / ".reserve"
    assert sorted(path.stat().st_size for path in reserve.iterdir()) == [BLOCK_BYTES] * RESERVE_FILES
    for file in sorted(reserve.iterdir())[:5]:
        file.unlink()

    spooled(person, "make waiting")
    assert record(person.home, "make after") == []

    assert len(list(reserve.iterdir())) == RESERVE_FILES


@pytest.mark.parametrize("words", [("add", "never force push"), ()], ids=["command", "recorder"])
def test_a_reserve_that_was_only_half_made_is_completed_by_whoever_records_next(
    person: Person, words: tuple[str, ...]
) -> None:
    spool = person.home / ".tacit" / "spool"
    for file in [spool / ".dropped", *sorted((spool / ".reserve").iterdir())[5:]]:
        file.unlink()

    if words:
        person.tacit(*words)
    else:
        assert record(person.home, "make after") == []

    assert len(list((spool / ".reserve").iterdir())) == RESERVE_FILES
    assert (spool / ".dropped").exists()


# Purges


def test_a_purge_reaches_what_waits(person: Person) -> None:
    spooled(person, f"echo {WORDS}", "make other")

    person.process("purge", "--text", WORDS, "--yes")

    assert holds(person, WORDS) == []
    assert commands(person.home) == ["make first", "echo [purged]", "make other"]


def test_a_purge_reaches_what_is_spooled_while_it_is_at_work(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    person.tacit("add", f"never enter the {WORDS}")
    carry_out = PurgePlan.apply

    def meanwhile(plan: PurgePlan, log: Log, staged: StagedSegments) -> None:
        carry_out(plan, log, staged)
        with monkeypatch.context() as patch:  # as if the tombstone were not there yet when this one looked
            patch.setattr(Spool, "_load_purges", lambda _: None)
            assert log.spool(Draft(CommandRan(f"echo {WORDS}"), GLOBAL), origin())

    monkeypatch.setattr(PurgePlan, "apply", meanwhile)
    person.tacit("purge", "--text", WORDS, "--yes")

    assert waiting(person.home) == ["echo [purged]"]
    assert holds(person, WORDS) == []


def test_a_command_that_began_before_a_purge_and_ends_after_it_does_not_bring_the_text_back(person: Person) -> None:
    person.tacit("add", f"never enter the {WORDS}")
    person.process("purge", "--text", WORDS, "--yes", now=datetime.fromtimestamp(time.time() + 60, UTC).isoformat())

    assert record(person.home, f"echo {WORDS}") == []

    assert commands(person.home) == ["make first", "echo [purged]"]
    assert holds(person, WORDS) == []


def test_after_a_purge_a_person_may_type_the_words_again(person: Person) -> None:
    person.tacit("add", f"never enter the {WORDS}")
    person.process("purge", "--text", WORDS, "--yes", now=person.now)
    time.sleep(0.01)

    assert record(person.home, f"echo {WORDS}") == []

    assert commands(person.home) == ["make first", f"echo {WORDS}"]


def test_a_purge_made_while_the_clock_was_ahead_does_not_stop_recording(person: Person) -> None:
    person.tacit("add", f"never enter the {WORDS}")
    person.process("purge", "--text", WORDS, "--yes", now="2099-01-01T00:00:00+00:00")
    os.utime(person.home / "memory" / "purged.jsonl", (4_070_908_800, 4_070_908_800))

    assert record(person.home, "make test") == []
    assert record(person.home, f"echo {WORDS}") == []

    assert commands(person.home)[1:] == ["make test", "echo [purged]"]
    assert "a purge is dated 2099-01-01" in person.process("doctor", code=None).out
