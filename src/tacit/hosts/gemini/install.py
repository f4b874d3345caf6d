"""Gemini CLI: `~/.gemini/settings.json`, for hooks and servers. Its timeouts are in milliseconds."""

from __future__ import annotations

import os

from tacit.hosts.gemini import HOST
from tacit.hosts.registration import agent_target, hook_entries, server_entry
from tacit.install.change import ConfigFile, InstallContext
from tacit.install.json_entries import DesiredConfig, McpServerEntry, json_config_file, read_setting


def _hook_json(command: str, timeout: int) -> dict[str, object]:
    return {"type": "command", "name": "tacit", "command": command, "timeout": timeout * 1000}


def _settings_path(context: InstallContext) -> str:
    return os.path.join(context.config_folder("GEMINI_CLI_HOME", ""), ".gemini", "settings.json")


def _hooks_off_warning(context: InstallContext) -> str:
    is_off = read_setting(_settings_path(context), ("hooksConfig", "enabled")) is False
    return 'No hook runs while your settings say "hooksConfig": {"enabled": false}.' if is_off else ""


def gemini_files(context: InstallContext) -> tuple[ConfigFile, ...]:
    server = McpServerEntry(("mcpServers", "tacit"), server_entry(context))
    return (
        json_config_file(
            _settings_path(context),
            DesiredConfig(entries=hook_entries(context, HOST, _hook_json), server=server, may_add_server=context.mcp),
        ),
    )


TARGET = agent_target(
    "gemini", gemini_files, "It begins with the next gemini you start; /hooks panel there lists it.", _hooks_off_warning
)
