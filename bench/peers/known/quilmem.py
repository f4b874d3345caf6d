"""quilmem (agentmem): SQLite with FTS5, through its Python class and its command line."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from bench.peers.peer import Needs, Peer, Place

_FILE = "memory.db"


class _Agentmem:
    def __init__(self, place: Place) -> None:
        self._memory = import_module("agentmem").Memory(str(place.home / _FILE))

    def add(self, texts: Sequence[str]) -> None:
        for at, text in enumerate(texts):
            self._memory.add(type="decision", title=f"note {at}", content=text)

    def search(self, query: str, limit: int) -> list[str]:
        return [found.content for found in self._memory.search(query, limit=limit)]

    def close(self) -> None:
        self._memory.close()


def _ask(place: Place, query: str) -> list[str]:
    return [place.program("agentmem"), "--db", str(place.home / _FILE), "search", query]


PEER = Peer("quilmem", "words", Needs(pip=("quilmem",)), _Agentmem, _ask)
