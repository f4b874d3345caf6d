"""A hook one of whose reads of the index takes ten seconds: the host is answered in time all the same.

`strace` holds the call back in the kernel, where no signal handler of Python runs. The host is traced as well: it
starts the hook with pipes of its own, which the tracer does not hold, and measures until both pipes have ended and the
hook has exited. In the second form the tracer also swallows every kill and every timer, so that the process that reads
ends as little as one that hangs in a dead network mount.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from harness.homes import copy_home

from tests.chaos.outcome import Outcome
from tests.chaos.strace import need_strace
from tests.support.hook_calls import AGENT, ALL_CALLS, Call, Ended, Scene, faults

STALLED = 10.0  # seconds that the read takes
_WAITS = 5.0  # seconds; the budget is 1.7, and a traced process on a loaded machine is slow to start
_READ = 3  # the loader makes two such calls before Python runs; no other reader of a hook uses them
_HOST = """
import json, subprocess, sys, time
command, given = json.loads(sys.stdin.buffer.readline())
began = time.monotonic()
hook = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
out, err = hook.communicate(given.encode())
print(json.dumps([time.monotonic() - began, hook.returncode, out.decode(), err.decode()]), flush=True)
"""


def stalled(folder: Path, calls: Iterable[Call] = (), *, killable: bool = True, agent: Path = AGENT) -> Outcome:
    """These hooks, or all hooks of all hosts that answer, each with one stalled read. `agent` is what hosts start."""
    need_strace()
    scene = Scene(folder / "person")
    scene.prepare()
    chosen = list(calls) or [call for name in ALL_CALLS for call in ALL_CALLS[name] if call.what == "inject"]
    found, waited = list[str](), list[float]()
    for at, call in enumerate(chosen):
        copy = Scene(copy_home(scene.folder, folder / f"scene{at}"))
        took, ended, was_stalled = _run(copy, call, agent, folder / f"calls{at}", killable=killable)
        waited.append(took)
        about = f"{call.host} {call.event}"
        found += [f"{about}: {fault}" for fault in faults(ended)]
        found += [f"{about}: the host waited for {took:.1f} s"] * (took > _WAITS)
        found += [] if was_stalled else [f"{about}: no read was held back: this shows nothing"]
        found += [f"{about}: still there: {left}" for left in _left(copy)]
    return Outcome(len(chosen), len(chosen), 0, tuple(found), f"waited for at most {max(waited):.1f} s")


def _run(scene: Scene, call: Call, agent: Path, log: Path, *, killable: bool) -> tuple[float, Ended, bool]:
    """How long the host waited, what it got, and whether a read was held back at all."""
    command = [sys.executable, "-I", "-S", str(agent), call.host, call.what, call.event]
    faked = [] if killable else ["-e", "inject=kill,setitimer:retval=0"]
    delayed = f"inject=pread64:delay_enter={STALLED * 1e6:.0f}:when={_READ}"
    traced = ["strace", "-f", "-qq", "-y", "-o", str(log), "-e", "trace=pread64,kill,setitimer", "-e", delayed, *faked]
    tracer = subprocess.Popen(
        [*traced, sys.executable, "-I", "-S", "-c", _HOST],
        cwd="/",
        env=scene._environment({}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert tracer.stdin is not None and tracer.stdout is not None
    tracer.stdin.write(json.dumps([command, scene.payload(call).decode()]).encode() + b"\n")
    tracer.stdin.flush()
    took, code, out, err = json.loads(tracer.stdout.readline())
    tracer.communicate()  # it stays until everything that it traces has ended
    return took, Ended(code, out.encode(), err.encode()), _is_held_back(log.read_text(errors="replace"))


def _is_held_back(log: str) -> bool:
    return any("index.sqlite" in line and ("DELAYED" in line or "unfinished" in line) for line in log.splitlines())


def _left(scene: Scene) -> Iterable[str]:
    until = time.monotonic() + 2 * STALLED
    while (left := scene.left()) and time.monotonic() < until:
        time.sleep(0.05)
    for number in left:
        os.kill(number, signal.SIGKILL)
    return left.values()
