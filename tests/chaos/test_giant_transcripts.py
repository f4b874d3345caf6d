"""Transcripts larger than anything sensible, captured by hooks: all that was said, in little memory, in slices if need
be. A hook returns at once; what it started may work for some seconds, and the next one goes on from there."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from harness.person import Person
from harness.transcripts import BEGAN, Claude, Turn, claude_session, line, lines, name_of, story

from tests.chaos.outcome import Outcome, Row
from tests.chaos.program import peak_memory
from tests.support.hook_calls import CALLS, PROMPT, RULES, Call, Ended, Given, Scene

STOP = Call("capture", "Stop")
ROOM = 150  # MB (T39)
WAITED = 2.0  # seconds that a host may wait (T39)
LARGEST = 256 << 10  # bytes of an event (T39)
_TURNS, _MEGABYTE = 12, 1 << 20
_HOLE = b"hole"
Piece = Callable[[int], Iterator[bytes]]


def long_line(size: int) -> Iterator[bytes]:
    yield b'{"type":"user","message":{"role":"user","content":"'
    yield from (b"x" * _MEGABYTE for _ in range(size >> 20))
    yield b'"}}\n'


def deep_line(size: int) -> Iterator[bytes]:
    yield from (b"[" * _MEGABYTE for _ in range(size >> 20))
    yield b"\n"


def hole(_size: int) -> Iterator[bytes]:
    """Nothing at all, which takes no room on a disk: it is passed over when the file is written."""
    yield _HOLE
    yield b"\n"


def many_lines(size: int) -> Iterator[bytes]:
    """What hosts write beside what is said, a line of 200 bytes each."""
    data = {"type": "bash_progress", "output": "x" * 90}
    one = line({"type": "progress", "uuid": "p", "toolUseID": "t", "data": data})
    yield from (one * 1000 for _ in range(size // len(one) // 1000 + 1))


PIECES: dict[str, Piece] = {"long line": long_line, "deep line": deep_line, "hole": hole, "many lines": many_lines}


def giant(folder: Path, name: str, size: int, hooks: int = 6) -> Outcome:
    """A session whose middle is such a piece. At most so many hooks may be needed until all was captured."""
    scene = Scene(folder).prepare()
    _written(scene, name, size)
    waited, peak, number, faults = 0.0, 0, 0, list[str]()
    while (missing := _missing(scene)) and number < hooks and not faults:
        number, began = number + 1, time.monotonic()
        ended = scene.run(STOP)
        waited = max(waited, time.monotonic() - began)
        peak = max(peak, peak_of_what_goes_on(scene))
        faults += [f"ended: {ended}"] * (ended != Ended(0, b"", b""))
    files = (scene.home / "activity").glob("*.jsonl")
    largest = max((len(one) for path in files for one in path.read_bytes().split(b"\n")), default=0)
    faults += [f"after {number} hooks still missing: {len(missing)}, such as {missing[:1]}"] * bool(missing)
    faults += [f"a host waited for {waited:.1f} s"] * (waited > WAITED) + [f"{peak} MB"] * (peak > ROOM)
    faults += [f"an event of {largest} bytes"] * (largest > LARGEST)
    note = f"{name} of {size >> 20:,} MB: {number} hooks, {peak} MB, a host waited {waited * 1000:.0f} ms at most"
    return Outcome(number, _TURNS, len(missing), tuple(faults), note)


def _written(scene: Scene, name: str, size: int) -> None:
    teller = Claude(scene.transcript.stem, str(scene.project))
    for turn in story("giant", _TURNS):
        teller.turn(turn)
    half = len(teller.records) // 2
    with scene.transcript.open("wb") as file:
        file.write(lines(teller.records[:half]))
        for piece in PIECES[name](size):
            if piece is _HOLE:
                file.seek(size, 1)
            else:
                file.write(piece)
        file.write(lines(teller.records[half:]))


def _missing(scene: Scene) -> list[str]:
    """Of what was asked, all that is not in the log."""
    log = b"".join(path.read_bytes() for path in (scene.home / "activity").glob("*-agents.jsonl"))
    return [turn.asked for turn in story("giant", _TURNS) if turn.asked.encode() not in log]


def peak_of_what_goes_on(scene: Scene) -> int:
    """The most memory, in MB, of what a hook left behind; it is waited for. A peak never shrinks."""
    peak = 0
    while left := scene.left():
        peak = max([peak, *map(peak_memory, left)])
        time.sleep(0.01)
    return peak


_HOOKS = 12  # rounds in which a home must have caught up
_ENDED = 8.0  # seconds; what works for nine is ended by the system, and was not done


def many_sessions(folder: Path, sessions: int) -> Outcome:
    """All are captured by one command; then hooks do what they do every day."""
    scene = Scene(folder).prepare()
    for number in range(sessions):
        turn = Turn(f"please do the task number {number}", put="")
        at = BEGAN + timedelta(minutes=number)
        claude_session(folder, name_of("many", number), f"/nowhere/p{number % 50}", [turn], at)
    peak = _captured_at_once(scene)
    faults = [f"the command took {peak} MB"] * (peak > ROOM)
    waited, rounds, longest = 0.0, 0, _ENDED
    while longest >= _ENDED and rounds < _HOOKS:
        rounds, longest = rounds + 1, 0.0
        for call in CALLS:
            began = time.monotonic()
            ended = scene.run(call, Given(changes={"session_id": name_of("fresh", rounds)}))
            waited = max(waited, time.monotonic() - began)
            peak = max(peak, peak_of_what_goes_on(scene))
            longest = max(longest, time.monotonic() - began)
            if call.event == "SessionStart" and RULES[0].encode() not in ended.out:
                faults.append(f"round {rounds}: a new session is told nothing")
    faults += [f"after {rounds} rounds of hooks the home has not caught up"] * (longest >= _ENDED)
    faults += [] if scene.holds(PROMPT) else ["what the session said is not captured"]
    faults += [f"a hook took {peak} MB"] * (peak > ROOM) + [f"a host waited for {waited:.1f} s"] * (waited > WAITED)
    note = f"{sessions:,} sessions: {peak} MB, a host waited {waited * 1000:.0f} ms at most, {rounds} rounds"
    return Outcome(sessions, sessions, 0, tuple(faults), note)


def _captured_at_once(scene: Scene) -> int:
    """The most memory of the command, in MB."""
    command = [sys.executable, "-m", "tacit", "capture", str(scene.folder / ".claude")]
    environment = Person(scene.folder).environment()
    with subprocess.Popen(command, env=environment, cwd=scene.folder, stdout=subprocess.DEVNULL) as running:
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0
    return used.ru_maxrss >> 10


@pytest.mark.parametrize("piece", PIECES)
def test_what_stands_around_a_giant_is_captured(tmp_path: Path, piece: str) -> None:
    found = giant(tmp_path / "person", piece, 24 << 20)
    assert [fault for fault in found.faults if "waited" not in fault] == []  # time is measured elsewhere
    assert found.runs > 0


def rows(short: bool) -> Iterator[Row]:
    large, hole_size, sessions = (20 << 20, 1 << 30, 300) if short else (100 << 20, 10 << 30, 10_000)
    sizes = {"long line": large, "deep line": 5 << 20, "many lines": 2 * large, "hole": hole_size}
    for piece, size in sizes.items():
        yield Row(f"T39 transcript, {piece}", partial(giant, name=piece, size=size), on_disk=True)
    yield Row("T39 many sessions", lambda at: many_sessions(at, sessions), on_disk=True)
