"""OpenCode: our plugin in `plugins/` of `opencode` in `$XDG_CONFIG_HOME`, else in `~/.config`.

Servers are in `opencode.json`, or in `opencode.jsonc` if that exists.
"""

from __future__ import annotations

import json
import os

from tacit.hosts.opencode import HOST
from tacit.hosts.registration import agent_target, hook_argv, registered_hooks, server_argv
from tacit.install.change import ConfigFile, InstallContext
from tacit.install.json_entries import DesiredConfig, McpServerEntry, json_config_file
from tacit.install.text_block import owned_file

_PLUGIN_TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugin.js")
_COMMANDS_PLACEHOLDER, _TIMEOUTS_PLACEHOLDER = "@COMMANDS@", "@TIMEOUTS@"


def _render_plugin(context: InstallContext) -> str:
    with open(_PLUGIN_TEMPLATE, encoding="utf-8") as file:
        template = file.read()
    hooks = registered_hooks(context, HOST)
    commands = {hook.event: hook_argv(context, HOST, hook) for hook in hooks}
    timeouts = {hook.event: hook.timeout * 1000 for hook in hooks}
    return template.replace(_COMMANDS_PLACEHOLDER, json.dumps(commands, indent=2)).replace(
        _TIMEOUTS_PLACEHOLDER, json.dumps(timeouts)
    )


def _settings_path(folder: str) -> str:
    commented = os.path.join(folder, "opencode.jsonc")
    return commented if os.path.exists(commented) else os.path.join(folder, "opencode.json")


def opencode_files(context: InstallContext) -> tuple[ConfigFile, ...]:
    folder = os.path.join(context.config_folder("XDG_CONFIG_HOME", ".config"), "opencode")
    server = McpServerEntry(("mcp", "tacit"), {"type": "local", "command": server_argv(context), "enabled": True})
    return (
        owned_file(os.path.join(folder, "plugins", "tacit.js"), _render_plugin(context)),
        json_config_file(_settings_path(folder), DesiredConfig(server=server, may_add_server=context.mcp)),
    )


TARGET = agent_target("opencode", opencode_files, "It begins with the next opencode you start.")
