"""A candidate that was observed again and again is worth promoting (C8).

Said once for each: a pattern that was promoted, dismissed or suggested before is not said again.
"""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.decide import suggest
from tacit.core.event import Draft
from tacit.core.memory import Memory
from tacit.core.status import Status
from tacit.learn.history import History

LEAST = 2  # S9: --min-count


def repeats(history: History, *, least: int = LEAST) -> Iterator[Memory]:
    for memory in sorted(history.memories, key=lambda memory: memory.id):
        if memory.status is Status.PENDING and memory.strength >= least and not memory.suggested:
            yield memory


def suggestion(memory: Memory) -> Draft:
    reason = f"observed {memory.strength} times in {len(memory.sessions)} sessions"
    return suggest(memory, source="repeats", reason=reason, evidence="")
