"""mem0 with `infer=False`: texts are kept as they are. As its README says, each prompt is searched for; three are told.

What to keep and what is the same is decided by a language model that reads the session: nothing of it runs offline.
That model is told to only add, so nothing is overruled.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.peers.known.mem0 import PEER, USER, Mem0
from bench.peers.peer import Place
from bench.write_side.cases import HEARD
from bench.write_side.memory import BY_A_MODEL, NONE, Known, Memory, Outcome

_TOLD = 3


class _Mem0(Memory):
    def __init__(self, place: Place) -> None:
        self._driven = Mem0(place)

    def add(self, text: str, /) -> Outcome:
        before = self._count()
        self._driven.add([text])
        return Outcome.DISTINCT if self._count() > before else Outcome.SAME

    def tell(self, memories: Sequence[str], prompt: str, /) -> list[str]:
        self._driven.add(memories)
        return self._driven.search(prompt, _TOLD)

    def close(self) -> None:
        self._driven.close()

    def _count(self) -> int:
        return len(self._driven.memory.get_all(filters={"user_id": USER})["results"])


MEMORY = Known(
    PEER.name,
    _Mem0,
    "mem0",
    dict.fromkeys((*HEARD, "same"), BY_A_MODEL) | dict.fromkeys(("contradict", "forget"), NONE),
)
