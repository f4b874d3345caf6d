"""The short form of the storm on the MCP server."""

from __future__ import annotations

from tests.chaos.mcp_storm import storm


def test_no_message_crashes_the_server_or_makes_it_hang() -> None:
    found = storm(2_000, seed=1)
    assert found.note
    assert found.faults == ()
