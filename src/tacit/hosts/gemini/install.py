"""Gemini CLI: `~/.gemini/settings.json`, for hooks and servers. Its timeouts are in milliseconds."""

from __future__ import annotations

import os

from tacit.hosts.gemini.hook import HOST
from tacit.hosts.registration import agent_target, hook_command, server_entry
from tacit.install.change import ConfigFile
from tacit.install.json_entries import DesiredConfig, HookEntry, McpServerEntry, json_config_file, read_setting
from tacit.install.target import InstallContext


def _gemini_hook_entries(place: InstallContext) -> tuple[HookEntry, ...]:
    return tuple(
        HookEntry(
            hook.event,
            {
                "type": "command",
                "name": "tacit",
                "command": hook_command(place, HOST, hook),
                "timeout": hook.timeout * 1000,
            },
            hook.matcher,
        )
        for hook in HOST.hooks
    )


def _settings_path(place: InstallContext) -> str:
    return os.path.join(place.config_folder("GEMINI_CLI_HOME", ""), ".gemini", "settings.json")


def _hooks_off_warning(place: InstallContext) -> str:
    is_off = read_setting(_settings_path(place), ("hooksConfig", "enabled")) is False
    return 'No hook runs while your settings say "hooksConfig": {"enabled": false}.' if is_off else ""


def gemini_files(place: InstallContext) -> tuple[ConfigFile, ...]:
    server = McpServerEntry(("mcpServers", "tacit"), server_entry(place))
    return (
        json_config_file(
            _settings_path(place),
            DesiredConfig(entries=_gemini_hook_entries(place), server=server, may_add_server=place.mcp),
        ),
    )


TARGET = agent_target(
    "gemini", gemini_files, "It begins with the next gemini you start; /hooks panel there lists it.", _hooks_off_warning
)
