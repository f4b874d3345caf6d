"""MemPalace: a session is mined as its hooks do it, word for word; a statement is saved with its check for duplicates.

Both go through its MCP server, with what it ships: `mempalace_mine` is what its hook starts at the end of a session,
and `mempalace_checkpoint` is what it recommends for saving. A session is kept whole, the agent's words as well.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from bench.peers.known.mempalace import PEER, Palace
from bench.peers.peer import Place
from bench.write_side.cases import ASKED, Turn
from bench.write_side.memory import BY_A_MODEL, Kept, Known, Memory, Outcome, sentences
from bench.write_side.transcript import CLOSING, transcript

_WING, _BOOKKEEPING = "project", "_registry"


class MemPalace(Memory):
    def __init__(self, place: Place, extract: str = "exchange") -> None:
        self._home, self._extract = place.home, extract
        self._server = Palace(place).server

    def listen(self, turns: Sequence[Turn], /) -> list[Kept]:
        file = transcript(self._home, turns, closing=True)
        self._server.call("mempalace_mine", source=str(file), mode="convos", wing=_WING, extract=self._extract)
        listed = json.loads(self._server.call("mempalace_list_drawers", limit=100))["drawers"]
        ids = [one["drawer_id"] for one in listed if one["room"] != _BOOKKEEPING]
        if not ids:
            return []
        drawers = json.loads(self._server.call("mempalace_get_drawers", drawer_ids=ids))["results"]
        kept = (text.removeprefix("> ") for text in sentences(one["content"] for one in drawers))
        return [Kept(text) for text in kept if text != CLOSING]

    def add(self, text: str, /) -> Outcome:
        item = {"wing": _WING, "room": "notes", "content": text}
        saved = json.loads(self._server.call("mempalace_checkpoint", items=[item]))
        if saved["errors"]:
            raise RuntimeError(str(saved["errors"])[:200])
        return Outcome.SAME if saved["duplicates"] else Outcome.DISTINCT

    def close(self) -> None:
        self._server.close()


MEMORY = Known(
    PEER.name,
    MemPalace,
    "mempalace",
    dict.fromkeys(("contradict", *ASKED), BY_A_MODEL),
)
