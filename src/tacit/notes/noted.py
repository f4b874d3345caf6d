"""A memory as the readable views see it: with how its question was decided."""

from __future__ import annotations

from tacit.core.ids import ClaimId
from tacit.core.memory import Memory
from tacit.core.status import Status
from tacit.record import Record


class Noted(Record):
    memory: Memory
    overruled_by: ClaimId | None = None
    conflict: bool = False

    @property
    def holds(self) -> bool:
        """Whether it is a fact one may act on: accepted, and not overruled by another answer."""
        return self.memory.status is Status.ACTIVE and self.overruled_by is None
