"""Snippets that shells load, and the start files they are put into."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable

from tacit.errors import Refused
from tacit.install.change import Change, bytes_of
from tacit.install.target import Place, Target
from tacit.install.text_block import with_block, without_block
from tacit.record import Record

# What to say where a shell without the snippet was expected to have it.


def no_snippet(verb: str) -> Refused:
    return Refused(
        f"this shell has not loaded Tacit, so there is nothing to {verb} here",
        f'eval "$(tacit hook bash)" (or zsh; for fish: tacit hook fish | source), then: tacit {verb}',
    )


# The text that a shell loads: a file of `snippets/` with the recorder of this very installation in it.

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_RECORD = os.path.join(os.path.dirname(_FOLDER), "hooks", "record.py")
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
    return [sys.executable, "-I", "-S", _RECORD]


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


# bash: `~/.bashrc`.


def _bash_file(place: Place) -> str:
    return os.path.join(place.folder, ".bashrc")


def _bash_lines(place: Place) -> str:
    first, program = shlex.quote(place.program[0]), shlex.join(place.program)
    return f'if [ -x {first} ]; then eval "$({program} hook bash 2>/dev/null)"; fi\n'


def bash_installed(place: Place) -> tuple[Change, ...]:
    before = bytes_of(_bash_file(place))
    return (Change(_bash_file(place), before, with_block(before, "bash", _bash_lines(place))),)


def bash_removed(place: Place) -> tuple[Change, ...]:
    before = bytes_of(_bash_file(place))
    return (Change(_bash_file(place), before, without_block(before, "bash")),)


BASH = Target("bash", bash_installed, bash_removed, "It begins in the next bash you start, or here with: exec bash")


# fish: `fish/config.fish` in `$XDG_CONFIG_HOME`, else in `~/.config`.


def _fish_file(place: Place) -> str:
    return os.path.join(place.variable("XDG_CONFIG_HOME", ".config"), "fish", "config.fish")


def _fish_lines(place: Place) -> str:
    program = " ".join(map(SHELLS["fish"].quote, place.program))
    first = SHELLS["fish"].quote(place.program[0])
    return f"if test -x {first}\n    {program} hook fish 2>/dev/null | source\nend\n"


def fish_installed(place: Place) -> tuple[Change, ...]:
    before = bytes_of(_fish_file(place))
    return (Change(_fish_file(place), before, with_block(before, "fish", _fish_lines(place))),)


def fish_removed(place: Place) -> tuple[Change, ...]:
    before = bytes_of(_fish_file(place))
    return (Change(_fish_file(place), before, without_block(before, "fish")),)


FISH = Target("fish", fish_installed, fish_removed, "It begins in the next fish you start, or here with: exec fish")


# zsh: `.zshrc` in `$ZDOTDIR`, else in the home folder.


def _zsh_file(place: Place) -> str:
    return os.path.join(place.environment.get("ZDOTDIR") or place.folder, ".zshrc")


def _zsh_lines(place: Place) -> str:
    first, program = shlex.quote(place.program[0]), shlex.join(place.program)
    return f'if [ -x {first} ]; then eval "$({program} hook zsh 2>/dev/null)"; fi\n'


def zsh_installed(place: Place) -> tuple[Change, ...]:
    before = bytes_of(_zsh_file(place))
    return (Change(_zsh_file(place), before, with_block(before, "zsh", _zsh_lines(place))),)


def zsh_removed(place: Place) -> tuple[Change, ...]:
    before = bytes_of(_zsh_file(place))
    return (Change(_zsh_file(place), before, without_block(before, "zsh")),)


ZSH = Target("zsh", zsh_installed, zsh_removed, "It begins in the next zsh you start, or here with: exec zsh")
