"""Capture in shells: the snippet that a shell loads, and the start file from which it does."""

from __future__ import annotations

import os
import re
import shlex
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from tacit.errors import RefusedError, TacitError
from tacit.home.paths import find_home
from tacit.home.settings import read_settings, settings_text
from tacit.install import FileChange, InstallContext, Target, install_markers, read_content, with_block, without_block
from tacit.record import Record

_PACKAGE_FOLDER = os.path.dirname(os.path.abspath(__file__))
_RECORD_SCRIPT = os.path.join(os.path.dirname(_PACKAGE_FOLDER), "hooks", "record.py")
_RECORDER_PLACEHOLDER, _BOOT_TIME_PLACEHOLDER = "@RECORDER@", "@BOOTED@"
SUGGESTED_KEY = "alt-i"  # for `shell.key`: none of the shells binds it, nor do Atuin, fzf and Oh My Zsh


class ShellSnippet(Record):
    """A shell that can be captured from: the file of its snippet, and how it quotes a word.

    `alt` and `ctrl` are how it writes these keys. A key with Alt begins with Escape, which ends the input mode of vi:
    it is bound in the first of the `keymaps` alone.
    """

    name: str
    file: str
    quote: Callable[[str], str]
    alt: str
    ctrl: str
    keymaps: tuple[str, ...]


def _quote_for_fish(word: str) -> str:
    return "'" + re.sub(r"['\\]", r"\\\g<0>", word) + "'"


SHELLS = {
    "bash": ShellSnippet("bash", "bash.sh", shlex.quote, r"\e", r"\C-", ("emacs-standard", "vi-insert", "vi-command")),
    "zsh": ShellSnippet("zsh", "zsh.zsh", shlex.quote, "^[", "^", ("emacs", "viins", "vicmd")),
    "fish": ShellSnippet("fish", "fish.fish", _quote_for_fish, r"\e", r"\c", ("default", "insert")),
}


def recorder_argv() -> list[str]:
    """Return the command that records a command: this interpreter, without site packages, and one file."""
    return [sys.executable, "-I", "-S", _RECORD_SCRIPT]


def render_snippet(shell: ShellSnippet) -> str:
    """Return the snippet with the recorder of this installation. Completion is not part of it."""
    with open(os.path.join(_PACKAGE_FOLDER, "snippets", shell.file), encoding="utf-8") as file:
        text = file.read()
    recorder, booted = " ".join(map(shell.quote, recorder_argv())), ""
    with suppress(AttributeError, OSError):  # when the machine was booted, by the clock of /proc/uptime if there is one
        booted = str(int((time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)) * 1_000_000))
    return text.replace(_RECORDER_PLACEHOLDER, recorder).replace(_BOOT_TIME_PLACEHOLDER, booted)


def chosen_key(home: str | None, environment: Mapping[str, str]) -> str:
    """Return the setting `shell.key`, "" if the settings cannot be read: a shell starts all the same."""
    try:
        path = find_home(home, environment).settings
        lines = (line for line in settings_text(path).splitlines() if not line.lstrip().startswith("#"))
        if not any("key" in line for line in lines):  # most files: the parser need not be imported
            return ""
        return read_settings(path, environment).shell_key
    except (TacitError, OSError):
        return ""


def key_script(shell: ShellSnippet, key: str, home: str | None = None) -> str:
    """Return the code that binds a key, such as `alt-i`, to `tacit pick`."""
    modifier, _, char = key.partition("-")
    with open(os.path.join(_PACKAGE_FOLDER, "keys", shell.file), encoding="utf-8") as file:
        text = file.read()
    # A module of that name in the current folder must not take its place.
    argv = [sys.executable, "-P", "-m", "tacit", "pick", "--query", "-", *(["--home", home] if home else [])]
    keymaps = shell.keymaps[:1] if modifier == "alt" else shell.keymaps
    key = (shell.alt if modifier == "alt" else shell.ctrl) + char
    text = text.replace("@PICKER@", " ".join(map(shell.quote, argv)))
    return text.replace("@KEYMAPS@", " ".join(keymaps)).replace("@KEY@", key)


def completion_script(shell: ShellSnippet) -> str:
    """Return the code with which a shell completes the words of a `tacit` command."""
    with open(os.path.join(_PACKAGE_FOLDER, "completions", shell.file), encoding="utf-8") as file:
        return file.read()


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


def _shell_target(shell: str) -> Target:
    markers = install_markers(shell)

    def plan_install(context: InstallContext) -> tuple[FileChange, ...]:
        quoted = list(map(SHELLS[shell].quote, context.program))
        executable, program = quoted[0], " ".join(quoted)
        lines = f'if [ -x {executable} ]; then eval "$({program} hook {shell} 2>/dev/null)"; fi\n'
        if shell == "fish":
            lines = f"if test -x {executable}\n    {program} hook fish 2>/dev/null | source\nend\n"
        before = read_content(path := _start_file(shell, context))
        return (FileChange(path, before, with_block(before, markers, lines)),)

    def plan_removal(context: InstallContext) -> tuple[FileChange, ...]:
        before = read_content(path := _start_file(shell, context))
        return (FileChange(path, before, without_block(before, markers)),)

    next_step = f"It begins in the next {shell} you start, or here with: exec {shell}"
    return Target(shell, plan_install, plan_removal, next_step)


BASH, ZSH, FISH = map(_shell_target, SHELLS)
