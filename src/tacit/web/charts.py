"""Positions of squares, bars and boxes. Templates draw them as SVG, with the same numbers or links in a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from tacit.index.reader import MemoryRow
from tacit.model.memory import Memory
from tacit.record import Record
from tacit.text.display import one_line
from tacit.vault.evidence import MemoryRelations
from tacit.vault.hits import SessionQuote

ChartLabel = tuple[int, int, str]  # x, y, and a word beside the squares or below the bars


# Heat maps

_CELL, _GAP = 14, 3
_STEP = _CELL + _GAP
_TOP, _LEFT = 18, 30  # room for labels
_LEVELS = 4
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class HeatCell(Record):
    """A square: its position, its level from 0 to 4, what it stands for, and the page it opens."""

    x: int
    y: int
    level: int
    label: str
    path: str = ""


class HeatMap(Record):
    """All squares and labels, and the size of the drawing."""

    cells: tuple[HeatCell, ...]
    labels: tuple[ChartLabel, ...]
    width: int
    height: int
    size: int = _CELL


def level_of(value: int, most: int) -> int:
    """Return the level of a number from 0 (none) to 4 (the most). The steps are even on a scale of square roots."""
    if value <= 0 or most <= 0:
        return 0
    share: float = (value / most) ** 0.5
    return max(1, min(_LEVELS, round(share * _LEVELS)))


def calendar(values: Sequence[tuple[date, int, str]], path: str) -> HeatMap:
    """Return a heat map with a column for each week. `values` are days in order, each with its number and a label."""
    if not values:
        return HeatMap((), (), _LEFT, _TOP)
    first = values[0][0] - timedelta(days=values[0][0].weekday())
    most = max(number for _, number, _ in values)
    cells, labels, months = [], [], set[tuple[int, int]]()
    for day, number, label in values:
        x, y = _LEFT + (day - first).days // 7 * _STEP, _TOP + day.weekday() * _STEP
        cells.append(HeatCell(x, y, level_of(number, most), label, f"{path}{day.isoformat()}"))
        if day.day <= 7 and (day.year, day.month) not in months:
            months.add((day.year, day.month))
            labels.append((x, _TOP - 7, f"{day:%b}"))
    labels += [_day_label(day) for day in (0, 2, 4)]
    return HeatMap(tuple(cells), tuple(labels), max(cell.x for cell in cells) + _CELL, _TOP + 7 * _STEP)


def week_hours(values: Sequence[tuple[int, int, int]]) -> HeatMap:
    """Return a heat map with a row for each weekday and a column for each hour. `values` are weekday, hour, number."""
    most = max((number for _, _, number in values), default=0)
    cells = tuple(
        HeatCell(
            _LEFT + hour * _STEP, _TOP + day * _STEP, level_of(number, most), f"{_DAYS[day]} {hour:02}:00: {number}"
        )
        for day, hour, number in values
    )
    hours = [(_LEFT + hour * _STEP, _TOP - 7, f"{hour:02}") for hour in range(0, 24, 6)]
    return HeatMap(cells, (*hours, *map(_day_label, range(7))), _LEFT + 24 * _STEP, _TOP + 7 * _STEP)


def _day_label(day: int) -> ChartLabel:
    return (0, _TOP + day * _STEP + _CELL - 2, _DAYS[day])


# Bar charts

_BAR_HEIGHT, _BAR_WIDTH, _BAR_GAP = 88, 18, 8
_MIN_BAR = 2  # so that a small number is seen


class Bar(Record):
    """A bar: its position, its number, and the series that it belongs to (0 is the first)."""

    x: int
    y: int
    width: int
    height: int
    value: int
    series: int


class BarChart(Record):
    """All bars, with labels below them, and the size of the drawing."""

    bars: tuple[Bar, ...]
    labels: tuple[ChartLabel, ...]
    width: int
    height: int
    baseline: int


def bar_chart(labels: Sequence[str], *series: Sequence[int]) -> BarChart:
    """Return a bar chart. Several series are stacked, the first at the bottom."""
    step = _BAR_WIDTH + _BAR_GAP
    most = max((sum(values) for values in zip(*series, strict=True)), default=0) or 1
    bars: list[Bar] = []
    for at, values in enumerate(zip(*series, strict=True)):
        top = _BAR_HEIGHT
        for number, value in enumerate(values):
            height = max(round(value / most * (_BAR_HEIGHT - 4)), _MIN_BAR) if value else 0
            top -= height
            if height:
                bars.append(Bar(at * step, top, _BAR_WIDTH, height, value, number))
    below = tuple((at * step, _BAR_HEIGHT + 16, label) for at, label in enumerate(labels) if label)
    return BarChart(tuple(bars), below, len(labels) * step, _BAR_HEIGHT + 22, _BAR_HEIGHT)


# The graph of one memory: what led to it on the left, what came of it on the right

_MAX_NODES = 6  # on each side
_NODE_WIDTH, _NODE_HEIGHT, _ROW_HEIGHT = 230, 56, 76
_COLUMN_WIDTH = 320
_MAX_LABEL_CHARS = 29
Neighbour = tuple[str, str, str]  # its relation to the memory, a label, and the page it opens
GraphEdge = tuple[int, int, int, int]  # x and y of the right side of one box, and of the left side of another


class GraphNode(Record):
    """A box: its relation to the memory, a label, the page it opens, and the position of its top left corner."""

    relation: str
    label: str
    path: str
    x: int
    y: int
    is_center: bool = False

    @property
    def middle(self) -> int:
        return self.y + _NODE_HEIGHT // 2


class MemoryGraph(Record):
    """All boxes and lines, and the size of the drawing."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    width: int
    height: int
    node_width: int = _NODE_WIDTH
    node_height: int = _NODE_HEIGHT


def draw_graph(memory: Memory, relations: MemoryRelations, quotes: Sequence[SessionQuote]) -> MemoryGraph | None:
    """Return the graph of a memory; None if nothing is connected with it."""
    sessions = {quote.session: quote for quote in quotes}.values()
    causes = [
        *(("learned from session", quote.title, f"/sessions/{quote.session}?turn={quote.turn}") for quote in sessions),
        *_neighbours("replaced", relations.replaced),
    ][:_MAX_NODES]
    results = [
        *_neighbours("replaced by", relations.replaced_by),
        *_neighbours("overruled by", relations.overruled_by),
        *_neighbours("overrules", relations.overrules),
        *_neighbours("contradicts", relations.contradicts),
    ][:_MAX_NODES]
    if not causes and not results:
        return None
    height = max(len(causes), len(results), 1) * _ROW_HEIGHT
    center_x = _COLUMN_WIDTH if causes else 0
    before, after = _column(causes, 0, height), _column(results, center_x + _COLUMN_WIDTH, height)
    center = _column([("this memory", memory.claim.sentence, "")], center_x, height)[0]._replace(is_center=True)
    edges = [
        *((node.x + _NODE_WIDTH, node.middle, center.x, center.middle) for node in before),
        *((center.x + _NODE_WIDTH, center.middle, node.x, node.middle) for node in after),
    ]
    nodes = (*before, center, *after)
    return MemoryGraph(nodes, tuple(edges), nodes[-1].x + _NODE_WIDTH, height)


def _neighbours(relation: str, rows: Sequence[MemoryRow]) -> Iterator[Neighbour]:
    return ((relation, row.sentence, f"/memories/{row.id}") for row in rows)


def _column(neighbours: Sequence[Neighbour], x: int, height: int) -> list[GraphNode]:
    """Return boxes one below the other, so that they are centred in the height."""
    top = (height - len(neighbours) * _ROW_HEIGHT) // 2 + (_ROW_HEIGHT - _NODE_HEIGHT) // 2
    return [
        GraphNode(relation, one_line(label, _MAX_LABEL_CHARS), path, x, top + at * _ROW_HEIGHT)
        for at, (relation, label, path) in enumerate(neighbours)
    ]
