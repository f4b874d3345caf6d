"""What a memory replaced, overrules and contradicts."""

from __future__ import annotations

from harness.person import Person

from tacit.vault.relations import MemoryRelations


def names(relations: MemoryRelations) -> dict[str, list[str]]:
    return {name: [row.sentence for row in rows] for name, rows in relations._asdict().items() if rows}


def test_relations_are_the_same_from_both_sides(person: Person) -> None:
    with person.vault() as vault:
        vault.add("I prefer pnpm")
        first = vault.add("I prefer yarn").memory
        vault.memories.edit(first.id, text="I prefer npm")
        relations = vault.search.relations
        assert names(relations("I prefer npm")) == {"replaced": ["I prefer yarn"], "overrules": ["I prefer pnpm"]}
        assert names(relations("I prefer pnpm")) == {"overruled_by": ["I prefer npm"]}
        assert names(relations(first.id)) == {"replaced_by": ["I prefer npm"]}


def test_a_conflict_ends_when_one_of_its_memories_is_forgotten(person: Person) -> None:
    with person.vault() as vault:
        vault.add("I prefer pnpm")
        winner = vault.add("I prefer npm").memory
        (conflict,) = vault.search.conflicts_of(winner.id)
        assert conflict.winner.memory.claim.sentence == "I prefer npm" and conflict.difference
        listing = vault.search.conflicts()
        assert listing.total == 1 and [found.loser.memory for found in listing.entries] == [conflict.loser.memory]
        vault.memories.forget("I prefer pnpm")
        assert vault.search.conflicts().total == 0 and vault.search.conflicts_of(winner.id) == []
