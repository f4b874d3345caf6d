"""Copilot CLI: a file of our own in `hooks/` of `$COPILOT_HOME`, else of `~/.copilot`; servers in `mcp-config.json`."""

from __future__ import annotations

import os

from tacit.hosts.copilot.hook import HOST
from tacit.hosts.registration import agent_target, hook_command, server_entry
from tacit.install.change import ConfigFile
from tacit.install.json_entries import DesiredConfig, HookEntry, McpServerEntry, json_config_file
from tacit.install.target import InstallContext


def _copilot_hook_entries(place: InstallContext) -> tuple[HookEntry, ...]:
    return tuple(
        HookEntry(
            hook.event,
            {"type": "command", "bash": hook_command(place, HOST, hook), "timeoutSec": hook.timeout},
        )
        for hook in HOST.hooks
    )


def copilot_files(place: InstallContext) -> tuple[ConfigFile, ...]:
    folder = place.config_folder("COPILOT_HOME", ".copilot")
    server = McpServerEntry(("mcpServers", "tacit"), {"type": "local", **server_entry(place), "tools": ["*"]})
    hooks = DesiredConfig(entries=_copilot_hook_entries(place), is_grouped=False, version=1, is_owned=True)
    return (
        json_config_file(os.path.join(folder, "hooks", "tacit.json"), hooks),
        json_config_file(
            os.path.join(folder, "mcp-config.json"), DesiredConfig(server=server, may_add_server=place.mcp)
        ),
    )


TARGET = agent_target(
    "copilot", copilot_files, "It begins with the next copilot you start, in every folder you trust there."
)
