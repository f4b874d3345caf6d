"""Clients and models that can be asked one question, each in a process of its own.

A process is killed with all its children when its time is up. A client is run in an empty folder, with its question on
standard input, without tools, hooks, MCP servers and instructions of the user as far as its options allow, and leaves
as little as possible behind. What stays is listed in docs/guides/judge.md. The variable TACIT_JUDGE tells Tacit's own
hooks and its MCP server that a judge runs, so that none of them does anything.
"""

from __future__ import annotations

import json
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from threading import Thread, current_thread, main_thread

from tacit.learn.judge.answer import parse_json
from tacit.learn.judge.question import redacted_line
from tacit.record import Record
from tacit.text.display import clean, printable
from tacit.text.words import estimate_tokens

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import IO


# Command lines of clients

JUDGE_VARIABLE = "TACIT_JUDGE"
_SYSTEM_PROMPT = (
    "You judge sentences. Answer the message with the one JSON object that it asks for, and with nothing else."
)
_INSTRUCTIONS_FILE = "instructions.md"


class ClientOutput(Record):
    """The answer in what a client printed, or the words in which it reports an error."""

    answer: str = ""
    error: str = ""


class ClientCommand(Record):
    """How to run a client: what to add to the environment, and which files it needs in the folder of the judge.

    `needs_private_folder` if the client ignores these files where others can write a folder above them.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    stdin: str
    answer_from: Callable[[str], ClientOutput]
    files: Mapping[str, str] = {}
    needs_private_folder: bool = False


class ClientSetup(Record):
    """What a command line depends on. `config` are the user's settings of the client, {} if there are none."""

    program: str
    question: str
    folder: str
    model: str = ""
    environment: Mapping[str, str] = {}
    config: Mapping[str, object] = {}

    def model_option(self, name: str) -> tuple[str, ...]:
        return (name, self.model) if self.model else ()

    @property
    def instructions_path(self) -> str:
        return os.path.join(self.folder, _INSTRUCTIONS_FILE)


class Client(Record):
    """A supported client.

    `config` is the file with settings that have to be passed on, if there is one. It is below the folder that
    `variable` names, by default below `folder` of the user.
    """

    name: str
    command: Callable[[ClientSetup], ClientCommand]
    config: str = ""
    variable: str = ""
    folder: str = ""

    def config_path(self, environment: Mapping[str, str], user_folder: str) -> str:
        """Return the path of the settings, "" if there are none to be passed on."""
        base = environment.get(self.variable) or os.path.join(user_folder, self.folder)
        return os.path.join(base, self.config) if self.config else ""


# Claude Code: no hooks, no MCP servers, no CLAUDE.md, no session file


def _claude_command(setup: ClientSetup) -> ClientCommand:
    argv = (
        *(setup.program, "-p", "--setting-sources", "", "--tools", "", "--strict-mcp-config"),
        *("--no-session-persistence", "--disable-slash-commands", "--system-prompt", _SYSTEM_PROMPT),
        *(*setup.model_option("--model"), "--output-format", "json"),
    )
    return ClientCommand(argv, {"CLAUDE_CODE_MAX_RETRIES": "1"}, setup.question, _object_output)


def _object_output(text: str) -> ClientOutput:
    """Return the answer or the error of a client that prints one JSON object."""
    match parse_json(text):
        case {"result": str(error), "is_error": True}:
            return ClientOutput(error=error)
        case {"result": str(answer)} | {"response": str(answer)}:
            return ClientOutput(answer)
        case {"error": {"message": str(error)}}:
            return ClientOutput(error=error)
    return ClientOutput(error=text)


# Codex: `--ignore-user-config` also drops the user's model and provider, so these are passed on

_CODEX_DISABLED = "hooks shell_tool unified_exec multi_agent goals view_image apps plugins".split()
_CODEX_OVERRIDES = (
    "project_doc_max_bytes=0",
    'web_search="disabled"',
    "skills.include_instructions=false",
    "include_environment_context=false",
    "include_permissions_instructions=false",
)
_PROVIDER_KEYS = ("name", "base_url", "env_key", "wire_api", "requires_openai_auth")  # no key is put into an argument
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]{1,60}")


def _codex_command(setup: ClientSetup) -> ClientCommand:
    disabled = [word for feature in _CODEX_DISABLED for word in ("--disable", feature)]
    instructions = f"model_instructions_file={json.dumps(setup.instructions_path)}"
    overrides = (*_CODEX_OVERRIDES, instructions, *_codex_provider(setup.config, has_model=bool(setup.model)))
    argv = (
        *(setup.program, "exec", "--skip-git-repo-check", "--ephemeral", "--ignore-user-config", "--ignore-rules"),
        *("-s", "read-only", *disabled, *(word for override in overrides for word in ("-c", override))),
        *(*setup.model_option("-m"), "--json", "-"),
    )
    return ClientCommand(argv, {}, setup.question, _codex_output, {_INSTRUCTIONS_FILE: _SYSTEM_PROMPT})


def _codex_provider(config: Mapping[str, object], *, has_model: bool) -> list[str]:
    """Return overrides with the user's model and model provider."""
    model, provider, providers = (config.get(key) for key in ("model", "model_provider", "model_providers"))
    overrides = [f"model={json.dumps(model)}"] if isinstance(model, str) and not has_model else []
    if isinstance(provider, str) and _BARE_KEY.fullmatch(provider):
        table = providers.get(provider) if isinstance(providers, Mapping) else None
        values = {key: table[key] for key in _PROVIDER_KEYS if key in table} if isinstance(table, Mapping) else {}
        overrides += [f"model_provider={json.dumps(provider)}"]
        overrides += [
            f"model_providers.{provider}.{key}={json.dumps(value)}"
            for key, value in values.items()
            if isinstance(value, str | bool)
        ]
    return overrides


def _codex_output(text: str) -> ClientOutput:
    answer, error = "", ""
    for line in text.splitlines():
        match parse_json(line):
            case {"type": "item.completed", "item": {"type": "agent_message", "text": str(message)}}:
                answer = message
            case {"type": "error" | "turn.failed", "message": str(message)}:
                error = message
            case {"type": "turn.failed", "error": {"message": str(message)}}:
                error = message
    return ClientOutput(answer, "" if answer else error)


# Gemini: with an API key it gets a home of its own; a login lies in the user's home, whose GEMINI.md is sent then

_GEMINI_SETTINGS: Mapping[str, object] = {
    "hooksConfig": {"enabled": False},
    "skills": {"enabled": False},
    "tools": {"core": ["none"]},
    "mcp": {"allowed": ["none"]},
    "context": {"fileName": "NONE.md"},
}
_GEMINI_KEY = "GEMINI_API_KEY"
_GEMINI_MODEL = "pro"  # without a model, it sends the question twice: first to have a model chosen


def _gemini_command(setup: ClientSetup) -> ClientCommand:
    argv = (
        *(setup.program, "-p", "Answer.", "-o", "json", "-e", "none", "--skip-trust"),
        *("-m", setup.model or _GEMINI_MODEL),
    )
    has_key = bool(setup.environment.get(_GEMINI_KEY))
    if has_key:
        path = os.path.join(".gemini", "settings.json")
        variables = {"GEMINI_CLI_HOME": setup.folder}
        settings = {**_GEMINI_SETTINGS, "security": {"auth": {"selectedType": "gemini-api-key"}}}
    else:
        path = "gemini.json"
        variables = {"GEMINI_CLI_SYSTEM_SETTINGS_PATH": os.path.join(setup.folder, path)}
        settings = dict(_GEMINI_SETTINGS)
    files = {path: json.dumps(settings), _INSTRUCTIONS_FILE: _SYSTEM_PROMPT}
    variables["GEMINI_SYSTEM_MD"] = setup.instructions_path
    return ClientCommand(argv, variables, setup.question, _object_output, files, needs_private_folder=not has_key)


# Copilot: the user's hooks do run, and a session stays in its folder


def _copilot_command(setup: ClientSetup) -> ClientCommand:
    servers = [word for name in _server_names(setup.config, "mcpServers") for word in ("--disable-mcp-server", name)]
    argv = (
        *(setup.program, "-s", "--no-custom-instructions", "--available-tools=none", "--disable-builtin-mcps"),
        *("--no-ask-user", "--no-auto-update", *servers, *setup.model_option("--model")),
    )
    return ClientCommand(argv, {}, setup.question, lambda text: ClientOutput(text.strip()))


# opencode: nothing stays; AGENTS.md of its configuration is sent


def _opencode_command(setup: ClientSetup) -> ClientCommand:
    agent = {"mode": "primary", "prompt": _SYSTEM_PROMPT, "tools": {"*": False}}
    servers = {name: {"enabled": False} for name in _server_names(setup.config, "mcp")}
    content = {"agent": {"judge": agent}, **({"mcp": servers} if servers else {})}
    variables = {
        "OPENCODE_CONFIG_CONTENT": json.dumps(content),
        "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
        "OPENCODE_DB": ":memory:",
    }
    argv = (
        *(setup.program, "run", "--pure", "--agent", "judge", "--title", "judge", "--format", "json"),
        *setup.model_option("-m"),
    )
    return ClientCommand(argv, variables, setup.question, _opencode_output)


def _opencode_output(text: str) -> ClientOutput:
    texts, error = [], ""
    for line in text.splitlines():
        match parse_json(line):
            case {"type": "text", "part": {"text": str(part)}}:
                texts.append(part)
            case {"type": "error", "error": reason}:
                error = json.dumps(reason)
    return ClientOutput("".join(texts), "" if texts else error)


def _server_names(config: Mapping[str, object], key: str) -> list[str]:
    """Return the names of the user's MCP servers. A name that looks like an option is left out."""
    servers = config.get(key)
    return [name for name in servers if not name.startswith("-")] if isinstance(servers, Mapping) else []


CLIENTS = {
    client.name: client
    for client in (
        Client("claude", _claude_command),
        Client("codex", _codex_command, "config.toml", "CODEX_HOME", ".codex"),
        Client("gemini", _gemini_command),
        Client("copilot", _copilot_command, "mcp-config.json", "COPILOT_HOME", ".copilot"),
        Client("opencode", _opencode_command, "opencode/opencode.json", "XDG_CONFIG_HOME", ".config"),
    )
}


# Questions and replies

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
    None if it is unknown. `is_put_off`: nobody was asked, because today's budget is spent or judges have a pause.
    """

    text: str = ""
    problem: str = ""
    is_failure: bool = False
    asked: int = 0
    answered: int | None = 0
    is_put_off: bool = False


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
) -> ProcessOutput:
    """Run a program in a session of its own until it ends, its time is up or it printed more than `max_bytes`.

    Whatever happens, it is killed at the end with everything it started, also if this process is killed. Raise OSError
    if it cannot be started.
    """
    child = subprocess.Popen(
        argv,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert child.stdin and child.stdout and child.stderr
    watch = _watch(child.pid)

    # Signals that end this process become SystemExit, so that the child does not outlive it.
    def stop(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    is_main = current_thread() is main_thread()  # others cannot set handlers
    handlers = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)} if is_main else {}
    try:
        Thread(target=_feed, args=(child.stdin, stdin), daemon=True).start()
        return _read_output(child, child.stdout, child.stderr, time.monotonic() + timeout, max_bytes)
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        watch.communicate(b"\n")
        child.stdout.close()
        child.stderr.close()
        for number, handler in handlers.items():
            signal.signal(number, handler)


# It reads a line from this process. If that ends instead, killed by whatever, the group of the program goes with it.
_WATCH = 'read -r _ || kill -s KILL -- "-$1"'


def _watch(group: int) -> subprocess.Popen[bytes]:
    """Start a process that kills a group of processes when this one ends without having ended the watch."""
    return subprocess.Popen(
        ["/bin/sh", "-c", _WATCH, "sh", str(group)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


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


def ask_model(request: JudgeRequest, schema: Mapping[str, object], environment: Mapping[str, str]) -> JudgeReply:
    """Ask a model in a child process. Problems are in the reply, none is raised for the model's sake."""
    fields: dict[str, object] = {"model": request.judge, "prompt": request.question, "schema": schema}
    fields |= {"timeout": request.timeout, "max_chars": request.max_chars}
    output = run_process(
        [sys.executable, "-P", _CHILD_SCRIPT],  # -P: nothing in the current folder is ever imported
        stdin=json.dumps(fields).encode("ascii"),
        environment=environment,
        timeout=request.timeout + _GRACE_SECONDS,
        max_bytes=_MAX_BYTES_PER_CHAR * request.max_chars,
    )
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
        return JudgeReply(problem=f"{request.judge} is not logged in or has no key: {reason}; type: {request.judge}")
    return _failure(request, f"failed with exit status {output.status}: {reason or 'it said nothing'}")


def _failure(request: JudgeRequest, problem: str, answered: int | None = 0) -> JudgeReply:
    text = f"{printable(request.judge)} {problem}"
    return JudgeReply(problem=text, is_failure=True, asked=estimate_tokens(request.question), answered=answered)


def _too_late(request: JudgeRequest) -> JudgeReply:
    longer = min(4 * request.timeout, 600)
    hint = f"; to wait longer: tacit config set model.timeout {longer}" if longer > request.timeout else ""
    return _failure(request, f"did not answer within {request.timeout} s{hint}", answered=None)


def _too_long(request: JudgeRequest, text: str) -> JudgeReply:
    return _failure(request, f"answered with more than {request.max_chars:,} characters", estimate_tokens(text))
