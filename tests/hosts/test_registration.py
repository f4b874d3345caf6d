"""What is registered with a host outlives the installation that it starts, and then does no harm."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness.person import Person, tree
from harness.terminal import converse
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.hosts import registration
from tacit.hosts.registration import GUARD, hook_argv, quote_word
from tests.chaos.test_installs import SHELLS, removed
from tests.install.test_entries_merging import BEFORE, FILES
from tests.support.removable import Removable


def test_no_host_notices_what_was_removed_however_it_starts_a_command(tmp_path: Path) -> None:
    assert removed(tmp_path, ["claude", "copilot"]).faults == ()


def test_the_commands_of_earlier_versions_are_noticed(tmp_path: Path) -> None:
    """So that the test above can fail."""
    found = removed(tmp_path, ["claude"], guarded=False)

    assert any("by sh, without the package: exit code 2" in fault for fault in found.faults)
    assert any("by fish, without the interpreter: exit code 127" in fault for fault in found.faults)


@settings(max_examples=30, deadline=None)
@given(
    words=st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8), max_size=9)
)
def test_all_shells_read_quoted_words_alike(words: list[str]) -> None:
    odd = [*words, "o'brien's \\ \\\\ \\' \"$HOME\" `x` !! *", "", "=ls", "~", "%1", "-"]
    line = "printf '%s\\0' " + " ".join(map(quote_word, odd))
    for shell in (one for one in SHELLS if shutil.which(one)):
        done = subprocess.run([shell, "-c", line], capture_output=True, env={"LC_ALL": "C.UTF-8"}, check=True)
        assert done.stdout.decode().split("\0")[:-1] == odd, shell
    assert shlex.split(line)[2:] == odd


# Entries that an earlier version or a vanished installation left in hosts: they are told, repaired and taken out


HOSTS = ("claude", "codex", "gemini", "cursor", "copilot")
SETTINGS = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "bash": ".bashrc"}


@pytest.fixture
def earlier(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Commands as earlier versions wrote them, until what this returns is called."""
    monkeypatch.setattr(registration, "hook_command", lambda *about: shlex.join(hook_argv(*about)))
    return monkeypatch.undo


def findings(person: Person) -> list[dict[str, Any]]:
    found = person.tacit("doctor", "--json", code=None).json
    own = (one for one in found if not one["where"].startswith(("autocapture", "SQLite")))
    return [one for one in own if "until you review" not in one["what"]]  # in Codex, which is another matter


def theirs(person: Person) -> dict[str, bytes]:
    return {name: held for name, held in tree(person.folder).items() if not name.startswith(".agents/")}


@pytest.mark.parametrize("before", [name for name, held in BEFORE.items() if held is not None])
@pytest.mark.parametrize("host", FILES)
def test_what_an_earlier_version_put_in_is_brought_up_to_date_and_taken_out_byte_for_byte(
    person: Person, earlier: Callable[[], None], host: str, before: str
) -> None:
    file = person.folder / FILES[host]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(BEFORE[before] or b"")
    person.tacit("install", host, "--yes")
    old = file.read_bytes()
    assert b"agent.py" in old and b"/bin/sh" not in old
    earlier()
    person.tacit("install", host, "--yes")
    assert file.read_bytes().count(b"/bin/sh -c ") == old.count(b"agent.py")
    person.tacit("uninstall", host, "--yes")
    assert file.read_bytes() == BEFORE[before]
    file.write_bytes(old)
    person.tacit("uninstall", host, "--yes")
    assert not file.exists() or b"agent.py" not in file.read_bytes()


@pytest.mark.parametrize("host", HOSTS)
def test_hooks_of_an_earlier_version_are_told_and_mended(
    person: Person, earlier: Callable[[], None], host: str
) -> None:
    person.tacit("install", host, "--yes")
    earlier()
    (one,) = findings(person)
    assert "earlier version" in one["what"] and f"{host} might refuse" in one["what"] and not one["serious"]
    assert one["mend"] == f"tacit install {host}"
    person.tacit("install", host, "--yes")
    assert findings(person) == []


@pytest.mark.parametrize("host", [*HOSTS, "opencode"])
def test_hooks_at_the_path_of_version_0_1_work_are_told_and_mended(
    person: Person, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    """The folder of the hooks moved in version 0.2; what people have in their files goes on working."""
    moved = Path(tacit.__file__).parent / "surfaces" / "hooks" / "agent.py"
    monkeypatch.setattr(registration, "_HOOK_SCRIPT", str(moved))
    person.tacit("install", host, "--yes")
    monkeypatch.undo()
    person.tacit("add", "never force push to main")
    payload = json.dumps({"session_id": "s", "cwd": str(person.folder), "prompt": "may I force push?"})
    answer = subprocess.run(
        [sys.executable, "-I", "-S", str(moved), "claude", "inject", "UserPromptSubmit", "--home", str(person.home)],
        input=payload.encode(),
        env=person.environment(),
        capture_output=True,
        check=True,
    )
    assert b"never force push" in answer.stdout
    (one,) = findings(person)
    assert "earlier version; they still work" in one["what"] and one["mend"] == f"tacit install {host}"
    person.tacit("install", "--yes")
    assert findings(person) == []
    person.tacit("uninstall", host, "--yes")
    assert not [name for name, held in theirs(person).items() if b"agent.py" in held]


def test_hooks_of_an_earlier_version_whose_program_is_gone_are_told_as_what_they_do(
    person: Person, earlier: Callable[[], None]
) -> None:
    person.tacit("install", "claude", "--yes")
    earlier()
    file = person.folder / SETTINGS["claude"]
    file.write_text(file.read_text().replace(sys.executable, "/gone/python"))
    (one,) = findings(person)
    assert "/gone/python; claude may refuse every prompt" in one["what"] and one["serious"]


@pytest.mark.parametrize("host", [*HOSTS, "opencode"])
def test_a_server_whose_program_is_gone_is_told(person: Person, tmp_path: Path, host: str) -> None:
    program = tmp_path / "bin" / "tacit"
    program.parent.mkdir()
    person.tacit("install", host, "--mcp", "--yes")
    for name, held in theirs(person).items():
        text = held.decode().replace(f'"{sys.executable}"', f'"{program}"')
        if '"mcp"' in text:
            text = text.replace('"-m"', '"tacit"')
        (person.folder / name).write_text(text)
    assert any(str(program) in one["what"] and one["serious"] for one in findings(person))
    person.tacit("install", host, "--mcp", "--yes")
    assert findings(person) == []


def test_a_home_that_hooks_name_and_that_is_gone_is_told(person: Person, tmp_path: Path) -> None:
    other = tmp_path / "other home"
    person.tacit("install", "claude", "--yes", TACIT_HOME=str(other))
    shutil.rmtree(other)
    (one,) = [one for one in findings(person) if "claude" in one["where"]]
    assert str(other) in one["what"] and one["serious"] and one["mend"] == "tacit install claude"
    person.tacit("install", "claude", "--yes")
    assert not [one for one in findings(person) if "claude" in one["where"]]


def test_a_file_that_another_home_made_goes_with_the_last_entry(person: Person, tmp_path: Path) -> None:
    person.tacit("install", "codex", "--yes", TACIT_HOME=str(tmp_path / "other home"))
    person.tacit("install", "codex", "--yes")
    person.tacit("uninstall", "codex", "--yes")
    assert theirs(person) == {}


@pytest.fixture
def vanished(person: Person, tmp_path: Path) -> Path:
    """An installation that put itself into two agents and a shell, and is gone."""
    own = Removable(tmp_path / "own tacit")
    for name in SETTINGS:
        own.tacit("install", name, "--yes", cwd=person.folder, environment=person.environment())
    own.remove()
    return own.folder


def test_all_that_a_vanished_installation_left_is_repaired_at_once(person: Person, vanished: Path) -> None:
    assert {one["mend"] for one in findings(person)} == {f"tacit install {name}" for name in SETTINGS}
    before = theirs(person)
    said = person.tacit("install").out
    assert said.count("is no longer there") == 3 and said.endswith("at once: tacit install --yes\n")
    assert theirs(person) == before

    told = person.tacit("install", "--yes").out
    assert "Repaired:" in told and "trust them" in told  # Codex wants a review of what changed
    assert findings(person) == []
    assert not any(str(vanished).encode() in held for held in theirs(person).values())
    assert "Repair" not in person.tacit("install", "--yes").out
    for name in SETTINGS:
        person.tacit("uninstall", name, "--yes")
    assert theirs(person) == {}


def test_a_person_at_a_terminal_is_asked_whether_to_repair(person: Person, vanished: Path) -> None:
    before = theirs(person)
    asked = "Change these files? [y/N, d shows every line] "
    assert "Nothing was changed." in converse(person, "install", answers=[(asked, "n")]).out
    assert theirs(person) == before
    assert "Repaired:" in converse(person, "install", answers=[(asked, "y")]).out
    assert findings(person) == []


def test_another_installation_that_is_there_is_left_alone(person: Person, tmp_path: Path) -> None:
    other = Removable(tmp_path / "other")
    other.tacit("install", "claude", "--yes", cwd=person.folder, environment=person.environment())
    before = theirs(person)
    assert "claude     installed, and out of date" in person.tacit("install", "--yes").out
    assert theirs(person) == before
    commands = json.dumps(json.loads(before[SETTINGS["claude"]]))
    assert str(other.interpreter) in commands and json.dumps(GUARD)[1:-1] in commands
