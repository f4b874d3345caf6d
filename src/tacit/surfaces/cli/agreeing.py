"""Changing files of somebody else's: show it, ask for it, do it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from tacit.core.errors import Refused
from tacit.surfaces.cli.asking import agreed
from tacit.surfaces.cli.command import Call
from tacit.surfaces.cli.words import say
from tacit.surfaces.install.change import Change, check, make


def changes_agreed(call: Call, changes: Sequence[Change], first: Callable[[], None] = lambda: None) -> bool:
    """Make the changes if the person wants them: they said so already, or they are asked at the terminal.

    `first` is done before the first one.
    """
    needed = [change for change in changes if change.is_needed]
    for change in needed:
        check(change)
    for line in (line for change in needed for line in change.lines()):
        say(line)
    if not _is_agreed(call, "Change this file?" if len(needed) == 1 else "Change these files?"):
        return False
    first()
    for change in needed:
        make(change)
    return True


def _is_agreed(call: Call, question: str) -> bool:
    if call.flag("--yes"):
        return True
    if not sys.stdin.isatty():
        raise Refused(
            "nothing was changed: there is no terminal to ask on", f"tacit {call.command.name} {_typed(call)} --yes"
        )
    if not agreed(question):
        say("Nothing was changed.")
        return False
    return True


def _typed(call: Call) -> str:
    """The words and flags that were given."""
    return " ".join([*call.words, *(name for name, values in call.values.items() if values == [""])])
