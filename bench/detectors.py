"""What the learners of the shell find in real histories, and what they would show.

    python bench/detectors.py FILE.jsonl… [--list]

A file has one command a line: `cmd` or `command`, a time (`ts` or `timestamp_str`), and what else is known of
`session`, `cwd` or `wd`, `is_error`, `username`, `sandbox_id`. Found are the habits above the thresholds; shown are the
cards that a person would get first, five at most; chance is how many of the sequences found are none beyond chance.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tacit.commandline import names
from tacit.index import database, habits, writer
from tacit.learn.habits import Habits, detect_in_session
from tacit.learn.habits.habit import HABIT_THRESHOLDS, MAX_PENDING_HABITS, habit_label
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Kind, Provenance
from tacit.model.event import USER, Event, EventOrigin
from tacit.model.ids import event_id
from tacit.model.observation import UNKNOWN_STATUS, CommandRan

_PAUSE = timedelta(minutes=30)
_HEAD = "| who                  | commands | directories | commands found | sequences | beyond chance | shown |   ms |"


class TimedCommand(NamedTuple):
    who: str
    session: str
    at: datetime
    ran: CommandRan


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--list", action="store_true", help="print the cards too")
    parser.add_argument("--least", type=int, default=100, help="leave out people with fewer commands (default: 100)")
    given = parser.parse_args()
    every = sorted((one for file in given.files for one in _commands(file)), key=lambda one: (one.who, one.at))
    print(_HEAD, "|" + "|".join("-" * len(cell) for cell in _HEAD.split("|")[1:-1]) + "|", sep="\n")
    for who, own in groupby(every, key=lambda one: one.who):
        commands = list(own)
        if len(commands) >= given.least:
            _row(who, commands, listed=given.list)
    print(_reading([one.ran.command for one in every]))
    return 0


def _reading(lines: list[str]) -> str:
    """What it costs to find the family of a line, without the cache; and the worst of some made to be slow."""
    every, distinct = _cost(lines), _cost(list(dict.fromkeys(lines)))
    worst = max(_cost([(sign * 8192)[:8192]]) for sign in ("(", "$((", "; a", "{ a;", "`", "'", "<<X\n", "a|", "&&"))
    return (
        f"\nfamilies: {every:.0f} µs of CPU a line over {len(lines):,} lines, {distinct:.0f} µs over the distinct ones;"
        f" the worst hostile line of 8 KiB {worst / 1e6:.2f} s"
    )


def _cost(lines: list[str]) -> float:
    began = time.process_time()
    for line in lines:
        names._parse_commands(line)
    return (time.process_time() - began) / len(lines) * 1e6


def _commands(file: Path) -> Iterator[TimedCommand]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            fields = json.loads(line)
            at = datetime.fromisoformat(fields.get("ts") or fields["timestamp_str"]).astimezone(UTC)
            status = UNKNOWN_STATUS if "is_error" not in fields else int(bool(fields["is_error"]))
            ran = CommandRan(
                fields.get("cmd") or fields.get("command") or "", fields.get("cwd") or fields.get("wd") or "", status
            )
            who = f"{file.stem[:8]} {fields.get('sandbox_id', '')} {fields.get('username', '')}".strip()
            yield TimedCommand(who, fields.get("session", ""), at, ran)


def _events(commands: list[TimedCommand]) -> Iterator[Event]:
    """A pause begins a new session where none is named."""
    session, last = 0, commands[0].at
    for number, one in enumerate(commands):
        session += one.at - last > _PAUSE
        last = one.at
        origin = EventOrigin(one.at, 0, "host", one.session or str(session), USER, Provenance.USER_FILE)
        name = event_id(int(one.at.timestamp() * 1000), number.to_bytes(10, "big"))
        yield Event(name, name, origin, GLOBAL, one.ran)


def _row(who: str, commands: list[TimedCommand], *, listed: bool) -> None:
    index = database.create_index(":memory:")
    events = [writer.IndexedEvent(event, "command.ran", "", 1, 0, 0, b"") for event in _events(commands)]
    writer.apply_events(index, events, [], must_decode)
    began = time.process_time()
    habits.learn(index, detect_in_session)
    cards = Habits(index).candidates()
    took = (time.process_time() - began) * 1000
    found = [
        habits.count_frequent_habits(index, kind.label, runs=scale.min_runs, sessions=scale.min_sessions)
        for kind, scale in HABIT_THRESHOLDS.items()
    ]
    sequences = sum(one.habit.kind is Kind.WORKFLOW_PATTERN for one in cards)
    counts = f"{len(commands):8,} | {found[0]:11,} | {found[1]:14,} | {found[2]:9,} | {sequences:13,}"
    print(f"| {who[:20]:20} | {counts} | {min(MAX_PENDING_HABITS, len(cards)):5} | {took:4.0f} |")
    for card in cards[: MAX_PENDING_HABITS if listed else 0]:
        print(
            f"      {card.habit.kind.label:18} {card.runs:4} × in {card.sessions:3}   {habit_label(card.habit)[:100]}"
        )


if __name__ == "__main__":
    sys.exit(main())
