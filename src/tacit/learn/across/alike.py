"""Candidates that say the same in other words are one (C7): the weaker joins the stronger.

Only among what nobody has decided on yet; what a person accepted or turned down is theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacit.core.likeness import is_alike
from tacit.core.memory import Memory
from tacit.core.status import Status
from tacit.record import Record

_MOST = 300  # candidates that are compared with each other


class Pair(Record):
    """A candidate, and the one that it joins."""

    memory: Memory
    into: Memory


def alike(memories: Sequence[Memory]) -> Iterator[Pair]:
    """Each candidate joins one other at most, and nobody joins one that has gone."""
    waiting = [memory for memory in memories if memory.status is Status.PENDING]
    waiting.sort(key=lambda memory: (-memory.strength, memory.id))
    standing: list[Memory] = []
    for memory in waiting[:_MOST]:
        into = next((one for one in standing if _same(one, memory)), None)
        if into is None:
            standing.append(memory)
        else:
            yield Pair(memory, into)


def _same(one: Memory, other: Memory) -> bool:
    return (
        one.claim.scope == other.claim.scope
        and one.kind is other.kind
        and is_alike(one.claim.sentence, other.claim.sentence)
    )
