"""Tacit with its extra for meaning, installed as a person installs it: documents are added, then all are encoded."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from bench.peers.known.tacit import PEER as PLAIN
from bench.peers.peer import Memory, Needs, Peer, Place

_HERE = Path(__file__).resolve().parents[3]
_LONGEST = 500.0  # seconds


class _Meaning:
    def __init__(self, place: Place) -> None:
        self._plain: Memory = PLAIN.open(place)
        self._home = place.home

    def add(self, texts: Sequence[str]) -> None:
        self._plain.add(texts)
        with import_module("tacit").open(self._home / ".agents", cwd=self._home) as vault:
            vault.embeddings.encode(_LONGEST)

    def search(self, query: str, limit: int) -> list[str]:
        return self._plain.search(query, limit)

    def close(self) -> None:
        self._plain.close()


PEER = Peer(
    "Tacit with meaning",
    "words and MiniLM",
    Needs(pip=("--editable", f"{_HERE}[meaning]")),
    _Meaning,
    PLAIN.ask,
    PLAIN.version,
)
