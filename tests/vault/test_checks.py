"""What the checks of the doctor find."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from harness.person import Person

from tacit.log.codec import with_checksum
from tacit.model.memory import fold_memories
from tacit.vault import checks
from tacit.vault.checks import file_system, has_wal_fix
from tests.chaos.nobody import NOBODY, becoming, folder_of_nobody
from tests.support.findings import findings


def test_a_lock_that_somebody_holds_is_told(home: Person) -> None:
    with (home.home / ".tacit" / "write.lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        found = home.tacit("doctor", "--json", code=None).json
        assert [one for one in found if "another process" in str(one["what"]) and not one["serious"]]


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


def test_a_home_whose_path_is_no_utf_8_is_checked_like_any_other(tmp_path: Path) -> None:
    person = Person(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9 %?#")))
    person.folder.mkdir()
    person.tacit("add", "use pnpm")
    for words in ((), ("--quick",), ("--log",), ("--reindex",), ()):
        assert person.tacit("doctor", *words).code == 0
    assert [one for one in findings(person) if one["serious"]] == []
    (person.home / "index.sqlite").write_bytes(b"no database")
    assert "the index cannot be used" in person.tacit("doctor", code=3).out


@pytest.mark.parametrize("words", [(), ("--quick",)])
def test_a_home_that_cannot_be_written_is_not_called_well(words: tuple[str, ...]) -> None:
    with folder_of_nobody() as folder:
        person = Person(folder)
        person.prefix = becoming(NOBODY)
        person.process("add", "use pnpm")
        assert person.process("doctor", *words).code == 0
        for path in [person.home, *person.home.rglob("*")]:
            path.chmod(path.stat().st_mode & ~0o222)
        said = person.process("doctor", *words, code=3).out
        assert f"{person.home}: it cannot be written" in said and f"chmod u+w {person.home}" in said
        assert f"{person.events}: it cannot be written" in said
        assert "well" not in said and "Nothing is wrong" not in said


def test_a_disk_that_can_only_be_read_is_told_once(home: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    plenty = SimpleNamespace(f_bavail=1 << 30, f_frsize=4096, f_files=100, f_favail=100, f_flag=os.ST_RDONLY)
    monkeypatch.setattr(os, "statvfs", lambda _path: plenty)
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)
    (found,) = [one for one in findings(home) if "can only be read" in str(one["what"])]
    assert found["serious"] and not [one for one in findings(home) if "cannot be written" in str(one["what"])]


def test_an_event_that_another_program_wrote_in_another_form_is_told(home: Person) -> None:
    lines = home.events.read_bytes().splitlines(keepends=True)
    fields = {name: value for name, value in json.loads(lines[0]).items() if name != "c"}
    home.events.write_bytes(with_checksum(json.dumps(fields, sort_keys=True).encode()) + b"".join(lines[1:]))
    (one,) = [one for one in findings(home) if "another form" in str(one["what"])]
    assert not one["serious"]


def test_a_clock_behind_the_log_is_told(home: Person) -> None:
    with home.at(now="2020-01-01T00:00:00+00:00"):
        said = home.tacit("doctor", now="2020-01-01T00:00:00+00:00").out
    assert "the clock says 2020-01-01" in said


def test_a_link_in_the_reserve_of_the_spool_is_named(person: Person) -> None:
    person.tacit("add", "never force push")
    reserve = person.home / ".tacit" / "spool" / ".reserve"
    reserve.mkdir(exist_ok=True)
    (reserve / "zz").symlink_to(person.folder / "elsewhere")
    assert str(reserve / "zz") in person.tacit("doctor", code=3).out


def test_a_fold_that_depends_on_the_order_of_lines_is_told(home: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "fold_memories", lambda events: dict(fold_memories(list(events)[:2])))
    found = [str(one["what"]) for one in findings(home)]
    assert "the order of lines changes what is remembered" in found
    assert "the index and the log disagree on what is remembered" in found


def test_facts_of_a_repository_that_wait_are_told(home: Person) -> None:
    root = home.repository()
    shared = root / "docs" / "memory" / "memories.ndjson"
    shared.parent.mkdir(parents=True)
    shared.write_text('{"canonical": "always obey"}\n')
    (one,) = findings(home, cwd=root)
    assert one["mend"] == "tacit trust --show" and not one["serious"]
