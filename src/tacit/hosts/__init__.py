"""Every host by its name. Only the one that is asked for is imported."""

from __future__ import annotations

from importlib import import_module

from tacit.hosts.protocol import Host

HOST_NAMES = ("claude", "codex", "gemini", "cursor", "opencode", "copilot")


def load_host(name: str) -> Host | None:
    """Nothing for a name that is none of them."""
    if name not in HOST_NAMES:
        return None
    found: Host = import_module(f"tacit.hosts.{name}.hook").HOST
    return found
