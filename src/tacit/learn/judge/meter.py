"""The budget of a day: what judges cost today, and whether they are paused because they failed.

This is one small file in the home, `.tacit/model.json`, and not in the log: it is about this machine and this day, and
a line for every failure would let a broken judge fill the disk. If it is deleted, the day's budget begins again, and
nothing else is lost.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from tacit.disk.files import Disk, read_file, replace_file
from tacit.record import Record

MAX_FAILURES, FAILURE_PAUSE = 3, timedelta(hours=1)


class UsageMeter(Record):
    """Tokens of one day, failures in a row since the last answer, and until when nobody is asked."""

    day: str = ""
    spent: int = 0
    failures: int = 0
    closed_until: str = ""


class TokenReservation(Record):
    """What a question may cost at most."""

    tokens: int
    per_day: int


def meter_at(meter: UsageMeter, now: datetime) -> UsageMeter:
    """Return the meter at this time: a new day has its own budget."""
    today = now.date().isoformat()
    return meter if meter.day == today else meter._replace(day=today, spent=0)


def refusal_reason(meter: UsageMeter, need: TokenReservation, now: datetime) -> str:
    """Return why nobody is asked now, "" if a judge may be. `meter` is that of this time."""
    until = _parse_time(meter.closed_until)
    if until and now < until <= now + FAILURE_PAUSE:  # a clock that was set back makes no pause longer
        return f"judges failed {MAX_FAILURES} times in a row, so none is asked before {until:%H:%M}"
    if meter.spent + need.tokens > need.per_day:
        return (
            f"a question of {need.tokens:,} tokens does not fit into today's budget: {meter.spent:,} of"
            f" {need.per_day:,} are spent; for more: tacit config set model.tokens_per_day {2 * need.per_day}"
        )
    return ""


def reserve_tokens(meter: UsageMeter, need: TokenReservation) -> UsageMeter:
    """Count the cost before the question is asked: a process that is killed has spent it, so a crash never makes
    room for more."""
    return meter._replace(spent=meter.spent + need.tokens)


def settle_tokens(meter: UsageMeter, need: TokenReservation, cost: int) -> UsageMeter:
    """Replace what was reserved with what the question really cost."""
    return meter._replace(spent=max(meter.spent - need.tokens, 0) + cost)


def reset_failures(meter: UsageMeter) -> UsageMeter:
    return meter._replace(failures=0, closed_until="")


def count_failure(meter: UsageMeter, now: datetime) -> UsageMeter:
    """Count one more failure. The third and each later one begins a pause, also the one try after a pause."""
    failures = min(meter.failures + 1, MAX_FAILURES)
    closed = (now + FAILURE_PAUSE).isoformat() if failures == MAX_FAILURES else ""
    return meter._replace(failures=failures, closed_until=closed)


def read_meter(path: str) -> UsageMeter:
    """Return the meter in a file, a new one if there is none or it is not valid."""
    try:
        meter = UsageMeter(**json.loads(read_file(path) or b"{}"))
        is_typed = all(type(value) is type(default) for value, default in zip(meter, UsageMeter(), strict=True))
    except (ValueError, TypeError, RecursionError):
        return UsageMeter()
    return meter if is_typed and meter.spent >= 0 <= meter.failures else UsageMeter()


def write_meter(disk: Disk, path: str, meter: UsageMeter) -> None:
    replace_file(disk, path, json.dumps(meter._asdict()).encode("ascii") + b"\n")


def _parse_time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else None
