"""The graph of one memory as positions: what led to it on the left, what came of it on the right.

A template draws it as SVG. The same connections are in a table for those who do not see it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacit.index.reader import MemoryRow
from tacit.model.memory import Memory
from tacit.record import Record
from tacit.text.display import one_line
from tacit.vault.hits import SessionQuote
from tacit.vault.relations import MemoryRelations

_MAX_NODES = 6  # on each side
_NODE_WIDTH, _NODE_HEIGHT, _ROW_HEIGHT = 230, 56, 76
_COLUMN_WIDTH = 320
_MAX_LABEL_CHARS = 29


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


class GraphEdge(Record):
    """A line from the right side of one box to the left side of another."""

    x1: int
    y1: int
    x2: int
    y2: int


class MemoryGraph(Record):
    """All boxes and lines, and the size of the drawing."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    width: int
    height: int
    node_width: int = _NODE_WIDTH
    node_height: int = _NODE_HEIGHT


class _Neighbour(Record):
    relation: str
    label: str
    path: str


def draw_graph(memory: Memory, relations: MemoryRelations, quotes: Sequence[SessionQuote]) -> MemoryGraph | None:
    """Return the graph of a memory; None if nothing is connected with it."""
    causes = [*_session_neighbours(quotes), *_memory_neighbours("replaced", relations.replaced)]
    results = [
        *_memory_neighbours("replaced by", relations.replaced_by),
        *_memory_neighbours("overruled by", relations.overruled_by),
        *_memory_neighbours("overrules", relations.overrules),
        *_memory_neighbours("contradicts", relations.contradicts),
    ]
    if not causes and not results:
        return None
    left, right = causes[:_MAX_NODES], results[:_MAX_NODES]
    height = max(len(left), len(right), 1) * _ROW_HEIGHT
    center_x = _COLUMN_WIDTH if left else 0
    center = GraphNode("this memory", _label(memory.claim.sentence), "", center_x, _top(0, 1, height), True)
    before = [_place(neighbour, 0, at, len(left), height) for at, neighbour in enumerate(left)]
    right_x = center_x + _COLUMN_WIDTH
    after = [_place(neighbour, right_x, at, len(right), height) for at, neighbour in enumerate(right)]
    edges = [
        *(GraphEdge(node.x + _NODE_WIDTH, node.middle, center.x, center.middle) for node in before),
        *(GraphEdge(center.x + _NODE_WIDTH, center.middle, node.x, node.middle) for node in after),
    ]
    width = (right_x if after else center_x) + _NODE_WIDTH
    return MemoryGraph((*before, center, *after), tuple(edges), width, height)


def _session_neighbours(quotes: Sequence[SessionQuote]) -> Iterator[_Neighbour]:
    for session, quote in {quote.session: quote for quote in quotes}.items():
        yield _Neighbour("learned from session", _label(quote.title), f"/sessions/{session}?turn={quote.turn}")


def _memory_neighbours(relation: str, rows: Sequence[MemoryRow]) -> Iterator[_Neighbour]:
    return (_Neighbour(relation, _label(row.sentence), f"/memories/{row.id}") for row in rows)


def _place(neighbour: _Neighbour, x: int, at: int, count: int, height: int) -> GraphNode:
    return GraphNode(*neighbour, x, _top(at, count, height))


def _top(at: int, count: int, height: int) -> int:
    """Return where the box number `at` of `count` begins, so that the boxes of a column are centred."""
    return (height - count * _ROW_HEIGHT) // 2 + at * _ROW_HEIGHT + (_ROW_HEIGHT - _NODE_HEIGHT) // 2


def _label(text: str) -> str:
    return one_line(text, _MAX_LABEL_CHARS)
