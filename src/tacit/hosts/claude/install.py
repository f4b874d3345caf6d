"""Claude Code: `settings.json` in `$CLAUDE_CONFIG_DIR`, else in `~/.claude`; servers in `.claude.json`."""

from __future__ import annotations

import os

from tacit.hosts.claude.hook import HOST
from tacit.hosts.registration import agent_target, hook_command, server_value
from tacit.install.change import Part
from tacit.install.json_entries import Entry, Server, Wanted, json_part, setting_in
from tacit.install.target import Place


def _entries(place: Place) -> tuple[Entry, ...]:
    return tuple(
        Entry(
            hook.event,
            {"type": "command", "command": hook_command(place, HOST, hook), "timeout": hook.timeout},
            hook.matcher,
        )
        for hook in HOST.hooks
    )


def _settings(place: Place) -> str:
    return os.path.join(place.variable("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")


def _doubt(place: Place) -> str:
    is_off = setting_in(_settings(place), ("disableAllHooks",)) is True
    return 'No hook runs while your settings say "disableAllHooks": true.' if is_off else ""


def parts(place: Place) -> tuple[Part, ...]:
    servers = os.path.join(place.environment.get("CLAUDE_CONFIG_DIR") or place.folder, ".claude.json")
    server = Server(("mcpServers", "tacit"), {"type": "stdio", **server_value(place)})
    return (
        json_part(_settings(place), Wanted(entries=_entries(place))),
        json_part(servers, Wanted(server=server, is_server_new=place.mcp)),
    )


TARGET = agent_target("claude", parts, "It begins with the next session of Claude Code; /hooks there lists it.", _doubt)
