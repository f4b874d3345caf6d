"""What an agent was given comes back in its transcript. It must not come back into memory, however often."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from harness.person import Person
from harness.transcripts import BEGAN, RECORDS, Turn, claude_session, lines, name_of, opencode, place

from tacit.hosts import normalize
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row, replaced
from tests.support.hook_session import Sitting

MEMORIES = (
    "never deploy the zeppelin cluster on fridays because the quokka alarms fire",
    "the walrus database is restored from the platypus backup",
    "use the narwhal linter before each commit of the otter service",
    "the ocelot tests need the capybara container",
)
# Words of these memories that no prompt has: where they stand, a memory stands.
MARKS = ("quokka", "platypus", "narwhal", "capybara", "tacit-memory", "tacit-sessions", "Reference data")
PROMPTS = (
    "may I deploy the zeppelin cluster on fridays?",
    "restore the walrus database from a backup",
    "which linter is for the commit of the otter service?",
    "why do the ocelot tests need a container?",
)
HOSTS = ("claude", "codex", "gemini", "copilot", "opencode")


def echo(folder: Path, cycles: int) -> Outcome:
    """Each cycle is a session: it begins, asks, is given something, writes it down, is captured and learned from."""
    folder.mkdir(parents=True, exist_ok=True)
    person = Person(folder)
    work = person.repository("work", remote="git@example.org:kim/work.git")
    for memory in MEMORIES:
        person.tacit("add", memory, cwd=work)
    person.tacit("improve", "--force", cwd=work)
    before, given, faults = _known(person, work), [], []
    for cycle in range(cycles):
        given += _session(person, work, cycle)
        if cycle % 4 == 3 or cycle == cycles - 1:
            person.tacit("improve", "--force", cwd=work)
            faults += [f"cycle {cycle}: {fault}" for fault in _faults(person, work, before, given)]
    if not given:
        faults.append("nothing was ever given: this shows nothing")
    return Outcome(cycles, len(given), 0, tuple(faults), f"{len(given)} texts were given")


def _session(person: Person, work: Path, cycle: int) -> list[str]:
    host = HOSTS[cycle % len(HOSTS)]
    session = name_of("echo", cycle)
    sitting = Sitting(person, session, work, host)
    first = sitting.start() if host != "gemini" else ""
    turns = []
    for number in range(2):
        asked = PROMPTS[(cycle + number) % len(PROMPTS)]
        put = first + sitting.ask(asked)
        reply = f"As it was noted:\n{put}\nSo I did it, number {cycle}."
        turns.append(Turn(asked, f"tacit brief | head -{number + 1}", put, f"src/{cycle}_{number}.py", reply, put))
        first = ""
    person.tacit("capture", str(_written(person.folder, host, session, work, turns, cycle)))
    return [turn.put for turn in turns if turn.put]


def _written(folder: Path, host: str, session: str, work: Path, turns: list[Turn], cycle: int) -> Path:
    if host == "opencode":
        opencode(folder / "opencode.db", f"ses_{session}", str(work), turns)
        return folder / "opencode.db"
    if host == "claude":
        return claude_session(folder, session, str(work), turns, BEGAN + timedelta(minutes=cycle))
    file = place(folder, host, session)
    file.write_bytes(lines(RECORDS[host](session, str(work), turns)))
    return file


def _known(person: Person, work: Path) -> list[Any]:
    """Every memory with its status and strength, whoever it is of."""
    listed: list[Any] = person.tacit("list", "--status", "all", "--scope", "all", "--json", cwd=work).json
    return sorted((one["label"], one["status"], one["strength"]) for one in listed if one.get("source") != "evaluation")


def _faults(person: Person, work: Path, before: list[Any], given: list[str]) -> Iterator[str]:
    if (now := _known(person, work)) != before:
        yield f"memory changed: {[one for one in now if one not in before]}"
    files = [path for name in ("activity", "sessions") for path in sorted((person.home / name).iterdir())]
    held = b"\n".join(path.read_bytes() for path in files).decode()
    if not files or "zeppelin" not in held:
        yield "what was asked is not there: this shows nothing"
    yield from (f"{mark!r} stands in activity or sessions" for mark in MARKS if mark in held)
    for text in given:
        yield from (f"given and kept: {line[:80]!r}" for line in text.split("\n") if len(line) > 20 and line in held)


def noisy(folder: Path) -> Outcome:
    """Mutant: what hosts put into a transcript is not taken out."""
    with replaced(normalize, "without_noise", lambda text: text):
        return echo(folder, 2)


def test_what_was_given_does_not_come_back_as_memory(tmp_path: Path) -> None:
    assert_held(echo(tmp_path, 8), acknowledged=8)


def rows(short: bool) -> Iterator[Row]:
    yield Row("T43 inject, capture, learn", lambda at: echo(at, 8 if short else 100))
    yield mutant_row("T43 mutant: noise is kept", noisy)
