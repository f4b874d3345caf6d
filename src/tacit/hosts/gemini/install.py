"""Gemini CLI: `~/.gemini/settings.json`, for hooks and servers. Its timeouts are in milliseconds."""

from __future__ import annotations

import os

from tacit.hosts.gemini.hook import HOST
from tacit.hosts.registration import agent_target, hook_command, server_value
from tacit.install.change import Part
from tacit.install.json_entries import Entry, Server, Wanted, json_part, setting_in
from tacit.install.target import Place


def _entries(place: Place) -> tuple[Entry, ...]:
    return tuple(
        Entry(
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


def _settings(place: Place) -> str:
    return os.path.join(place.variable("GEMINI_CLI_HOME", ""), ".gemini", "settings.json")


def _doubt(place: Place) -> str:
    is_off = setting_in(_settings(place), ("hooksConfig", "enabled")) is False
    return 'No hook runs while your settings say "hooksConfig": {"enabled": false}.' if is_off else ""


def parts(place: Place) -> tuple[Part, ...]:
    server = Server(("mcpServers", "tacit"), server_value(place))
    return (json_part(_settings(place), Wanted(entries=_entries(place), server=server, is_server_new=place.mcp)),)


TARGET = agent_target("gemini", parts, "It begins with the next gemini you start; /hooks panel there lists it.", _doubt)
