"""mcp-memory-libsql: entities in libSQL; a question matches where it stands in a text as a whole."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bench.peers.peer import Needs, Peer, Place
from bench.peers.stdio import Server


class _Entities:
    def __init__(self, place: Place) -> None:
        url = f"file:{place.home / 'memory.db'}"
        self._server = Server([place.program("mcp-memory-libsql")], place.home, LIBSQL_URL=url)

    def add(self, texts: Sequence[str]) -> None:
        for at, text in enumerate(texts):
            entity = {"name": f"note-{at}", "entityType": "memory", "observations": [text]}
            self._server.call("create_entities", entities=[entity])

    def search(self, query: str, limit: int) -> list[str]:
        found = json.loads(self._server.call("search_nodes", query=query, limit=limit))["entities"]
        return [entity["observations"][0] for entity in found[:limit]]

    def close(self) -> None:
        self._server.close()


PEER = Peer("mcp-memory-libsql", "the question as one substring", Needs(npm=("mcp-memory-libsql",)), _Entities)
