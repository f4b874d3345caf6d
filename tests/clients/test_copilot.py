"""Copilot CLI, with the hooks that `tacit install copilot` puts there."""

from __future__ import annotations

from tests.clients.contract import ClientContract
from tests.clients.hosts import copilot


class TestCopilot(ClientContract):
    client = copilot.CLIENT
