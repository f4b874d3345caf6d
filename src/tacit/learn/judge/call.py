"""Asking a client or a model in a process of its own, which is killed with all its children when its time is up."""

from __future__ import annotations

import json
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from threading import Thread, current_thread, main_thread
from typing import IO, Any

from tacit.learn.judge.answer import parse_json
from tacit.learn.judge.clients import JUDGE_VARIABLE, ClientCommand
from tacit.learn.judge.question import redacted_line
from tacit.record import Record
from tacit.text.display import clean, printable
from tacit.text.words import estimate_tokens

INSTALL_COMMAND = "pip install 'tacit-memory[model]'"
NOT_INSTALLED = "models are asked through the library llm, which is not installed"
_CHILD_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child.py")
_GRACE_SECONDS = 2.0  # for Python to start and stop, beyond the model's time
_POLL_SECONDS = 0.2
_MAX_BYTES_PER_CHAR = 8  # an answer in JSON, with the events around it
_MAX_ERROR_BYTES = 64 * 1024
_MAX_REASON_CHARS = 200
# What is not the model's fault.
_SETUP_PROBLEMS = {
    "missing": f"{NOT_INSTALLED}; type: {INSTALL_COMMAND}",
    "unknown": "llm knows no model {name}; type: llm models",
    "key": "{name} needs a key: {reason}; type: llm keys set NAME",
}
_LOGIN_ERROR = re.compile(
    r"not (?:logged|signed) in|log ?in\b|sign in|unauthenticated|unauthorized|\b401\b|api.?key|authenticat|credential"
    r"|auth method",
    re.IGNORECASE,
)


class JudgeRequest(Record):
    """One question. At most `max_chars` of the answer are read, and for at most `timeout` seconds."""

    judge: str
    question: str
    timeout: int
    max_chars: int


class JudgeReply(Record):
    """An answer, or why there is none. A failure counts against the judge; a missing set-up does not.

    `asked` and `answered` are in tokens, as the provider counts them or as estimated, whichever is more; `answered` is
    None if it is unknown.
    """

    text: str = ""
    problem: str = ""
    is_failure: bool = False
    asked: int = 0
    answered: int | None = 0


def is_llm_installed() -> bool:
    return find_spec("llm") is not None


# Processes


class ProcessOutput(Record):
    """What a process printed and how it ended. `is_late` and `is_long` if it was killed for that."""

    stdout: bytes
    stderr: bytes
    status: int
    is_late: bool = False
    is_long: bool = False


def run_process(
    argv: Sequence[str],
    *,
    stdin: bytes,
    environment: Mapping[str, str],
    timeout: float,
    max_bytes: int,
    folder: str | None = None,
    pass_fds: tuple[int, ...] = (),
) -> ProcessOutput:
    """Run a program in a session of its own until it ends, its time is up or it printed more than `max_bytes`.

    Whatever happens, it is killed at the end with everything it started. Raise OSError if it cannot be started.
    """
    child = subprocess.Popen(
        argv,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=pass_fds,
        start_new_session=True,
    )
    assert child.stdin and child.stdout and child.stderr
    handlers = _exit_on_signals()
    try:
        Thread(target=_feed, args=(child.stdin, stdin), daemon=True).start()
        return _read_output(child, child.stdout, child.stderr, time.monotonic() + timeout, max_bytes)
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
        child.stderr.close()
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _exit_on_signals() -> dict[int, Any]:
    """Turn signals that end this process into SystemExit, so that the child does not outlive it. Return the handlers
    that were there."""

    def stop(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    is_main = current_thread() is main_thread()  # others cannot set handlers
    return {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)} if is_main else {}


def _feed(pipe: IO[bytes], data: bytes) -> None:
    with suppress(OSError, ValueError), pipe:  # a program that does not read its input may still answer
        pipe.write(data)


def _read_output(
    child: subprocess.Popen[bytes], stdout: IO[bytes], stderr: IO[bytes], deadline: float, max_bytes: int
) -> ProcessOutput:
    output, errors = bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(stdout, selectors.EVENT_READ, output)
        selector.register(stderr, selectors.EVENT_READ, errors)
        while selector.get_map():
            ready = selector.select(min(_POLL_SECONDS, max(deadline - time.monotonic(), 0)))
            for key, _ in ready:
                chunk = os.read(key.fd, 65536)
                key.data.extend(chunk)
                if not chunk:
                    selector.unregister(key.fileobj)
            del errors[:-_MAX_ERROR_BYTES]
            if len(output) > max_bytes:
                return ProcessOutput(bytes(output), bytes(errors), 0, is_long=True)
            if time.monotonic() >= deadline:
                return ProcessOutput(bytes(output), bytes(errors), 0, is_late=True)
            if not ready and child.poll() is not None:  # something it started keeps the pipes open
                break
    try:
        status = child.wait(max(deadline - time.monotonic(), 0))
    except subprocess.TimeoutExpired:
        return ProcessOutput(bytes(output), bytes(errors), 0, is_late=True)
    return ProcessOutput(bytes(output), bytes(errors), status)


# Models of the `llm` library


def ask_model(request: JudgeRequest, schema: Mapping[str, object], environment: Mapping[str, str]) -> JudgeReply:
    """Ask a model in a child process. Problems are in the reply, none is raised for the model's sake."""
    fields = {
        "model": request.judge,
        "prompt": request.question,
        "schema": schema,
        "timeout": request.timeout,
        "max_chars": request.max_chars,
    }
    read_end, write_end = os.pipe()  # the child ends when this process does and so closes the write end
    try:
        output = run_process(
            [sys.executable, "-P", _CHILD_SCRIPT, str(read_end)],  # -P: nothing in the current folder is ever imported
            stdin=json.dumps(fields).encode("ascii"),
            environment=environment,
            timeout=request.timeout + _GRACE_SECONDS,
            max_bytes=_MAX_BYTES_PER_CHAR * request.max_chars,
            pass_fds=(read_end,),
        )
    finally:
        os.close(read_end)
        os.close(write_end)
    return _model_reply(request, output)


def _model_reply(request: JudgeRequest, output: ProcessOutput) -> JudgeReply:
    name, asked = printable(request.judge), estimate_tokens(request.question)
    match parse_json(output.stdout):
        case {"text": str(text), "input": int(input_tokens), "output": int(output_tokens)}:
            answered = max(estimate_tokens(text), output_tokens)
            return JudgeReply(clean(text), asked=max(asked, input_tokens), answered=answered)
        case {"unready": str(why), "reason": str(reason)} if why in _SETUP_PROBLEMS:
            reason = redacted_line(reason, _MAX_REASON_CHARS)
            return JudgeReply(problem=_SETUP_PROBLEMS[why].format(name=name, reason=reason))
        case {"error": str(reason)}:  # the words of a provider may contain anything, also a key
            return _failure(request, f"failed: {redacted_line(reason, _MAX_REASON_CHARS)}")
        case {"long": str(text)}:
            return _too_long(request, text)
    if output.is_late or output.status == -signal.SIGALRM:
        return _too_late(request)
    return _failure(request, "ended without an answer", answered=None)


# Clients


def ask_client(
    request: JudgeRequest, command: ClientCommand, folder: str, environment: Mapping[str, str]
) -> JudgeReply:
    """Ask a client that runs in an empty folder. Problems are in the reply, none is raised for the client's sake."""
    output = run_process(
        command.argv,
        stdin=command.stdin.encode("utf-8", "replace"),
        environment={**environment, **command.environment, JUDGE_VARIABLE: "1"},
        timeout=request.timeout,
        max_bytes=_MAX_BYTES_PER_CHAR * request.max_chars,
        folder=folder,
    )
    stdout = output.stdout.decode("utf-8", "replace")
    if output.is_late:
        return _too_late(request)
    if output.is_long:
        return _too_long(request, stdout)
    printed = command.answer_from(stdout)
    if output.status or printed.error:
        return _client_failure(request, output, printed.error or stdout)
    if not printed.answer.strip():
        return _failure(request, "answered nothing; try it by hand, and look for an error there")
    if len(printed.answer) > request.max_chars:
        return _too_long(request, printed.answer)
    asked, answered = estimate_tokens(request.question), estimate_tokens(printed.answer)
    return JudgeReply(clean(printed.answer), asked=asked, answered=answered)


def _client_failure(request: JudgeRequest, output: ProcessOutput, text: str) -> JudgeReply:
    errors = [line.strip() for line in output.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    reason = redacted_line(text.strip() or " ".join(errors[-3:]), _MAX_REASON_CHARS)
    if _LOGIN_ERROR.search(text) or any(map(_LOGIN_ERROR.search, errors)):
        problem = f"{request.judge} is not logged in or has no key: {reason}; type: {request.judge}"
        return JudgeReply(problem=problem)
    return _failure(request, f"failed with exit status {output.status}: {reason or 'it said nothing'}")


def _failure(request: JudgeRequest, problem: str, answered: int | None = 0) -> JudgeReply:
    text = f"{printable(request.judge)} {problem}"
    return JudgeReply(problem=text, is_failure=True, asked=estimate_tokens(request.question), answered=answered)


def _too_late(request: JudgeRequest) -> JudgeReply:
    longer = min(4 * request.timeout, 600)
    hint = f"; to wait longer: tacit config set model.timeout {longer}" if longer > request.timeout else ""
    return _failure(request, f"did not answer within {request.timeout} s{hint}", answered=None)


def _too_long(request: JudgeRequest, text: str) -> JudgeReply:
    return _failure(
        request, f"answered with more than {request.max_chars:,} characters", answered=estimate_tokens(text)
    )
