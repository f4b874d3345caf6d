"""localmem-mcp: SQLite, vectors and a bonus for words, through its store, which takes any embedder."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from bench.peers.minilm import NEEDED, WEIGHTS, MiniLM
from bench.peers.peer import Needs, Peer, Place


class _Localmem:
    def __init__(self, place: Place) -> None:
        self._store = import_module("localmem_mcp").MemoryStore(place.home / "memories.db", embedder=MiniLM())

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._store.add(text)

    def search(self, query: str, limit: int) -> list[str]:
        return [found.memory.content for found in self._store.search(query, limit=limit)]

    def close(self) -> None:
        self._store.close()


PEER = Peer("localmem-mcp", "words and MiniLM", Needs(pip=("localmem-mcp", *NEEDED), weights=WEIGHTS), _Localmem)
