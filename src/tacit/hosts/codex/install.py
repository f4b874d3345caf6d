"""Codex: `hooks.json` in `$CODEX_HOME`, else in `~/.codex`; servers in `config.toml` beside it.

Codex runs no hook that its person has not reviewed. That is theirs to do: here they are only told how.
"""

from __future__ import annotations

import os

from tacit.hosts.codex.hook import HOST
from tacit.hosts.registration import agent_target, hook_command, server_argv
from tacit.install.change import ConfigFile
from tacit.install.json_entries import DesiredConfig, HookEntry, json_config_file
from tacit.install.target import InstallContext
from tacit.install.toml_entries import read_tables, toml_config_file

_NEXT_STEP = (
    "One thing is left to do: Codex ignores new hooks, without a word, until you have reviewed them.\n"
    "  Start codex, type /hooks, look at the hooks of Tacit and trust them. After a change they want it again."
)


def _codex_hook_entries(place: InstallContext) -> tuple[HookEntry, ...]:
    return tuple(
        HookEntry(
            hook.event,
            {"type": "command", "command": hook_command(place, HOST, hook), "timeout": hook.timeout},
            hook.matcher,
        )
        for hook in HOST.hooks
    )


def _hooks_off_warning(place: InstallContext) -> str:
    features = read_tables(_config_path(place)).get("features")
    is_off = isinstance(features, dict) and features.get("hooks") is False
    return "No hook runs while your config.toml says hooks = false below [features]." if is_off else ""


def _config_path(place: InstallContext) -> str:
    return os.path.join(place.config_folder("CODEX_HOME", ".codex"), "config.toml")


def codex_files(place: InstallContext) -> tuple[ConfigFile, ...]:
    hooks = os.path.join(place.config_folder("CODEX_HOME", ".codex"), "hooks.json")
    return (
        json_config_file(hooks, DesiredConfig(entries=_codex_hook_entries(place))),
        toml_config_file(_config_path(place), server_argv(place), is_new=place.mcp),
    )


TARGET = agent_target("codex", codex_files, _NEXT_STEP, _hooks_off_warning)
