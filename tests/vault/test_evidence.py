"""What a memory rests on: its events with their lines, who proposed it, and whose words it quotes."""

from __future__ import annotations

from pathlib import Path

from harness.person import Person

from tacit.vault.evidence import MemoryRelations, describe_event, event_details, is_conclusion, is_quoting


def test_each_event_of_a_history_is_told_in_words_with_its_line(person: Person) -> None:
    with person.vault() as vault:
        candidate = vault.memories.remember("use pnpm", evidence="the build file")
        vault.memories.accept(candidate.short, reason="it is faster")
        vault.changes.undo()
        _, history = vault.search.why("use pnpm")
    proposed, accepted, _ = history

    assert [describe_event(entry) for entry in history][-1] == "undo of accepted: use pnpm"
    assert event_details(proposed) == [("evidence", "the build file")]
    assert event_details(accepted) == [("reason", "it is faster")]
    assert [entry.undone for entry in history[:2]] == [False, True]
    for entry in history:
        line = Path(entry.location.path).read_text().splitlines()[entry.location.line - 1]
        assert entry.event.id in line


def test_an_agents_own_conclusion_is_not_taken_for_the_persons_words(person: Person) -> None:
    person.tacit("remember", "use pnpm", "--evidence", "“use pnpm”, said the user", TACIT_ACTOR="agent:robot")
    with person.vault() as vault:
        listed, (event,) = vault.search.why("use pnpm")
        assert (listed.concluded_by, listed.quoting_events) == ("robot", frozenset())
        assert is_conclusion(event.event) and not is_quoting(event.event)
        vault.memories.remember("use pnpm", evidence="I looked")
        assert vault.search.show("use pnpm").concluded_by == ""
        assert vault.search.source_quotes("use pnpm") == []


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
