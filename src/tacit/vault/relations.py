"""How memories stand to each other: what replaced or overrules what, and which contradict each other."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from tacit.contradiction.relation import relate
from tacit.index import listings, reader
from tacit.index.reader import MemoryRow
from tacit.model.claim import Scope
from tacit.model.conflict import ConflictRule, Ruling
from tacit.model.event import ClaimDecided
from tacit.model.ids import ClaimId, claim_number
from tacit.record import Record
from tacit.vault.evidence import effective_bodies
from tacit.vault.listing import ListedMemory, load_chunk


class MemoryConflict(Record):
    """Two memories that contradict each other, how they differ, and the rule that decided between them."""

    difference: str
    scope: Scope
    winner: ListedMemory
    loser: ListedMemory
    rule: ConflictRule


class MemoryRelations(Record):
    """The memories that stand in a relation to one.

    It replaced `replaced` and was replaced by `replaced_by`. A rule decided for `overruled_by` and against
    `overrules`. `contradicts` are those that it contradicts, or may contradict, without a rule that decides.
    """

    replaced: tuple[MemoryRow, ...]
    replaced_by: tuple[MemoryRow, ...]
    overruled_by: tuple[MemoryRow, ...]
    overrules: tuple[MemoryRow, ...]
    contradicts: tuple[MemoryRow, ...]


def load_relations(connection: sqlite3.Connection, row: MemoryRow) -> MemoryRelations:
    """Return the relations of a memory."""
    bodies = effective_bodies(connection, row.id)
    edits = [(body.claim.id, body.instead.id) for body in bodies if isinstance(body, ClaimDecided) and body.instead]
    others = load_opponents(connection, row.id)
    return MemoryRelations(
        replaced=_load_rows(connection, (before for before, _ in edits if before != row.id)),
        replaced_by=_load_rows(connection, (after for _, after in edits if after != row.id)),
        overruled_by=_load_rows(connection, [row.overruled_by] if row.overruled_by else []),
        overrules=tuple(reader.memories_overruled_by(connection, row)),
        contradicts=others[ConflictRule.UNDECIDED] + others[ConflictRule.MAY_CONTRADICT],
    )


def load_opponents(connection: sqlite3.Connection, claim: ClaimId) -> dict[ConflictRule, tuple[MemoryRow, ...]]:
    """Return the other side of every ruling on a memory, by its rule."""
    sides: dict[ConflictRule, list[ClaimId]] = {rule: [] for rule in ConflictRule}
    for ruling in listings.rulings_of(connection, claim):
        sides[ruling.rule].append(ruling.loser if ruling.winner == claim else ruling.winner)
    return {rule: _load_rows(connection, claims) for rule, claims in sides.items()}


def _load_rows(connection: sqlite3.Connection, claims: Iterable[ClaimId]) -> tuple[MemoryRow, ...]:
    """Return the rows of claims that are memories, each once."""
    rows = (reader.memory_row(connection, claim) for claim in dict.fromkeys(claims))
    return tuple(row for row in rows if row is not None)


def load_conflicts(connection: sqlite3.Connection, rulings: Sequence[Ruling]) -> list[MemoryConflict]:
    """Return the conflicts that rules decided or left open. Those with a memory that was removed are left out."""
    conflicts = []
    for ruling in rulings:
        doc_ids = [claim_number(claim) for claim in (ruling.winner, ruling.loser)]
        match load_chunk(connection, doc_ids):
            case [winner, loser]:
                claim, other = winner.memory.claim, loser.memory.claim
                difference = relate(claim.sentence, other.sentence).reason
                conflicts.append(MemoryConflict(difference, claim.scope, winner, loser, ruling.rule))
    return conflicts
