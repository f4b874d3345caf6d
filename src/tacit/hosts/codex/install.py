"""Codex: `hooks.json` in `$CODEX_HOME`, else in `~/.codex`; servers in `config.toml` beside it.

Codex runs no hook that its person has not reviewed. That is theirs to do: here they are only told how.
"""

from __future__ import annotations

import os

from tacit.hosts.codex.hook import HOST
from tacit.hosts.registration import agent_target, hook_command, server_words
from tacit.install.change import Part
from tacit.install.json_entries import Entry, Wanted, json_part
from tacit.install.target import Place
from tacit.install.toml_entries import tables_in, toml_part

_AFTERWARDS = (
    "One thing is left to do: Codex ignores new hooks, without a word, until you have reviewed them.\n"
    "  Start codex, type /hooks, look at the hooks of Tacit and trust them. After a change they want it again."
)


def _entries(place: Place) -> tuple[Entry, ...]:
    return tuple(
        Entry(
            hook.event,
            {"type": "command", "command": hook_command(place, HOST, hook), "timeout": hook.timeout},
            hook.matcher,
        )
        for hook in HOST.hooks
    )


def _doubt(place: Place) -> str:
    features = tables_in(_config(place)).get("features")
    is_off = isinstance(features, dict) and features.get("hooks") is False
    return "No hook runs while your config.toml says hooks = false below [features]." if is_off else ""


def _config(place: Place) -> str:
    return os.path.join(place.variable("CODEX_HOME", ".codex"), "config.toml")


def parts(place: Place) -> tuple[Part, ...]:
    hooks = os.path.join(place.variable("CODEX_HOME", ".codex"), "hooks.json")
    return (
        json_part(hooks, Wanted(entries=_entries(place))),
        toml_part(_config(place), server_words(place), is_new=place.mcp),
    )


TARGET = agent_target("codex", parts, _AFTERWARDS, _doubt)
