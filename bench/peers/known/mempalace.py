"""MemPalace: drawers in Chroma, through its MCP server and its command line, with its own model."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bench.peers.minilm import NEEDED, WEIGHTS, link_into
from bench.peers.peer import Needs, Peer, Place
from bench.peers.stdio import Server

_CACHED = ".cache/chroma/onnx_models/all-MiniLM-L6-v2/onnx"


class Palace:
    def __init__(self, place: Place) -> None:
        link_into(place.home / _CACHED)
        self.server = Server([place.program("mempalace-mcp")], place.home)

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self.server.call("mempalace_add_drawer", wing="project", room="notes", content=text)

    def search(self, query: str, limit: int) -> list[str]:
        told = self.server.call("mempalace_search", query=query, limit=limit)
        return [one["text"] for one in json.loads(told)["results"]]

    def close(self) -> None:
        self.server.close()


def _ask(place: Place, query: str) -> list[str]:
    return [place.program("mempalace"), "search", query]


PEER = Peer("MemPalace", "words and MiniLM", Needs(pip=("mempalace", *NEEDED), weights=WEIGHTS), Palace, _ask)
