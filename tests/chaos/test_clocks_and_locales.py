"""Clocks that jump or stand at the ends of time, languages that the machine does not have, and bytes that are no text,
with agents and shells attached. All of them are in `make chaos`.

The clock is the one that a program is told (`TACIT_NOW`); with `faketime`, where that is there, it is the machine's.
"""

from __future__ import annotations

import json
import os
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
from tests.chaos.outcome import Outcome, Row, assert_held
from tests.support.hook_calls import ALL_CALLS, CALLS, Given, Scene, faults

FAKETIME = shutil.which("faketime") is not None
_RECORD = b"tacit1\0zsh\x001.2\x000\0\x0015\0%s\0%s\0\0\0"  # a directory and a command


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


class Programs(NamedTuple):
    """What a person and their shell start, in an environment of their own."""

    scene: Scene
    environment: dict[str, str]
    prefix: tuple[str, ...] = ()

    def tacit(self, *words: str | bytes, cwd: Path | None = None, **more: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*self.prefix, sys.executable, "-m", "tacit", *words],
            env={**self.environment, **more},
            cwd=cwd or self.scene.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )

    def faults(
        self, *words: str | bytes, cwd: Path | None = None, codes: Sequence[int] = (0, 1), **more: str
    ) -> Iterator[str]:
        """A question without an answer ends with 1 and says so; anything else must be well."""
        done = self.tacit(*words, cwd=cwd, **more)
        if b"Traceback" in done.stderr or done.returncode not in codes:
            yield f"{words}: exit code {done.returncode}: {done.stderr[-300:]!r}"

    def recorder_faults(self, directory: bytes, command: bytes) -> Iterator[str]:
        record = [*self.prefix, *recorder_argv()]
        given = _RECORD % (directory, command)
        done = subprocess.run(record, input=given, env=self.environment, capture_output=True, check=False)
        if (done.returncode, done.stdout, done.stderr) != (0, b"", b""):
            yield f"the recorder ended with {done}"


def clocks(folder: Path, moments: Sequence[Moment] = MOMENTS, *, machine: bool = False) -> Outcome:
    """At each moment somebody adds, asks, types a command, and agents run their hooks; all in one home."""
    scene, found, runs = Scene(folder).prepare(), list[str](), len(moments)
    for number, moment in enumerate(moments):
        here = f"{moment.zone} {moment.local}"
        found += [f"{here}: {fault}" for fault in _at(scene, number, moment, machine=machine)]
    found += _disorder(scene)
    for word in (f"walrus{number}" for number in range(runs)):
        found += [f"not recalled: {word}"] * (not any(word in text for text in Person(folder).texts(word)))
    return Outcome(runs, runs, 0, tuple(found), "the machine's clock" if machine else "the clock that is told")


def _at(scene: Scene, number: int, moment: Moment, *, machine: bool) -> Iterator[str]:
    prefix = ("faketime", "-f", f"@{moment.local}") if machine else ()
    clock = {"TZ": moment.zone, **({"FAKETIME_DONT_FAKE_MONOTONIC": "1"} if machine else {"TACIT_NOW": moment.told})}
    environment = {**Person(scene.folder).environment(), **clock}
    if machine:
        environment.pop("TACIT_NOW")
    person = Programs(scene, environment, prefix)
    rule = f"always feed walrus{number} first"
    added = ("add", rule), ("recall", "walrus"), ("brief",), ("learn",), ("status",)
    for words in (*added, ("log", "--task", "t", "--summary", "s"), ("sessions",), ("doctor",)):
        yield from person.faults(*words, codes=(0, 1, 3))
    listed = person.tacit("why", rule).stdout.decode()
    if moment.local[:10] not in listed:
        yield f"the date is not {moment.local[:10]}: {listed[:300]}"
    yield from person.recorder_faults(b"/", b"make clock-%d" % number)
    for call in (*CALLS, *ALL_CALLS["codex"]):
        given = Given(prefix=prefix, variables=clock, changes={"session_id": f"clock-{number}"})
        yield from (f"{call.host} {call.event}: {fault}" for fault in faults(scene.run(call, given)))
    scene.settle()


def _disorder(scene: Scene) -> Iterator[str]:
    """In the order of its lines, each id of what somebody concluded follows the last, whatever the clock said."""
    log = (scene.home / "memory" / "events.jsonl").read_bytes()
    ids = [json.loads(line)["id"] for line in log.splitlines()]
    yield from (f"{later} stands behind {one}" for one, later in pairwise(ids) if later <= one)


LOCALES = (
    {"LC_ALL": "C"},
    {"LC_ALL": "POSIX"},
    {"LANG": "tr_TR.UTF-8", "LC_ALL": ""},
    {"LC_ALL": "tr_TR.ISO-8859-9"},
    {"LC_ALL": "no such thing"},
    {"LC_ALL": "", "LANG": ""},
)
SENTENCE = "İstanbul'da ılık çay: never mix ﬁles 日本 😀"
_BAD = b"odd\xff\xfe\xed\xa0\x80name"


def locales(folder: Path, chosen: Sequence[dict[str, str]] = LOCALES) -> Outcome:
    """Each in a home of its own."""
    found = list[str]()
    for number, locale in enumerate(chosen):
        scene = Scene(folder / str(number)).prepare()
        person = Programs(scene, {**Person(scene.folder).environment(), **locale})
        found += [f"{locale}: {fault}" for fault in (*_texts(person), *_bytes(person, locale))]
    return Outcome(len(chosen), len(chosen), 0, tuple(found))


def _texts(person: Programs) -> Iterator[str]:
    """What was said comes back as it was said, and is found by any of its words."""
    yield from person.faults("add", SENTENCE)
    for word in ("istanbul", "ILIK", "日本", "files"):
        yield from person.faults("recall", "--json", word)
    shown = person.tacit("list", "--json").stdout
    if b"\\u0130stanbul" not in shown and SENTENCE.encode() not in shown:
        yield f"not given back: {shown[-200:]!r}"
    for words in (("list",), ("brief",), ("status",), ("doctor",), ("why", SENTENCE), ("reindex",), ("--help",)):
        yield from person.faults(*words)
    if SENTENCE not in (person.scene.home / "memory" / "long-term.md").read_text(encoding="utf-8"):
        yield "not in the page as it was said"


def _bytes(person: Programs, locale: dict[str, str]) -> Iterator[str]:
    """Bytes that are no text as a word, a folder, a variable, a file name, a history, a record and a transcript."""
    scene = person.scene
    place = scene.folder / os.fsdecode(_BAD)
    (place / ".git").mkdir(parents=True)
    yield from person.faults("add", b"use " + _BAD + b" here", cwd=place)
    yield from person.faults("recall", _BAD, cwd=place)
    yield from person.faults("log", "--task", "t", "--summary", _BAD, TACIT_SESSION=os.fsdecode(_BAD))
    history = place / ".zsh_history"
    history.write_bytes(b": 1700000000:0;echo \xff\xfe\n: 1700000060:0;make \x83\xb4\n")
    yield from person.faults("import", "history", "--file", os.fsencode(history), "--shell", "zsh")
    yield from person.recorder_faults(b"/" + _BAD, b"echo \xff\xfe quokka")
    if not scene.holds("quokka"):
        yield "the command is not in the log"
    for call in (ALL_CALLS["claude"][0], ALL_CALLS["codex"][2]):
        given = Given(variables=locale, changes={"cwd": os.fsdecode(_BAD), "prompt": "ILIK \udcff çay"})
        yield from (f"{call.event}: {fault}" for fault in faults(scene.run(call, given)))
    scene.settle()
    yield from person.faults("verify")


def test_a_clock_that_jumps_disturbs_nothing(tmp_path: Path) -> None:
    """That of the machine where it can be told a lie."""
    chosen = [one for one in MOMENTS if one.local[:4] == "2038" or (not FAKETIME and "Kiritimati" in one.zone)]
    assert_held(clocks(tmp_path / "person", chosen, machine=FAKETIME))


def test_no_language_and_no_bytes_make_a_program_fail(tmp_path: Path) -> None:
    assert_held(locales(tmp_path, LOCALES[2:3]))


def rows(short: bool) -> Iterator[Row]:
    moments, languages = (MOMENTS[:3], LOCALES[:1]) if short else (MOMENTS, LOCALES)
    yield Row("T45 clocks that are told", lambda at: clocks(at, moments))
    if FAKETIME:
        yield Row("T45 clocks of the machine", lambda at: clocks(at, moments, machine=True))
    yield Row("T46 languages and bytes", lambda at: locales(at, languages))
