"""What every host is promised of every hook, whatever is wrong: exit code 0, an answer or none, and that soon.

The troubles are those of tests/hooks; here they befall the hooks of all hosts, and a disk that takes two seconds for
each sync is added. Nothing is lost by that: the next hook on a sound disk captures what the sick one could not.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from harness.homes import copy_home

from tacit.hooks import agent
from tests.chaos.outcome import Outcome, Row, assert_held
from tests.chaos.strace import need_strace
from tests.hooks.test_agent import WRONG
from tests.support.hook_calls import AGENT, ALL_CALLS, CALLS, PROMPT, Call, Ended, Given, Scene, faults

HARD_STOP = 2.0  # seconds after which no host waits any longer (T40)
_SLOW = "fsync,fdatasync,pwrite64"
_ENDS = 60.0  # seconds in which all that was started by a hook on a slow disk has ended
Wrong = Callable[[Scene], Given]


def slow_disk(seconds: float) -> Given:
    """Each sync and each page of the index, of whatever the hook starts, takes so long. The tracer is no parent of
    what it traces, so that a host waits for the hook alone."""
    need_strace()
    return Given(
        prefix=("strace", "-D", "-f", "-qq", "-o", os.devnull, "-e", f"inject={_SLOW}:delay_enter={seconds * 1e6:.0f}")
    )


def contract(folder: Path, troubles: Iterable[Wrong], hosts: Iterable[str] = ALL_CALLS) -> Outcome:
    """Every hook of these hosts in every trouble."""
    prepared, waited, found, runs = Scene(folder / "person").prepare(), list[float](), list[str](), 0
    for at, wrong in enumerate(troubles):
        scene = Scene(copy_home(prepared.folder, folder / f"scene{at}"))
        for call in (call for name in hosts for call in ALL_CALLS[name]):
            about, given, began = f"{wrong.__name__}, {call.host} {call.event}", wrong(scene), time.monotonic()
            found += [f"{about}: {fault}" for fault in faults(scene.run(call, given))]
            if given.stdout != subprocess.PIPE:
                os.close(given.stdout)
            if not given.prefix:  # else a disk was mounted and filled first
                waited.append(time.monotonic() - began)
                found += [f"{about}: {waited[-1]:.1f} s"] * (waited[-1] > HARD_STOP)
            runs += 1
        found += [f"{wrong.__name__}: {fault}" for fault in scene.left_after(_ENDS)]
        shutil.rmtree(scene.folder, ignore_errors=True)
    return Outcome(runs, 0, 0, tuple(found), _told(waited))


def lost_on_a_slow_disk(folder: Path, hosts: Iterable[str] = ALL_CALLS, seconds: float = 2.0) -> Outcome:
    """A hook of each host is to capture while the disk is slow; the next one, on a sound disk, brings it all."""
    prepared, found, waited = Scene(folder / "person").prepare(), list[str](), list[float]()
    for at, name in enumerate(hosts):
        scene = Scene(copy_home(prepared.folder, folder / f"scene{at}"))
        stop = next(call for call in ALL_CALLS[name] if call.event in _STOPS)
        for given in (slow_disk(seconds), Given()):
            began = time.monotonic()
            running = scene.start(stop, given).tell()
            running.process.wait()  # its tracer may hold the pipes for longer
            waited.append(time.monotonic() - began)
            found += [f"{name}: {fault}" for fault in (*scene.left_after(_ENDS), *faults(running.end()))]
        found += [] if scene.holds(PROMPT) else [f"{name}: the prompt is lost"]
    found += [f"a host waited for {took:.1f} s" for took in waited if took > HARD_STOP]
    return Outcome(len(waited), len(waited) // 2, 0, tuple(found), _told(waited))


_STOPS = ("Stop", "AfterAgent", "agentStop", "session.idle", "stop")


def _told(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    half, most = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    return f"waited for: p50 {half * 1000:.0f} ms, p99 {most * 1000:.0f} ms, at most {ordered[-1] * 1000:.0f} ms"


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
    scene = Scene(folder / "person").prepare()
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
        found += [f"{about}: {left}" for left in copy.left_after(2 * STALLED)]
    return Outcome(len(chosen), len(chosen), 0, tuple(found), f"waited for at most {max(waited):.1f} s")


def _run(scene: Scene, call: Call, agent: Path, log: Path, *, killable: bool) -> tuple[float, Ended, bool]:
    """How long the host waited, what it got, and whether a read was held back at all."""
    command = [sys.executable, "-I", "-S", str(agent), call.host, call.what, call.event]
    faked = [] if killable else ["-e", "inject=kill,setitimer:retval=0"]
    delayed = f"inject=pread64:delay_enter={STALLED * 1e6:.0f}:when={_READ}"
    traced = ["strace", "-f", "-qq", "-y", "-o", str(log), "-e", "trace=pread64,kill,setitimer", "-e", delayed, *faked]
    host = [*traced, sys.executable, "-I", "-S", "-c", _HOST]
    environment = scene._environment({})
    tracer = subprocess.Popen(host, cwd="/", env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert tracer.stdin is not None and tracer.stdout is not None
    tracer.stdin.write(json.dumps([command, scene.payload(call).decode()]).encode() + b"\n")
    tracer.stdin.flush()
    took, code, out, err = json.loads(tracer.stdout.readline())
    tracer.communicate()  # it stays until everything that it traces has ended
    reads = [line for line in log.read_text(errors="replace").splitlines() if "index.sqlite" in line]
    is_held_back = any("DELAYED" in line or "unfinished" in line for line in reads)
    return took, Ended(code, out.encode(), err.encode()), is_held_back


OTHERS = [name for name in ALL_CALLS if name != "claude"]


def test_no_host_notices_what_is_wrong(tmp_path: Path) -> None:
    chosen = [wrong for wrong in WRONG if wrong.__name__ in ("wrong types", "closed input", "an_index_that_is_none")]
    found = contract(tmp_path, chosen, OTHERS)
    assert [fault for fault in found.faults if not fault.endswith(" s")] == []  # time is measured elsewhere
    assert found.runs == 3 * sum(len(ALL_CALLS[host]) for host in OTHERS) > 60


def test_a_slow_disk_loses_nothing(tmp_path: Path) -> None:
    found = lost_on_a_slow_disk(tmp_path, ["codex"], seconds=0.02)
    assert [fault for fault in found.faults if "waited" not in fault] == []


# As hooks were: the process that the host waits for reads the index itself, and a signal handler is its deadline.
_BY_ITSELF = """
import os, signal, sys
sys.path.append({source!r})
from tacit.hooks import dispatch
signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
signal.setitimer(signal.ITIMER_REAL, 1.5)
os.write(1, dispatch.inject(sys.argv[1], sys.argv[3], sys.stdin.buffer.read(), None).encode("ascii"))
"""


def test_a_read_that_stalls_and_that_no_signal_ends_delays_no_host(tmp_path: Path) -> None:
    assert_held(stalled(tmp_path, CALLS[:1], killable=False))


@pytest.mark.chaos
def test_a_hook_that_reads_the_index_itself_is_noticed(tmp_path: Path) -> None:
    """So that the tests above can fail."""
    by_itself = tmp_path / "agent.py"
    by_itself.write_text(_BY_ITSELF.format(source=str(Path(agent.__file__).parents[2])))

    (fault,) = stalled(tmp_path, CALLS[:1], agent=by_itself).faults
    assert "the host waited for 1" in fault


def rows(short: bool) -> Iterator[Row]:
    troubles, calls = (WRONG[:3], CALLS[:1]) if short else (WRONG, ())
    yield Row("T40 hooks of all hosts in trouble", lambda at: contract(at, troubles))
    yield Row("T40 hooks on a slow disk", lost_on_a_slow_disk)
    yield Row("T40 hooks, a read that stalls", lambda at: stalled(at, calls))
    yield Row("T40 and no signal ends it", lambda at: stalled(at, calls, killable=False))
