"""The timeline: a calendar of sessions and commands, and one day with its sessions, turns, commands and files."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from starlette.responses import Response

from tacit.errors import UsageError
from tacit.model.recap import turn_title
from tacit.record import Record
from tacit.vault.sessions import InjectionRecord, ListedSession
from tacit.vault.timeline import DayCount, Timeline
from tacit.web.charts import calendar
from tacit.web.rendering import count_text
from tacit.web.request import PageRequest

_WEEKS = 48
_DAYS = _WEEKS * 7
_MAX_SHOWN_TURNS = 12  # of a session on the page of a day


class DaySession(Record):
    """A session of a day with its first turns, what was injected, and how many of that was followed or violated."""

    listed: ListedSession
    turns: list[tuple[int, str]]
    injections: list[InjectionRecord]
    followed: int
    violated: int


def timeline_page(call: PageRequest) -> Response:
    timeline = Timeline(call.vault.home)
    days = timeline.days(_DAYS)
    chosen = _parse_day(call.value("day")) if call.value("day") else _last_busy_day(days)
    view = timeline.day(chosen) if chosen else None
    position = next((at for at, count in enumerate(days) if count.day == chosen), None)
    busy = [count.day for count in days if count.sessions or count.commands]
    return call.page(
        "timeline.html",
        "Timeline",
        {
            "map": calendar(
                [(count.day, count.sessions * 8 + count.commands, _label(count)) for count in days], "/timeline?day="
            ),
            "weeks": _WEEKS,
            "days": [count for count in reversed(days) if count.sessions or count.commands],
            "view": view,
            "chosen": chosen,
            "count": days[position] if position is not None else None,
            "sessions": _load_sessions(call, view.sessions) if view else (),
            "time_of": lambda milliseconds: datetime.fromtimestamp(milliseconds / 1000, call.now.tzinfo),
            "previous": max((day for day in busy if chosen and day < chosen), default=None),
            "following": min((day for day in busy if chosen and day > chosen), default=None),
            "max_turns": _MAX_SHOWN_TURNS,
        },
    )


def _label(count: DayCount) -> str:
    parts = [count_text(count.sessions, "session"), count_text(count.commands, "command")]
    return f"{count.day:%-d %B %Y}: {', '.join(parts)}"


def _last_busy_day(days: list[DayCount]) -> date | None:
    return next((count.day for count in reversed(days) if count.sessions or count.commands), None)


def _parse_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no day", "choose one in the calendar") from None


def _load_sessions(call: PageRequest, listed: Sequence[ListedSession]) -> list[DaySession]:
    injections = call.vault.sessions.injected_by_session([entry.row.id for entry in listed])
    return [_load_session(call, entry, injected) for entry, injected in zip(listed, injections, strict=True)]


def _load_session(call: PageRequest, listed: ListedSession, injections: list[InjectionRecord]) -> DaySession:
    _, session = call.vault.sessions.session(listed.row.id)
    results = [result.value for result in call.vault.adherence.results_of_session(listed.row.id).values()]
    return DaySession(
        listed,
        [(turn.number, turn_title(turn)) for turn in session.turns[:_MAX_SHOWN_TURNS]],
        injections,
        results.count("followed"),
        results.count("violated"),
    )
