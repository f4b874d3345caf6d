"""What is registered with a host: hook commands, the MCP server, and the target made of both and the skill.

A registered command outlives the installation that wrote it: a package is uninstalled, a clone is moved, Python is
upgraded. Hosts take a command that cannot run for a refusal of the prompt or the tool call. So a shell runs it:
whatever happened to the program, the shell exits with 0 and prints no error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from tacit.hosts.protocol import INJECT_KINDS, Hook, HookKind, Host
from tacit.hosts.skill import plan_skill_install, plan_skill_removal
from tacit.hosts.tool_calls import GUARD_HOOKS
from tacit.install.change import ConfigFile, FileChange, InstallContext, Target, read_receipts
from tacit.install.json_entries import HookEntry

_HOOK_SCRIPT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hooks", "agent.py")
# If the program does not read its input, `cat` does: a host may fail on a broken pipe.
GUARD = '{ "$0" "$@" || cat >/dev/null; } 2>/dev/null || :'
GUARD_FILE = (".tacit", "guard.json")  # in a home, if the person switched a guard on
_SHELL = "/bin/sh"  # fish would report a missing program itself, whatever is redirected
_UNQUOTED_WORD = re.compile(r"[A-Za-z0-9_./:@+,-]+")


def hook_argv(context: InstallContext, host: Host, hook: Hook) -> list[str]:
    """Return the command of a hook without the shell: this interpreter, without site packages, and one file."""
    verb = "inject" if hook.kind in INJECT_KINDS else "guard" if hook.kind is HookKind.TOOL else "capture"
    return [context.interpreter, "-I", "-S", _HOOK_SCRIPT, host.name, verb, hook.event, *context.home_options]


def hook_command(context: InstallContext, host: Host, hook: Hook) -> str:
    """Return the guarded command of a hook as one line that sh, bash, zsh and fish read alike."""
    return " ".join(map(quote_word, [_SHELL, "-c", GUARD, *hook_argv(context, host, hook)]))


def registered_hooks(context: InstallContext, host: Host) -> tuple[Hook, ...]:
    """Return the hooks of a host; with the one before tool calls only if the person switched a guard on."""
    guard = GUARD_HOOKS.get(host.name)
    has_guard = os.path.lexists(os.path.join(context.home, *GUARD_FILE))
    return (*host.hooks, guard) if guard and has_guard else host.hooks


def hook_entries(
    context: InstallContext, host: Host, render: Callable[[str, int], dict[str, object]]
) -> tuple[HookEntry, ...]:
    """Return an entry per hook. `render` makes the host's JSON of a command and its timeout in seconds."""
    return tuple(
        HookEntry(hook.event, render(hook_command(context, host, hook), hook.timeout), hook.matcher)
        for hook in registered_hooks(context, host)
    )


def command_hook_json(command: str, timeout: int) -> dict[str, object]:
    """Return a hook as Claude Code and Codex write it."""
    return {"type": "command", "command": command, "timeout": timeout}


def quote_word(word: str) -> str:
    """Quote a word for POSIX shells and fish, which differ in what a backslash means between single quotes."""
    if _UNQUOTED_WORD.fullmatch(word):
        return word
    pieces = re.findall(r"[^'\\]+|['\\]", word)
    quoted = {"'": '"\'"', "\\": r'"\\"'}
    return "".join(quoted.get(piece, f"'{piece}'") for piece in pieces) or "''"


def server_argv(context: InstallContext) -> list[str]:
    return [*context.program, "mcp", *context.home_options]


def server_entry(context: InstallContext) -> dict[str, object]:
    """Return the MCP server in the form that most hosts use."""
    command, *arguments = server_argv(context)
    return {"command": command, "args": arguments}


def agent_target(
    name: str,
    files: Callable[[InstallContext], tuple[ConfigFile, ...]],
    next_step: str,
    warning: Callable[[InstallContext], str] = lambda _context: "",
) -> Target:
    """Build the target of a host from the configuration files to change, and the skill if the host reads one."""

    def plan_install(context: InstallContext) -> tuple[FileChange, ...]:
        receipts = read_receipts(context.home, name)
        entries = (file.plan_install(receipts.get(file.path)) for file in files(context))
        return (*entries, *plan_skill_install(name, context))

    def plan_removal(context: InstallContext) -> tuple[FileChange, ...]:
        receipts = read_receipts(context.home, name)
        entries = (file.plan_removal(receipts.get(file.path)) for file in files(context))
        return (*entries, *plan_skill_removal(name, context))

    return Target(name, plan_install, plan_removal, next_step, is_agent=True, warning=warning)
