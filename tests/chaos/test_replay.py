"""The same transcripts and histories captured over and over, while they grow, are cut off and are put in new files."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

from harness.person import Person
from harness.transcripts import RECORDS, lines, name_of, place, story

from tests.chaos.outcome import Outcome, Row, assert_held
from tests.laws.kept import captured, difference, kept

_HISTORY = ".zsh_history"
_TURNS = 4


def replay(folder: Path, transcripts: int, rounds: int, seed: int = 1) -> Outcome:
    """What is there in the end is what capturing the finished files once gives, and the last round brings nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    dice, person = random.Random(seed), Person(folder)
    whole = _written(folder, transcripts)
    shown = dict.fromkeys(whole, 0.0)
    for number in range(rounds):
        for file, data in whole.items():
            shown[file] = 1.0 if number >= rounds - 2 else min(shown[file] + dice.random() / 3, 1.0)
            part = data[: round(len(data) * shown[file])]
            # A shell appends whole lines; agents do not.
            _put(dice, file, part[: part.rfind(b"\n") + 1] if file.name == _HISTORY else part)
        events = _round(person)
    faults = [] if _round(person) == events else ["the last round brought something new"]
    with person.at():
        sessions = [file for file in whole if file.name != _HISTORY]
        faults += difference(captured(folder / "once", *sessions), kept(person.home))
    log = _log(person)
    for typed in (line.split(b";", 1)[1] for line in whole[folder / _HISTORY].splitlines()):
        if (times := log.count(b'"command":"%s"' % typed)) != 1:
            faults.append(f"{typed.decode()}: {times} times")
    return Outcome(transcripts * rounds, events, 0, tuple(faults), f"{events:,} events, none twice")


def _written(folder: Path, transcripts: int) -> dict[Path, bytes]:
    whole = {}
    for number in range(transcripts):
        host = list(RECORDS)[number % len(RECORDS)]
        session = name_of("replay", number)
        told = RECORDS[host](session, "/nowhere/work", story(f"{host}{number}", _TURNS))
        whole[place(folder, host, session)] = lines(told)
    typed = (f": {1_700_000_000 + 60 * at}:1;make step-{at}\n" for at in range(20 * _TURNS))
    return {**whole, folder / _HISTORY: "".join(typed).encode()}


def _put(dice: random.Random, file: Path, data: bytes) -> None:
    """Appended to, put in a new file of the same name, or cut off for a while first."""
    match dice.choice(("appended", "rotated", "cut")):
        case "rotated":
            file.with_suffix(".new").write_bytes(data)
            os.replace(file.with_suffix(".new"), file)
        case "cut" if file.exists():
            file.write_bytes(data[: dice.randrange(len(data) + 1)])
            file.write_bytes(data)
        case _:
            there = file.stat().st_size if file.exists() else 0
            with file.open("ab") as stream:
                stream.write(data[there:])


def _round(person: Person) -> int:
    """How many events there are once all was captured by the real commands."""
    person.process("capture", *(str(person.folder / name) for name in (".claude", ".codex", ".gemini", ".copilot")))
    person.process("import", "history", "--file", str(person.folder / _HISTORY), "--shell", "zsh")
    return _log(person).count(b"\n")


def _log(person: Person) -> bytes:
    """What was captured and what was imported."""
    files = (path for name in ("activity", "imported") for path in sorted((person.home / name).glob("*.jsonl")))
    return b"".join(path.read_bytes() for path in files)


def test_what_was_captured_many_times_is_there_once(tmp_path: Path) -> None:
    assert_held(replay(tmp_path, transcripts=4, rounds=3), acknowledged=80)


def rows(short: bool) -> Iterator[Row]:
    transcripts, rounds = (4, 3) if short else (50, 10)
    yield Row("T16 captured over and over", lambda at: replay(at, transcripts, rounds))
