"""A random log as an index files it, at once or in pieces, and its memories as the readable views see them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import pairwise

from hypothesis import strategies as st

from tacit.contradiction import oppose
from tacit.index import database, writer
from tacit.log.codec import encode, event_type, must_decode
from tacit.model.claim import Status
from tacit.model.conflict import ConflictRule, ConflictSide, RelationKind, resolve_conflicts
from tacit.model.event import Event
from tacit.model.ids import ClaimId
from tacit.model.memory import Memory, fold_memories
from tacit.pages.long_term import MemoryView
from tests.laws.strategies import logs


def filed(log: Sequence[Event]) -> list[writer.IndexedEvent]:
    """Each event with the line of the log it stands in."""
    return [
        writer.IndexedEvent(
            event, event_type(event.body), "memory/events.jsonl", line, 0, 0, encode(event).rstrip(b"\n")
        )
        for line, event in enumerate(log, 1)
    ]


def indexed(*pieces: Iterable[writer.IndexedEvent]) -> sqlite3.Connection:
    connection = database.create_index(":memory:")
    for piece in pieces:
        writer.apply_events(connection, piece, [], must_decode)
    return connection


def _pieces(log: Sequence[Event]) -> st.SearchStrategy[list[list[writer.IndexedEvent]]]:
    """The lines of a log in pieces that come in any order, some of them more than once."""
    lines = filed(log)
    repeated = st.lists(st.sampled_from(lines), max_size=4) if lines else st.just([])
    shuffled = repeated.flatmap(lambda again: st.permutations(lines + again))
    cuts = st.lists(st.integers(0, len(lines)), max_size=4).map(sorted)
    return st.builds(_cut, shuffled, cuts)


def _cut(lines: list[writer.IndexedEvent], cuts: list[int]) -> list[list[writer.IndexedEvent]]:
    edges = [0, *cuts, len(lines)]
    return [lines[start:end] for start, end in pairwise(edges)]


logs_in_pieces = logs.flatmap(lambda log: st.tuples(st.just(log), _pieces(log)))


# Views

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
    pairs = [{ruling.winner, ruling.loser} for ruling in rulings if ruling.rule is ConflictRule.UNDECIDED]
    is_open = set[ClaimId]().union(*(pair for pair in pairs if not pair & set(overruled)))
    return {one.id: (overruled.get(one.id), one.id in is_open) for one in known}


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
