"""Active memories that nobody has asserted for a long time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from tacit.core.memory import Memory
from tacit.core.status import Status
from tacit.learn.history import History

AFTER = timedelta(days=90)


def stale(history: History) -> Iterator[Memory]:
    """Oldest first. What was said more than once is not doubted so soon."""
    active = (memory for memory in history.memories if memory.status is Status.ACTIVE)
    for memory in sorted(active, key=lambda memory: (memory.day, memory.id)):
        if history.today - memory.day > AFTER * max(memory.strength, 1):
            yield memory
