"""Snippets that shells load, and the start files they are put into."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable

from tacit.errors import RefusedError
from tacit.install.change import FileChange, read_content
from tacit.install.target import InstallContext, Target
from tacit.install.text_block import with_block, without_block
from tacit.record import Record

# What to say where a shell without the snippet was expected to have it.


def snippet_not_loaded(verb: str) -> RefusedError:
    return RefusedError(
        f"this shell has not loaded Tacit, so there is nothing to {verb} here",
        f'eval "$(tacit hook bash)" (or zsh; for fish: tacit hook fish | source), then: tacit {verb}',
    )


# The text that a shell loads: a file of `snippets/` with the recorder of this very installation in it.

_PACKAGE_FOLDER = os.path.dirname(os.path.abspath(__file__))
_RECORD_SCRIPT = os.path.join(os.path.dirname(_PACKAGE_FOLDER), "hooks", "record.py")
# What stands in a snippet for what only this process can know.
_RECORDER_PLACEHOLDER, _BOOT_TIME_PLACEHOLDER = "@RECORDER@", "@BOOTED@"


class ShellSnippet(Record):
    """A shell that can be captured from: its snippet, and how it quotes a word."""

    name: str
    file: str
    quote: Callable[[str], str]


def _quote_for_fish(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS = {
    "bash": ShellSnippet("bash", "bash.sh", shlex.quote),
    "zsh": ShellSnippet("zsh", "zsh.zsh", shlex.quote),
    "fish": ShellSnippet("fish", "fish.fish", _quote_for_fish),
}


def recorder_argv() -> list[str]:
    """The command that takes a record: this interpreter without its packages, and one file."""
    return [sys.executable, "-I", "-S", _RECORD_SCRIPT]


def render_snippet(shell: ShellSnippet) -> str:
    with open(os.path.join(_PACKAGE_FOLDER, "snippets", shell.file), encoding="utf-8") as file:
        text = file.read()
    return text.replace(_RECORDER_PLACEHOLDER, " ".join(map(shell.quote, recorder_argv()))).replace(
        _BOOT_TIME_PLACEHOLDER, _boot_time()
    )


def _boot_time() -> str:
    """When this machine was started, in microseconds, by the clock of /proc/uptime; nothing where there is none."""
    try:
        return str(int((time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)) * 1_000_000))
    except (AttributeError, OSError):
        return ""


# bash: `~/.bashrc`.


def _bash_rc_path(place: InstallContext) -> str:
    return os.path.join(place.user_folder, ".bashrc")


def _bash_rc_lines(place: InstallContext) -> str:
    first, program = shlex.quote(place.program[0]), shlex.join(place.program)
    return f'if [ -x {first} ]; then eval "$({program} hook bash 2>/dev/null)"; fi\n'


def plan_bash_install(place: InstallContext) -> tuple[FileChange, ...]:
    before = read_content(_bash_rc_path(place))
    return (FileChange(_bash_rc_path(place), before, with_block(before, "bash", _bash_rc_lines(place))),)


def plan_bash_removal(place: InstallContext) -> tuple[FileChange, ...]:
    before = read_content(_bash_rc_path(place))
    return (FileChange(_bash_rc_path(place), before, without_block(before, "bash")),)


BASH = Target(
    "bash", plan_bash_install, plan_bash_removal, "It begins in the next bash you start, or here with: exec bash"
)


# fish: `fish/config.fish` in `$XDG_CONFIG_HOME`, else in `~/.config`.


def _fish_config_path(place: InstallContext) -> str:
    return os.path.join(place.config_folder("XDG_CONFIG_HOME", ".config"), "fish", "config.fish")


def _fish_config_lines(place: InstallContext) -> str:
    program = " ".join(map(SHELLS["fish"].quote, place.program))
    first = SHELLS["fish"].quote(place.program[0])
    return f"if test -x {first}\n    {program} hook fish 2>/dev/null | source\nend\n"


def plan_fish_install(place: InstallContext) -> tuple[FileChange, ...]:
    before = read_content(_fish_config_path(place))
    return (FileChange(_fish_config_path(place), before, with_block(before, "fish", _fish_config_lines(place))),)


def plan_fish_removal(place: InstallContext) -> tuple[FileChange, ...]:
    before = read_content(_fish_config_path(place))
    return (FileChange(_fish_config_path(place), before, without_block(before, "fish")),)


FISH = Target(
    "fish", plan_fish_install, plan_fish_removal, "It begins in the next fish you start, or here with: exec fish"
)


# zsh: `.zshrc` in `$ZDOTDIR`, else in the home folder.


def _zsh_rc_path(place: InstallContext) -> str:
    return os.path.join(place.environment.get("ZDOTDIR") or place.user_folder, ".zshrc")


def _zsh_rc_lines(place: InstallContext) -> str:
    first, program = shlex.quote(place.program[0]), shlex.join(place.program)
    return f'if [ -x {first} ]; then eval "$({program} hook zsh 2>/dev/null)"; fi\n'


def plan_zsh_install(place: InstallContext) -> tuple[FileChange, ...]:
    before = read_content(_zsh_rc_path(place))
    return (FileChange(_zsh_rc_path(place), before, with_block(before, "zsh", _zsh_rc_lines(place))),)


def plan_zsh_removal(place: InstallContext) -> tuple[FileChange, ...]:
    before = read_content(_zsh_rc_path(place))
    return (FileChange(_zsh_rc_path(place), before, without_block(before, "zsh")),)


ZSH = Target("zsh", plan_zsh_install, plan_zsh_removal, "It begins in the next zsh you start, or here with: exec zsh")
