"""OpenCode, with the plugin that `tacit install opencode` puts there."""

from __future__ import annotations

from tests.clients.contract import ClientContract
from tests.clients.hosts import opencode


class TestOpenCode(ClientContract):
    client = opencode.CLIENT
