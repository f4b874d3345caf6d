"""Positions of bars and squares. Templates draw them as SVG, with the same numbers in a table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from tacit.record import Record

_CELL, _GAP = 14, 3  # of a heat map
_TOP, _LEFT = 18, 30  # room for labels
_LEVELS = 4
_BAR_HEIGHT, _BAR_WIDTH, _BAR_GAP = 88, 18, 8
_MIN_BAR = 2  # so that a small number is seen


class HeatCell(Record):
    """A square: its position, its level from 0 to 4, what it stands for, and the page it opens."""

    x: int
    y: int
    level: int
    label: str
    path: str = ""


class ChartLabel(Record):
    """A word beside the squares."""

    x: int
    y: int
    text: str


class HeatMap(Record):
    """All squares and labels, and the size of the drawing."""

    cells: tuple[HeatCell, ...]
    labels: tuple[ChartLabel, ...]
    width: int
    height: int
    size: int = _CELL


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
    step = _CELL + _GAP
    cells, labels, months = [], [], set[tuple[int, int]]()
    for day, number, label in values:
        x, y = _LEFT + (day - first).days // 7 * step, _TOP + day.weekday() * step
        cells.append(HeatCell(x, y, level_of(number, most), label, f"{path}{day.isoformat()}"))
        if day.day <= 7 and (day.year, day.month) not in months:
            months.add((day.year, day.month))
            labels.append(ChartLabel(x, _TOP - 7, f"{day:%b}"))
    labels += [ChartLabel(0, _TOP + at * step + _CELL - 2, name) for at, name in ((0, "Mon"), (2, "Wed"), (4, "Fri"))]
    return HeatMap(tuple(cells), tuple(labels), max(cell.x for cell in cells) + _CELL, _TOP + 7 * step)


def week_hours(values: Sequence[tuple[int, int, int]]) -> HeatMap:
    """Return a heat map with a row for each weekday and a column for each hour. `values` are weekday, hour, number."""
    most = max((number for _, _, number in values), default=0)
    step = _CELL + _GAP
    cells = tuple(
        HeatCell(_LEFT + hour * step, _TOP + day * step, level_of(number, most), f"{_DAYS[day]} {hour:02}:00: {number}")
        for day, hour, number in values
    )
    hours = [ChartLabel(_LEFT + hour * step, _TOP - 7, f"{hour:02}") for hour in range(0, 24, 6)]
    days = [ChartLabel(0, _TOP + day * step + _CELL - 2, name) for day, name in enumerate(_DAYS)]
    return HeatMap(cells, (*hours, *days), _LEFT + 24 * step, _TOP + 7 * step)


_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def bar_chart(labels: Sequence[str], *series: Sequence[int]) -> BarChart:
    """Return a bar chart. Several series are stacked, the first at the bottom."""
    most = max((sum(values) for values in zip(*series, strict=True)), default=0) or 1
    bars: list[Bar] = []
    for at, values in enumerate(zip(*series, strict=True)):
        top = _BAR_HEIGHT
        for number, value in enumerate(values):
            height = max(round(value / most * (_BAR_HEIGHT - 4)), _MIN_BAR) if value else 0
            top -= height
            if height:
                bars.append(Bar(at * (_BAR_WIDTH + _BAR_GAP), top, _BAR_WIDTH, height, value, number))
    width = len(labels) * (_BAR_WIDTH + _BAR_GAP)
    below = [
        ChartLabel(at * (_BAR_WIDTH + _BAR_GAP), _BAR_HEIGHT + 16, label) for at, label in enumerate(labels) if label
    ]
    return BarChart(tuple(bars), tuple(below), width, _BAR_HEIGHT + 22, _BAR_HEIGHT)
