"""Whatever is missing, broken or in the way, the shell works as it did and says nothing."""

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
