"""What keeps a host from running the hooks that are installed: settings, an administrator, a review that is missing.

Each function returns one sentence for the person, "" if nothing is known to be in the way. What cannot be read counts
as not there.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256

from tacit.install.entries import has_our_hook, read_setting, read_tables

# Where administrators put what nobody else may change
_SYSTEM_FOLDER = "/etc"
_CLAUDE_SYSTEM_FOLDER = "/Library/Application Support/ClaudeCode" if sys.platform == "darwin" else "claude-code"
_GEMINI_SYSTEM_FOLDER = "/Library/Application Support/GeminiCli" if sys.platform == "darwin" else "gemini-cli"
_PLUGIN = "tacit@"


def claude_obstacle(settings: str) -> str:
    folder = os.path.join(_SYSTEM_FOLDER, _CLAUDE_SYSTEM_FOLDER)
    parts = os.path.join(folder, "managed-settings.d")
    names = sorted(os.listdir(parts)) if os.path.isdir(parts) else []
    managed = [os.path.join(folder, "managed-settings.json"), *(os.path.join(parts, name) for name in names)]
    for path in managed:
        for key in ("disableAllHooks", "allowManagedHooksOnly"):
            if read_setting(path, (key,)) is True:
                return f'No hook of yours runs while an administrator\'s {path} says "{key}": true.'
    if read_setting(settings, ("disableAllHooks",)) is True:
        return 'No hook runs while your settings say "disableAllHooks": true.'
    plugins = read_setting(settings, ("enabledPlugins",))
    for name, is_on in plugins.items() if isinstance(plugins, dict) else ():
        if is_on and name.startswith(_PLUGIN):
            return (
                f"Everything is told twice while the plugin {name} is enabled beside these hooks: disable one of them."
            )
    return ""


def codex_obstacle(hooks: str, config: str) -> str:
    requirements = os.path.join(_SYSTEM_FOLDER, "codex", "requirements.toml")
    required, own = read_tables(requirements), read_tables(config)
    if required.get("allow_managed_hooks_only") is True:
        return f"No hook of yours runs while an administrator's {requirements} says allow_managed_hooks_only = true."
    for path, tables in ((f"an administrator's {requirements}", required), ("your config.toml", own)):
        if _table(tables, "features").get("hooks") is False:
            return f"No hook runs while {path} says hooks = false below [features]."
    states = _table(_table(own, "hooks"), "state")
    hashes = [(_codex_state(states, keys), digest) for keys, digest in codex_hooks(hooks)]
    if unseen := sum(state.get("trusted_hash") != digest for state, digest in hashes):
        of_all = f"all {unseen}" if unseen == len(hashes) else f"{unseen} of {len(hashes)}"
        return (
            f"Codex does not run {of_all} hooks of Tacit until you review them: start codex, type /hooks, trust them."
        )
    if turned_off := sum(state.get("enabled") is False for state, _ in hashes):
        return f"{turned_off} of {len(hashes)} hooks of Tacit are turned off in Codex: start codex, type /hooks."
    return ""


def gemini_obstacle(settings: str, environment: Mapping[str, str]) -> str:
    default = os.path.join(_SYSTEM_FOLDER, _GEMINI_SYSTEM_FOLDER, "settings.json")
    managed = environment.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH") or default
    for path, owner in ((managed, f"an administrator's {managed} says"), (settings, "your settings say")):
        if read_setting(path, ("hooksConfig", "enabled")) is False:
            return f'No hook runs while {owner} "hooksConfig": {{"enabled": false}}.'
    return ""


def codex_hooks(path: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield for each hook of ours the keys under which Codex may keep what the person decided, and its hash.

    The hash is that of the hook as sorted JSON without blanks; it changes with the hook.
    """
    events = read_setting(path, ("hooks",))
    files = dict.fromkeys((path, os.path.realpath(path)))
    for event, groups in events.items() if isinstance(events, dict) else ():
        label = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event).lower()
        for place, group in enumerate(groups if isinstance(groups, list) else ()):
            entries = group.get("hooks") if isinstance(group, dict) else None
            for index, entry in enumerate(entries if isinstance(entries, list) else ()):
                if isinstance(entry, dict) and has_our_hook(str(entry.get("command"))):
                    matcher = {"matcher": group["matcher"]} if "matcher" in group else {}
                    value = {"event_name": label, "hooks": [{"async": False, **entry}], **matcher}
                    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
                    yield tuple(f"{file}:{label}:{place}:{index}" for file in files), f"sha256:{digest}"


def _codex_state(states: Mapping[str, object], keys: tuple[str, ...]) -> Mapping[str, object]:
    return next(filter(None, (_table(states, key) for key in keys)), {})


def _table(tables: Mapping[str, object], name: str) -> Mapping[str, object]:
    table = tables.get(name)
    return table if isinstance(table, dict) else {}
