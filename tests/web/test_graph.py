"""The graph of a memory: causes on the left, results on the right."""

from __future__ import annotations

from harness.person import Person

from tacit.web.graph import draw_graph


def test_a_memory_without_connections_has_no_graph(person: Person) -> None:
    with person.vault() as vault:
        memory = vault.add("I prefer pnpm").memory
        assert draw_graph(memory, vault.queries.relations(memory.id), []) is None


def test_what_was_replaced_is_left_and_what_is_overruled_right(person: Person) -> None:
    with person.vault() as vault:
        vault.add("I prefer pnpm")
        first = vault.add("I prefer yarn").memory
        memory = vault.edit(first.id, text="I prefer npm").memory
        graph = draw_graph(memory, vault.queries.relations(memory.id), [])
    assert graph is not None
    relations = [node.relation for node in sorted(graph.nodes, key=lambda node: node.x)]
    assert relations == ["replaced", "this memory", "overrules"]
    assert len(graph.edges) == 2 and all(0 <= node.y <= graph.height for node in graph.nodes)
