"""Claude Code: `settings.json` in `$CLAUDE_CONFIG_DIR`, else in `~/.claude`; servers in `.claude.json`."""

from __future__ import annotations

import os

from tacit.hosts.claude.hook import HOST
from tacit.hosts.registration import agent_target, hook_command, server_entry
from tacit.install.change import ConfigFile
from tacit.install.json_entries import DesiredConfig, HookEntry, McpServerEntry, json_config_file, read_setting
from tacit.install.target import InstallContext


def _claude_hook_entries(place: InstallContext) -> tuple[HookEntry, ...]:
    return tuple(
        HookEntry(
            hook.event,
            {"type": "command", "command": hook_command(place, HOST, hook), "timeout": hook.timeout},
            hook.matcher,
        )
        for hook in HOST.hooks
    )


def _settings_path(place: InstallContext) -> str:
    return os.path.join(place.config_folder("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")


def _hooks_off_warning(place: InstallContext) -> str:
    is_off = read_setting(_settings_path(place), ("disableAllHooks",)) is True
    return 'No hook runs while your settings say "disableAllHooks": true.' if is_off else ""


def claude_files(place: InstallContext) -> tuple[ConfigFile, ...]:
    servers = os.path.join(place.environment.get("CLAUDE_CONFIG_DIR") or place.user_folder, ".claude.json")
    server = McpServerEntry(("mcpServers", "tacit"), {"type": "stdio", **server_entry(place)})
    return (
        json_config_file(_settings_path(place), DesiredConfig(entries=_claude_hook_entries(place))),
        json_config_file(servers, DesiredConfig(server=server, may_add_server=place.mcp)),
    )


TARGET = agent_target(
    "claude", claude_files, "It begins with the next session of Claude Code; /hooks there lists it.", _hooks_off_warning
)
