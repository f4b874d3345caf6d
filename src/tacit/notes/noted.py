"""A memory as the readable views see it: with how its question was decided."""

from typing import NamedTuple

from tacit.core.ids import ClaimId
from tacit.core.memory import Memory
from tacit.core.status import Status


class Noted(NamedTuple):
    memory: Memory
    overruled_by: ClaimId | None = None
    conflict: bool = False

    @property
    def holds(self) -> bool:
        """Whether it is a fact one may act on: accepted, and not overruled by another answer."""
        return self.memory.status is Status.ACTIVE and self.overruled_by is None
