"""@modelcontextprotocol/server-memory: a graph in a file; a question matches where it stands in a text as a whole."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bench.peers.peer import Needs, Peer, Place
from bench.peers.stdio import Server


class _Graph:
    def __init__(self, place: Place) -> None:
        file = str(place.home / "memory.jsonl")
        self._server = Server([place.program("mcp-server-memory")], place.home, MEMORY_FILE_PATH=file)

    def add(self, texts: Sequence[str]) -> None:
        for at, text in enumerate(texts):
            entity = {"name": f"note-{at}", "entityType": "memory", "observations": [text]}
            self._server.call("create_entities", entities=[entity])

    def search(self, query: str, limit: int) -> list[str]:
        found = json.loads(self._server.call("search_nodes", query=query))["entities"]
        return [entity["observations"][0] for entity in found[:limit]]

    def close(self) -> None:
        self._server.close()


PEER = Peer(
    "server-memory (MCP)", "the question as one substring", Needs(npm=("@modelcontextprotocol/server-memory",)), _Graph
)
