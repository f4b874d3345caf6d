"""What memories will be once some drafts are recorded: so that the next decision does not rest on what was before."""

from __future__ import annotations

from collections.abc import Callable

from tacit.core.event import Draft, Event, Origin
from tacit.core.handedit import Known
from tacit.core.ids import ClaimId, EventId, following
from tacit.core.memory import Memory, evolve, touched

_HOPS = 32  # a memory that was reworded more often than this between two readings
Fetch = Callable[[ClaimId], Memory | None]


class Foresight:
    """Memories as they are, and as they will be."""

    def __init__(self, fetch: Fetch, origin: Origin) -> None:
        self._fetch = fetch
        self._origin = origin
        self._will_be: dict[ClaimId, Memory] = {}
        self._last: EventId | None = None

    def memory(self, claim: ClaimId) -> Memory | None:
        return self._will_be.get(claim) or self._fetch(claim)

    def known(self, claim: ClaimId) -> Memory | None:
        return latest(self.memory)(claim)

    def hear(self, draft: Draft) -> None:
        name = self._last = following(self._last, int(self._origin.at.timestamp() * 1000), bytes(10))
        event = Event(name, name, self._origin.heard_from(draft.voice), draft.scope, draft.body)
        for claim in touched(event):
            self._will_be[claim] = evolve(self.memory(claim), event, claim)


def latest(fetch: Fetch) -> Known:
    """The memory that a claim is known as now: the one that took its place, if another did."""

    def known(claim: ClaimId) -> Memory | None:
        memory = fetch(claim)
        for _ in range(_HOPS):
            if memory is None or memory.is_live or memory.replaced_by in (None, memory.id):
                break
            memory = (memory.replaced_by and fetch(memory.replaced_by)) or memory
        return memory

    return known
