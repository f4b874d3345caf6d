"""Copilot CLI: a file of our own in `hooks/` of `$COPILOT_HOME`, else of `~/.copilot`; servers in `mcp-config.json`."""

from __future__ import annotations

import os

from tacit.hosts.copilot.hook import HOST
from tacit.hosts.registration import agent_target, hook_command, server_value
from tacit.install.change import Part
from tacit.install.json_entries import Entry, Server, Wanted, json_part
from tacit.install.target import Place


def _entries(place: Place) -> tuple[Entry, ...]:
    return tuple(
        Entry(
            hook.event,
            {"type": "command", "bash": hook_command(place, HOST, hook), "timeoutSec": hook.timeout},
        )
        for hook in HOST.hooks
    )


def parts(place: Place) -> tuple[Part, ...]:
    folder = place.variable("COPILOT_HOME", ".copilot")
    server = Server(("mcpServers", "tacit"), {"type": "local", **server_value(place), "tools": ["*"]})
    hooks = Wanted(entries=_entries(place), in_groups=False, version=1, is_owned=True)
    return (
        json_part(os.path.join(folder, "hooks", "tacit.json"), hooks),
        json_part(os.path.join(folder, "mcp-config.json"), Wanted(server=server, is_server_new=place.mcp)),
    )


TARGET = agent_target("copilot", parts, "It begins with the next copilot you start, in every folder you trust there.")
