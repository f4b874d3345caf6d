"""Cursor: `~/.cursor/hooks.json`; servers in `mcp.json` beside it."""

from __future__ import annotations

import os

from tacit.hosts.cursor.hook import HOST
from tacit.hosts.registration import agent_target, hook_command, server_value
from tacit.install.change import Part
from tacit.install.json_entries import Entry, Server, Wanted, json_part
from tacit.install.target import Place


def _entries(place: Place) -> tuple[Entry, ...]:
    return tuple(
        Entry(hook.event, {"command": hook_command(place, HOST, hook), "timeout": hook.timeout}) for hook in HOST.hooks
    )


def parts(place: Place) -> tuple[Part, ...]:
    folder = os.path.join(place.folder, ".cursor")
    server = Server(("mcpServers", "tacit"), server_value(place))
    return (
        json_part(os.path.join(folder, "hooks.json"), Wanted(entries=_entries(place), in_groups=False, version=1)),
        json_part(os.path.join(folder, "mcp.json"), Wanted(server=server, is_server_new=place.mcp)),
    )


TARGET = agent_target("cursor", parts, "Restart Cursor; its settings list it under Hooks.")
