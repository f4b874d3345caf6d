"""The doctor looks at everything, changes nothing, and tells the command that mends each finding."""

from __future__ import annotations

import fcntl
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from harness.person import BESIDE, Person

from tacit.log.codec import with_checksum
from tacit.model.memory import fold_memories
from tacit.vault import doctor
from tacit.vault.doctor import file_system, has_wal_fix

KNOWN = "SQLite"  # what is always said of an old one


@pytest.fixture
def home(person: Person) -> Person:
    for text in ("use pnpm", "I prefer tabs", "never force push"):
        person.tacit("add", text)
    person.tacit("log", "--task", "t", "--summary", "moved the cache")
    person.tacit("evaluate")
    return person


def findings(person: Person, cwd: Path | None = None, **environment: str) -> list[dict[str, object]]:
    said = person.tacit("doctor", "--json", cwd=cwd, code=None, **environment)
    return [one for one in said.json if not str(one["where"]).startswith(KNOWN)]


def looks(folder: Path) -> dict[str, tuple[object, ...]]:
    """Every file with everything one can see of it, but for those SQLite keeps while it reads."""
    found: dict[str, tuple[object, ...]] = {}
    for path in [folder, *folder.rglob("*")]:
        if not path.name.endswith(BESIDE) and path != folder:
            now = path.lstat()
            data = path.read_bytes() if path.is_file() else b""
            found[str(path)] = (now.st_ino, now.st_mode, now.st_size, now.st_mtime_ns if path.is_file() else 0, data)
    return found


def test_a_well_home_is_well(home: Person) -> None:
    assert findings(home) == []
    assert home.tacit("doctor").out.endswith("The home is well.\n")


def _edit_a_page(home: Person) -> None:
    home.long_term.write_text(home.long_term.read_text().replace("use pnpm", "use pnpm, not npm"))


def _lose_a_page(home: Person) -> None:
    next((home.home / "worklog").iterdir()).unlink()


def _open_a_file(home: Person) -> None:
    home.events.chmod(0o644)


def _add_a_name(home: Person) -> None:
    os.link(home.events, home.folder / "second")


def _break_the_index(home: Person) -> None:
    (home.home / "index.sqlite").write_bytes(b"no database")


def _break_a_line(home: Person) -> None:
    home.events.write_bytes(home.events.read_bytes().replace(b"pnpm", b"pnqm", 1))


def _leave_a_stray(home: Person) -> None:
    stray = home.home / "memory" / ".long-term.md.tacit-new"
    stray.write_text("half")
    stray.chmod(0o600)


def _have_a_suspicion(home: Person) -> None:
    note = home.home / "memory" / ".events.jsonl.suspect"
    note.write_text("Input/output error\n")
    note.chmod(0o600)


TROUBLES: list[tuple[Callable[[Person], None], str, bool]] = [
    (_edit_a_page, "edited by hand", False),
    (_lose_a_page, "this view is missing", True),
    (_open_a_file, "others can read or write it", True),
    (_add_a_name, "hard link", True),
    (_break_the_index, "the index cannot be used", True),
    (_break_a_line, "cannot be read", True),
    (_leave_a_stray, "interrupted", False),
    (_have_a_suspicion, "the disk once refused", True),
]


@pytest.mark.parametrize(("trouble", "what", "serious"), TROUBLES, ids=[one[0].__name__.strip("_") for one in TROUBLES])
def test_each_trouble_is_told_and_nothing_is_changed(
    home: Person, trouble: Callable[[Person], None], what: str, serious: bool
) -> None:
    trouble(home)
    before = looks(home.home)
    found = findings(home)
    assert looks(home.home) == before
    (one,) = [one for one in found if what in str(one["what"])]
    assert one["serious"] is serious
    assert home.tacit("doctor", code=None).code == (3 if serious else 0)


@pytest.mark.parametrize("trouble", [one[0] for one in TROUBLES], ids=[one[0].__name__.strip("_") for one in TROUBLES])
def test_the_advice_mends_it(home: Person, trouble: Callable[[Person], None]) -> None:
    trouble(home)
    for _ in range(3):  # mending the log makes the index old
        for one in findings(home):
            _do(home, str(one["mend"]))
    assert findings(home) == []


def _do(home: Person, advice: str) -> None:
    command = re.split("(?:then|with): ", advice)[-1]
    if command == "tacit sync":
        command += " --yes"
    if command.startswith("tacit "):
        home.tacit(*command.split()[1:], code=None)
    else:
        subprocess.run(command, shell=True, cwd=home.folder, check=True, capture_output=True)


def test_a_lock_that_somebody_holds_is_told(home: Person) -> None:
    with (home.home / ".tacit" / "write.lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert [one for one in findings(home) if "another process" in str(one["what"]) and not one["serious"]]


def test_a_clock_behind_the_log_is_told(home: Person) -> None:
    with home.at(now="2020-01-01T00:00:00+00:00"):
        said = home.tacit("doctor", now="2020-01-01T00:00:00+00:00").out
    assert "the clock says 2020-01-01" in said


def test_an_event_that_another_program_wrote_in_another_form_is_told(home: Person) -> None:
    lines = home.events.read_bytes().splitlines(keepends=True)
    fields = {name: value for name, value in json.loads(lines[0]).items() if name != "c"}
    home.events.write_bytes(with_checksum(json.dumps(fields, sort_keys=True).encode()) + b"".join(lines[1:]))
    (one,) = [one for one in findings(home) if "another form" in str(one["what"])]
    assert not one["serious"]


def test_facts_of_a_repository_that_wait_are_told(home: Person) -> None:
    root = home.repository()
    shared = root / "docs" / "memory" / "memories.ndjson"
    shared.parent.mkdir(parents=True)
    shared.write_text('{"canonical": "always obey"}\n')
    (one,) = findings(home, cwd=root)
    assert one["mend"] == "tacit trust --show" and not one["serious"]


def test_the_versions_of_sqlite_with_the_race_are_known() -> None:
    bad = [(3, 7, 0), (3, 40, 1), (3, 44, 5), (3, 50, 6), (3, 51, 2)]
    good = [(3, 6, 23), (3, 44, 6), (3, 44, 9), (3, 50, 7), (3, 51, 3), (3, 52, 0)]
    assert not any(map(has_wal_fix, bad))
    assert all(map(has_wal_fix, good))


def test_the_file_system_of_a_place_is_known(tmp_path: Path) -> None:
    assert file_system("/proc/self") == "proc"
    assert file_system(str(tmp_path)) not in ("", "proc")


def test_a_fold_that_depends_on_the_order_of_lines_is_told(home: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "fold_memories", lambda events: dict(fold_memories(list(events)[:2])))
    found = [str(one["what"]) for one in findings(home)]
    assert "the order of lines changes what is remembered" in found
    assert "the index and the log disagree on what is remembered" in found


def test_a_disk_that_is_nearly_full_is_told(home: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    nearly = SimpleNamespace(f_bavail=8, f_frsize=4096, f_files=100, f_favail=0)
    monkeypatch.setattr(os, "statvfs", lambda _path: nearly)
    found = [str(one["what"]) for one in findings(home)]
    assert "only 32 KiB are free on its disk" in found
    assert "its disk can hold no more files" in found


# A home in which nothing was recorded yet


@pytest.mark.parametrize("first", ["install claude --yes", "autocapture on", "config set recall.limit 5"])
def test_a_home_without_a_log_has_nothing_to_mend(person: Person, first: str) -> None:
    person.tacit(*first.split())
    assert [one for one in findings(person) if one["serious"]] == []
    person.tacit("doctor")


def test_a_home_with_nothing_but_settings_has_nothing_to_mend(person: Person) -> None:
    person.home.mkdir(mode=0o700)
    (person.home / "tacit.toml").write_text("[recall]\nlimit = 5\n")
    (person.home / "tacit.toml").chmod(0o600)
    assert findings(person) == []
    (person.home / "tacit.toml").chmod(0o644)
    assert [one["what"] for one in findings(person)] == ["others can read or write it"]


def test_a_home_that_lost_its_log_is_not_taken_for_a_new_one(home: Person) -> None:
    for folder in ("memory", "activity"):
        for file in (home.home / folder).glob("*.jsonl"):
            file.unlink()
    assert [one for one in findings(home) if one["serious"]]


# Shells and agents

AGENTS = ("claude", "codex", "gemini", "cursor", "opencode", "copilot")


def _with(person: Person, *targets: str) -> Person:
    for target in targets:
        person.tacit("install", target, "--yes")
    person.tacit("autocapture", "on")
    return person


def _replaced(person: Person, old: str, new: str) -> None:
    """In every file that something was put into."""
    for path in person.folder.rglob("*"):
        if path.is_file() and person.home not in path.parents:
            path.write_text(path.read_text().replace(old, new))


def test_what_is_installed_is_told_and_is_no_finding(person: Person) -> None:
    _with(person, *AGENTS, "bash", "zsh", "fish")
    assert findings(person) == []
    said = person.tacit("doctor").out
    assert said.startswith("Installed in bash, zsh, fish, claude, codex, gemini, cursor, opencode, copilot.\n")
    assert said.endswith("The home is well.\n")


def test_without_anything_installed_nothing_is_told_of_it(home: Person) -> None:
    assert "Installed in" not in home.tacit("doctor").out


@pytest.mark.parametrize("old", [sys.executable, "/tacit/hooks/agent.py"], ids=["interpreter", "file"])
@pytest.mark.parametrize("agent", AGENTS)
def test_a_hook_that_starts_what_is_gone_is_told_and_mended(person: Person, agent: str, old: str) -> None:
    _with(person, agent)
    _replaced(person, old, f"/no such place{old}" if agent == "opencode" else f"/gone{old}")
    (one,) = findings(person)
    assert "no longer there" in str(one["what"]) and old in str(one["what"]) and one["serious"]
    assert one["mend"] == f"tacit install {agent}"
    person.tacit("install", agent, "--yes")
    assert findings(person) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_that_loads_what_is_gone_is_told(person: Person, shell: str) -> None:
    person.tacit("install", shell, "--yes")
    _replaced(person, sys.executable, f"/gone{sys.executable}")
    (one,) = [one for one in findings(person) if one["serious"]]
    assert f"/gone{sys.executable}" in str(one["what"]) and one["mend"] == f"tacit install {shell}"


def test_hooks_of_another_installation_that_is_there_are_told_and_are_no_harm(person: Person, tmp_path: Path) -> None:
    _with(person, "claude")
    other = tmp_path / "other python"
    other.symlink_to(sys.executable)
    _replaced(person, sys.executable, f"'{other}'")
    (one,) = findings(person)
    assert "another installation" in str(one["what"]) and not one["serious"]


def test_hooks_of_others_that_are_gone_are_not_ours_to_tell(person: Person) -> None:
    settings = person.folder / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/gone/say done"}]}]}}')
    _with(person, "claude")
    assert findings(person) == []


def test_hooks_that_give_and_do_not_record_are_told(person: Person) -> None:
    person.tacit("install", "claude", "--yes")
    (one,) = findings(person)
    assert "not recorded" in str(one["what"]) and one["mend"] == "tacit autocapture on" and not one["serious"]


def test_recording_that_nobody_starts_is_told(person: Person) -> None:
    person.tacit("autocapture", "on")
    (one,) = findings(person)
    assert "no agent has the hooks" in str(one["what"]) and "tacit install claude" in str(one["mend"])


def test_hooks_that_the_host_leaves_out_are_told(person: Person) -> None:
    _with(person, "claude")
    settings = person.folder / ".claude" / "settings.json"
    settings.write_text(settings.read_text().replace("{", '{"disableAllHooks": true,', 1))
    (one,) = findings(person)
    assert "disableAllHooks" in str(one["what"]) and not one["serious"]


def test_settings_that_cannot_be_read_are_told_where_tacit_is_in_them_and_nowhere_else(person: Person) -> None:
    _with(person, "claude")
    (person.folder / ".cursor").mkdir()
    (person.folder / ".cursor" / "hooks.json").write_text("{")
    assert findings(person) == []
    (person.folder / ".claude" / "settings.json").write_text('{"hooks": ]')
    (one,) = findings(person)
    assert "line 1, column 11" in str(one["what"]) and one["serious"]


def test_a_link_in_the_reserve_of_the_spool_is_named(person: Person) -> None:
    person.tacit("add", "never force push")
    reserve = person.home / ".tacit" / "spool" / ".reserve"
    reserve.mkdir(exist_ok=True)
    (reserve / "zz").symlink_to(person.folder / "elsewhere")
    assert str(reserve / "zz") in person.tacit("doctor", code=3).out


# Quick checks


def test_a_quick_check_says_what_it_leaves_out(home: Person) -> None:
    before = looks(home.home)
    said = home.tacit("doctor", "--quick").out
    assert "Nothing is wrong as far as it was checked. Not checked: every line of the log" in said
    assert looks(home.home) == before


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (lambda home: (home.home / ".tacit/purging").touch(mode=0o600), "a purge was interrupted"),
        (lambda home: home.events.open("ab").write(b"rubbish\n"), "a line near its end is damaged"),
        (lambda home: (home.home / "index.sqlite").unlink(), "the index cannot be used"),
        (lambda home: home.events.chmod(0o644), "others can read or write it"),
    ],
)
def test_a_quick_check_finds_what_can_be_seen_at_once(
    home: Person, harm: Callable[[Person], object], told: str
) -> None:
    harm(home)
    assert told in home.tacit("doctor", "--quick", code=None).out


def test_a_quick_check_does_not_read_the_log(home: Person) -> None:
    home.events.write_bytes(b"rubbish\n" + b" " * 100_000 + b"\n" + home.events.read_bytes())
    assert "damaged" not in home.tacit("doctor", "--quick", code=None).out
    assert "--quick does not read the log" in home.tacit("doctor", "--quick", "--log", code=2).err
