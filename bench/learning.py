"""Learning from one more command after 1,000 and after 1,000,000 of them, in turn; and from a whole history.

python -m bench.learning [--json]
"""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from bench.figures import Figure, against_target, amount, main_of, median
from tacit.index import database, habits, writer
from tacit.learn.habits import Habits, detect_in_session
from tacit.log.codec import encode, event_type, must_decode
from tacit.model.claim import GLOBAL, Provenance
from tacit.model.event import USER, Event, EventOrigin
from tacit.model.ids import event_id
from tacit.model.observation import CommandRan

SMALL, LARGE, HISTORY = 1_000, 1_000_000, 100_000
_ROUNDS, _WARM_UP = 300, 50
_START = datetime(2020, 1, 1, tzinfo=UTC)
_USUAL = (
    *("git status", "git diff", "git add -A", "git commit -m wip", "git push", "git pull --rebase", "ls", "cd src"),
    *("npm test", "npm run build", "make lint", "make test", "docker compose up -d", "vim src/main.py", "pytest -q"),
    *("kubectl get pods", "cargo test", "rg TODO src | head", "make lint && make test", "python -m http.server"),
)


def commands(count: int, seed: int) -> Iterator[Event]:
    """A life in the shell: sessions of thirty commands, mostly the usual ones, some never seen before."""
    dice = Random(seed)
    for number in range(count):
        at = _START + timedelta(seconds=90 * number)
        text = dice.choice(_USUAL) if dice.random() < 0.9 else f"./tool-{dice.randrange(count // 4 + 1)} --now"
        ran = CommandRan(text, f"/home/me/src/project-{dice.randrange(40)}", int(dice.random() < 0.1))
        origin = EventOrigin(at, 0, "host", f"s{number // 30}-{seed}", USER, Provenance.USER_DIRECT)
        name = event_id(int(at.timestamp() * 1000), dice.randbytes(10))
        yield Event(name, name, origin, GLOBAL, ran)


def measure(_folder: Path) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as place:
        small, _ = _made(os.path.join(place, "small"), SMALL)
        large, _ = _made(os.path.join(place, "large"), LARGE)
        rounds = [(_one_more(small, event), _one_more(large, event)) for event in commands(_ROUNDS + _WARM_UP, seed=9)]
        few, many = (median(column) * 1000 for column in zip(*rounds[_WARM_UP:], strict=True))
        name = f"learning from one command after {LARGE:,}, against after {SMALL:,}"
        yield against_target(name, many / few, "×", f"{amount(many)} ms against {amount(few)} ms of CPU")
        _, seconds = _made(os.path.join(place, "history"), HISTORY)
        yield against_target(f"learning from {HISTORY:,} commands at once", seconds, "s", "CPU")


def _made(path: str, size: int) -> tuple[sqlite3.Connection, float]:
    index = database.create_index(path)
    _file(index, list(commands(size, seed=1)))
    began = time.process_time()
    habits.learn(index, detect_in_session)
    took = time.process_time() - began
    _suggest(index, _START + timedelta(days=4_000))
    return index, took


def _one_more(index: sqlite3.Connection, event: Event) -> float:
    """Filed, learned from, and what is worth suggesting chosen: all that a recorder does after a command."""
    began = time.process_time()
    _file(index, [event])
    habits.learn(index, detect_in_session)
    _suggest(index, event.at)
    return time.process_time() - began


def _suggest(index: sqlite3.Connection, at: datetime) -> None:
    """What became a habit is recorded, as the vault does."""
    origin = EventOrigin(at, 0, "host", "", USER, Provenance.USER_DIRECT)
    names = (event_id(int(at.timestamp() * 1000), os.urandom(10)) for _ in iter(int, 1))
    drafts = zip(names, Habits(index).proposals(), strict=False)
    _file(
        index, [Event(name, name, origin.attributed_to(one.attribution), one.scope, one.body) for name, one in drafts]
    )


def _file(index: sqlite3.Connection, events: list[Event]) -> None:
    filed = [writer.IndexedEvent(one, event_type(one.body), "", 1, 0, 0, encode(one).rstrip(b"\n")) for one in events]
    writer.apply_events(index, filed, [], must_decode)


if __name__ == "__main__":
    sys.exit(main_of("learning", __doc__, measure))
