"""A command that cannot be recorded at once waits, in every shell."""

from __future__ import annotations

from harness.desk import Desk

from tests.chaos.test_spooling import lock_held


def test_a_shell_loses_no_command_while_another_process_holds_the_log(desk: Desk) -> None:
    terminal = desk.open()
    terminal.run("true first")
    assert desk.lines() == ["true first"]
    typed = [f"true held{at}" for at in range(20)]

    with lock_held(desk.person.home):
        for line in typed:
            terminal.run(line)
        assert desk.lines() == ["true first"]  # waits until no recorder is left
    terminal.run("true after")

    assert desk.lines() == ["true first", *typed, "true after"]
