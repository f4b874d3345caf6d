"""Times as people type them: `2026-11-15`, `2026-11-15T09:30`, `yesterday`, `7d`, `2 weeks ago`."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta

from tacit.core.errors import WrongUse
from tacit.core.event import timestamp

_AGO = re.compile(r"(\d{1,6})\s*(m|min|minutes?|h|hours?|d|days?|w|weeks?|months?|y|years?)(?:\s+ago)?")
_UNITS = {"m": 1 / 1440, "h": 1 / 24, "d": 1, "w": 7, "y": 365}
_EXAMPLES = "for example 2026-11-15, yesterday, 7d or '2 weeks ago'"


def moment(text: str, now: datetime, *, end_of_day: bool) -> str:
    """The UTC timestamp meant; a whole day counts from its beginning, or up to its end."""
    said = text.strip().lower()
    if found := _AGO.fullmatch(said):
        try:
            return timestamp(now - timedelta(days=int(found[1]) * _days(found[2])))
        except OverflowError:
            raise WrongUse(f"too long ago: {text!r}", _EXAMPLES) from None
    days = {"now": None, "today": 0, "yesterday": 1}
    if said in days:
        back = days[said]
        return timestamp(now) if back is None else _whole_day(now - timedelta(days=back), end_of_day)
    try:
        given = datetime.fromisoformat(text.strip())
        given = given if given.tzinfo else given.replace(tzinfo=now.tzinfo)
        return _whole_day(given, end_of_day) if len(said) <= 10 else timestamp(given)
    except (ValueError, OverflowError):
        raise WrongUse(f"not a time: {text!r}", _EXAMPLES) from None


def _days(unit: str) -> float:
    return 30 if unit.startswith("month") else _UNITS[unit[0]]


def _whole_day(day: datetime, end: bool) -> str:
    return timestamp(datetime.combine(day.date(), time.max if end else time.min, day.tzinfo))
