"""What is registered with the hosts: hook commands, the MCP server and the skill, as targets of `tacit install`.

A registered command outlives the installation that wrote it: a package is uninstalled, a clone is moved, Python is
upgraded. Hosts take a command that cannot run for a refusal of the prompt or the tool call. So a shell runs it:
whatever happened to the program, the shell exits with 0 and prints no error.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from functools import partial

from tacit.errors import TacitError
from tacit.hosts import HOSTS, INJECT_KINDS, Hook, HookKind
from tacit.hosts.obstacles import claude_obstacle, codex_obstacle, gemini_obstacle
from tacit.hosts.skill import plan_skill_install, plan_skill_removal
from tacit.hosts.tool_calls import GUARD_HOOKS
from tacit.install import ConfigFile, FileChange, InstallContext, Target, owned_file, read_receipts
from tacit.install.entries import (
    DesiredConfig,
    HookEntry,
    McpServerEntry,
    json_config_file,
    toml_config_file,
)
from tacit.record import Record

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_HOOK_SCRIPT = os.path.join(os.path.dirname(_FOLDER), "hooks", "agent.py")
# If the program does not read its input, `cat` does: a host may fail on a broken pipe.
GUARD = '{ "$0" "$@" || cat >/dev/null; } 2>/dev/null || :'
GUARD_FILE = (".tacit", "guard.json")  # in a home, if the person switched a guard on
_SHELL = "/bin/sh"  # fish would report a missing program itself, whatever is redirected
_GROUPED = DesiredConfig()  # as Claude Code and Codex write hooks
_UNQUOTED_WORD = re.compile(r"[A-Za-z0-9_./:@+,-]+")


def hook_argv(context: InstallContext, host: str, hook: Hook) -> list[str]:
    """Return the command of a hook without the shell: this interpreter, without site packages, and one file."""
    return [context.interpreter, "-I", "-S", _HOOK_SCRIPT, host, hook_verb(hook), hook.event, *context.home_options]


def hook_verb(hook: Hook) -> str:
    """Return what the program is told to do at a hook."""
    verbs = {**dict.fromkeys(INJECT_KINDS, "inject"), HookKind.CALL: "call", HookKind.TOOL: "guard"}
    return verbs.get(hook.kind, "capture")


def hook_command(context: InstallContext, host: str, hook: Hook) -> str:
    """Return the guarded command of a hook as one line that sh, bash, zsh and fish read alike."""
    return " ".join(map(quote_word, [_SHELL, "-c", GUARD, *hook_argv(context, host, hook)]))


def quote_word(word: str) -> str:
    """Quote a word for POSIX shells and fish, which differ in what a backslash means between single quotes."""
    if _UNQUOTED_WORD.fullmatch(word):
        return word
    pieces = re.findall(r"[^'\\]+|['\\]", word)
    quoted = {"'": '"\'"', "\\": r'"\\"'}
    return "".join(quoted.get(piece, f"'{piece}'") for piece in pieces) or "''"


def registered_hooks(context: InstallContext, host: str) -> tuple[Hook, ...]:
    """Return the hooks of a host; with the one before tool calls only if the person switched a guard on."""
    guard, hooks = GUARD_HOOKS.get(host), HOSTS[host].hooks
    return (*hooks, guard) if guard and os.path.lexists(os.path.join(context.home, *GUARD_FILE)) else hooks


# What is changed for each host


class _HostPlan(Record):
    """The files of a host in which Tacit has entries, and what tells why it does not run hooks, "" if it does."""

    files: tuple[ConfigFile, ...]
    obstacle: Callable[[], str] = str


def _hooks_file(path: str, context: InstallContext, host: str, form: DesiredConfig = _GROUPED) -> ConfigFile:
    """Return the file with the hooks of a host, as the host writes them."""
    entries = []
    for hook in registered_hooks(context, host):
        command, timeout = hook_command(context, host, hook), hook.timeout
        match host:
            case "gemini":
                value = {"type": "command", "name": "tacit", "command": command, "timeout": timeout * 1000}
            case "cursor":
                value = {"command": command, "timeout": timeout}
            case "copilot":
                value = {"type": "command", "bash": command, "timeoutSec": timeout}
            case _:
                value = {"type": "command", "command": command, "timeout": timeout}
        entries.append(HookEntry(hook.event, value, hook.matcher))
    return json_config_file(path, form._replace(entries=tuple(entries)))


def _server_file(path: str, context: InstallContext, server: McpServerEntry) -> ConfigFile:
    return json_config_file(path, DesiredConfig(server=server, may_add_server=context.mcp))


def _server(context: InstallContext, **others: object) -> McpServerEntry:
    """Return the MCP server in the form that most hosts use."""
    command, *arguments = context.server_argv
    return McpServerEntry(("mcpServers", "tacit"), {**others, "command": command, "args": arguments})


def _plan_claude(context: InstallContext) -> _HostPlan:
    settings = os.path.join(context.config_folder("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")
    servers = os.path.join(context.environment.get("CLAUDE_CONFIG_DIR") or context.user_folder, ".claude.json")
    # Without a person to ask, Claude Code refuses every tool of a server that nobody has allowed.
    form = DesiredConfig(permission="mcp__tacit", may_add_server=context.mcp)
    files = (
        _hooks_file(settings, context, "claude", form),
        _server_file(servers, context, _server(context, type="stdio")),
    )
    return _HostPlan(files, partial(claude_obstacle, settings))


def _plan_codex(context: InstallContext) -> _HostPlan:
    folder = context.config_folder("CODEX_HOME", ".codex")
    hooks, config = os.path.join(folder, "hooks.json"), os.path.join(folder, "config.toml")
    server = toml_config_file(config, context.server_argv, is_new=context.mcp)
    return _HostPlan((_hooks_file(hooks, context, "codex"), server), partial(codex_obstacle, hooks, config))


def _plan_gemini(context: InstallContext) -> _HostPlan:
    settings = os.path.join(context.config_folder("GEMINI_CLI_HOME", ""), ".gemini", "settings.json")
    form = DesiredConfig(server=_server(context), may_add_server=context.mcp)
    file = _hooks_file(settings, context, "gemini", form)
    return _HostPlan((file,), partial(gemini_obstacle, settings, context.environment))


def _plan_cursor(context: InstallContext) -> _HostPlan:
    folder, form = os.path.join(context.user_folder, ".cursor"), DesiredConfig(is_grouped=False, version=1)
    hooks = _hooks_file(os.path.join(folder, "hooks.json"), context, "cursor", form)
    return _HostPlan((hooks, _server_file(os.path.join(folder, "mcp.json"), context, _server(context))))


def _plan_opencode(context: InstallContext) -> _HostPlan:
    folder = os.path.join(context.config_folder("XDG_CONFIG_HOME", ".config"), "opencode")
    settings = os.path.join(folder, "opencode.jsonc")
    settings = settings if os.path.exists(settings) else settings.removesuffix("c")
    server = McpServerEntry(("mcp", "tacit"), {"type": "local", "command": context.server_argv, "enabled": True})
    with open(os.path.join(_FOLDER, "opencode_plugin.js"), encoding="utf-8") as file:
        plugin = file.read()
    hooks = registered_hooks(context, "opencode")
    commands = {hook.event: hook_argv(context, "opencode", hook) for hook in hooks}
    plugin = plugin.replace("@COMMANDS@", json.dumps(commands, indent=2))
    plugin = plugin.replace("@TIMEOUTS@", json.dumps({hook.event: hook.timeout * 1000 for hook in hooks}))
    plugin_file = owned_file(os.path.join(folder, "plugins", "tacit.js"), plugin)
    return _HostPlan((plugin_file, _server_file(settings, context, server)))


def _plan_copilot(context: InstallContext) -> _HostPlan:
    folder = context.config_folder("COPILOT_HOME", ".copilot")
    form = DesiredConfig(is_grouped=False, version=1, is_owned=True)
    hooks = _hooks_file(os.path.join(folder, "hooks", "tacit.json"), context, "copilot", form)
    server = McpServerEntry(("mcpServers", "tacit"), {**_server(context, type="local").value, "tools": ["*"]})
    return _HostPlan((hooks, _server_file(os.path.join(folder, "mcp-config.json"), context, server)))


_PLANS: dict[str, tuple[Callable[[InstallContext], _HostPlan], str]] = {
    "claude": (_plan_claude, "It begins with the next session of Claude Code; /hooks there lists it."),
    "codex": (
        _plan_codex,
        "It begins when you have reviewed its hooks in Codex, which wants that again after a change.",
    ),
    "gemini": (_plan_gemini, "It begins with the next gemini you start; /hooks panel there lists it."),
    "cursor": (_plan_cursor, "Restart Cursor; its settings list it under Hooks."),
    "opencode": (_plan_opencode, "It begins with the next opencode you start."),
    "copilot": (_plan_copilot, "It begins with the next copilot you start, in every folder you trust there."),
}


# Targets

# The folder that a host makes for itself: the variable that names it, its default below the user's folder, and a part.
_FOLDERS = {
    "claude": ("CLAUDE_CONFIG_DIR", ".claude", ""),
    "codex": ("CODEX_HOME", ".codex", ""),
    "gemini": ("GEMINI_CLI_HOME", "", ".gemini"),
    "cursor": ("", ".cursor", ""),
    "opencode": ("XDG_CONFIG_HOME", ".config", "opencode"),
    "copilot": ("COPILOT_HOME", ".copilot", ""),
}


def host_folder(host: str, context: InstallContext) -> str:
    """Return the folder that a host makes for itself: where it exists, somebody uses the host."""
    variable, default, part = _FOLDERS[host]
    return os.path.join(context.config_folder(variable, default), part)


def host_files(host: str, context: InstallContext) -> tuple[ConfigFile, ...]:
    """Return the files of a host in which Tacit has entries."""
    return _PLANS[host][0](context).files


def _agent_target(name: str) -> Target:
    """Return the target of a host: its files, and the skill if the host reads one."""

    def plan_install(context: InstallContext) -> tuple[FileChange, ...]:
        receipts = read_receipts(context.home, name)
        entries = (file.plan_install(receipts.get(file.path)) for file in host_files(name, context))
        return (*entries, *plan_skill_install(name, context))

    def plan_removal(context: InstallContext) -> tuple[FileChange, ...]:
        receipts = read_receipts(context.home, name)
        entries = (file.plan_removal(receipts.get(file.path)) for file in host_files(name, context))

        def is_installed(host: str) -> bool:
            try:
                return any(file.plan_removal(None).is_needed for file in host_files(host, context))
            except (TacitError, OSError):  # what cannot be read may have our entries
                return True

        return (*entries, *plan_skill_removal(name, context, is_installed))

    plan, next_step = _PLANS[name]
    return Target(name, plan_install, plan_removal, next_step, True, lambda context: plan(context).obstacle())


AGENT_TARGETS = {name: _agent_target(name) for name in _PLANS}
