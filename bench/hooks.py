"""What an agent's hooks cost whoever waits for them: CPU against a bare interpreter, and time on loaded cores.

    python -m bench.hooks [--homes DIR] [--json]

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

from bench.figures import Figure, against_target, amount, main_of, median, quantile
from bench.homes import copy_of
from bench.processes import BARE, Usage, busy_cores, hook_command, run
from bench.startup import against_bare
from tacit.home.daily_judge import INTERVAL_SECONDS, DailyState, agree, write_state
from tacit.home.home import Home
from tacit.home.paths import HomePaths
from tacit.hosts.capture import EventBuilder
from tacit.hosts.records import TranscriptEvent
from tacit.model.observation import PromptGiven, ReplyGiven, ToolAction, ToolUsed
from tacit.vault import Vault

MEMORIES, SESSIONS, ROUNDS, WARM_UP, LOADED, AT_ONCE = 10_000, 1_000, 41, 4, 200, 200
_REST_SECONDS = 20  # for what hooks hand on to other processes
_PROMPT = "please make the build pipeline of the importer faster, and mind the cache of the sessions"


def measure(folder: Path) -> Iterator[Figure]:
    with copy_of(folder, MEMORIES) as home:
        project = home.parent / "project"
        (project / ".git").mkdir(parents=True)
        add_sessions(home, project)
        for event, work in (("PostToolUse", "capture"), ("SessionStart", "inject"), ("UserPromptSubmit", "inject")):
            rounds = [(run(BARE).cpu, _hook(event, work, home, project).cpu) for _ in range(ROUNDS + WARM_UP)]
            yield against_bare(f"{event}: CPU against bare `python -I -c pass`", rounds[WARM_UP:])
        yield daily_judge(folder, home, project)
        with busy_cores() as cores:
            for event in ("SessionStart", "UserPromptSubmit"):
                times = [inject(event, home, project).wall * 1000 for _ in range(LOADED)]
                note = f"p50 {amount(median(times))} ms, {cores} cores busy"
                yield against_target(f"{event}: time on loaded cores, p99", quantile(times, 0.99), "ms", note)
        missing, seconds = at_once(home, project)
        note = f"of {AT_ONCE}, the slowest hook took {amount(seconds)} s"
        yield against_target("Sessions that start at once: without their standing rules", missing, note=note)


def daily_judge(folder: Path, plain: Path, project: Path) -> Figure:
    """What the start of a session costs where a judge is asked once a day, and was asked today, against where none is.

    Both homes have a setting in their file, because to parse one costs more than all the rest.
    """
    with copy_of(folder, MEMORIES) as home:
        add_sessions(home, project)
        for settings, place in (
            ('[learn]\nagent = "claude"\nwhen = "daily"\n', home),
            ("[learn]\nagent = ''\n", plain),
        ):
            (place / "tacit.toml").write_text(settings)
            agree(HomePaths(str(place)), os.environ)
            write_state(HomePaths(str(place)), DailyState(), seconds_until_due=INTERVAL_SECONDS)
            inject("SessionStart", place, project)
        time.sleep(1)  # the rules of the project are made ready for the new settings
        rounds = [
            (inject("SessionStart", plain, project).cpu, inject("SessionStart", home, project).cpu)
            for _ in range(ROUNDS + WARM_UP)
        ]
    (plain / "tacit.toml").write_text("")
    without, asked = (median(column) for column in zip(*rounds[WARM_UP:], strict=True))
    note = f"{asked * 1000:.1f} ms against {without * 1000:.1f} ms"
    return against_target(
        "SessionStart: CPU with a daily judge that is not due, against none", asked / without, "×", note
    )


def at_once(home: Path, project: Path) -> tuple[int, float]:
    """Start many sessions at once. Return how many were not told their rules, and the seconds of the slowest."""
    command = hook_command("inject", "SessionStart", home=home)
    started: dict[int, tuple[subprocess.Popen[bytes], float]] = {}
    for _ in range(AT_ONCE):
        begin = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        process.stdin.write(_payload("SessionStart", project))
        process.stdin.close()
        process.stdin = None
        started[process.pid] = process, begin
    # An answer fits into a pipe, so nobody has to read it before the hook ends.
    seconds = [time.monotonic() - started[os.wait()[0]][1] for _ in started]
    answers = [process.stdout.read() for process, _ in started.values() if process.stdout]
    time.sleep(_REST_SECONDS)
    return sum(b"standing rules" not in answer for answer in answers), max(seconds)


def inject(event: str, home: Path, project: Path) -> Usage:
    """A hook that tells a new session what is known."""
    return _hook(event, "inject", home, project)


def _hook(event: str, work: str, home: Path, project: Path) -> Usage:
    return run(hook_command(work, event, home=home), given=_payload(event, project))


def _payload(event: str, project: Path) -> bytes:
    payload = {"session_id": f"{event}-{time.time_ns()}", "transcript_path": "", "cwd": str(project)}
    payload |= {"hook_event_name": event, "source": "startup", "prompt": _PROMPT}
    return json.dumps(payload).encode()


def add_sessions(home: Path, project: Path) -> None:
    builder = EventBuilder("bench", "/nowhere")
    events = [builder.build_event("claude", event, lambda _scope: False) for event in _events(str(project))]
    with Vault(Home(home, cwd="/")) as vault:
        vault.home.store.append_chosen(lambda _connection, _unindexed: events, lambda _connection: None)
        assert len(vault.sessions.sessions(grouped=False)) == SESSIONS


def _events(directory: str) -> Iterator[TranscriptEvent]:
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    for session in range(SESSIONS):
        for turn in range(5):
            at = begin + timedelta(hours=session, minutes=turn)
            name, key = f"session-{session}", f"{session}-{turn}"
            prompt = f"change number {session} of part {turn} of the importer"
            given = PromptGiven("claude", prompt, directory=directory)
            yield TranscriptEvent(f"{key}-p", at, name, given, directory=directory)
            used = ToolUsed("claude", "Edit", ToolAction.CHANGED, f"src/part{turn}.py", files=(f"src/part{turn}.py",))
            yield TranscriptEvent(f"{key}-t", at + timedelta(seconds=5), name, used, directory=directory)
            reply = ReplyGiven("claude", f"Part {turn} of the importer was changed as asked, for the {session}th time.")
            yield TranscriptEvent(f"{key}-r", at + timedelta(seconds=9), name, reply, directory=directory)


if __name__ == "__main__":
    sys.exit(main_of("hooks", __doc__, measure))
