"""The memories of a random log as the readable views see them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from hypothesis import strategies as st

from tacit.contradiction.relation import oppose
from tacit.model.claim import Status
from tacit.model.conflict import ConflictRule, ConflictSide, RelationKind, resolve_conflicts
from tacit.model.event import Event
from tacit.model.ids import ClaimId
from tacit.model.memory import Memory, fold_memories
from tacit.pages.long_term import MemoryView

Ruled = tuple[ClaimId | None, bool]


def noted(log: Iterable[Event]) -> dict[ClaimId, MemoryView]:
    memories = fold_memories(log)
    ruled = rulings(memories.values())
    return {claim: MemoryView(memory, *ruled[claim]) for claim, memory in memories.items()}


def rulings(memories: Iterable[Memory]) -> dict[ClaimId, Ruled]:
    """By whom each memory is overruled, and whether it stands in a conflict that nothing has decided."""
    known = list(memories)
    active = {one.id: one for one in known if one.status is Status.ACTIVE}
    rulings = resolve_conflicts(
        [ConflictSide(one.id, one.claim.kind, one.provenance, one.last_event) for one in active.values()],
        lambda one, other: _relation(active[one.id], active[other.id]),
    )
    overruled = {ruling.loser: ruling.winner for ruling in rulings if not ruling.rule.is_open}
    open_pairs = [
        {ruling.winner, ruling.loser}
        for ruling in rulings
        if ruling.rule is ConflictRule.UNDECIDED and not {ruling.winner, ruling.loser} & set(overruled)
    ]
    return {one.id: (overruled.get(one.id), any(one.id in pair for pair in open_pairs)) for one in known}


def _relation(one: Memory, other: Memory) -> RelationKind:
    """Every pair is compared; the index compares those that share a topic."""
    if one.claim.scope != other.claim.scope:
        return RelationKind.UNRELATED
    if (one.kept_event and other.first_event < one.kept_event) or (
        other.kept_event and one.first_event < other.kept_event
    ):
        return RelationKind.UNRELATED
    return oppose(one.claim.sentence, other.claim.sentence).kind


def steps(log: list[Event]) -> st.SearchStrategy[list[list[Event]]]:
    """A log in pieces, in its order."""
    cuts = st.lists(st.integers(0, len(log)), max_size=4).map(sorted)
    return cuts.map(lambda at: [log[start:end] for start, end in pairwise([0, *at, len(log)])])
