"""A home with more sessions than anybody has, and an agent that works on: hooks answer, capture and catch up."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

from harness.person import Person
from harness.transcripts import BEGAN, Claude, Turn, lines, name_of, place

from tests.chaos.giant_transcripts import ROOM, WAITED, peak_of_what_goes_on
from tests.chaos.outcome import Outcome
from tests.support.hook_calls import CALLS, PROMPT, RULES, Given, Scene

_HOOKS = 12  # rounds in which a home must have caught up
_ENDED = 8.0  # seconds; what works for nine is ended by the system, and was not done


def many_sessions(folder: Path, sessions: int) -> Outcome:
    """All are captured by one command; then hooks do what they do every day."""
    scene = Scene(folder)
    scene.prepare()
    for number in range(sessions):
        _session(folder, number)
    peak = _captured(scene)
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


def _session(folder: Path, number: int) -> None:
    own = name_of("many", number)
    teller = Claude(own, f"/nowhere/p{number % 50}", BEGAN + timedelta(minutes=number))
    teller.turn(Turn(f"please do the task number {number}", put=""))
    place(folder, "claude", own).write_bytes(lines(teller.records))


def _captured(scene: Scene) -> int:
    """The most memory of the command, in MB."""
    command = [sys.executable, "-m", "tacit", "capture", str(scene.folder / ".claude")]
    environment = Person(scene.folder).environment()
    with subprocess.Popen(command, env=environment, cwd=scene.folder, stdout=subprocess.DEVNULL) as running:
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0
    return used.ru_maxrss >> 10
