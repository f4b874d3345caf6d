"""Validation of user input: texts, tags, members of enumerations and times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from enum import Enum

from tacit.errors import RefusedError, UsageError
from tacit.model.claim import Kind, Status
from tacit.model.event import timestamp
from tacit.secrets import refuse_secrets
from tacit.text.display import clean
from tacit.text.words import normalize_text

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import TypeVar

    M = TypeVar("M", bound=Enum)


MAX_EVIDENCE_CHARS = 2000


def checked_text(text: str, limit: int, what: str) -> str:
    """Return the text without NUL, lone surrogates and outer blanks. `what` names it in messages.

    Raise UsageError if it is empty, RefusedError if it is longer than `limit` or holds a secret.
    """
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
    """Return the tags as single words in lower case, each once. Raise RefusedError if one holds a secret."""
    refuse_secrets(*tags)
    return tuple(dict.fromkeys("-".join(normalize_text(clean(tag)).split())[:64] for tag in tags if tag.strip()))


def checked_member(members: type[M], value: M | str, what: str) -> M:
    """Return a member of an enumeration, which may be given by its name. `what` names it in messages.

    Raise UsageError if there is none.
    """
    try:
        return members(value)
    except ValueError:
        names = ", ".join(str(getattr(member, "label", member.value)) for member in members)
        raise UsageError(f"no such {what}: {value!r}", f"one of {names}") from None


def checked_kind(kind: Kind | str | None) -> Kind | None:
    """Return a kind, which may be given by its label; None if none is given. Raise UsageError for an unknown one."""
    return None if kind is None else checked_member(Kind, kind, "kind")


def checked_status(status: Status | str | None) -> Status | None:
    """Return a status, which may be given by its name; None if none is given. Raise UsageError for an unknown one."""
    return None if status is None else checked_member(Status, status, "status")


_RELATIVE_TIME = re.compile(r"(\d{1,6})\s*(m|min|minutes?|h|hours?|d|days?|w|weeks?|months?|y|years?)(?:\s+ago)?")
_DAYS_PER_UNIT = {"m": 1 / 1440, "h": 1 / 24, "d": 1, "w": 7, "y": 365}
_TIME_EXAMPLES = "for example 2026-11-15, yesterday, 7d or '2 weeks ago'"


def parse_time(text: str, now: datetime, *, end_of_day: bool) -> str:
    """Return the UTC timestamp of `2026-11-15`, `2026-11-15T09:30`, `yesterday`, `7d` or `2 weeks ago`.

    A whole day is its beginning, or its end if `end_of_day` is set. Raise UsageError for anything else.
    """
    normalized = text.strip().lower()
    if match := _RELATIVE_TIME.fullmatch(normalized):
        days_per_unit = 30 if match[2].startswith("month") else _DAYS_PER_UNIT[match[2][0]]
        try:
            return timestamp(now - timedelta(days=int(match[1]) * days_per_unit))
        except OverflowError:
            raise UsageError(f"too long ago: {text!r}", _TIME_EXAMPLES) from None
    if normalized == "now":
        return timestamp(now)
    if (days_ago := {"today": 0, "yesterday": 1}.get(normalized)) is not None:
        return _day_bound(now - timedelta(days=days_ago), end_of_day)
    try:
        moment = datetime.fromisoformat(text.strip())
        moment = moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
        return _day_bound(moment, end_of_day) if len(normalized) <= 10 else timestamp(moment)
    except (ValueError, OverflowError):
        raise UsageError(f"not a time: {text!r}", _TIME_EXAMPLES) from None


def parse_since(text: str, now: datetime) -> datetime:
    """Return the beginning of a time until now, which may be typed as `parse_time` takes it.

    Raise UsageError for what is no time, and for one in the future.
    """
    start = datetime.fromisoformat(parse_time(text, now, end_of_day=False)).astimezone(now.tzinfo)
    if start > now:
        raise UsageError(f"{text!r} is in the future", _TIME_EXAMPLES)
    return start


def _day_bound(day: datetime, end: bool) -> str:
    return timestamp(datetime.combine(day.date(), time.max if end else time.min, day.tzinfo))
