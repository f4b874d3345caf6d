"""Two sorts of plots as SVG: bars that lie, with a mark where the target is, and lines over sizes that grow tenfold.

Pure: values in, text out, the same every time. Colours are told twice, for light and for dark, and behind it all is a
sheet of its own, so that nothing depends on the page around it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple

_WIDTH, _EDGE, _TOP = 760, 20, 72
_ROW, _LABELS, _VALUES = 26, 320, 76
_STYLE = """
.sheet{fill:#fff;stroke:#d0d7de}text{fill:#1f2328;font:13px system-ui,sans-serif}.title{font-size:15px;font-weight:600}
.quiet{fill:#59636e;font-size:12px}.ours{fill:#0969da}.other{fill:#afb8c1}.missed{fill:#bc4c00}
.grid{stroke:#d0d7de}.target{stroke:#1f2328;stroke-width:2}.line{fill:none;stroke-width:2}
.first{stroke:#0969da}.second{stroke:#bc4c00}.dot.first{fill:#0969da}.dot.second{fill:#bc4c00}
@media(prefers-color-scheme:dark){.sheet{fill:#0d1117;stroke:#3d444d}text{fill:#f0f6fc}.quiet{fill:#9198a1}
.ours{fill:#4493f8}.other{fill:#59636e}.missed{fill:#f0883e}.grid{stroke:#3d444d}.target{stroke:#f0f6fc}
.first{stroke:#4493f8}.second{stroke:#f0883e}.dot.first{fill:#4493f8}.dot.second{fill:#f0883e}}
"""


class Bar(NamedTuple):
    """`shown` is the value as text; `sort` is ours, other or missed."""

    label: str
    value: float
    shown: str
    sort: str = "ours"
    target: float | None = None


class Line(NamedTuple):
    """Points of size and value, and the value that is promised for the largest size."""

    label: str
    points: Sequence[tuple[float, float]]
    target: float | None = None


class Tens(NamedTuple):
    """An axis on which every power of ten is as far from the next: from `low` at `start` to `high` at `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        share = math.log10(value / self.low) / (math.log10(self.high / self.low) or 1)
        return round(self.start + (self.end - self.start) * share, 1)

    def marks(self) -> list[float]:
        first, last = round(math.log10(self.low)), round(math.log10(self.high))
        return [10.0**power for power in range(first, last + 1)]


def bars(title: str, below: str, rows: Sequence[Bar], *, labels: int = _LABELS, values: int = _VALUES) -> str:
    """One bar a row; `below` says what is shown, `labels` and `values` how wide the words beside the bars are."""
    left, right = _EDGE + labels, _WIDTH - _EDGE - values
    largest = max(max(row.value, row.target or 0) for row in rows) or 1
    parts: list[str] = []
    for at, row in enumerate(rows):
        parts += _bar(row, _TOP + _ROW * at, left, (right - left) / largest)
    return _sheet(title, below, _TOP + _ROW * len(rows) + _EDGE, parts)


def _bar(row: Bar, top: float, left: float, scale: float) -> Iterator[str]:
    long, middle = round(max(row.value * scale, 1), 1), top + _ROW / 2 + 2
    yield _text(left - 10, middle, row.label, anchor="end")
    yield f'<rect class="{row.sort}" x="{left}" y="{top + 2}" width="{long}" height="{_ROW - 8}" rx="2"/>'
    mark = left if row.target is None else round(left + row.target * scale, 1)
    if row.target is not None:
        yield f'<path class="target" d="M{mark} {top - 1}v{_ROW - 2}"/>'
    close = 0 <= mark - left - long < 60  # the number would be written over the mark
    yield _text((mark if close else left + long) + 8, middle, row.shown, sort="quiet")


def lines(title: str, below: str, drawn: Sequence[Line]) -> str:
    """Both axes go by powers of ten; sizes to the right, values upwards."""
    height, left, right = 360, _EDGE + 70, _WIDTH - _EDGE - 140
    sizes = [size for line in drawn for size, _ in line.points]
    values = [value for line in drawn for _, value in line.points] + [line.target or 1 for line in drawn]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    across = Tens(min(sizes), max(sizes), left, right)
    up = Tens(10.0**low, 10.0 ** max(high, low + 1), height - 60, _TOP + 6)
    parts = [*_axes(across, up)]
    for sort, line in zip(("first", "second"), drawn, strict=False):
        parts += _line(line, sort, across, up)
    return _sheet(title, below, height, parts)


def _axes(across: Tens, up: Tens) -> Iterator[str]:
    for value in up.marks():
        yield f'<path class="grid" d="M{across.start} {up.at(value)}H{across.end}"/>'
        yield _text(across.start - 12, up.at(value) + 4, f"{value:g} ms", anchor="end", sort="quiet")
    for size in across.marks():
        yield _text(across.at(size), up.start + 24, f"{size:,.0f}", anchor="middle", sort="quiet")


def _line(line: Line, sort: str, across: Tens, up: Tens) -> Iterator[str]:
    points = [(across.at(size), up.at(value)) for size, value in line.points]
    yield f'<path class="line {sort}" d="M{"L".join(f"{x} {y}" for x, y in points)}"/>'
    for (x, y), (_, value) in zip(points, line.points, strict=True):
        yield f'<circle class="dot {sort}" cx="{x}" cy="{y}" r="4"/>'
        yield _text(x, y - 10, f"{line.label} {value:.3g} ms", anchor="middle", sort="quiet")
    if line.target is not None:
        y = up.at(line.target)
        yield f'<path class="line {sort}" stroke-dasharray="2 5" d="M{across.start} {y}H{across.end}"/>'
        yield _text(across.end + 12, y + 4, f"promised: {line.target:g} ms", sort="quiet")


def _text(x: float, y: float, text: str, *, anchor: str = "start", sort: str = "") -> str:
    named = f' class="{sort}"' if sort else ""
    return f'<text{named} x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _sheet(title: str, below: str, height: float, parts: Iterable[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" width="{_WIDTH}">'
    sheet = f'<rect class="sheet" x=".5" y=".5" width="{_WIDTH - 1}" height="{height - 1}" rx="8"/>'
    words = [_text(_EDGE, 30, title, sort="title"), _text(_EDGE, 50, below, sort="quiet")]
    return "\n".join(
        [head, f"<title>{escape(title)}</title>", f"<style>{_STYLE}</style>", sheet, *words, *parts, "</svg>", ""]
    )
