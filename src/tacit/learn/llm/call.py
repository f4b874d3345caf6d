"""Calling a model in a child process, and the budget of a day."""

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
from tacit.record import Record
from tacit.secrets.redact import redacted
from tacit.text.display import clean, clip, printable
from tacit.text.words import estimate_tokens

# One question to one model of the `llm` library, in a process that can be ended. It raises nothing: see `Reply`.

INSTALL_COMMAND = "pip install 'tacit-memory[model]'"
_CHILD_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child.py")
_GRACE_SECONDS = 2.0  # seconds for Python to start and stop, beyond the model's time
_MAX_REASON_CHARS = 200
NOT_INSTALLED = "models are asked through the library llm, which is not installed"
# What is not the model's fault.
_SETUP_PROBLEMS = {
    "missing": f"{NOT_INSTALLED}; type: {INSTALL_COMMAND}",
    "unknown": "llm knows no model {name}; type: llm models",
    "key": "{name} needs a key: {reason}; type: llm keys set NAME",
}


class ModelRequest(Record):
    """`most` is how many characters are read of the answer."""

    model: str
    prompt: str
    schema: Mapping[str, object]
    timeout: int
    most: int


class ModelReply(Record):
    """An answer, or why there is none. A failure counts against the model; that it is not set up does not.

    `cost` is in tokens, as the provider counts them or we do, whichever is more; nothing where it is not known.
    """

    text: str = ""
    problem: str = ""
    is_failure: bool = False
    cost: int | None = 0


def is_installed() -> bool:
    return find_spec("llm") is not None


def ask_model(question: ModelRequest, environment: Mapping[str, str]) -> ModelReply:
    """Start the process, wait for it as long as the model may take, and end it whatever happens."""
    reading, held = os.pipe()  # held as long as we live: when it closes, the process ends too
    try:
        return _run_child(question, environment, reading)
    finally:
        os.close(reading)
        os.close(held)


def _run_child(question: ModelRequest, environment: Mapping[str, str], reading: int) -> ModelReply:
    # -P: what lies in the folder one stands in is never imported.
    child = subprocess.Popen(
        [sys.executable, "-P", _CHILD_SCRIPT, str(reading)],
        pass_fds=(reading,),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=dict(environment),
        start_new_session=True,
    )
    told = json.dumps(question._asdict()).encode("ascii")
    try:
        return _parse_reply(
            question, child.communicate(told, timeout=question.timeout + _GRACE_SECONDS)[0], child.returncode
        )
    except subprocess.TimeoutExpired:
        return _parse_reply(question, b"", -signal.SIGALRM)
    finally:
        _kill_child(child)


def _kill_child(child: subprocess.Popen[bytes]) -> None:
    """With everything it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe:
            with suppress(OSError):
                pipe.close()


def _parse_reply(question: ModelRequest, out: bytes, code: int) -> ModelReply:
    name, cost = printable(question.model), estimate_tokens(question.prompt)
    match _parse_output(out):
        case {"text": str(text), "input": int(given), "output": int(made)}:
            return ModelReply(clean(text), cost=max(cost, given) + max(estimate_tokens(text), made))
        case {"unready": str(why), "reason": str(reason)} if why in _SETUP_PROBLEMS:
            return ModelReply(problem=_SETUP_PROBLEMS[why].format(name=name, reason=_clean_reason(reason)))
        case {"error": str(reason)}:
            return ModelReply(problem=f"{name} failed: {_clean_reason(reason)}", is_failure=True, cost=cost)
        case {"long": str(text)}:
            problem = f"{name} answered with more than {question.most:,} characters"
            return ModelReply(problem=problem, is_failure=True, cost=cost + estimate_tokens(text))
    late = code == -signal.SIGALRM
    how = f"did not answer within {question.timeout} s" if late else "ended without an answer"
    return ModelReply(problem=f"{name} {how}", is_failure=True, cost=None)


def _parse_output(out: bytes) -> object:
    try:
        return json.loads(out)
    except (ValueError, RecursionError):
        return None


def _clean_reason(reason: str) -> str:
    """What a provider says of an error may hold anything, also a key."""
    return clip(printable(" ".join(redacted(clean(reason)).split())), _MAX_REASON_CHARS)


# What models cost today, and whether they are left alone for a while because they failed.
#
# It lies in the home as one small file, `.tacit/model.json`, and not in the log: it is about this machine and this
# day, nobody is told of it later, and a line for every failure would let a broken model fill the disk. Whoever
# deletes it gets the day's budget once more, and nothing else is lost.

MAX_FAILURES, FAILURE_PAUSE = 3, timedelta(hours=1)


class UsageMeter(Record):
    """Tokens of one day, failures in a row since the last answer, and until when nobody is asked."""

    day: str = ""
    spent: int = 0
    failures: int = 0
    closed_until: str = ""


class TokenReservation(Record):
    """What a question may cost at most."""

    tokens: int
    per_day: int


def meter_at(meter: UsageMeter, now: datetime) -> UsageMeter:
    """As it stands at this time: a new day has its own budget."""
    today = now.date().isoformat()
    return meter if meter.day == today else meter._replace(day=today, spent=0)


def refusal_reason(meter: UsageMeter, need: TokenReservation, now: datetime) -> str:
    """Why nobody is asked now; empty where somebody may be. `meter` stands at this time."""
    until = _parse_time(meter.closed_until)
    if until and now < until <= now + FAILURE_PAUSE:  # a clock that was set back closes nothing for longer
        return f"models failed {MAX_FAILURES} times in a row, so none is asked before {until:%H:%M}"
    if meter.spent + need.tokens > need.per_day:
        return (
            f"a question of {need.tokens:,} tokens does not fit into today's budget: {meter.spent:,} of"
            f" {need.per_day:,} are spent (model.tokens_per_day)"
        )
    return ""


def reserve_tokens(meter: UsageMeter, need: TokenReservation) -> UsageMeter:
    """Counted before it is asked: who is killed meanwhile has spent it, so a crash never makes room for more."""
    return meter._replace(spent=meter.spent + need.tokens)


def settle_tokens(meter: UsageMeter, need: TokenReservation, cost: int) -> UsageMeter:
    """With what it really cost in the place of what was reserved."""
    return meter._replace(spent=max(meter.spent - need.tokens, 0) + cost)


def reset_failures(meter: UsageMeter) -> UsageMeter:
    return meter._replace(failures=0, closed_until="")


def count_failure(meter: UsageMeter, now: datetime) -> UsageMeter:
    """One more failure; from the third on, each closes for an hour, also the one try after that hour."""
    failures = min(meter.failures + 1, MAX_FAILURES)
    closed = (now + FAILURE_PAUSE).isoformat() if failures == MAX_FAILURES else ""
    return meter._replace(failures=failures, closed_until=closed)


def read_meter(path: str) -> UsageMeter:
    """A new one where there is none, or what lies there is none of ours."""
    try:
        told = json.loads(read_file(path) or b"{}")
        meter = UsageMeter(**told)
        fits = all(type(value) is type(default) for value, default in zip(meter, UsageMeter(), strict=True))
    except (ValueError, TypeError, RecursionError):
        return UsageMeter()
    return meter if fits and meter.spent >= 0 <= meter.failures else UsageMeter()


def write_meter(disk: Disk, path: str, meter: UsageMeter) -> None:
    replace_file(disk, path, json.dumps(meter._asdict()).encode("ascii") + b"\n")


def _parse_time(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else None
