"""Tacit, through `tacit.open()`: every document is added by a person, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from bench.peers.peer import Needs, Peer, Place


class _Vault:
    def __init__(self, place: Place) -> None:
        self._vault = import_module("tacit").open(place.home / ".agents", cwd=place.home)

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._vault.add(text)

    def search(self, query: str, limit: int) -> list[str]:
        return [hit.text for hit in self._vault.recall(query, limit=limit)]

    def close(self) -> None:
        self._vault.close()


def _ask(place: Place, query: str) -> list[str]:
    return [place.program("tacit"), "recall", query]


PEER = Peer(
    "Tacit",
    "words and a table of token vectors",
    Needs(),
    _Vault,
    _ask,
    lambda: str(import_module("tacit").__version__),
)
