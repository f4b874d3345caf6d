"""Hooks of agents under stress: many at once while a transcript grows, killed at any moment, orphaned by their host."""

from __future__ import annotations

import fcntl
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from io import BytesIO
from pathlib import Path

import pytest
from harness.person import Person
from harness.transcripts import Claude, claude_session, lines, name_of, story

from tests.chaos.outcome import Outcome, Row, assert_held
from tests.chaos.program import tacit
from tests.laws.kept import Kept, captured, difference, kept
from tests.support.hook_calls import AGENT, ALL_CALLS, CALLS, Call, Ended, Given, Scene

STOP = Call("capture", "Stop")
# What a session with Claude Code runs, with where a start comes from.
_LIVE = (
    *((STOP, ""), (Call("capture", "PreCompact"), ""), (CALLS[1], "")),
    *((CALLS[0], source) for source in ("startup", "resume", "compact")),
)
_AT_ONCE = 8
_STOPS = 5
_ATTEMPTS = 3
_PATIENCE = 10.0  # seconds after which nothing of ours may run any more


def stops(folder: Path, count: int) -> Outcome:
    """So many Stop hooks while somebody writes the transcript, in pieces that are no whole lines."""
    scene = _scene(folder)
    told, ended = _beside_the_writer(scene, "stops", [(STOP, "")] * count, gap=0.002)
    faults = [f"a hook ended with {one}" for one in ended if one.code or one.out or one.err]
    faults += [*_stopped(scene), *_compared(scene, [scene.transcript])]
    return Outcome(count, len(told.records), 0, tuple(faults))


def live(folder: Path, count: int, seed: int = 1) -> Outcome:
    """So many hooks of all sorts, in any order, while the transcript grows; then the agent deletes its file."""
    scene = _scene(folder)
    told, ended = _beside_the_writer(scene, "live", random.Random(seed).choices(_LIVE, k=count), gap=0.001)
    faults = [f"a hook ended with {one}" for one in ended if one.code or one.err]
    faults += _stopped(scene)
    copy = scene.folder / "copy" / scene.transcript.name
    copy.parent.mkdir()
    os.replace(scene.transcript, copy)
    faults += [f"without the file: {one}" for one in map(scene.run, CALLS) if one.code or one.err]
    faults += [*_left(scene), *_compared(scene, [copy])]
    return Outcome(count, len(told.records), 0, tuple(faults))


def killed(folder: Path, count: int, seed: int = 1) -> Outcome:
    """The process that captures is killed at a random moment, each time after another turn; the last one is not."""
    dice, scene = random.Random(seed), _scene(folder)
    told, hit = _session(scene, "killed", count), 0
    for part in _turns(told):
        with scene.transcript.open("ab") as file:
            file.write(part)
        scene.run(STOP)
        time.sleep(dice.uniform(0, 0.15))
        for process in scene.left():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
                hit += 1
    for _ in range(_ATTEMPTS):  # on a slow machine the one who captures may reach its deadline
        scene.run(STOP)
        faults = list(_left(scene))
        if not (waiting := list((scene.home / ".tacit" / "pending").iterdir())):
            break
    faults += _compared(scene, [scene.transcript])
    if waiting:
        faults.append(f"a note was left although nobody was killed at the last {_ATTEMPTS} hooks")
    return Outcome(count, hit, 0, tuple(faults), f"{hit} processes were killed")


def sittings(folder: Path, count: int, seed: int = 1) -> Outcome:
    """Sessions of all hosts from their start to their end, each with a server beside it; half of the hosts are killed
    with everything in their group. In the middle comes another version, which does not know the index."""
    dice, scene = random.Random(seed), _scene(folder)
    told = [(name_of("sitting", number), story(f"sitting{number}", 2)) for number in range(count)]
    files = [claude_session(folder, session, str(scene.project), turns) for session, turns in told]
    hosts = [(file, dice.random() if number % 2 else None) for number, file in enumerate(files)]
    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(_live, scene, one, when, number) for number, (one, when) in enumerate(hosts)]
        running[count // 2].result()
        _upgraded(scene)
        for one in running:
            one.result()
    faults = _stopped(scene)
    whole = [transcript for transcript, when in hosts if when is None]
    with Person(folder).at():
        there = set(kept(scene.home).prompts)
    asked = {transcript: _asked(transcript) for transcript in whole}
    faults += [f"not captured, although its host lived: {one}" for one, words in asked.items() if not words <= there]
    faults += _compared(scene, [transcript for transcript, _ in hosts], again=True)
    return Outcome(count, len(whole), 0, tuple(faults), f"{count - len(whole)} of {count} hosts were killed")


def _scene(folder: Path) -> Scene:
    scene = Scene(folder).prepare()
    scene.transcript.unlink()
    return scene


def _session(scene: Scene, name: str, turns: int) -> Claude:
    """The records of the session that the scene's hooks speak of."""
    teller = Claude(scene.transcript.stem, str(scene.project))
    for turn in story(name, turns):
        teller.turn(turn)
    return teller


def _turns(told: Claude) -> Iterator[bytes]:
    part: list[dict[str, object]] = []
    for record in told.records:
        part.append(record)
        if record.get("subtype") == "turn_duration":
            yield lines(part)
            part = []


def _beside_the_writer(
    scene: Scene, name: str, hooks: Sequence[tuple[Call, str]], gap: float
) -> tuple[Claude, list[Ended]]:
    """Run these hooks, with where a start comes from, while the transcript is written in pieces."""
    told = _session(scene, name, len(hooks) // 4)

    def write() -> None:
        dice, whole = random.Random(3), BytesIO(lines(told.records))
        while piece := whole.read(dice.randrange(1, 2000)):
            with scene.transcript.open("ab") as file:
                file.write(piece)
            time.sleep(gap)

    with ThreadPoolExecutor(_AT_ONCE + 1) as pool:
        writing = pool.submit(write)
        ended = list(pool.map(lambda one: scene.run(one[0], Given(changes={"source": one[1]})), hooks))
        writing.result()
    return told, ended


_HOST = """
import json, subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
for command, given in json.loads(sys.stdin.readline()):
    subprocess.run(command, input=given.encode(), stdout=subprocess.DEVNULL)
print("done", flush=True)
sys.stdin.readline()
"""


def _live(scene: Scene, transcript: Path, killed_at: float | None, number: int) -> None:
    """A host that runs all hooks of a session one after another. It dies in the middle, or with the last one's end."""
    about = {"session_id": transcript.stem, "transcript_path": str(transcript)}
    hook = [sys.executable, "-I", "-S", str(AGENT)]
    every = ALL_CALLS[list(ALL_CALLS)[number // 2 % len(ALL_CALLS)]]
    calls = [([*hook, one.host, one.what, one.event], scene.payload(one, **about).decode()) for one in every]
    command, pipe = [sys.executable, "-I", "-c", _HOST, *tacit("mcp")], subprocess.PIPE
    environment = scene._environment({})
    host = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, start_new_session=True)
    assert host.stdin is not None and host.stdout is not None
    host.stdin.write(json.dumps(calls).encode() + b"\n")
    host.stdin.flush()
    if killed_at is None:
        host.stdout.readline()
    else:
        time.sleep(killed_at)
    os.killpg(host.pid, signal.SIGKILL)
    host.communicate()


def _upgraded(scene: Scene) -> None:
    """The index is of a version that nobody knows, as after an upgrade or while an older program runs beside."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(scene.home / "index.sqlite", timeout=10)) as index:
        index.execute("UPDATE meta SET value = 'another' WHERE name = 'version'")
        index.commit()


def _stopped(scene: Scene) -> list[str]:
    """The last stop. On a machine that stands still a process reaches its deadline first: it leaves its note, and the
    stop after it captures. Without a note nothing may be missing."""
    for _ in range(_STOPS):
        scene.run(STOP)
        if faults := list(_left(scene)):
            return faults
        if not any((scene.home / ".tacit" / "pending").iterdir()):
            return []
    return [f"a note still waits after {_STOPS} stops"]


def _left(scene: Scene) -> Iterator[str]:
    """Nothing runs any more, and nobody holds a lock."""
    yield from scene.left_after(_PATIENCE)
    until = time.monotonic() + _PATIENCE
    for lock in (scene.home / ".tacit").glob("*.lock"):
        while not (is_free := _is_free(lock)) and time.monotonic() < until:
            time.sleep(0.01)  # a process that ends has no environment any more when it closes its files
        if not is_free:
            yield f"{lock.name} is held"


def _is_free(lock: Path) -> bool:
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _compared(scene: Scene, transcripts: Sequence[Path], *, again: bool = False) -> list[str]:
    """Against capturing the finished files once; `again` captures them first, where not all had to be."""
    with Person(scene.folder).at():
        once = captured(scene.folder / "once", *transcripts)
        try:
            found: Kept = captured(scene.home, *transcripts) if again else kept(scene.home)
        except AssertionError as error:
            return [str(error)]
        return list(difference(once, found))


def _asked(transcript: Path) -> set[str]:
    records = [json.loads(one) for one in transcript.read_bytes().splitlines()]
    said = [record["message"]["content"] for record in records if record.get("type") == "user"]
    return {text for text in said if isinstance(text, str)}


def test_stops_that_race_with_a_growing_transcript_capture_each_prompt_once(tmp_path: Path) -> None:
    assert_held(stops(tmp_path, 24))


@pytest.mark.chaos
def test_hooks_of_all_sorts_beside_a_growing_transcript_capture_each_prompt_once(tmp_path: Path) -> None:
    assert_held(live(tmp_path, 24))


def test_what_a_killed_hook_has_left_the_next_one_captures(tmp_path: Path) -> None:
    assert_held(killed(tmp_path, 8), acknowledged=1)


def test_sessions_whose_hosts_are_killed_leave_no_process_and_no_lock(tmp_path: Path) -> None:
    assert_held(sittings(tmp_path, 8))


def rows(short: bool) -> Iterator[Row]:
    hooks, kills, sessions, mixed = (40, 10, 12, 24) if short else (500, 300, 200, 500)
    yield Row("B2 Stop hooks, transcript grows", lambda at: stops(at, hooks))
    yield Row("B2 Stop hooks, killed", lambda at: killed(at, kills))
    yield Row("T41 sessions, half the hosts killed", lambda at: sittings(at, sessions))
    yield Row("T18 hooks of all sorts, file grows", lambda at: live(at, mixed))
