"""OpenCode, with the plugin that `tacit install opencode` puts there."""

from __future__ import annotations

from .contract import ClientContract
from .hosts import opencode


class TestOpenCode(ClientContract):
    client = opencode.CLIENT
