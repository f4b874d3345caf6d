"""mcp-memory-service: a session is read by `memory_harvest`, a statement goes to `memory_store`, with what it ships.

All languages that it has patterns for are switched on, which is one setting. The harvest sees what a person types only
where a transcript has it as a block, so that is how it gets it here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from bench.peers.known.memory_service import PEER, Service
from bench.peers.peer import Place
from bench.write_side.cases import Turn
from bench.write_side.memory import BY_A_MODEL, Kept, Known, Memory, Outcome, sentences
from bench.write_side.transcript import transcript

_LANGUAGES = {"MCP_LOCALE": "en,de,pt_BR"}
_HARVESTED = "session-harvest"  # the tag of what comes from a session
_NO_CONFLICT = "No unresolved conflicts"
_DUPLICATE = "Duplicate content"


class _Service(Memory):
    def __init__(self, place: Place) -> None:
        os.environ.update(_LANGUAGES)
        self._home = place.home
        self._server = Service(place).server

    def listen(self, turns: Sequence[Turn], /) -> list[Kept]:
        file = transcript(self._home, turns, blocks=True, closing=True)
        self._server.call("memory_harvest", project_path=str(file.parent), dry_run=False)
        listed = json.loads(self._server.call("memory_list", page_size=100))["memories"]
        return [Kept(text) for text in sentences(one["content"] for one in listed if _HARVESTED in one["tags"])]

    def add(self, text: str, /) -> Outcome:
        try:
            self._server.call("memory_store", content=text)
        except RuntimeError as refused:
            if _DUPLICATE not in str(refused):
                raise
            return Outcome.SAME
        conflicts = self._server.call("memory_conflicts")
        return Outcome.DISTINCT if _NO_CONFLICT in conflicts else Outcome.ASKED_CONTRADICT

    def close(self) -> None:
        self._server.close()


MEMORY = Known(PEER.name, _Service, "memory_service", {"forget": BY_A_MODEL, "tell": "its hook is not in its package"})
