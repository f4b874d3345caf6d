"""What models cost today, and whether they are left alone for a while because they failed.

It lies in the home as one small file, `.tacit/model.json`, and not in the log: it is about this machine and this day,
nobody is told of it later, and a line for every failure would let a broken model fill the disk. Whoever deletes it
gets the day's budget once more, and nothing else is lost.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from tacit.disk.ops import Disk
from tacit.disk.replace import read_file, replace_file
from tacit.record import Record

FAILURES, PAUSE = 3, timedelta(hours=1)


class Meter(Record):
    """Tokens of one day, failures in a row since the last answer, and until when nobody is asked."""

    day: str = ""
    spent: int = 0
    failures: int = 0
    closed_until: str = ""


class Need(Record):
    """What a question may cost at most."""

    tokens: int
    per_day: int


def on(meter: Meter, now: datetime) -> Meter:
    """As it stands at this time: a new day has its own budget."""
    today = now.date().isoformat()
    return meter if meter.day == today else meter._replace(day=today, spent=0)


def objection(meter: Meter, need: Need, now: datetime) -> str:
    """Why nobody is asked now; empty where somebody may be. `meter` stands at this time."""
    until = _moment(meter.closed_until)
    if until and now < until <= now + PAUSE:  # a clock that was set back closes nothing for longer
        return f"models failed {FAILURES} times in a row, so none is asked before {until:%H:%M}"
    if meter.spent + need.tokens > need.per_day:
        return (
            f"a question of {need.tokens:,} tokens does not fit into today's budget: {meter.spent:,} of"
            f" {need.per_day:,} are spent (model.tokens_per_day)"
        )
    return ""


def reserved(meter: Meter, need: Need) -> Meter:
    """Counted before it is asked: who is killed meanwhile has spent it, so a crash never makes room for more."""
    return meter._replace(spent=meter.spent + need.tokens)


def settled(meter: Meter, need: Need, cost: int) -> Meter:
    """With what it really cost in the place of what was reserved."""
    return meter._replace(spent=max(meter.spent - need.tokens, 0) + cost)


def answered(meter: Meter) -> Meter:
    return meter._replace(failures=0, closed_until="")


def failed(meter: Meter, now: datetime) -> Meter:
    """One more failure; from the third on, each closes for an hour, also the one try after that hour."""
    failures = min(meter.failures + 1, FAILURES)
    closed = (now + PAUSE).isoformat() if failures == FAILURES else ""
    return meter._replace(failures=failures, closed_until=closed)


def read_meter(path: str) -> Meter:
    """A new one where there is none, or what lies there is none of ours."""
    try:
        told = json.loads(read_file(path) or b"{}")
        meter = Meter(**told)
        fits = all(type(value) is type(default) for value, default in zip(meter, Meter(), strict=True))
    except (ValueError, TypeError, RecursionError):
        return Meter()
    return meter if fits and meter.spent >= 0 <= meter.failures else Meter()


def write_meter(disk: Disk, path: str, meter: Meter) -> None:
    replace_file(disk, path, json.dumps(meter._asdict()).encode("ascii") + b"\n")


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else None
