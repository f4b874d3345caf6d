"""Command lines that ask an installed client one question and leave as little as possible behind.

Each client is run in an empty folder, with its question on standard input, without tools, hooks, MCP servers and
instructions of the user as far as its options allow. What stays is listed in docs/guides/judge.md. The variable
TACIT_JUDGE tells Tacit's own hooks and its MCP server that a judge runs, so that none of them does anything.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping

from tacit.learn.judge.answer import parse_json
from tacit.record import Record

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
    """A supported client. `config_path` is the file with settings that have to be passed on, "" if there is none."""

    name: str
    command: Callable[[ClientSetup], ClientCommand]
    config_path: Callable[[Mapping[str, str], str], str] = lambda _environment, _user_folder: ""


# Claude Code: no hooks, no MCP servers, no CLAUDE.md, no session file


def _claude_command(setup: ClientSetup) -> ClientCommand:
    argv = (
        *(setup.program, "-p", "--setting-sources", "", "--tools", "", "--strict-mcp-config"),
        *("--no-session-persistence", "--disable-slash-commands", "--system-prompt", _SYSTEM_PROMPT),
        *(*setup.model_option("--model"), "--output-format", "json"),
    )
    return ClientCommand(argv, {"CLAUDE_CODE_MAX_RETRIES": "1"}, setup.question, _claude_output)


def _claude_output(text: str) -> ClientOutput:
    match parse_json(text):
        case {"result": str(result), "is_error": True}:
            return ClientOutput(error=result)
        case {"result": str(result)}:
            return ClientOutput(result)
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
    return ClientCommand(argv, variables, setup.question, _gemini_output, files, needs_private_folder=not has_key)


def _gemini_output(text: str) -> ClientOutput:
    match parse_json(text):
        case {"response": str(response)}:
            return ClientOutput(response)
        case {"error": {"message": str(message)}}:
            return ClientOutput(error=message)
    return ClientOutput(error=text)


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


# All of them


def _below(variable: str, default: str, *path: str) -> Callable[[Mapping[str, str], str], str]:
    """Return a function for a path in the folder that a variable names, by default one in the user's folder."""

    def config_path(environment: Mapping[str, str], user_folder: str) -> str:
        return os.path.join(environment.get(variable) or os.path.join(user_folder, default), *path)

    return config_path


CLIENTS = {
    client.name: client
    for client in (
        Client("claude", _claude_command),
        Client("codex", _codex_command, _below("CODEX_HOME", ".codex", "config.toml")),
        Client("gemini", _gemini_command),
        Client("copilot", _copilot_command, _below("COPILOT_HOME", ".copilot", "mcp-config.json")),
        Client("opencode", _opencode_command, _below("XDG_CONFIG_HOME", ".config", "opencode", "opencode.json")),
    )
}
