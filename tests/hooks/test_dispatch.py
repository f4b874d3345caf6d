"""The process that the host waits for, and the one that works: whole answers or none, and nobody is left behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from tests.support.hook_calls import AGENT, CALLS, RULES, Call, Given, Scene

# Runs a hook as the one who inherits orphans; prints what it said and which processes it left to be collected.
_HEIR = """
import ctypes, json, os, subprocess, sys
assert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0
done = subprocess.run(sys.argv[1:], input=sys.stdin.buffer.read(), capture_output=True)
try:
    left = os.waitpid(-1, os.WNOHANG)[0] or "one that still runs"
except ChildProcessError:
    left = 0
print(json.dumps([done.returncode, done.stdout.decode(), done.stderr.decode(), left]))
"""
# A hook whose worker does something else.
_INSTEAD = """
import os, runpy, sys, time
sys.path.append({source!r})
from tacit.hooks import dispatch
def inject(*_):
    {instead}
dispatch.inject = inject
sys.argv = {argv!r}
runpy.run_path(sys.argv[0], run_name="__main__")
"""
SOURCE = str(AGENT.parents[2])
START = CALLS[0]
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process inherit orphans")


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    made = Scene(tmp_path)
    made.prepare()
    made.run(
        START, Given(changes={"session_id": str(uuid4())})
    )  # leaves a process that writes the rules of the project
    made.settle()
    return made


def hook(scene: Scene, call: Call, instead: str = "") -> tuple[int, str, str, object]:
    words = [str(AGENT), call.host, call.what, call.event]
    if instead:
        words = ["-c", _INSTEAD.format(source=SOURCE, instead=instead, argv=words)]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _HEIR, sys.executable, "-I", "-S", *words],
        input=scene.payload(call),
        env=scene._environment({}),
        capture_output=True,
        check=True,
    )
    code, out, err, left = json.loads(done.stdout)
    return code, out, err, left


@needs_linux
@pytest.mark.parametrize("instead", ["", "return 'x' * 300_000"], ids=["an answer", "more than a pipe holds"])
def test_an_answer_is_whole_and_no_process_is_left_to_be_collected(scene: Scene, instead: str) -> None:
    code, out, err, left = hook(scene, START, instead)

    assert (code, err, left) == (0, "", 0)
    assert out == "x" * 300_000 if instead else RULES[0] in json.loads(out)["hookSpecificOutput"]["additionalContext"]


@needs_linux
@pytest.mark.parametrize(
    "instead",
    [
        "time.sleep(60)",
        "os.kill(os.getpid(), 9)",
        "raise SystemExit(2)",
        "[os.write(fd, b'{\"half') for fd in range(1, 9) if os.path.exists(f'/proc/self/fd/{fd}')]",
        "os.closerange(0, 99); os.abort()",
    ],
    ids=["hangs", "is killed", "gives up", "writes to whatever is open", "crashes"],
)
def test_of_a_worker_that_fails_nothing_is_heard_and_the_rules_arrive(scene: Scene, instead: str) -> None:
    code, out, err, left = hook(scene, START, instead)

    assert (code, err, left) == (0, "", 0)
    assert RULES[0] in json.loads(out)["hookSpecificOutput"]["additionalContext"]
