"""What comes first: in a brief by S14, among answers by relevance and then the same order. Ties go by id."""

from __future__ import annotations

from tacit.core.claim import KIND_RANK, Kind
from tacit.record import Record


class Rankable(Record):
    """What ranking looks at."""

    id: str
    kind: Kind
    tags: tuple[str, ...]
    strength: int
    last: str
    relevance: float = 0.0


class Newest(str):
    """Sorts the later id first."""

    def __lt__(self, other: str) -> bool:
        return str.__gt__(self, other)


BriefKey = tuple[int, bool, float, int, int, Newest, str]


def brief_key(entry: Rankable, tags: frozenset[str]) -> BriefKey:
    """Tag match, constraints, what the task is about, kind, strength, recency, id."""
    matching = len(tags.intersection(entry.tags))
    return (
        -matching,
        entry.kind is not Kind.CONSTRAINT,
        -entry.relevance,
        KIND_RANK[entry.kind],
        -entry.strength,
        Newest(entry.last),
        entry.id,
    )


def reading_key(entry: Rankable) -> tuple[int, int, Newest, str]:
    """The order inside a brief: constraints first, then by kind, strength and recency."""
    return (KIND_RANK[entry.kind], -entry.strength, Newest(entry.last), entry.id)
