"""What somebody types in a shell is read back as they typed it, with how it ended, where and when."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime, timedelta

import pytest
from harness.desk import Desk
from harness.shell_terminal import INTERRUPT, UP

# Made up on the spot, so that no file of this repository holds it.
SECRET = "gh" + "p_" + "k3Jd9sQ2mX7vB4nT8wL1zR6yF5hC0aGpEiUo"


def test_a_command_is_captured_with_its_directory_status_duration_and_session(desk: Desk) -> None:
    terminal = desk.open()
    (desk.folder / "inner").mkdir()
    terminal.run("true one")
    terminal.run("cd inner")
    terminal.run("false two")
    terminal.run("sleep 0.3")
    one, cd, two, slept = desk.captured()
    assert (one.command, one.directory, one.status) == ("true one", str(desk.folder), 0)
    assert (cd.command, cd.directory) == ("cd inner", str(desk.folder))
    assert (two.command, two.directory, two.status) == ("false two", str(desk.folder / "inner"), 1)
    assert 300 <= slept.milliseconds < 30_000
    began = datetime.fromisoformat(slept.at)
    assert timedelta(milliseconds=300) <= datetime.now(UTC) - began < timedelta(minutes=5)
    assert {ran.shell for ran in (one, cd, two, slept)} == {desk.shell}
    assert len({ran.session for ran in (one, cd, two, slept)}) == 1 and one.session
    assert {ran.actor for ran in (one, cd, two, slept)} == {"user"}


def test_quotes_letters_and_signs_are_kept_exactly(desk: Desk) -> None:
    lines = [
        'echo \'a  b\' "c\\"d" | cat',
        "echo grüße 日本 🎉 # e\u0301",
        "echo a\\ b * ? ~ %s %d \\\\0 && true",
        "echo '-n' -- \"$HOME\" 'tab\\there'",
        "true " + "x" * 3000,
    ]
    terminal = desk.open()
    if desk.shell == "zsh":
        terminal.run("setopt interactive_comments no_nomatch")
    for line in lines:
        terminal.run(line)
    assert desk.lines()[-len(lines) :] == lines


def test_a_command_of_several_lines_is_one_command(desk: Desk) -> None:
    loops = {
        "bash": ("for i in 1 2\ndo echo $i\ndone", "for i in 1 2; do echo $i; done"),  # as bash itself keeps it
        "zsh": ("for i in 1 2\ndo echo $i\ndone", "for i in 1 2\ndo echo $i\ndone"),
        "fish": ("for i in 1 2\necho $i\nend", "for i in 1 2\necho $i\nend"),
    }
    typed, kept = loops[desk.shell]
    terminal = desk.open()
    terminal.run(typed)
    terminal.run("echo 'one\ntwo\n\nthree'")
    assert desk.lines() == [kept, "echo 'one\ntwo\n\nthree'"]


def test_an_interrupted_command_is_captured_and_an_interrupted_line_is_not(desk: Desk) -> None:
    terminal = desk.open()
    terminal.press("sh -c 'printf be%s gun; exec sleep 100'\n")
    terminal.wait_until_shown("begun")
    terminal.keys(INTERRUPT)
    for keys in ("never run", INTERRUPT, "true end"):
        time.sleep(0.3)  # for what the shell draws between them there is no sign to wait for
        terminal.press(keys)
    terminal.run("")
    interrupted, end = desk.captured()
    assert (interrupted.command, interrupted.status) == ("sh -c 'printf be%s gun; exec sleep 100'", 130)
    assert end.command == "true end"


def test_what_begins_with_a_blank_is_not_captured(desk: Desk) -> None:
    before = "HISTCONTROL=ignorespace\n" if desk.shell == "bash" else ""
    desk.write(before)
    terminal = desk.open()
    for line in ("true one", " true hidden", "\ttrue tabbed" if desk.shell == "zsh" else "  true hidden", "true two"):
        terminal.run(line.replace("\t", "\x16\t"))
    terminal.run("")
    assert desk.lines() == ["true one", "true two"]


def test_a_secret_on_the_line_is_nowhere_in_the_home(desk: Desk) -> None:
    terminal = desk.open()
    terminal.run(f"true --token {SECRET}")
    terminal.run(f"true {'x' * 7970} {SECRET} {'y' * 100}")  # where a long line is cut
    first, second = desk.lines()
    assert first.startswith("true --token [redacted:")
    assert len(second) <= 8000 and second.startswith("true xxx")
    terminal.leave()
    for path in desk.person.home.rglob("*"):
        assert not path.is_file() or SECRET[:20].encode() not in path.read_bytes(), path


def test_no_other_process_is_told_the_line(desk: Desk) -> None:
    """Neither as an argument nor in its environment, even where every variable is exported."""
    watcher = desk.folder / "watcher"
    watcher.write_text(
        "#!/bin/sh\ncat /proc/self/environ /proc/self/cmdline >>"
        + str(desk.folder / "seen")
        + "\nexec cat >/dev/null\n"
    )
    watcher.chmod(0o755)
    exporting = {"bash": "set -a\n", "zsh": "setopt all_export\n", "fish": ""}[desk.shell]
    desk.write(exporting, desk.recorded_by(str(watcher)))
    terminal = desk.open()
    terminal.run("true unheard-of")
    terminal.run("true again")
    desk.captured()
    seen = (desk.folder / "seen").read_bytes()
    assert b"TACIT_HOME" in seen
    assert b"unheard-of" not in seen


def test_jobs_in_the_background_are_the_persons_alone(desk: Desk) -> None:
    terminal = desk.open()
    last = "$last_pid" if desk.shell == "fish" else "$!"
    terminal.run("sleep 60 &")
    first = terminal.run(f"echo is {last}").rpartition("is ")[2].split()[0]
    second = terminal.run(f"echo is {last}").rpartition("is ")[2].split()[0]
    assert first == second and first.isdigit()
    listed = terminal.run("jobs")
    assert listed.count("sleep 60") == 1 and "tacit" not in listed and "python" not in listed
    terminal.run("kill %1")
    terminal.run("true end")
    desk.captured()
    assert "Done" not in terminal.shown.replace("sleep 60", "") and "ended" not in terminal.shown.replace(
        "sleep 60", ""
    )
    assert desk.lines()[0] == "sleep 60 &"


def test_two_terminals_are_two_sessions(desk: Desk) -> None:
    left, right = desk.open(), desk.open()
    for number in range(3):
        left.run(f"true left {number}")
        right.run(f"true right {number}")
    found = desk.captured()
    left_ones, right_ones = ({ran.session for ran in found if side in ran.command} for side in ("left", "right"))
    assert len(found) == 6
    assert len(left_ones) == len(right_ones) == 1 and left_ones != right_ones


def test_a_shell_in_a_shell_and_a_shell_in_its_place_are_new_sessions(desk: Desk) -> None:
    terminal = desk.open()
    terminal.run("true outer")
    terminal.press(f"{desk.shell}\n")
    terminal.wait_until_shown("<#1#>")
    terminal.press("true inner\n")
    terminal.wait_until_shown("<#2#>")
    terminal.press("exit\n")
    terminal.wait_until_shown("<#3#>")
    terminal.press(f"exec {desk.shell}\n")
    terminal.wait_until_shown("<#1#>")
    terminal.press("true instead\n")
    terminal.wait_until_shown("<#2#>")
    sessions = {ran.command: ran.session for ran in desk.captured()}
    assert len({sessions[f"true {name}"] for name in ("outer", "inner", "instead")}) == 3
    assert sessions[desk.shell] == sessions["true outer"]


def test_a_subshell_is_part_of_its_command(desk: Desk) -> None:
    grouped = "begin; cd /; false; end" if desk.shell == "fish" else "(cd /; false)"
    terminal = desk.open()
    terminal.run(grouped)
    terminal.run("true after")
    group, after = desk.captured()
    assert (group.command, group.status, group.directory) == (grouped, 1, str(desk.folder))
    assert after.status == 0


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)
def test_aliases_are_written_out(desk: Desk) -> None:
    desk.write("alias gst='true git status'\n")
    terminal = desk.open()
    terminal.run("gst --short")
    terminal.run("true   plain;true")
    aliased, plain = desk.captured()
    assert (aliased.command, aliased.meant) == ("gst --short", "true git status --short")
    assert (plain.command, plain.meant) == ("true   plain;true", "")


@pytest.mark.parametrize("shell", ["zsh"], indirect=True)
def test_a_line_that_was_fetched_and_edited_says_what_it_was(desk: Desk) -> None:
    desk.write("bindkey -e\n")
    terminal = desk.open()
    terminal.run("true npm test")
    terminal.keys(UP + "\x7f" * 8 + "pnpm test\n")
    terminal.keys(UP + "\n")
    terminal.run("true fresh")
    assert [(ran.command, ran.planned) for ran in desk.captured()] == [
        ("true npm test", ""),
        ("true pnpm test", "true npm test"),
        ("true pnpm test", ""),
        ("true fresh", ""),
    ]


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
@pytest.mark.parametrize("control", ["ignoredups", "ignoreboth", "erasedups", "ignoreboth:erasedups", ""])
def test_however_bash_keeps_its_history_each_run_counts(desk: Desk, control: str) -> None:
    desk.write(f"HISTCONTROL={control}\nunset HISTFILE\nHISTIGNORE='true ignored*'\nHISTSIZE=5\nHISTTIMEFORMAT='%F '\n")
    terminal = desk.open()
    typed = ["true a", "true a", "true b", "true a", "true c", "true d", "true e", "true f", "true g", "true g"]
    for line in typed:
        terminal.run(line)
    if (
        "erasedups" not in control
    ):  # there a line that is not kept counts as the one before, if typed in the same second
        terminal.run("true ignored")
        terminal.run(" true hidden")
    terminal.run("")
    assert desk.lines() == typed


def test_a_project_is_the_scope_of_what_runs_in_it(desk: Desk) -> None:
    root = desk.person.repository("work", remote="https://example.org/team/work.git")
    (root / "deep").mkdir()
    terminal = desk.open()
    terminal.run("cd work/deep")
    terminal.run("true inside")
    outside, inside = desk.captured()
    assert (outside.scope, inside.scope) == ("global", "project:example.org/team/work")


def test_what_an_agent_runs_is_the_agents(desk: Desk) -> None:
    terminal = desk.open(CLAUDECODE="1", CLAUDE_CODE_SESSION_ID="c-1")
    terminal.run("true by an agent")
    (ran,) = desk.captured()
    assert ran.actor == "agent:claude"


def test_purging_a_text_does_not_record_it_anew(desk: Desk) -> None:
    terminal = desk.open()
    terminal.run("tacit add 'the wall is turquoise'")
    assert desk.lines() == ["tacit add 'the wall is turquoise'"]
    terminal.run("tacit purge --text turquoise --yes; true")
    terminal.run("cd . && tacit redact 'violet'")
    assert desk.lines() == ["tacit add 'the wall is [purged]'"]


def test_nothing_is_left_of_the_recorder(desk: Desk) -> None:
    terminal = desk.open()
    for number in range(5):
        terminal.run(f"true {number}")
    terminal.leave()
    assert len(desk.lines()) == 5
    assert desk.orphans() == []
    for path in desk.person.home.rglob("*.jsonl"):
        assert all(json.loads(line) for line in path.read_text().splitlines())
        assert os.stat(path).st_mode & 0o077 == 0
