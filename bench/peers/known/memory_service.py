"""mcp-memory-service: SQLite with sqlite-vec, through its MCP server. Its own model is the one that stands in here.

Memories carry the name of a conversation, because it turns away what is much like another one otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bench.peers.minilm import NEEDED, WEIGHTS, link_into
from bench.peers.peer import Needs, Peer, Place
from bench.peers.stdio import Server

_CACHED = ".cache/mcp_memory/onnx_models/all-MiniLM-L6-v2/onnx"
_SETTINGS = {"MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec", "MCP_MEMORY_USE_ONNX": "1"}
_FOUND = re.compile(r"^\d+\. (.*)$", re.MULTILINE)


class Service:
    def __init__(self, place: Place) -> None:
        link_into(place.home / _CACHED)
        self.server = Server([place.program("memory"), "server"], place.home, **_SETTINGS)

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self.server.call("memory_store", content=text, conversation_id="bench")

    def search(self, query: str, limit: int) -> list[str]:
        return _FOUND.findall(self.server.call("memory_search", query=query, limit=limit))

    def close(self) -> None:
        self.server.close()


PEER = Peer(
    "mcp-memory-service",
    "MiniLM",
    Needs(pip=("mcp-memory-service", *NEEDED), weights=WEIGHTS, extensions=True),
    Service,
)
