"""A year of somebody who works a lot, through the real captures: 200 turns with agents and 500 commands a day.

What it comes to on the disk, what opening and a question cost then, and that making the index anew loses nothing. The
log itself is never compacted; that a purge, which rewrites it, loses nothing else is looked at in T17 and T31.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from random import Random

from harness.person import Person
from harness.transcripts import BEGAN, Turn, claude_session, name_of
from harness.vocabulary import identifier, sentence

import tacit
from tacit.shell.history_import import HistoryFile
from tacit.vault import Vault
from tests.chaos.outcome import Outcome, Row
from tests.chaos.program import slowdown

TURNS, COMMANDS, SESSIONS = 200, 500, 4  # a day
QUESTIONS = 300
_LOG, _TIMES, _OPENED, _ASKED = 400, 2.0, 100, 50  # MB, × the log, ms, ms (T44)


def year(folder: Path, days: int) -> Outcome:
    """What it comes to, against what it may (T44)."""
    folder.mkdir(parents=True, exist_ok=True)
    person, random = Person(folder), Random("year")
    with person.at():
        _lived(person, random, days)
        opened, asked = _asked(person, random)
        events, log = _events(person.home), sum(path.stat().st_size for path in _files(person.home))
        times = sum(path.stat().st_size for path in person.home.glob("index*") if path.is_file()) / log
        lost = list(_lost(person))
    slower = slowdown()
    most, opened = sorted(asked)[int(len(asked) * 0.99)] / slower, opened / slower
    faults = [*lost, *[f"log {log >> 20} MB"] * (log > _LOG << 20)]
    faults += [f"index {times:.1f} × the log"] * (times > _TIMES) + [f"p99 {most:.0f} ms"] * (most > _ASKED)
    faults += [f"opened in {opened:.0f} ms"] * (opened > _OPENED)
    note = f"{days} days, log {log >> 20} MB, index {times:.2f} ×, opened {opened:.0f} ms CPU, "
    note += f"recall p99 {most:.0f} ms CPU"
    return Outcome(events, events, len(lost), tuple(faults), note)


def _lived(person: Person, random: Random, days: int) -> None:
    history = person.folder / ".zsh_history"
    with history.open("wb") as file:
        for day in range(days):
            file.writelines(_typed(random, day))
    for day in range(days):
        files = [str(_session(person.folder, random, day, part)) for part in range(SESSIONS)]
        with tacit.open(person.home, cwd=person.folder) as vault:
            vault.transcripts.capture(files)
    with tacit.open(person.home, cwd=person.folder) as vault:
        vault.histories.import_history([HistoryFile(str(history), "zsh")])
        vault.add("never force push to main")


def _session(folder: Path, random: Random, day: int, part: int) -> Path:
    turns = []
    for _ in range(TURNS // SESSIONS):
        asked, ran = f"{sentence(random)} {sentence(random)}", f"pytest -q tests/{identifier(random)}"
        reply = " ".join(sentence(random) for _ in range(6))
        turns.append(Turn(asked, ran, sentence(random) * 3, f"src/{identifier(random)}.py", reply, ""))
    began = BEGAN + timedelta(days=day, hours=2 * part)
    return claude_session(folder, name_of("year", day, part), str(folder / f"work{part}"), turns, began)


def _typed(random: Random, day: int) -> Iterator[bytes]:
    began = int(BEGAN.timestamp()) + day * 86_400
    for number in range(COMMANDS):
        often = random.choice(("git status", "git diff", "make test", "ls -la", "cd .."))
        command = often if random.random() < 0.65 else f"rg -n '{identifier(random)}' src | head -{number}"
        yield f": {began + number * 60}:1;{command}\n".encode()


def _asked(person: Person, random: Random) -> tuple[float, list[float]]:
    """Milliseconds of CPU to open the home and to ask, once the index is there. Whoever asks has not lived all of it in
    the same process: what that left behind is not looked through for what is garbage."""
    gc.collect()
    gc.freeze()
    with tacit.open(person.home, cwd=person.folder) as vault:
        vault.recall("main")
    opened = []
    for _ in range(9):
        began = time.process_time()
        with tacit.open(person.home, cwd=person.folder) as vault:
            vault.sessions.sessions(limit=1)
            opened.append((time.process_time() - began) * 1000)
    with tacit.open(person.home, cwd=person.folder) as vault:
        return sorted(opened)[4], [_took(vault, " ".join(sentence(random).split()[:4])) for _ in range(QUESTIONS)]


def _took(vault: Vault, question: str) -> float:
    began = time.process_time()
    vault.recall(question)
    return (time.process_time() - began) * 1000


def _files(home: Path) -> Iterator[Path]:
    yield from (path for name in ("memory", "activity", "imported") for path in sorted((home / name).glob("*.jsonl")))


def _events(home: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in _files(home))


def _lost(person: Person) -> Iterator[str]:
    """What is gone after the index was made anew."""
    before = _counts(person)
    person.tacit("reindex")
    if (now := _counts(person)) != before:
        yield f"after reindex: {now} where there were {before}"
    if person.tacit("verify", code=None).code:
        yield "verify finds something"


def _counts(person: Person) -> tuple[int, str]:
    with tacit.open(person.home, cwd=person.folder) as vault:
        answers = [hit.text for hit in vault.search.recall("never force push to main", observe=False)]
        return len(vault.sessions.sessions(grouped=False)), str(answers[:1])


def test_nothing_of_a_busy_day_is_lost_when_the_index_is_made_anew(tmp_path: Path) -> None:
    person = Person(tmp_path)
    with person.at():
        _lived(person, Random("day"), 1)
        assert list(_lost(person)) == []
    assert _events(person.home) > COMMANDS + 3 * TURNS


def rows(short: bool) -> Iterator[Row]:
    yield Row("T44 a year of work", lambda at: year(at, 2 if short else 365), on_disk=True, alone=True)
