"""Beside what a person has in their shell: their hooks still work, and Tacit sees what it would see without them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.desk import Desk
from harness.shell_terminal import Terminal

from tests.support.removable import Removable

OPTIONS = {
    "bash": "set -u; set -o noclobber; shopt -s nullglob nocaseglob extdebug; IFS=,\n"
    "alias local='false' printf='false' builtin='false' read='false' command='false'\nalias history='false'\n",
    "zsh": "setopt no_unset no_clobber ksh_arrays sh_word_split null_glob warn_create_global; IFS=,\n"
    "alias local='false' print='false' builtin='false' read='false' typeset='false'\nalias -g '|'='&&'\n",
    "fish": "set -g IFS ,\nfunction printf; false; end\nfunction math; false; end\nfunction string; false; end\n",
}
# Each writes what it sees: the status, and that it was there.
HOOKS = {
    "bash": """trap 'timer=${timer:-$BASH_COMMAND}' DEBUG
PS0='[ps0]'
mine() { printf '[mine %s %s %s]\\n' "$?" "$_" "$timer"; unset timer; }
PROMPT_COMMAND='mine'
""",
    "zsh": """precmd() { print "[mine $? $_]" }
preexec() { print "[pre $1]" }
also() { print "[also $?]" }
precmd_functions+=(also)
zle-history-line-set() { fetched=$BUFFER }
zle -N zle-history-line-set
""",
    "fish": """function mine --on-event fish_postexec; echo "[mine $status]"; end
function pre --on-event fish_preexec; echo "[pre $argv]"; end
""",
}


def answer(terminal: Terminal, line: str) -> str:
    """What is shown between the line and the next prompt."""
    return terminal.run(line).split("\n", 1)[1].split("<#")[0]


def test_odd_settings_and_aliases_harm_nothing(desk: Desk) -> None:
    desk.write(OPTIONS[desk.shell])
    terminal = desk.open()
    notice = desk.person.home / ".tacit" / "notice"
    notice.parent.mkdir(parents=True)
    notice.write_text("tacit: 1 suggestion\n")
    assert "tacit: 1 suggestion" in terminal.run("true one")
    assert "acit" not in terminal.run("false 'two  words'")
    terminal.run("true three")
    found = desk.captured()
    assert [ran.command for ran in found] == ["true one", "false 'two  words'", "true three"]
    assert [ran.status for ran in found] == [0, 1, 0]
    assert not notice.exists()


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)
def test_a_shell_that_ends_at_errors_lives_on(desk: Desk) -> None:
    desk.write(after="set -e\n")
    terminal = desk.open()
    for line in ("true one", "true one", "if false; then true; fi", "true two || false"):
        terminal.run(line)
    assert len(desk.captured()) == 4


def test_hooks_of_ones_own_see_what_they_always_saw(desk: Desk) -> None:
    """Also the command line after them: its status, the last argument, the background job."""
    lines = ["true first", "false last", "echo $status" if desk.shell == "fish" else "echo $? $_", "true x | false y"]
    shown = []
    for hook in ("", desk.hook):
        desk.write(HOOKS[desk.shell], hook=hook)
        terminal = desk.open()
        shown.append([answer(terminal, line) for line in lines])
        terminal.leave()
    assert "[mine 1" in shown[0][1] and shown[0] == shown[1]
    assert desk.lines() == lines


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
@pytest.mark.parametrize("form", ["PROMPT_COMMAND='mine'", "PROMPT_COMMAND=('mine' 'other')", "PROMPT_COMMAND='mine;'"])
def test_every_form_of_prompt_command_goes_on(desk: Desk, form: str) -> None:
    own = f'mine() {{ echo "[mine $? ${{PIPESTATUS[*]}}]"; }}; other() {{ echo "[other $?]"; }}\n{form}\n'
    desk.write(own, 'PROMPT_COMMAND="late; $PROMPT_COMMAND"; late() { return $?; }\n')
    terminal = desk.open()
    shown = terminal.run("false | sh -c 'exit 3'")
    assert "[mine 3 " in shown and ("[other 3]" in shown) == ("other" in form)
    assert [(ran.command, ran.status) for ran in desk.captured()] == [("false | sh -c 'exit 3'", 3)]


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_a_framework_that_calls_functions_before_and_after_commands_calls_ours(desk: Desk) -> None:
    """One that keeps its functions in arrays, and takes everything behind its own end for a command of the person."""
    framework = """bash_preexec_imported=defined
begin() { [[ -n $waiting ]] || return; waiting=; [[ $BASH_COMMAND == precmds ]] || echo "[begin $BASH_COMMAND]"; }
status() { return "$1"; }
precmds() { local kept=$? one; for one in "${precmd_functions[@]}"; do status $kept; "$one"; done; waiting=1; }
trap begin DEBUG
PROMPT_COMMAND=precmds
"""
    desk.write(framework)
    terminal = desk.open()
    assert "[begin false one]" in terminal.run("false one")
    assert "__tacit" not in terminal.shown
    assert [(ran.command, ran.status) for ran in desk.captured()] == [("false one", 1)]


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_a_prompt_that_replaces_the_others_goes_on_calling_them(desk: Desk) -> None:
    """As makers of prompts do: keep what was there, put oneself first, call it with the status of the command."""
    framework = """drawn() { local kept=$?; again "$kept"; eval "$before"; echo "[drawn $kept]"; return $kept; }
again() { return "$1"; }
before=$PROMPT_COMMAND
PROMPT_COMMAND=drawn
PS0='[begun]'
"""
    desk.write(after=framework)
    terminal = desk.open()
    terminal.run("true once, to be seen again")
    shown = terminal.run("false one")
    assert "[begun]" in shown and "[drawn 1]" in shown
    assert ("false one", 1) in [(ran.command, ran.status) for ran in desk.captured()]


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_a_prompt_that_expands_nothing_stays_clean(desk: Desk) -> None:
    desk.write(after="unset PS0\nshopt -u promptvars\nPS1='<#\\##> '\n")
    terminal = desk.open()
    shown = terminal.run("true one") + terminal.run("true two")
    assert "__tacit" not in shown and "{" not in shown


def test_loaded_twice_captures_once(desk: Desk) -> None:
    desk.write(after=desk.hook)
    terminal = desk.open()
    terminal.run("true one")
    terminal.run(" " + desk.hook.strip())
    terminal.run("true two")
    found = [ran for ran in desk.captured() if "hook" not in ran.command]
    assert [ran.command for ran in found] == ["true one", "true two"]
    assert len({ran.session for ran in found}) == 1


def test_history_is_what_it_was(desk: Desk) -> None:
    listing = {"bash": "history", "zsh": "fc -l 1", "fish": "builtin history"}[desk.shell]
    shown = []
    for hook in ("", desk.hook):
        desk.write("unset HISTFILE\n" if desk.shell == "bash" else "", hook=hook)
        data = desk.folder / ("with" if hook else "without")
        (data / "fish/generated_completions").mkdir(parents=True)  # else fish reads all manual pages first
        terminal = desk.open(XDG_DATA_HOME=str(data))
        for line in ("true one", "true two", "false three"):
            terminal.run(line)
        shown.append(answer(terminal, listing))
        terminal.leave()
    assert "false three" in shown[0] and shown[0] == shown[1]


# Whatever is missing, broken or in the way, the shell works as it did and says nothing


def at_work(terminal: Terminal) -> None:
    """Three commands; nothing but their own output is shown."""
    for number, line in enumerate(("echo o''ne", "echo t''wo", "echo th''ree")):
        shown = terminal.run(line)
        assert ("one", "two", "three")[number] in shown
        for word in ("rror", "acit", "rror", "No such", "not found", "ermission", "Traceback", "Done", "ended"):
            assert word not in shown, shown


def test_a_program_that_is_gone_is_not_missed(desk: Desk) -> None:
    """First broken, then gone while the shell runs."""
    interpreter = desk.folder / "python"
    interpreter.symlink_to(os.path.realpath("/bin/sh"))
    desk.write(after=desk.recorded_by(f"{interpreter} -c 'exit 3'"))
    terminal = desk.open()
    at_work(terminal)
    interpreter.unlink()
    at_work(terminal)
    assert desk.captured() == []


def test_a_program_that_was_taken_away_before_the_shell_started_is_not_missed(desk: Desk) -> None:
    desk.write(hook="")
    desk.person.process("install", desk.shell, "--yes")
    taken = desk.file.read_text().replace(sys.executable, "/nowhere/python")
    assert "/nowhere/python" in taken
    desk.file.write_text(taken)
    at_work(desk.open())
    assert desk.captured() == []


def test_a_shell_that_runs_while_tacit_is_removed_goes_on_in_silence(desk: Desk) -> None:
    own = Removable(desk.folder / "own tacit")
    desk.program.write_text(f'#!/bin/sh\nexec "{own.interpreter}" -m tacit "$@"\n')
    terminal = desk.open()
    at_work(terminal)
    assert len(desk.captured()) == 3
    own.remove_package()
    at_work(terminal)
    own.remove()
    at_work(terminal)
    assert len(desk.captured()) == 3


def a_file(home: Path) -> None:
    home.write_text("not a home")


def something_in_the_way(home: Path) -> None:
    home.mkdir()
    (home / "activity").write_text("not a folder")


def settings_that_are_none(home: Path) -> None:
    home.mkdir()
    (home / "tacit.toml").write_text("[shell\n")


@pytest.mark.parametrize("broken", [a_file, something_in_the_way, settings_that_are_none], ids=lambda one: one.__name__)
def test_a_broken_home_is_silent(desk: Desk, broken: Callable[[Path], None]) -> None:
    broken(desk.person.home)
    at_work(desk.open())
    while desk.orphans():
        time.sleep(0.02)
    assert not (desk.person.home / "activity").is_dir()


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)  # fish itself does not live through this
def test_a_full_disk_is_silent(desk: Desk) -> None:
    terminal = desk.open()
    terminal.run("true one")
    assert desk.lines() == ["true one"]
    terminal.run("ulimit -S -f 0")
    at_work(terminal)
    assert desk.lines() == ["true one"]


def test_a_recorder_that_hangs_is_not_waited_for(desk: Desk) -> None:
    hanging = desk.folder / "hanging"
    hanging.write_text("#!/bin/sh\nexec sleep 30\n")
    hanging.chmod(0o755)
    desk.write(after=desk.recorded_by(str(hanging)))
    terminal = desk.open()
    at_work(terminal)
    terminal.run("true " + "x" * 3500)


def test_a_folder_that_was_deleted_is_no_reason_to_stop(desk: Desk) -> None:
    (desk.folder / "gone").mkdir()
    terminal = desk.open()
    terminal.run("cd gone")
    (desk.folder / "gone").rmdir()
    at_work(terminal)
    assert len(desk.captured()) == 4
