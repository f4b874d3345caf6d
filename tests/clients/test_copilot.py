"""Copilot CLI, with the hooks that `tacit install copilot` puts there."""

from __future__ import annotations

from .contract import ClientContract
from .hosts import copilot


class TestCopilot(ClientContract):
    client = copilot.CLIENT
