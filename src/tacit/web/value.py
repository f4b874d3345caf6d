"""What memory was worth: what agents were told each week, whether they followed it, and what it cost."""

from __future__ import annotations

from starlette.responses import Response

from tacit.record import Record
from tacit.vault.timeline import Timeline
from tacit.web.charts import BarChart, bar_chart
from tacit.web.request import PageRequest

_WEEKS = 12
_MAX_MEMORIES = 15


class ValueChart(Record):
    """A chart with its title, the number of the last week, and the names of its series."""

    title: str
    latest: str
    chart: BarChart
    series: tuple[str, ...] = ()


def value_page(call: PageRequest) -> Response:
    timeline = Timeline(call.vault.home)
    weeks = timeline.weeks(_WEEKS)
    labels = [f"{week.monday:%-d %b}" if at % 3 == 0 else "" for at, week in enumerate(weeks)]
    last = weeks[-1]
    followed, violated = [week.followed for week in weeks], [week.violated for week in weeks]
    charts = (
        ValueChart("Told", f"{last.injected:,}", bar_chart(labels, [week.injected for week in weeks])),
        ValueChart(
            "Followed and violated",
            f"{last.followed:,} and {last.violated:,}",
            bar_chart(labels, followed, violated),
            ("followed", "violated"),
        ),
        ValueChart("Tokens", f"{last.tokens:,}", bar_chart(labels, [week.tokens for week in weeks])),
        ValueChart("Minutes in sessions", f"{last.minutes:,}", bar_chart(labels, [week.minutes for week in weeks])),
    )
    return call.page(
        "value.html",
        "Value",
        {
            "charts": charts,
            "weeks": weeks[::-1],
            "is_empty": not any(week.injected or week.sessions for week in weeks),
            "memories": timeline.most_injected(_MAX_MEMORIES),
        },
    )
