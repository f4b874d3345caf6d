"""OpenCode: a plugin of our own in `plugins/` of `opencode` in `$XDG_CONFIG_HOME`, else in `~/.config`.

Servers are in `opencode.json`, or in `opencode.jsonc` where the person has that.
"""

from __future__ import annotations

import json
import os

from tacit.hosts.opencode.hook import HOST
from tacit.hosts.registration import agent_target, hook_words, server_words
from tacit.install.change import Part
from tacit.install.json_entries import Server, Wanted, json_part
from tacit.install.target import Place
from tacit.install.text_block import whole_part

_TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugin.js")
_COMMANDS, _TIMEOUTS = "@COMMANDS@", "@TIMEOUTS@"


def _plugin(place: Place) -> str:
    with open(_TEMPLATE, encoding="utf-8") as file:
        template = file.read()
    commands = {hook.event: hook_words(place, HOST, hook) for hook in HOST.hooks}
    timeouts = {hook.event: hook.timeout * 1000 for hook in HOST.hooks}
    return template.replace(_COMMANDS, json.dumps(commands, indent=2)).replace(_TIMEOUTS, json.dumps(timeouts))


def _settings(folder: str) -> str:
    commented = os.path.join(folder, "opencode.jsonc")
    return commented if os.path.exists(commented) else os.path.join(folder, "opencode.json")


def parts(place: Place) -> tuple[Part, ...]:
    folder = os.path.join(place.variable("XDG_CONFIG_HOME", ".config"), "opencode")
    server = Server(("mcp", "tacit"), {"type": "local", "command": server_words(place), "enabled": True})
    return (
        whole_part(os.path.join(folder, "plugins", "tacit.js"), _plugin(place)),
        json_part(_settings(folder), Wanted(server=server, is_server_new=place.mcp)),
    )


TARGET = agent_target("opencode", parts, "It begins with the next opencode you start.")
