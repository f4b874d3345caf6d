"""The time of a record, in UTC: written out, or counted in seconds or milliseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_YEARS = (1990, 2100)  # other times were written by a clock that had not been set
_FIRST, _LAST = 631_152_000, 4_102_444_800
_MILLISECONDS = 100_000_000_000  # a count above this is no count of seconds
_STEP = timedelta(milliseconds=1)
NO_TIME = datetime(1990, 1, 1, tzinfo=UTC)


def when(stamp: object) -> datetime | None:
    """The time that a stamp tells, if it tells a possible one."""
    if isinstance(stamp, str):
        return _written(stamp)
    if isinstance(stamp, int | float) and not isinstance(stamp, bool):
        seconds = stamp / 1000 if stamp > _MILLISECONDS else stamp
        return datetime.fromtimestamp(seconds, UTC) if _FIRST <= seconds < _LAST else None
    return None


def _written(stamp: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(stamp)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return at if _YEARS[0] <= at.year < _YEARS[1] else None


class Clock:
    """Gives each record a time: its own, or that of the record before it and a millisecond."""

    def __init__(self) -> None:
        self._last = NO_TIME

    def at(self, stamp: object) -> datetime:
        self._last = when(stamp) or self._last + _STEP
        return self._last

    @property
    def last(self) -> datetime | None:
        """The time of the last record; none before there was one that told it."""
        return self._last if self._last.year > NO_TIME.year else None
