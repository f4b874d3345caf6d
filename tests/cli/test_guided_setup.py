"""`tacit setup` at a terminal and without one: what it finds, shows, asks, does and takes back."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from harness.person import Person, Said, tree
from harness.terminal import converse

from tests.support.fake_client import FakeClient
from tests.support.talking import session_file

ASK, JUDGE = "or the numbers to leave out > ", "Let claude do that? [y/N] "
REQUEST = "why does the export button fail on the orders page"
ZSHRC = b"export EDITOR=vim"
SETTINGS = b'{"model": "opus",\n  "hooks": {} }\n'  # an empty container stays, too


class Machine:
    """A machine with zsh and Claude Code, both used before."""

    def __init__(self, folder: Path) -> None:
        self.person = Person(folder)
        self.person.now = "2026-03-20T12:00:00+00:00"
        self.folder = folder
        project = folder / "shop"
        (project / ".git").mkdir(parents=True)
        session_file(self.person, project, 1, REQUEST)
        (folder / ".zshrc").write_bytes(ZSHRC)
        (folder / ".zsh_history").write_text(": 1767225600:0;make test\n: 1767225700:0;git push\n")
        (folder / ".claude/settings.json").write_bytes(SETTINGS)
        self.client = FakeClient(folder / "bin")
        self.path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"

    def setup(self, *words: str, answers: tuple[tuple[str, str], ...] = ()) -> Said:
        """At a terminal."""
        return converse(self.person, "setup", *words, answers=answers, PATH=self.path, SHELL="/bin/zsh")

    def without_terminal(self, *words: str, code: int | None = 0, agent: str = "") -> Said:
        return self.person.process("setup", *words, code=code, PATH=self.path, SHELL="/bin/zsh", CLAUDECODE=agent)

    def files(self) -> dict[str, bytes]:
        """Every file outside the home."""
        return {path: content for path, content in tree(self.folder).items() if not path.startswith(".agents/")}

    @property
    def settings(self) -> dict[str, object]:
        shown = self.person.tacit("config", "show", "--json").json
        return {setting["key"]: setting["value"] for setting in shown}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    folder = tmp_path.resolve() / "person"
    folder.mkdir()
    return Machine(folder)


def test_one_question_sets_up_all_there_is_and_it_ends_with_an_answer_from_the_past(machine: Machine) -> None:
    said = machine.setup(answers=((ASK, ""), (JUDGE, "y")))

    assert said.code == 0
    for part in ("1  zsh", "2  claude", "3  sessions", "4  key", "5  history", "6  transcripts"):
        assert f"  {part} " in said.out
    assert "+# >>> tacit install zsh" in said.out and '"SessionStart"' in said.out
    assert "~/.zsh_history (zsh): 2 commands, 2 new" in said.out
    assert "claude: 1 file, 1 prompt in 1 session" in said.out
    assert (
        "$ tacit recall export button fail orders page" in said.out and REQUEST in said.out.split("$ tacit recall")[1]
    )
    assert "tacit web" in said.out
    assert b"tacit hook zsh" in (machine.folder / ".zshrc").read_bytes()
    assert "hooks" in json.loads((machine.folder / ".claude/settings.json").read_bytes())
    chosen = {key: machine.settings[key] for key in ("autocapture.enabled", "learn.agent", "learn.when")}
    assert chosen == {"autocapture.enabled": True, "learn.agent": "claude", "learn.when": "daily"}
    assert machine.settings["shell.key"] == "alt-i"
    assert machine.client.calls == []

    assert "Everything is set up" in machine.setup().out
    check = machine.without_terminal("--check")
    assert "claude       installed" in check.out and "claude, once a day" in check.out


def test_each_part_can_be_left_out_and_the_judge_is_off_unless_the_person_says_so(machine: Machine) -> None:
    machine.setup(answers=((ASK, "9"), (ASK, "1, 4 5,6"), (JUDGE, "")))
    assert "[d] shows every line" not in machine.setup("--without", "claude", answers=((ASK, "n"),)).out

    assert (machine.folder / ".zshrc").read_bytes() == ZSHRC
    assert "hooks" in json.loads((machine.folder / ".claude/settings.json").read_bytes())
    assert machine.settings["autocapture.enabled"] is True
    assert machine.settings["learn.when"] == machine.settings["shell.key"] == ""
    assert machine.person.tacit("sessions", "--json").json == []
    missing = machine.without_terminal("--check", code=1).out
    assert "zsh          missing: tacit setup" in missing and "claude       installed" in missing


def test_a_long_change_is_folded_on_a_screen_and_shown_in_full_when_asked_for(machine: Machine) -> None:
    said = machine.setup(answers=((ASK, "d"), (ASK, "n"))).out
    folded, in_full = said.split("or the numbers to leave out > ", 1)
    assert "SKILL.md (new file)" in folded and "  @@ -0,0 +1," in folded and " more\n" in folded
    assert "SessionEnd" not in folded and "# Propose what to remember" not in folded.split("Tacit would do this:")[1]
    assert '+    "SessionEnd": [' in in_full and "5. Say that it waits for their decision" in in_full
    assert '+    "SessionEnd": [' in machine.without_terminal().out


def test_a_machine_without_agents_and_with_an_empty_history_lacks_nothing_in_the_end(tmp_path: Path) -> None:
    person = Person(tmp_path)
    (tmp_path / ".bash_history").write_text("")
    assert "history" not in person.process("setup", "--yes", SHELL="/bin/bash").out
    assert "Everything is set up" in person.process("setup", SHELL="/bin/bash").out
    check = person.process("setup", "--check", SHELL="/bin/bash").out
    assert "sessions     none here" in check and "history      none here" in check


def test_the_judge_is_offered_again_when_nothing_else_is_missing(machine: Machine) -> None:
    machine.without_terminal("--yes")
    assert "Everything is set up" in machine.setup(answers=((JUDGE, "y"),)).out
    assert machine.settings["learn.when"] == "daily"
    assert "Let claude" not in machine.setup().out


@pytest.mark.parametrize("answer", ["n", "\x04"])
def test_a_no_changes_nothing(machine: Machine, answer: str) -> None:
    before = machine.files()
    assert "Nothing was changed." in machine.setup(answers=((ASK, answer),)).out
    assert machine.files() == before


def test_without_a_terminal_it_prints_what_it_would_do(machine: Machine) -> None:
    before = tree(machine.folder)
    said = machine.without_terminal()
    assert "6  transcripts" in said.out and "+# >>> tacit install zsh" in said.out
    assert "Nothing was changed: there is no terminal" in said.out and "tacit setup --yes" in said.out
    assert tree(machine.folder) == before


def test_with_yes_everything_but_the_judge_is_done(machine: Machine) -> None:
    assert "Let claude" not in machine.without_terminal("--yes", "--without", "history").out
    assert b"tacit hook zsh" in (machine.folder / ".zshrc").read_bytes()
    assert len(machine.person.tacit("sessions", "--json").json) == 1
    assert machine.settings["learn.agent"] == ""
    assert "history      not read: tacit import history" in machine.without_terminal("--check", code=1).out


def test_it_is_all_taken_back_byte_for_byte(machine: Machine) -> None:
    before, settings = machine.files(), machine.settings
    machine.setup(answers=((ASK, ""), (JUDGE, "y")))
    assert machine.files() != before
    said = machine.setup("--remove", answers=(("Change these files? [y/N, d shows every line] ", "y"),))

    assert machine.files() == before and machine.settings == settings
    assert "What was recorded stays in ~/.agents." in said.out
    assert len(machine.person.tacit("sessions", "--json").json) == 1
    assert "Nothing of Tacit is in a shell or an agent." in machine.setup("--remove").out


def test_an_agent_is_shown_the_plan_and_changes_nothing(machine: Machine) -> None:
    before = machine.files()
    assert "2  claude" in machine.without_terminal(agent="1").out
    for option in ("--yes", "--remove"):
        refused = machine.without_terminal(option, code=None, agent="1")
        assert refused.code != 0 and "only a person" in refused.err and "tacit setup" in refused.err
    assert machine.files() == before


def test_a_file_that_cannot_be_read_leaves_that_agent_out_and_stays_as_it_is(machine: Machine) -> None:
    broken = machine.folder / ".claude/settings.json"
    broken.write_bytes(b"{")
    said = machine.without_terminal("--yes")
    assert "claude is left out: " in said.out and broken.read_bytes() == b"{"
    assert b"tacit hook zsh" in (machine.folder / ".zshrc").read_bytes()
    assert f"cannot be told: {broken}: line 1" in machine.without_terminal("--check", code=1).out

    assert "claude is left out: " in machine.without_terminal("--remove", "--yes").out
    assert (machine.folder / ".zshrc").read_bytes() == ZSHRC and broken.read_bytes() == b"{"


def test_an_empty_machine_has_nothing_to_set_up(tmp_path: Path) -> None:
    said = Person(tmp_path).process("setup", SHELL="/bin/sh")
    assert "There is no shell and no agent here that Tacit knows" in said.out and "tacit install" in said.out


def test_a_part_that_does_not_exist_is_an_error_that_names_them(machine: Machine) -> None:
    refused = machine.without_terminal("--without", "emacs", code=2)
    assert "there is no part 'emacs'" in refused.err and "transcripts" in refused.err
