"""Codex: `hooks.json` in `$CODEX_HOME`, else in `~/.codex`; servers in `config.toml` beside it.

Codex runs only hooks that the person has reviewed. Tacit cannot do that for them, so it says how.
"""

from __future__ import annotations

import os

from tacit.hosts.codex import HOST
from tacit.hosts.registration import agent_target, command_hook_json, hook_entries, server_argv
from tacit.install.change import ConfigFile, InstallContext
from tacit.install.json_entries import DesiredConfig, json_config_file
from tacit.install.toml_entries import read_tables, toml_config_file

_NEXT_STEP = (
    "One thing is left to do: Codex ignores new hooks, without a word, until you have reviewed them.\n"
    "  Start codex, type /hooks, look at the hooks of Tacit and trust them. After a change they want it again."
)


def _hooks_off_warning(context: InstallContext) -> str:
    features = read_tables(_config_path(context)).get("features")
    is_off = isinstance(features, dict) and features.get("hooks") is False
    return "No hook runs while your config.toml says hooks = false below [features]." if is_off else ""


def _config_path(context: InstallContext) -> str:
    return os.path.join(context.config_folder("CODEX_HOME", ".codex"), "config.toml")


def codex_files(context: InstallContext) -> tuple[ConfigFile, ...]:
    hooks = os.path.join(context.config_folder("CODEX_HOME", ".codex"), "hooks.json")
    return (
        json_config_file(hooks, DesiredConfig(entries=hook_entries(context, HOST, command_hook_json))),
        toml_config_file(_config_path(context), server_argv(context), is_new=context.mcp),
    )


TARGET = agent_target("codex", codex_files, _NEXT_STEP, _hooks_off_warning)
