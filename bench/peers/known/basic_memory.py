"""basic-memory: Markdown notes and SQLite, through its MCP server and its command line.

Its vectors are off, as its setting allows: they need a model that no registry has, and a SQLite that loads extensions.
The pin is of a package it depends on: the newest asks for something that not every registry has yet.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from bench.peers.peer import Needs, Peer, Place
from bench.peers.stdio import Server

_WORDS_ONLY = "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED"


class _Notes:
    def __init__(self, place: Place) -> None:
        self._server = Server([place.program("basic-memory"), "mcp"], place.home, **{_WORDS_ONLY: "false"})
        self._kept = place.home / "titles.json"

    def add(self, texts: Sequence[str]) -> None:
        for at, text in enumerate(texts):
            self._server.call("write_note", title=f"note {at}", content=text, directory="notes")
        self._kept.write_text(json.dumps(texts), "utf-8")

    def search(self, query: str, limit: int) -> list[str]:
        told = self._server.call("search_notes", query=query, page_size=limit, output_format="json")
        texts = json.loads(self._kept.read_text("utf-8"))
        titles = [one["title"] for one in json.loads(told)["results"]]
        return [texts[int(title.removeprefix("note "))] for title in titles[:limit]]

    def close(self) -> None:
        self._server.close()


def _ask(place: Place, query: str) -> list[str]:
    return ["env", f"{_WORDS_ONLY}=false", place.program("basic-memory"), "tool", "search-notes", query]


PEER = Peer("basic-memory", "words", Needs(pip=("basic-memory", "fastmcp<3.5"), python=(3, 12)), _Notes, _ask)
