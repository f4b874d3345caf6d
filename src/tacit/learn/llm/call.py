"""Calling a model of the `llm` library in a child process, and the budget of a day."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from importlib.util import find_spec

from tacit.disk.files import Disk, read_file, replace_file
from tacit.learn.llm.prompt import parse_json, redacted_line
from tacit.record import Record
from tacit.text.display import clean, printable
from tacit.text.words import estimate_tokens

INSTALL_COMMAND = "pip install 'tacit-memory[model]'"
NOT_INSTALLED = "models are asked through the library llm, which is not installed"
_CHILD_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child.py")
_GRACE_SECONDS = 2.0  # for Python to start and stop, beyond the model's time
_MAX_REASON_CHARS = 200
# What is not the model's fault.
_SETUP_PROBLEMS = {
    "missing": f"{NOT_INSTALLED}; type: {INSTALL_COMMAND}",
    "unknown": "llm knows no model {name}; type: llm models",
    "key": "{name} needs a key: {reason}; type: llm keys set NAME",
}


class ModelRequest(Record):
    """One question. At most `max_chars` of the answer are read."""

    model: str
    prompt: str
    schema: Mapping[str, object]
    timeout: int
    max_chars: int


class ModelReply(Record):
    """An answer, or why there is none. A failure counts against the model; a missing set-up does not.

    `cost` is in tokens, as the provider counts them or as estimated, whichever is more; None if it is unknown.
    """

    text: str = ""
    problem: str = ""
    is_failure: bool = False
    cost: int | None = 0


def is_installed() -> bool:
    return find_spec("llm") is not None


def ask_model(request: ModelRequest, environment: Mapping[str, str]) -> ModelReply:
    """Ask a model in a child process, which is killed when its time is up. Problems are in the reply, none is raised
    for the model's sake."""
    read_end, write_end = os.pipe()  # the child ends when this process does and so closes the write end
    try:
        # -P: nothing in the current folder is ever imported.
        child = subprocess.Popen(
            [sys.executable, "-P", _CHILD_SCRIPT, str(read_end)],
            pass_fds=(read_end,),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            start_new_session=True,
        )
        try:
            question = json.dumps(request._asdict()).encode("ascii")
            output = child.communicate(question, timeout=request.timeout + _GRACE_SECONDS)[0]
            return _parse_reply(request, output, child.returncode)
        except subprocess.TimeoutExpired:
            return _parse_reply(request, b"", -signal.SIGALRM)
        finally:
            _kill_child(child)
    finally:
        os.close(read_end)
        os.close(write_end)


def _kill_child(child: subprocess.Popen[bytes]) -> None:
    """Kill the child with everything it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe:
            with suppress(OSError):
                pipe.close()


def _parse_reply(request: ModelRequest, output: bytes, status: int) -> ModelReply:
    name, cost = printable(request.model), estimate_tokens(request.prompt)
    match parse_json(output):
        case {"text": str(text), "input": int(input_tokens), "output": int(output_tokens)}:
            return ModelReply(clean(text), cost=max(cost, input_tokens) + max(estimate_tokens(text), output_tokens))
        case {"unready": str(why), "reason": str(reason)} if why in _SETUP_PROBLEMS:
            reason = redacted_line(reason, _MAX_REASON_CHARS)
            return ModelReply(problem=_SETUP_PROBLEMS[why].format(name=name, reason=reason))
        case {"error": str(reason)}:  # the words of a provider may contain anything, also a key
            problem = f"{name} failed: {redacted_line(reason, _MAX_REASON_CHARS)}"
            return ModelReply(problem=problem, is_failure=True, cost=cost)
        case {"long": str(text)}:
            problem = f"{name} answered with more than {request.max_chars:,} characters"
            return ModelReply(problem=problem, is_failure=True, cost=cost + estimate_tokens(text))
    is_late = status == -signal.SIGALRM
    end = f"did not answer within {request.timeout} s" if is_late else "ended without an answer"
    return ModelReply(problem=f"{name} {end}", is_failure=True, cost=None)


# What models cost today, and whether they are paused because they failed.
#
# This is one small file in the home, `.tacit/model.json`, and not in the log: it is about this machine and this day,
# and a line for every failure would let a broken model fill the disk. If it is deleted, the day's budget begins again,
# and nothing else is lost.

MAX_FAILURES, FAILURE_PAUSE = 3, timedelta(hours=1)


class UsageMeter(Record):
    """Tokens of one day, failures in a row since the last answer, and until when no model is asked."""

    day: str = ""
    spent: int = 0
    failures: int = 0
    closed_until: str = ""


class TokenReservation(Record):
    """What a question may cost at most."""

    tokens: int
    per_day: int


def meter_at(meter: UsageMeter, now: datetime) -> UsageMeter:
    """Return the meter at this time: a new day has its own budget."""
    today = now.date().isoformat()
    return meter if meter.day == today else meter._replace(day=today, spent=0)


def refusal_reason(meter: UsageMeter, need: TokenReservation, now: datetime) -> str:
    """Return why no model is asked now, "" if one may be. `meter` is that of this time."""
    until = _parse_time(meter.closed_until)
    if until and now < until <= now + FAILURE_PAUSE:  # a clock that was set back makes no pause longer
        return f"models failed {MAX_FAILURES} times in a row, so none is asked before {until:%H:%M}"
    if meter.spent + need.tokens > need.per_day:
        return (
            f"a question of {need.tokens:,} tokens does not fit into today's budget: {meter.spent:,} of"
            f" {need.per_day:,} are spent (model.tokens_per_day)"
        )
    return ""


def reserve_tokens(meter: UsageMeter, need: TokenReservation) -> UsageMeter:
    """Count the cost before the question is asked: a process that is killed has spent it, so a crash never makes
    room for more."""
    return meter._replace(spent=meter.spent + need.tokens)


def settle_tokens(meter: UsageMeter, need: TokenReservation, cost: int) -> UsageMeter:
    """Replace what was reserved with what the question really cost."""
    return meter._replace(spent=max(meter.spent - need.tokens, 0) + cost)


def reset_failures(meter: UsageMeter) -> UsageMeter:
    return meter._replace(failures=0, closed_until="")


def count_failure(meter: UsageMeter, now: datetime) -> UsageMeter:
    """Count one more failure. The third and each later one begins a pause, also the one try after a pause."""
    failures = min(meter.failures + 1, MAX_FAILURES)
    closed = (now + FAILURE_PAUSE).isoformat() if failures == MAX_FAILURES else ""
    return meter._replace(failures=failures, closed_until=closed)


def read_meter(path: str) -> UsageMeter:
    """Return the meter in a file, a new one if there is none or it is not valid."""
    try:
        meter = UsageMeter(**json.loads(read_file(path) or b"{}"))
        is_typed = all(type(value) is type(default) for value, default in zip(meter, UsageMeter(), strict=True))
    except (ValueError, TypeError, RecursionError):
        return UsageMeter()
    return meter if is_typed and meter.spent >= 0 <= meter.failures else UsageMeter()


def write_meter(disk: Disk, path: str, meter: UsageMeter) -> None:
    replace_file(disk, path, json.dumps(meter._asdict()).encode("ascii") + b"\n")


def _parse_time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else None
