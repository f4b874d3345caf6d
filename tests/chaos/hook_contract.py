"""What every host is promised of every hook, whatever is wrong: exit code 0, an answer or none, and that soon.

The troubles are those of tests/hooks; here they befall the hooks of all hosts, and a disk that takes two seconds for
each sync is added. Nothing is lost by that: the next hook on a sound disk captures what the sick one could not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from harness.homes import copy_home

from tests.chaos.outcome import Outcome
from tests.chaos.strace import need_strace
from tests.support.hook_calls import ALL_CALLS, PROMPT, Call, Given, Running, Scene, faults

HARD_STOP = 2.0  # seconds after which no host waits any longer (T40)
_SLOW = "fsync,fdatasync,pwrite64"
_ENDS = 60.0  # seconds in which all that was started by a hook on a slow disk has ended
Wrong = Callable[[Scene], Given]


class Timed(NamedTuple):
    """How long hosts waited, and what they would have noticed."""

    seconds: list[float]
    faults: list[str]


def slow_disk(seconds: float) -> Given:
    """Each sync and each page of the index, of whatever the hook starts, takes so long. The tracer is no parent of
    what it traces, so that a host waits for the hook alone."""
    need_strace()
    return Given(
        prefix=("strace", "-D", "-f", "-qq", "-o", os.devnull, "-e", f"inject={_SLOW}:delay_enter={seconds * 1e6:.0f}")
    )


def contract(folder: Path, troubles: Iterable[Wrong], hosts: Iterable[str] = ALL_CALLS) -> Outcome:
    """Every hook of these hosts in every trouble."""
    prepared, timed, runs = _prepared(folder / "person"), Timed([], []), 0
    for at, wrong in enumerate(troubles):
        scene = Scene(copy_home(prepared.folder, folder / f"scene{at}"))
        for call in (call for name in hosts for call in ALL_CALLS[name]):
            _try(scene, wrong, call, timed)
            runs += 1
        timed.faults.extend(f"{wrong.__name__}: {fault}" for fault in _left(scene))
        shutil.rmtree(scene.folder, ignore_errors=True)
    return Outcome(runs, 0, 0, tuple(timed.faults), _told(timed.seconds))


def lost_on_a_slow_disk(folder: Path, hosts: Iterable[str] = ALL_CALLS, seconds: float = 2.0) -> Outcome:
    """A hook of each host is to capture while the disk is slow; the next one, on a sound disk, brings it all."""
    prepared, found, waited = _prepared(folder / "person"), list[str](), list[float]()
    for at, name in enumerate(hosts):
        scene = Scene(copy_home(prepared.folder, folder / f"scene{at}"))
        stop = next(call for call in ALL_CALLS[name] if call.event in _STOPS)
        for given in (slow_disk(seconds), Given()):
            running = scene.start(stop, given)
            waited.append(_waited_for(running))
            found += [f"{name}: {fault}" for fault in _left(scene)]
            found += [f"{name}: {fault}" for fault in faults(running._replace(stdin=None).end())]
        found += [] if scene.holds(PROMPT) else [f"{name}: the prompt is lost"]
    found += [f"a host waited for {took:.1f} s" for took in waited if took > HARD_STOP]
    return Outcome(len(waited), len(waited) // 2, 0, tuple(found), _told(waited))


_STOPS = ("Stop", "AfterAgent", "agentStop", "session.idle", "stop")


def _prepared(folder: Path) -> Scene:
    scene = Scene(folder)
    scene.prepare()
    return scene


def _try(scene: Scene, wrong: Wrong, call: Call, timed: Timed) -> None:
    given = wrong(scene)
    began = time.monotonic()
    ended = scene.start(call, given).end()
    took = time.monotonic() - began
    if given.stdout != subprocess.PIPE:
        os.close(given.stdout)
    if not given.prefix:  # else a disk was mounted and filled first
        timed.seconds.append(took)
        timed.faults.extend([f"{wrong.__name__}, {call.host} {call.event}: {took:.1f} s"] * (took > HARD_STOP))
    timed.faults.extend(f"{wrong.__name__}, {call.host} {call.event}: {fault}" for fault in faults(ended))


def _waited_for(running: Running) -> float:
    """Until the process has ended; its tracer may hold the pipes for longer."""
    began = time.monotonic()
    assert running.process.stdin is not None and running.stdin is not None
    running.process.stdin.write(running.stdin)
    running.process.stdin.close()
    running.process.stdin = None
    running.process.wait()
    return time.monotonic() - began


def _left(scene: Scene) -> list[str]:
    """What still runs when everything must have ended."""
    until = time.monotonic() + _ENDS
    while (left := scene.left()) and time.monotonic() < until:
        time.sleep(0.02)
    return [f"still there: {left}"] if left else []


def _told(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    half, most = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    return f"waited for: p50 {half * 1000:.0f} ms, p99 {most * 1000:.0f} ms, at most {ordered[-1] * 1000:.0f} ms"
