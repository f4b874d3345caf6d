"""Checks of what a person typed: texts, tags, dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, time, timedelta

from tacit.errors import RefusedError, UsageError
from tacit.model.event import timestamp
from tacit.secrets.redact import refuse_secrets
from tacit.text.display import clean
from tacit.text.words import normalize_text

MAX_EVIDENCE_CHARS = 2000


def checked_text(text: str, limit: int, what: str) -> str:
    """A text that may be recorded: not empty, not too long, no secret in it."""
    text = clean(text).strip()
    if not text:
        raise UsageError(f"{what} is empty")
    if len(text) > limit:
        raise RefusedError(
            f"{what} has {len(text):,} characters; the limit is {limit:,}",
            "say the one rule in it, and put the rest in a file that you name as evidence",
        )
    refuse_secrets(text)
    return text


def checked_optional_text(text: str, what: str) -> str:
    return checked_text(text, MAX_EVIDENCE_CHARS, what) if text.strip() else ""


def checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags are single words in lower case."""
    refuse_secrets(*tags)
    return tuple(dict.fromkeys("-".join(normalize_text(clean(tag)).split())[:64] for tag in tags if tag.strip()))


# Times as people type them: `2026-11-15`, `2026-11-15T09:30`, `yesterday`, `7d`, `2 weeks ago`.

_RELATIVE_TIME = re.compile(r"(\d{1,6})\s*(m|min|minutes?|h|hours?|d|days?|w|weeks?|months?|y|years?)(?:\s+ago)?")
_DAYS_PER_UNIT = {"m": 1 / 1440, "h": 1 / 24, "d": 1, "w": 7, "y": 365}
_TIME_EXAMPLES = "for example 2026-11-15, yesterday, 7d or '2 weeks ago'"


def parse_time(text: str, now: datetime, *, end_of_day: bool) -> str:
    """The UTC timestamp meant; a whole day counts from its beginning, or up to its end."""
    said = text.strip().lower()
    if found := _RELATIVE_TIME.fullmatch(said):
        try:
            return timestamp(now - timedelta(days=int(found[1]) * _unit_days(found[2])))
        except OverflowError:
            raise UsageError(f"too long ago: {text!r}", _TIME_EXAMPLES) from None
    days = {"now": None, "today": 0, "yesterday": 1}
    if said in days:
        back = days[said]
        return timestamp(now) if back is None else _day_bound(now - timedelta(days=back), end_of_day)
    try:
        given = datetime.fromisoformat(text.strip())
        given = given if given.tzinfo else given.replace(tzinfo=now.tzinfo)
        return _day_bound(given, end_of_day) if len(said) <= 10 else timestamp(given)
    except (ValueError, OverflowError):
        raise UsageError(f"not a time: {text!r}", _TIME_EXAMPLES) from None


def _unit_days(unit: str) -> float:
    return 30 if unit.startswith("month") else _DAYS_PER_UNIT[unit[0]]


def _day_bound(day: datetime, end: bool) -> str:
    return timestamp(datetime.combine(day.date(), time.max if end else time.min, day.tzinfo))
