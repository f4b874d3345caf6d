"""Cursor: `~/.cursor/hooks.json`; servers in `mcp.json` beside it."""

from __future__ import annotations

import os

from tacit.hosts.cursor import HOST
from tacit.hosts.registration import agent_target, hook_entries, server_entry
from tacit.install.change import ConfigFile, InstallContext
from tacit.install.json_entries import DesiredConfig, McpServerEntry, json_config_file


def _hook_json(command: str, timeout: int) -> dict[str, object]:
    return {"command": command, "timeout": timeout}


def cursor_files(context: InstallContext) -> tuple[ConfigFile, ...]:
    folder = os.path.join(context.user_folder, ".cursor")
    server = McpServerEntry(("mcpServers", "tacit"), server_entry(context))
    return (
        json_config_file(
            os.path.join(folder, "hooks.json"),
            DesiredConfig(entries=hook_entries(context, HOST, _hook_json), is_grouped=False, version=1),
        ),
        json_config_file(os.path.join(folder, "mcp.json"), DesiredConfig(server=server, may_add_server=context.mcp)),
    )


TARGET = agent_target("cursor", cursor_files, "Restart Cursor; its settings list it under Hooks.")
