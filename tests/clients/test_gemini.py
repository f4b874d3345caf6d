"""Gemini CLI, with the hooks that `tacit install gemini` puts there."""

from __future__ import annotations

from .contract import ClientContract
from .hosts import gemini


class TestGemini(ClientContract):
    client = gemini.CLIENT
