"""rekal: SQLite with FTS5 and sqlite-vec, through its database class, which takes any embedder."""

from __future__ import annotations

import struct
from asyncio import Runner
from collections.abc import Sequence
from importlib import import_module

from bench.peers.minilm import NEEDED, SIZE, WEIGHTS, MiniLM
from bench.peers.peer import Needs, Peer, Place


class _Rekal:
    def __init__(self, place: Place) -> None:
        model = MiniLM()
        adapter = import_module("rekal.adapters.sqlite_adapter")
        self._weights = import_module("rekal.scoring").ScoringWeights()
        self._runner = Runner()
        self._store = self._runner.run(
            adapter.SqliteDatabase.create(
                str(place.home / "memory.db"), lambda text: struct.pack(f"{SIZE}f", *model.embed([text])[0])
            )
        )

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._runner.run(self._store.store(text))

    def search(self, query: str, limit: int) -> list[str]:
        found = self._runner.run(self._store.search(query, limit=limit, weights=self._weights))
        return [one.content for one in found]

    def close(self) -> None:
        self._runner.run(self._store.close())
        self._runner.close()


PEER = Peer("rekal", "words and MiniLM", Needs(pip=("rekal", *NEEDED), weights=WEIGHTS, extensions=True), _Rekal)
