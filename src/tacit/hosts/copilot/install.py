"""Copilot CLI: our own file in `hooks/` of `$COPILOT_HOME`, else of `~/.copilot`; servers in `mcp-config.json`."""

from __future__ import annotations

import os

from tacit.hosts.copilot import HOST
from tacit.hosts.registration import agent_target, hook_entries, server_entry
from tacit.install.change import ConfigFile, InstallContext
from tacit.install.json_entries import DesiredConfig, McpServerEntry, json_config_file


def _hook_json(command: str, timeout: int) -> dict[str, object]:
    return {"type": "command", "bash": command, "timeoutSec": timeout}


def copilot_files(context: InstallContext) -> tuple[ConfigFile, ...]:
    folder = context.config_folder("COPILOT_HOME", ".copilot")
    server = McpServerEntry(("mcpServers", "tacit"), {"type": "local", **server_entry(context), "tools": ["*"]})
    hooks = DesiredConfig(entries=hook_entries(context, HOST, _hook_json), is_grouped=False, version=1, is_owned=True)
    return (
        json_config_file(os.path.join(folder, "hooks", "tacit.json"), hooks),
        json_config_file(
            os.path.join(folder, "mcp-config.json"), DesiredConfig(server=server, may_add_server=context.mcp)
        ),
    )


TARGET = agent_target(
    "copilot", copilot_files, "It begins with the next copilot you start, in every folder you trust there."
)
