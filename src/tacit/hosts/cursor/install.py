"""Cursor: `~/.cursor/hooks.json`; servers in `mcp.json` beside it."""

from __future__ import annotations

import os

from tacit.hosts.cursor.hook import HOST
from tacit.hosts.registration import agent_target, hook_command, server_entry
from tacit.install.change import ConfigFile
from tacit.install.json_entries import DesiredConfig, HookEntry, McpServerEntry, json_config_file
from tacit.install.target import InstallContext


def _cursor_hook_entries(place: InstallContext) -> tuple[HookEntry, ...]:
    return tuple(
        HookEntry(hook.event, {"command": hook_command(place, HOST, hook), "timeout": hook.timeout})
        for hook in HOST.hooks
    )


def cursor_files(place: InstallContext) -> tuple[ConfigFile, ...]:
    folder = os.path.join(place.user_folder, ".cursor")
    server = McpServerEntry(("mcpServers", "tacit"), server_entry(place))
    return (
        json_config_file(
            os.path.join(folder, "hooks.json"),
            DesiredConfig(entries=_cursor_hook_entries(place), is_grouped=False, version=1),
        ),
        json_config_file(os.path.join(folder, "mcp.json"), DesiredConfig(server=server, may_add_server=place.mcp)),
    )


TARGET = agent_target("cursor", cursor_files, "Restart Cursor; its settings list it under Hooks.")
