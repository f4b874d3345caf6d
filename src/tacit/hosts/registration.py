"""What is registered with a host: the command of a hook, the server, and the target that they make together.

The command of a hook outlives the installation that wrote it: a package is uninstalled, a clone is moved, a new Python
takes the place of an old one. Hosts take a command that cannot run for an answer, and refuse the prompt or the tool
call. So a shell stands between them: whatever happens to the program, it exits with 0 and prints no error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from tacit.hosts.protocol import Hook, HookKind, Host
from tacit.install.change import ConfigFile, FileChange, read_receipts
from tacit.install.target import InstallContext, Target

_HOOK_SCRIPT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hooks", "agent.py")
_INJECT_KINDS = (HookKind.START, HookKind.PROMPT)
# What the host has written is read to its end where the program does not do so: a host may fail at a broken pipe.
GUARD = '{ "$0" "$@" || cat >/dev/null; } 2>/dev/null || :'
_SHELL = "/bin/sh"  # fish, as a host's shell, would report a missing program by itself, whatever is redirected
_UNQUOTED_WORD = re.compile(r"[A-Za-z0-9_./:@+,-]+")


def hook_argv(place: InstallContext, host: Host, hook: Hook) -> list[str]:
    """The program alone: this interpreter without its packages, and one file."""
    verb = "inject" if hook.kind in _INJECT_KINDS else "capture"
    return [place.interpreter, "-I", "-S", _HOOK_SCRIPT, host.name, verb, hook.event, *place.home_options]


def hook_command(place: InstallContext, host: Host, hook: Hook) -> str:
    """The program behind the guard, as one line that sh, bash, zsh and fish understand alike."""
    return " ".join(map(quote_word, [_SHELL, "-c", GUARD, *hook_argv(place, host, hook)]))


def quote_word(word: str) -> str:
    """A word that POSIX shells and fish read alike: they differ in what a backslash means between single quotes."""
    if _UNQUOTED_WORD.fullmatch(word):
        return word
    pieces = re.findall(r"[^'\\]+|['\\]", word)
    marks = {"'": '"\'"', "\\": r'"\\"'}
    return "".join(marks.get(piece, f"'{piece}'") for piece in pieces) or "''"


def server_argv(place: InstallContext) -> list[str]:
    return [*place.program, "mcp", *place.home_options]


def server_entry(place: InstallContext, **more: object) -> dict[str, object]:
    """As most hosts spell it."""
    first, *rest = server_argv(place)
    return {"command": first, "args": rest, **more}


def agent_target(
    name: str,
    parts: Callable[[InstallContext], tuple[ConfigFile, ...]],
    afterwards: str,
    doubt: Callable[[InstallContext], str] = lambda _place: "",
) -> Target:
    def installed(place: InstallContext) -> tuple[FileChange, ...]:
        receipts = read_receipts(place.home, name)
        return tuple(part.plan_install(receipts.get(part.path)) for part in parts(place))

    def removed(place: InstallContext) -> tuple[FileChange, ...]:
        receipts = read_receipts(place.home, name)
        return tuple(part.plan_removal(receipts.get(part.path)) for part in parts(place))

    return Target(name, installed, removed, afterwards, is_agent=True, warning=doubt)
