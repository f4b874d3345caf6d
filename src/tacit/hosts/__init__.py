"""The hosts (coding agents) by name."""

from __future__ import annotations

from importlib import import_module

from tacit.hosts.protocol import Host

HOST_NAMES = ("claude", "codex", "gemini", "cursor", "opencode", "copilot")


def load_host(name: str) -> Host | None:
    """Import one host and no other. None if there is no host of that name."""
    if name not in HOST_NAMES:
        return None
    host: Host = import_module(f"tacit.hosts.{name}").HOST
    return host
