"""One question to one model of the `llm` library, in a process that can be ended. It raises nothing: see `Reply`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec

from tacit.core.redaction import redacted
from tacit.core.text import clean, clip, show, tokens
from tacit.record import Record

INSTALL = "pip install 'tacit-memory[model]'"
_CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child.py")
_GRACE = 2.0  # seconds for Python to start and stop, beyond the model's time
_LONGEST_REASON = 200
NOT_INSTALLED = "models are asked through the library llm, which is not installed"
# What is not the model's fault.
_UNREADY = {
    "missing": f"{NOT_INSTALLED}; type: {INSTALL}",
    "unknown": "llm knows no model {name}; type: llm models",
    "key": "{name} needs a key: {reason}; type: llm keys set NAME",
}


class Question(Record):
    """`most` is how many characters are read of the answer."""

    model: str
    prompt: str
    schema: Mapping[str, object]
    timeout: int
    most: int


class Reply(Record):
    """An answer, or why there is none. A failure counts against the model; that it is not set up does not.

    `cost` is in tokens, as the provider counts them or we do, whichever is more; nothing where it is not known.
    """

    text: str = ""
    problem: str = ""
    is_failure: bool = False
    cost: int | None = 0


def is_installed() -> bool:
    return find_spec("llm") is not None


def ask(question: Question, environment: Mapping[str, str]) -> Reply:
    """Start the process, wait for it as long as the model may take, and end it whatever happens."""
    reading, held = os.pipe()  # held as long as we live: when it closes, the process ends too
    try:
        return _asked(question, environment, reading)
    finally:
        os.close(reading)
        os.close(held)


def _asked(question: Question, environment: Mapping[str, str], reading: int) -> Reply:
    # -P: what lies in the folder one stands in is never imported.
    child = subprocess.Popen(
        [sys.executable, "-P", _CHILD, str(reading)],
        pass_fds=(reading,),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=dict(environment),
        start_new_session=True,
    )
    told = json.dumps(question._asdict()).encode("ascii")
    try:
        return _reply(question, child.communicate(told, timeout=question.timeout + _GRACE)[0], child.returncode)
    except subprocess.TimeoutExpired:
        return _reply(question, b"", -signal.SIGALRM)
    finally:
        _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    """With everything it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe:
            with suppress(OSError):
                pipe.close()


def _reply(question: Question, out: bytes, code: int) -> Reply:
    name, cost = show(question.model), tokens(question.prompt)
    match _told(out):
        case {"text": str(text), "input": int(given), "output": int(made)}:
            return Reply(clean(text), cost=max(cost, given) + max(tokens(text), made))
        case {"unready": str(why), "reason": str(reason)} if why in _UNREADY:
            return Reply(problem=_UNREADY[why].format(name=name, reason=_plain(reason)))
        case {"error": str(reason)}:
            return Reply(problem=f"{name} failed: {_plain(reason)}", is_failure=True, cost=cost)
        case {"long": str(text)}:
            problem = f"{name} answered with more than {question.most:,} characters"
            return Reply(problem=problem, is_failure=True, cost=cost + tokens(text))
    late = code == -signal.SIGALRM
    how = f"did not answer within {question.timeout} s" if late else "ended without an answer"
    return Reply(problem=f"{name} {how}", is_failure=True, cost=None)


def _told(out: bytes) -> object:
    try:
        return json.loads(out)
    except (ValueError, RecursionError):
        return None


def _plain(reason: str) -> str:
    """What a provider says of an error may hold anything, also a key."""
    return clip(show(" ".join(redacted(clean(reason)).split())), _LONGEST_REASON)
