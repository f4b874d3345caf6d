"""Clocks that jump, stand at the ends of time, and zones that skip or repeat an hour, with agents and shells attached.

The clock is the one that a program is told (`TACIT_NOW`); with `faketime`, where that is there, it is the machine's.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from harness.person import Person

from tacit.shell.install import recorder_argv
from tests.chaos.outcome import Outcome
from tests.support.hook_calls import ALL_CALLS, CALLS, Given, Scene, faults

_RECORD = b"tacit1\0zsh\x001.2\x000\0\x0015\0/\0make clock-%d\0\0\0"


class Moment(NamedTuple):
    """A wall clock in a zone, and the moment in UTC that it means."""

    zone: str
    local: str
    utc: str

    @property
    def told(self) -> str:
        """As a program is told it: with what the zone is ahead of UTC."""
        wall, real = datetime.fromisoformat(self.local), datetime.fromisoformat(self.utc)
        return wall.replace(tzinfo=timezone(wall - real.replace(tzinfo=None))).isoformat()


# In this order they jump: back an hour, ten years on, to 1970, over the ends of 32 bits and of 64 bits of nanoseconds.
MOMENTS = (
    Moment("UTC", "2026-03-02 12:00:00", "2026-03-02T12:00:00+00:00"),
    Moment("UTC", "2026-03-02 11:00:00", "2026-03-02T11:00:00+00:00"),
    Moment("UTC", "2036-03-02 12:00:00", "2036-03-02T12:00:00+00:00"),
    Moment("UTC", "1970-01-01 00:00:10", "1970-01-01T00:00:10+00:00"),
    Moment("UTC", "2038-01-19 03:14:08", "2038-01-19T03:14:08+00:00"),
    Moment("UTC", "2262-04-11 23:50:00", "2262-04-11T23:50:00+00:00"),  # faketime stops three minutes earlier
    Moment("Europe/Berlin", "2026-03-29 03:30:00", "2026-03-29T01:30:00+00:00"),  # an hour was left out
    Moment("Europe/Berlin", "2026-10-25 02:30:00", "2026-10-25T00:30:00+00:00"),  # the first of two
    Moment("Europe/Berlin", "2026-10-25 02:30:00", "2026-10-25T01:30:00+00:00"),  # the second
    Moment("Australia/Lord_Howe", "2026-04-05 01:45:00", "2026-04-04T15:15:00+00:00"),  # half an hour, repeated
    Moment("Australia/Lord_Howe", "2026-10-04 02:35:00", "2026-10-03T15:35:00+00:00"),  # half an hour, left out
    Moment("Pacific/Kiritimati", "2026-03-03 01:00:00", "2026-03-02T11:00:00+00:00"),
    Moment("UTC", "2016-12-31 23:59:59", "2016-12-31T23:59:59+00:00"),  # a leap second follows
    Moment("UTC", "2026-03-02 12:00:01", "2026-03-02T12:00:01+00:00"),
)


def faked() -> bool:
    return shutil.which("faketime") is not None


def clocks(folder: Path, moments: Sequence[Moment] = MOMENTS, *, machine: bool = False) -> Outcome:
    """At each moment somebody adds, asks, types a command, and agents run their hooks; all in one home."""
    scene = Scene(folder)
    scene.prepare()
    found, runs = list[str](), 0
    for number, moment in enumerate(moments):
        for fault in _at(scene, number, moment, machine=machine):
            found.append(f"{moment.zone} {moment.local}: {fault}")
        runs += 1
    found += _disorder(scene)
    found += [f"not recalled: {number}" for number in range(runs) if not _is_known(scene, f"walrus{number}")]
    return Outcome(runs, runs, 0, tuple(found), "the machine's clock" if machine else "the clock that is told")


def _at(scene: Scene, number: int, moment: Moment, *, machine: bool) -> Iterator[str]:
    person = Person(scene.folder)
    prefix = ("faketime", "-f", f"@{moment.local}") if machine else ()
    told = {"TZ": moment.zone, **({"FAKETIME_DONT_FAKE_MONOTONIC": "1"} if machine else {"TACIT_NOW": moment.told})}
    person.prefix = prefix
    environment = {**person.environment(), **told}
    if machine:
        environment.pop("TACIT_NOW")
    yield from _commands(person, environment, number, moment)
    record = [*prefix, *recorder_argv()]
    typed = subprocess.run(record, input=_RECORD % number, env=environment, capture_output=True, check=False)
    if (typed.returncode, typed.stdout, typed.stderr) != (0, b"", b""):
        yield f"the recorder ended with {typed}"
    for call in (*CALLS, *ALL_CALLS["codex"]):
        given = Given(prefix=prefix, variables=told, changes={"session_id": f"clock-{number}"})
        yield from (f"{call.host} {call.event}: {fault}" for fault in faults(scene.run(call, given)))
    scene.settle()


def _commands(person: Person, environment: dict[str, str], number: int, moment: Moment) -> Iterator[str]:
    said = ("add", f"always feed walrus{number} first"), ("recall", "walrus"), ("brief",), ("learn",), ("status",)
    for words in (*said, ("log", "--task", "t", "--summary", "s"), ("sessions",), ("doctor",)):
        started = _tacit(person, environment, *words)
        if "Traceback" in started.stderr or started.returncode not in (0, 1, 3):
            yield f"{words}: exit code {started.returncode}: {started.stderr[-200:]}"
    listed = _tacit(person, environment, "why", f"always feed walrus{number} first").stdout
    if moment.local[:10] not in listed:
        yield f"the date is not {moment.local[:10]}: {listed[:300]}"


def _tacit(person: Person, environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*person.prefix, sys.executable, "-m", "tacit", *words],
        env=environment,
        cwd=person.folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


def _disorder(scene: Scene) -> Iterator[str]:
    """In the order of its lines, each id of what somebody concluded follows the last, whatever the clock said."""
    log = (scene.home / "memory" / "events.jsonl").read_bytes()
    ids = [json.loads(line)["id"] for line in log.splitlines()]
    yield from (f"{later} stands behind {one}" for one, later in pairwise(ids) if later <= one)


def _is_known(scene: Scene, word: str) -> bool:
    return any(word in text for text in Person(scene.folder).texts(word))
