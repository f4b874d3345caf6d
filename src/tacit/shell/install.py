"""Capture in shells: the snippet that a shell loads, and the start file from which it does."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable

from tacit.errors import RefusedError
from tacit.install.change import (
    FileChange,
    InstallContext,
    Target,
    install_markers,
    read_content,
    with_block,
    without_block,
)
from tacit.record import Record

_PACKAGE_FOLDER = os.path.dirname(os.path.abspath(__file__))
_RECORD_SCRIPT = os.path.join(os.path.dirname(_PACKAGE_FOLDER), "hooks", "record.py")
_RECORDER_PLACEHOLDER, _BOOT_TIME_PLACEHOLDER = "@RECORDER@", "@BOOTED@"


class ShellSnippet(Record):
    """A shell that can be captured from: the file of its snippet, and how it quotes a word."""

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
    """Return the command that records a command: this interpreter, without site packages, and one file."""
    return [sys.executable, "-I", "-S", _RECORD_SCRIPT]


def render_snippet(shell: ShellSnippet) -> str:
    """Return the snippet with the recorder of this installation. Completion is not part of it."""
    with open(os.path.join(_PACKAGE_FOLDER, "snippets", shell.file), encoding="utf-8") as file:
        text = file.read()
    recorder = " ".join(map(shell.quote, recorder_argv()))
    return text.replace(_RECORDER_PLACEHOLDER, recorder).replace(_BOOT_TIME_PLACEHOLDER, _boot_time())


def completion_script(shell: ShellSnippet) -> str:
    """Return the code with which a shell completes the words of a `tacit` command."""
    with open(os.path.join(_PACKAGE_FOLDER, "completions", shell.file), encoding="utf-8") as file:
        return file.read()


def _boot_time() -> str:
    """Return when the machine was booted, in microseconds, by the clock of /proc/uptime. "" without such a clock."""
    try:
        return str(int((time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)) * 1_000_000))
    except (AttributeError, OSError):
        return ""


def snippet_not_loaded(verb: str) -> RefusedError:
    """Return the error for a command that works only in a shell with the snippet."""
    return RefusedError(
        f"this shell has not loaded Tacit, so there is nothing to {verb} here",
        f'eval "$(tacit hook bash)" (or zsh; for fish: tacit hook fish | source), then: tacit {verb}',
    )


# Start files


def _start_file(shell: str, context: InstallContext) -> str:
    match shell:
        case "bash":
            return os.path.join(context.user_folder, ".bashrc")
        case "zsh":
            return os.path.join(context.environment.get("ZDOTDIR") or context.user_folder, ".zshrc")
    return os.path.join(context.config_folder("XDG_CONFIG_HOME", ".config"), "fish", "config.fish")


def _start_lines(shell: str, context: InstallContext) -> str:
    """Return the lines that load the snippet, if the program is still there."""
    quoted = list(map(SHELLS[shell].quote, context.program))
    executable, program = quoted[0], " ".join(quoted)
    if shell == "fish":
        return f"if test -x {executable}\n    {program} hook fish 2>/dev/null | source\nend\n"
    return f'if [ -x {executable} ]; then eval "$({program} hook {shell} 2>/dev/null)"; fi\n'


def _shell_target(shell: str) -> Target:
    def plan_install(context: InstallContext) -> tuple[FileChange, ...]:
        path = _start_file(shell, context)
        before = read_content(path)
        return (FileChange(path, before, with_block(before, install_markers(shell), _start_lines(shell, context))),)

    def plan_removal(context: InstallContext) -> tuple[FileChange, ...]:
        path = _start_file(shell, context)
        before = read_content(path)
        return (FileChange(path, before, without_block(before, install_markers(shell))),)

    next_step = f"It begins in the next {shell} you start, or here with: exec {shell}"
    return Target(shell, plan_install, plan_removal, next_step)


BASH, ZSH, FISH = map(_shell_target, SHELLS)
