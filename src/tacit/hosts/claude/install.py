"""Claude Code: `settings.json` in `$CLAUDE_CONFIG_DIR`, else in `~/.claude`; servers in `.claude.json`."""

from __future__ import annotations

import os

from tacit.hosts.claude import HOST
from tacit.hosts.registration import agent_target, command_hook_json, hook_entries, server_entry
from tacit.install.change import ConfigFile, InstallContext
from tacit.install.json_entries import DesiredConfig, McpServerEntry, json_config_file, read_setting


def _settings_path(context: InstallContext) -> str:
    return os.path.join(context.config_folder("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")


def _hooks_off_warning(context: InstallContext) -> str:
    is_off = read_setting(_settings_path(context), ("disableAllHooks",)) is True
    return 'No hook runs while your settings say "disableAllHooks": true.' if is_off else ""


def claude_files(context: InstallContext) -> tuple[ConfigFile, ...]:
    servers = os.path.join(context.environment.get("CLAUDE_CONFIG_DIR") or context.user_folder, ".claude.json")
    server = McpServerEntry(("mcpServers", "tacit"), {"type": "stdio", **server_entry(context)})
    return (
        json_config_file(
            _settings_path(context), DesiredConfig(entries=hook_entries(context, HOST, command_hook_json))
        ),
        json_config_file(servers, DesiredConfig(server=server, may_add_server=context.mcp)),
    )


TARGET = agent_target(
    "claude", claude_files, "It begins with the next session of Claude Code; /hooks there lists it.", _hooks_off_warning
)
