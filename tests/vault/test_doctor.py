"""The doctor looks at everything, changes nothing, and tells the command that mends each finding."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.person import BESIDE, Person

from tacit.home.home import Home
from tacit.home.store import Following, StoreOptions
from tacit.vault import Vault
from tests.support.codex_review import trust_hooks
from tests.support.findings import findings


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


def _add(home: Person, name: str, text: str) -> None:
    path = home.home / "memory" / name
    path.write_text(text)
    path.chmod(0o600)


# What is done to a home, what the doctor says of it, and whether that is serious.
TROUBLES: dict[str, tuple[Callable[[Person], object], str, bool]] = {
    "an edited page": (
        lambda home: home.long_term.write_text(home.long_term.read_text().replace("use pnpm", "use pnpm, not npm")),
        "edited by hand",
        False,
    ),
    "a lost page": (lambda home: next((home.home / "worklog").iterdir()).unlink(), "this view is missing", True),
    "an open file": (lambda home: home.events.chmod(0o644), "others can read or write it", True),
    "a second name": (lambda home: os.link(home.events, home.folder / "second"), "hard link", True),
    "a broken index": (
        lambda home: (home.home / "index.sqlite").write_bytes(b"no database"),
        "the index cannot be used",
        True,
    ),
    "a broken line": (
        lambda home: home.events.write_bytes(home.events.read_bytes().replace(b"pnpm", b"pnqm", 1)),
        "cannot be read",
        True,
    ),
    "a stray file": (lambda home: _add(home, ".long-term.md.tacit-new", "half"), "interrupted", False),
    "a suspicion": (
        lambda home: _add(home, ".events.jsonl.suspect", "Input/output error\n"),
        "the disk once refused",
        True,
    ),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_each_trouble_is_named_nothing_is_changed_and_the_advice_mends_it(home: Person, trouble: str) -> None:
    harm, what, serious = TROUBLES[trouble]
    harm(home)
    before = looks(home.home)
    found = findings(home)
    assert looks(home.home) == before
    (one,) = [one for one in found if what in str(one["what"])]
    assert one["serious"] is serious
    assert home.tacit("doctor", code=None).code == (3 if serious else 0)
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
    if "codex" in targets:
        trust_hooks(person)
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


def test_a_home_whose_pages_are_being_drawn_is_well(person: Person) -> None:
    with person.at(), Vault(Home(options=StoreOptions(Following.PROCESS))) as vault:
        vault.add("use pnpm")
    assert not (person.home / "memory" / "long-term.md").exists()
    assert person.tacit("doctor").out.endswith("The home is well.\n")


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
def test_a_quick_check_finds_what_is_seen_at_once(home: Person, harm: Callable[[Person], object], told: str) -> None:
    harm(home)
    assert told in home.tacit("doctor", "--quick", code=None).out


def test_a_quick_check_does_not_read_the_log(home: Person) -> None:
    home.events.write_bytes(b"rubbish\n" + b" " * 100_000 + b"\n" + home.events.read_bytes())
    assert "damaged" not in home.tacit("doctor", "--quick", code=None).out
    assert "--quick does not read the log" in home.tacit("doctor", "--quick", "--log", code=2).err
