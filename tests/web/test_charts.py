"""Positions of squares, bars and boxes."""

from __future__ import annotations

from datetime import date, timedelta

from harness.person import Person

from tacit.web.charts import bar_chart, calendar, draw_graph, level_of, week_hours

# Positions of squares and bars


def test_levels_grow_with_the_number() -> None:
    assert [level_of(value, 100) for value in (0, 1, 10, 40, 100)] == [0, 1, 1, 3, 4]
    assert level_of(5, 0) == 0


def test_a_calendar_has_a_column_for_each_week() -> None:
    monday = date(2026, 3, 2)
    cells = calendar([(monday + timedelta(days=day), day, "") for day in range(8)], "/day/").cells
    assert len({cell.x for cell in cells}) == 2 and len({cell.y for cell in cells}) == 7
    assert (cells[7].x > cells[0].x, cells[7].y) == (True, cells[0].y)
    assert cells[0].path == "/day/2026-03-02"
    assert calendar([], "").cells == ()


def test_hours_have_a_row_for_each_weekday() -> None:
    cells = week_hours([(day, hour, day * hour) for day in range(7) for hour in range(24)]).cells
    assert len(cells) == 168 and len({cell.y for cell in cells}) == 7


def test_bars_are_stacked_on_the_baseline() -> None:
    chart = bar_chart(["a", "b"], [10, 0], [10, 5])
    first, second, third = chart.bars
    assert first.y + first.height == third.y + third.height == chart.baseline
    assert second.y + second.height == first.y and third.series == 1
    assert bar_chart(["a"], [0]).bars == ()


# The graph of a memory: causes on the left, results on the right


def test_a_memory_without_connections_has_no_graph(person: Person) -> None:
    with person.vault() as vault:
        memory = vault.add("I prefer pnpm").memory
        assert draw_graph(memory, vault.search.relations(memory.id), []) is None


def test_what_was_replaced_is_left_and_what_is_overruled_right(person: Person) -> None:
    with person.vault() as vault:
        vault.add("I prefer pnpm")
        first = vault.add("I prefer yarn").memory
        memory = vault.memories.edit(first.id, text="I prefer npm").memory
        graph = draw_graph(memory, vault.search.relations(memory.id), [])
    assert graph is not None
    relations = [node.relation for node in sorted(graph.nodes, key=lambda node: node.x)]
    assert relations == ["replaced", "this memory", "overrules"]
    assert len(graph.edges) == 2 and all(0 <= node.y <= graph.height for node in graph.nodes)
