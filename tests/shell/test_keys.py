"""The key that opens `tacit pick`: what is chosen comes onto the line and is not run, and the shell stays as it was."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest
from harness.desk import Desk
from harness.person import Person
from harness.shell_terminal import INTERRUPT, Terminal

from tests.support.model_desk import wait_until

KEY, ESCAPE, ENTER, LEFT = "\x1bi", "\x1b", "\r", "\x1b[D"
ON_SCREEN, OFF_SCREEN, DRAWN = "\x1b[?1049h", "\x1b[?1049l", "\x1b[?25h"
# As fzf and Atuin bind theirs: Ctrl-T and Alt-C, Ctrl-R and Up.
OTHERS = {
    "bash": """others() { READLINE_LINE="echo o''ther $1" READLINE_POINT=99; }
bind -m emacs-standard -x '"\\C-t": others files'
bind -m emacs-standard -x '"\\ec": others folders'
bind -m emacs-standard -x '"\\C-r": others history'
bind -m emacs-standard -x '"\\e[A": others up'
""",
    "zsh": """bindkey -e
others() { BUFFER="echo o''ther ${WIDGET#others-}" CURSOR=$#BUFFER }
for one in files folders history up; do zle -N others-$one others; done
bindkey "^T" others-files; bindkey "^[c" others-folders; bindkey "^R" others-history; bindkey "^[[A" others-up
""",
    "fish": """function others; commandline -r "echo o''ther $argv[1]"; end
bind \\ct 'others files'; bind \\ec 'others folders'; bind \\cr 'others history'; bind \\e\\[A 'others up'
""",
}
OTHER_KEYS = {"\x14": "files", "\x1bc": "folders", "\x12": "history", "\x1b[A": "up"}
VI = {"bash": "set -o vi\n", "zsh": "bindkey -v\n", "fish": "fish_vi_key_bindings\n"}


def choose_key(desk: Desk, key: str = "alt-i") -> None:
    desk.person.home.mkdir(mode=0o700, exist_ok=True)
    (desk.person.home / "tacit.toml").write_text(f'[shell]\nkey = "{key}"\n')


def remembering(desk: Desk, *lines: str) -> Terminal:
    """A terminal with the key, in which these lines were run."""
    if not (desk.person.home / "tacit.toml").exists():
        choose_key(desk)
        desk.write("bindkey -e\n" if desk.shell == "zsh" else "")
    terminal = desk.open()
    for line in lines:
        terminal.run(line)
    assert desk.lines() == list(lines)
    return terminal


def open_picker(terminal: Terminal, query: str = "", key: str = KEY) -> None:
    before = terminal.mark
    terminal.press(key)
    terminal.wait_until_shown(ON_SCREEN, before)
    terminal.wait_until_shown(f"> {query}", before)
    terminal.wait_until_shown(DRAWN, before)


def answer(terminal: Terminal, keys: str) -> None:
    before = terminal.mark
    terminal.press(keys)
    terminal.wait_until_shown(OFF_SCREEN, before)


def type_into(terminal: Terminal, query: str) -> None:
    before = terminal.mark
    terminal.press(query)
    terminal.wait_until_shown(f"> {query}", before)


def ran(desk: Desk, lines: list[str]) -> None:
    """Wait until these lines were recorded: a shell shows its prompt again when the picker ends, before it runs any."""
    wait_until(lambda: len(desk.lines()) >= len(lines))
    assert desk.lines() == lines


def pickers(desk: Desk) -> list[int]:
    found = []
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            mine = f"TACIT_HOME={desk.person.home}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if mine and b"pick" in words:
            found.append(pid)
    return found


def test_what_is_chosen_comes_onto_the_line_and_is_not_run(desk: Desk) -> None:
    terminal = remembering(desk, "echo ma''rked größer", "echo other")
    before = terminal.mark
    open_picker(terminal)
    type_into(terminal, "rked")
    answer(terminal, ENTER)
    terminal.press(" e''nd")  # the cursor is behind the command
    assert "marked" not in terminal.shown[before:]
    assert "marked größer end" in terminal.keys("\n")
    ran(desk, ["echo ma''rked größer", "echo other", "echo ma''rked größer e''nd"])
    assert pickers(desk) == []


def test_the_line_is_the_query_and_escape_leaves_it_as_it_was(desk: Desk) -> None:
    terminal = remembering(desk, "echo abc")
    terminal.press("echo ac" + LEFT)
    open_picker(terminal, "echo ac")
    answer(terminal, ESCAPE)
    terminal.keys("b\n")
    ran(desk, ["echo abc", "echo abc"])


def test_an_interrupt_in_the_picker_leaves_the_line_as_it_was(desk: Desk) -> None:
    terminal = remembering(desk, "echo abc")
    terminal.press("echo d")
    open_picker(terminal, "echo d")
    answer(terminal, "\x03")
    terminal.keys("e\n")
    ran(desk, ["echo abc", "echo de"])


def test_a_command_of_several_lines_is_put_onto_the_line_whole(desk: Desk) -> None:
    terminal = remembering(desk, "echo 'o''ne\ntw''o'")
    open_picker(terminal)
    answer(terminal, ENTER)
    terminal.keys("\n")
    ran(desk, ["echo 'o''ne\ntw''o'"] * 2)


def test_a_line_end_that_is_pasted_into_the_picker_chooses_and_runs_nothing(desk: Desk) -> None:
    terminal = remembering(desk, "echo ma''rked")
    before = terminal.mark
    open_picker(terminal)
    terminal.press("ma\necho e''vil\n")
    terminal.wait_until_shown("> ma echo e''vil", before)
    answer(terminal, ESCAPE)
    terminal.keys("echo after\n")
    ran(desk, ["echo ma''rked", "echo after"])
    assert "evil" not in terminal.shown.replace("e''vil", "")


def test_no_other_process_sees_the_line_that_is_the_query(desk: Desk) -> None:
    terminal = remembering(desk, "echo abc")
    terminal.press("echo unheard-of")
    open_picker(terminal, "echo unheard-of")
    (pid,) = pickers(desk)
    for name in ("cmdline", "environ"):
        assert b"unheard-of" not in Path(f"/proc/{pid}/{name}").read_bytes()
    answer(terminal, ESCAPE)


def test_a_picker_that_is_killed_leaves_a_terminal_that_works(desk: Desk) -> None:
    terminal = remembering(desk, "stty -a")
    as_it_was = terminal.run("stty -a").split("\n", 1)[1].split("<#")[0]
    terminal.press("echo st")
    open_picker(terminal, "echo st")
    (pid,) = pickers(desk)
    before = terminal.mark
    os.kill(pid, signal.SIGKILL)
    terminal.wait_until_shown(OFF_SCREEN, before)
    assert "still" in terminal.keys("i''ll\n")
    terminal.press("echo ne''ver")
    open_picker(terminal, "echo ne''ver")
    before = terminal.mark
    (pid,) = pickers(desk)
    os.kill(pid, signal.SIGKILL)
    terminal.wait_until_shown(OFF_SCREEN, before)
    time.sleep(0.5)  # for the end of the widget there is no sign to wait for, nor for an interrupt
    terminal.press(INTERRUPT)  # of which the terminal itself makes a signal
    time.sleep(0.5)
    assert terminal.run("stty -a").split("\n", 1)[1].split("<#")[0] == as_it_was


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_picker_that_is_ended_leaves_the_line_as_it_was(desk: Desk, number: int) -> None:
    terminal = remembering(desk, "echo abc")
    terminal.press("echo st")
    open_picker(terminal, "echo st")
    (pid,) = pickers(desk)
    before = terminal.mark
    os.kill(pid, number)
    terminal.wait_until_shown(OFF_SCREEN, before)
    assert "still" in terminal.keys("i''ll\n")


def test_the_keys_of_others_stay_theirs(desk: Desk) -> None:
    choose_key(desk)
    for before, after in ((OTHERS[desk.shell], ""), ("", OTHERS[desk.shell])):
        desk.write(before, after)
        terminal = desk.open()
        for key, name in OTHER_KEYS.items():
            assert f"other {name}" in terminal.keys(key + "\n"), name
        open_picker(terminal)
        answer(terminal, ESCAPE)
        terminal.leave()


def test_a_key_with_ctrl_works_while_one_types_with_the_keys_of_vi(desk: Desk) -> None:
    choose_key(desk, "ctrl-o")
    desk.write(VI[desk.shell])
    terminal = remembering(desk, "echo ma''rked")
    open_picker(terminal, key="\x0f")
    answer(terminal, ENTER)
    assert "marked" in terminal.keys("\n")


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)
def test_a_key_with_alt_does_not_take_the_escape_of_vi(desk: Desk) -> None:
    choose_key(desk)
    desk.write(VI[desk.shell])
    terminal = remembering(desk, "echo abc")
    terminal.press("echo bc" + ESCAPE + "i")
    terminal.keys("a\n")
    assert ON_SCREEN not in terminal.shown


def test_where_tacit_is_gone_the_key_does_nothing(desk: Desk) -> None:
    choose_key(desk)
    picker = desk.folder / "gone"
    replaced = f"set -g __tacit_picker {picker}\n" if desk.shell == "fish" else f"__tacit_picker=({picker})\n"
    desk.write("bindkey -e\n" if desk.shell == "zsh" else "", replaced)
    terminal = desk.open()
    terminal.press("echo st")
    terminal.press(KEY)
    assert "still" in terminal.keys("i''ll\n")


def test_odd_settings_and_aliases_harm_nothing(desk: Desk) -> None:
    odd = {
        "bash": "set -u; set -o pipefail noclobber; IFS=,\nalias local='false' builtin='false' command='false'\n",
        "zsh": "bindkey -e\nsetopt no_unset no_clobber ksh_arrays null_glob warn_create_global; IFS=,\n"
        "alias local='false' builtin='false' command='false' typeset='false'\n",
        "fish": "set -g IFS ,\nfunction printf; false; end\nfunction commandline; false; end\n",
    }
    choose_key(desk)
    desk.write(odd[desk.shell])
    terminal = remembering(desk, "echo ma''rked, and more")
    open_picker(terminal)
    answer(terminal, ENTER)
    assert "marked, and more" in terminal.keys("\n")


# The setting


def snippet(person: Person, shell: str, variable: str | None = None) -> str:
    """What a shell loads, without the time since which the machine runs, which is computed anew."""
    said = person.tacit("hook", shell) if variable is None else person.tacit("hook", shell, TACIT_SHELL_KEY=variable)
    return re.sub("(?m)^set -g __tacit_booted .*", "", said.out)


def test_without_the_setting_nothing_of_it_is_in_the_snippet(person: Person, shell: str) -> None:
    off = snippet(person, shell)
    assert "pick" not in off.split("tacit completion words")[0] and "__tacit_pick" not in off
    person.home.mkdir(exist_ok=True)
    for settings in ('# [shell]\n# key = "alt-i"\n', '[shell]\nkey = ""\n', '[shell]\nkey = "alt-\n', "", "[recall]\n"):
        (person.home / "tacit.toml").write_text(settings)
        assert snippet(person, shell) == off
    assert snippet(person, shell, "alt-i") == off  # a variable is no consent


def test_the_setting_adds_the_key_and_a_variable_takes_it_away(person: Person, shell: str) -> None:
    off = snippet(person, shell)
    person.tacit("config", "set", "shell.key", "ctrl-]")
    on = snippet(person, shell)
    assert on.startswith(off) and "__tacit_pick" in on[len(off) :]
    assert snippet(person, shell, "") == off


@pytest.mark.parametrize(
    "key", ["ctrl-c", "ctrl-i", "ctrl-M", "alt-", "alt-ii", "i", "alt-'", "ctrl-\\", "meta-i", "-"]
)
def test_what_is_no_key_or_one_that_the_terminal_needs_is_refused(person: Person, key: str) -> None:
    refused = person.tacit("config", "set", "shell.key", "--", key, code=2)
    assert 'such as "alt-i"' in refused.err
