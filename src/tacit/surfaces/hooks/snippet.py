"""The text that a shell loads: a file of `snippets/` with the recorder of this very installation in it."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable

from tacit.record import Record

_FOLDER = os.path.dirname(os.path.abspath(__file__))
# What stands in a snippet for what only this process can know.
_RECORDER, _BOOTED = "@RECORDER@", "@BOOTED@"


class Shell(Record):
    """A shell that can be captured from: its snippet, and how it quotes a word."""

    name: str
    file: str
    quote: Callable[[str], str]


def _quoted_for_fish(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS = {
    "bash": Shell("bash", "bash.sh", shlex.quote),
    "zsh": Shell("zsh", "zsh.zsh", shlex.quote),
    "fish": Shell("fish", "fish.fish", _quoted_for_fish),
}


def recorder() -> list[str]:
    """The command that takes a record: this interpreter without its packages, and one file."""
    return [sys.executable, "-I", "-S", os.path.join(_FOLDER, "record.py")]


def snippet(shell: Shell) -> str:
    with open(os.path.join(_FOLDER, "snippets", shell.file), encoding="utf-8") as file:
        text = file.read()
    return text.replace(_RECORDER, " ".join(map(shell.quote, recorder()))).replace(_BOOTED, _booted())


def _booted() -> str:
    """When this machine was started, in microseconds, by the clock of /proc/uptime; nothing where there is none."""
    try:
        return str(int((time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)) * 1_000_000))
    except (AttributeError, OSError):
        return ""
