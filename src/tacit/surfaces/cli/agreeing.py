"""Changing a file of somebody else's: show it, ask for it, do it."""

from __future__ import annotations

import sys

from tacit.core.errors import Refused
from tacit.surfaces.cli.asking import agreed
from tacit.surfaces.cli.command import Call
from tacit.surfaces.cli.words import say
from tacit.surfaces.install.change import Change, make


def change_agreed(call: Call, change: Change) -> bool:
    """Make the change if the person wants it: they said so already, or they are asked at the terminal."""
    for line in change.lines():
        say(line)
    if not call.flag("--yes"):
        if not sys.stdin.isatty():
            words = " ".join(call.words)
            raise Refused(
                "nothing was changed: there is no terminal to ask on", f"tacit {call.command.name} {words} --yes"
            )
        if not agreed("Change this file?"):
            say("Nothing was changed.")
            return False
    make(change)
    return True
