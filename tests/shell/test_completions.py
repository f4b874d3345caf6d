"""The tab key completes commands, options and ids in every shell, with the code that `tacit install` loads."""

from __future__ import annotations

import re

from harness.desk import Desk
from harness.shell_terminal import Terminal

_COMPLETION_SYSTEM = "autoload -Uz compinit; compinit -u\n"


def opened(desk: Desk) -> Terminal:
    desk.write(before=_COMPLETION_SYSTEM if desk.shell == "zsh" else "")
    return desk.open()


def shown(terminal: Terminal, keys: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", terminal.keys(keys))


def test_tab_completes_commands_and_options(desk: Desk) -> None:
    assert "usage: tacit uninstall TARGET" in shown(opened(desk), " tacit unin\t--hel\t\n")


def test_tab_completes_the_id_of_a_memory(desk: Desk) -> None:
    desk.person.tacit("add", "the staging database is reset on Mondays", "--global")
    start = desk.person.id_of("the staging database is reset on Mondays")[:2]
    assert re.search(rf"\[{start}\w+\] the staging database", shown(opened(desk), f" tacit show {start}\t\n"))


def test_zsh_may_load_its_completion_system_later(desk: Desk) -> None:
    if desk.shell == "zsh":
        desk.write(after=_COMPLETION_SYSTEM)
        assert "usage: tacit uninstall TARGET" in shown(desk.open(), " tacit unin\t--hel\t\n")
