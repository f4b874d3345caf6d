"""What an agent's hooks cost whoever waits for them: CPU against a bare interpreter, and time on loaded cores.

The home has 10,000 memories and 1,000 sessions. Every hook is started as a host starts it, in turn with the bare
interpreter in the same run; the work that a hook hands on to another process is not waited for, and not counted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.figures import Figure, amount, at_most, median, quantile, show
from bench.homes import copy_of
from tacit.home.home import Home
from tacit.hooks import agent
from tacit.hosts.capture import EventBuilder
from tacit.hosts.records import TranscriptEvent
from tacit.model.observation import PromptGiven, ReplyGiven, ToolAction, ToolUsed
from tacit.vault.vault import Vault

MEMORIES, SESSIONS, ROUNDS, WARM_UP, LOADED = 10_000, 1_000, 41, 4, 200
_BARE = (sys.executable, "-I", "-c", "pass")
_AGENT = str(Path(agent.__file__ or ""))
_PROMPT = "please make the build pipeline of the importer faster, and mind the cache of the sessions"


def measure(folder: Path) -> Iterator[Figure]:
    with copy_of(folder, MEMORIES) as home:
        project = home.parent / "project"
        (project / ".git").mkdir(parents=True)
        add_sessions(home, project)
        yield from _figures(home, project)


def _figures(home: Path, project: Path) -> Iterator[Figure]:
    yield _cpu("Stop", "capture", home, project, 3)
    yield _cpu("PostToolUse", "capture", home, project, 3)
    yield _cpu("SessionStart", "inject", home, project, 4.5)
    yield _cpu("UserPromptSubmit", "inject", home, project, 4.5)
    yield from _loaded(home, project)


def add_sessions(home: Path, project: Path) -> None:
    composer = EventBuilder("bench", "/nowhere")
    events = [composer.build_event("claude", heard, lambda _scope: False) for heard in _heard(str(project))]
    with Vault(Home(home, cwd="/")) as vault:
        vault.home.store.append_chosen(lambda _connection, _unfiled: events, lambda _connection: None)
        assert len(vault.sessions.sessions(grouped=False)) == SESSIONS


def _heard(directory: str) -> Iterator[TranscriptEvent]:
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    for session in range(SESSIONS):
        for turn in range(5):
            at = begin + timedelta(hours=session, minutes=turn)
            name, key = f"session-{session}", f"{session}-{turn}"
            asked = PromptGiven(
                "claude", f"change number {session} of part {turn} of the importer", directory=directory
            )
            yield TranscriptEvent(f"{key}-p", at, name, asked, directory=directory)
            used = ToolUsed("claude", "Edit", ToolAction.CHANGED, f"src/part{turn}.py", files=(f"src/part{turn}.py",))
            yield TranscriptEvent(f"{key}-t", at + timedelta(seconds=5), name, used, directory=directory)
            said = ReplyGiven("claude", f"Part {turn} of the importer was changed as asked, for the {session}th time.")
            yield TranscriptEvent(f"{key}-r", at + timedelta(seconds=9), name, said, directory=directory)


def _cpu(event: str, what: str, home: Path, project: Path, target: float) -> Figure:
    bare, ours = [], []
    for number in range(ROUNDS + WARM_UP):
        bare.append(_spent(_BARE, b""))
        ours.append(_spent(_command(event, what, home), _payload(event, project, f"{event}-{number}-{time.time_ns()}")))
    base, value = median(bare[WARM_UP:]), median(ours[WARM_UP:])
    note = f"{value * 1000:.1f} ms against {base * 1000:.1f} ms"
    return at_most(f"{event}: CPU against bare `python -I -c pass`", value / base, target, " ×", note)


def _loaded(home: Path, project: Path) -> Iterator[Figure]:
    """Both cores busy with something else."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 2)]
    try:
        for event in ("SessionStart", "UserPromptSubmit"):
            times = [
                _taken(event, home, project, f"loaded-{event}-{number}-{time.time_ns()}") for number in range(LOADED)
            ]
            note = f"p50 {amount(median(times) * 1000)} ms, {len(busy)} cores busy"
            yield at_most(f"{event}: time on loaded cores, p99", quantile(times, 0.99) * 1000, 300, " ms", note)
    finally:
        for one in busy:
            one.kill()
            one.wait()


def _taken(event: str, home: Path, project: Path, session: str) -> float:
    start = time.perf_counter()
    _spent(_command(event, "inject", home), _payload(event, project, session))
    return time.perf_counter() - start


def _command(event: str, what: str, home: Path) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", _AGENT, "claude", what, event, "--home", str(home))


def _payload(event: str, project: Path, session: str) -> bytes:
    told = {"session_id": session, "transcript_path": "", "cwd": str(project), "hook_event_name": event}
    return json.dumps({**told, "source": "startup", "prompt": _PROMPT}).encode()


def hook_cpu(event: str, home: Path, project: Path) -> float:
    """Seconds of CPU of a hook that tells a new session what is known."""
    return _spent(_command(event, "inject", home), _payload(event, project, f"{event}-{time.time_ns()}"))


def _spent(command: tuple[str, ...], given: bytes) -> float:
    """Seconds of CPU that a command took, with this on its input."""
    ours, theirs = os.pipe()
    os.write(theirs, given)
    os.close(theirs)
    nothing = os.open(os.devnull, os.O_WRONLY)
    actions = [(os.POSIX_SPAWN_DUP2, ours, 0), (os.POSIX_SPAWN_DUP2, nothing, 1)]
    child = os.posix_spawn(command[0], command, dict(os.environ), file_actions=actions)
    os.close(ours)
    os.close(nothing)
    _, status, used = os.wait4(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    show("What the hooks of an agent cost.", measure)
