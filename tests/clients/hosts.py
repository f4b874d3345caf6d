"""The clients: what the tests must know of each. Where its program is, how it is run, its settings, how it compacts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.clients.apis import Step

KEY = "stub-0000-0000"  # no client starts without one


class Place(NamedTuple):
    """Where a client is run: the person's folder, the repository, and the port of the stub."""

    folder: Path
    repository: Path
    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class Compacts(NamedTuple):
    """How a client is made to compact: by a prompt, or because the model says that the conversation is long.

    `asks` is what its request for a summary is known by, `answer` what it takes for one.
    """

    asks: str
    answer: str
    prompt: str = ""
    tokens: int = 0


class Client(NamedTuple):
    """A real coding agent.

    `programs` are where the installed package has its program, the first that is there; `words` what it is called with
    for a prompt in a new or the last session; `settings` the files that the person had before, `prepared` those that it
    needs beside.
    """

    name: str
    programs: tuple[str, ...]
    words: Callable[[str, bool], list[str]]
    environment: Callable[[Place], Mapping[str, str]]
    settings: Mapping[str, str]
    prepared: Callable[[Place], Mapping[str, str]]
    ran: Callable[[str], Step]
    wrote: Callable[[Path, str], Step]
    tools: tuple[str, ...]  # as the client calls them: to run a command, to write a file
    compacts: Compacts


# Claude Code.

# As a person keeps it: other settings, a hook of their own, their own way to indent.
_CLAUDE_SETTINGS = """{
    "cleanupPeriodDays": 90,
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "true"}]}
        ]
    }
}
"""


def _claude_words(prompt: str, again: bool) -> list[str]:
    shown = ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
    allowed = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"]
    return ["-p", prompt, *shown, *allowed, *(["--continue"] if again else [])]


def _claude_prepared(place: Place) -> Mapping[str, str]:
    """Answers to what it asks at its first start in a terminal."""
    answered = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
        "projects": {str(place.repository): {"hasTrustDialogAccepted": True}},
    }
    return {".claude.json": json.dumps(answered)}


CLAUDE = Client(
    name="claude",
    programs=("@anthropic-ai/claude-code-*/claude", "@anthropic-ai/claude-code/cli.js"),
    words=_claude_words,
    environment=lambda place: {
        "ANTHROPIC_BASE_URL": place.address,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        **dict.fromkeys(("DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_AUTOUPDATER"), "1"),
    },
    settings={".claude/settings.json": _CLAUDE_SETTINGS},
    prepared=_claude_prepared,
    ran=lambda command: Step(tool="Bash", input={"command": command, "description": "Runs a command"}),
    wrote=lambda path, content: Step(tool="Write", input={"file_path": str(path), "content": content}),
    tools=("Bash", "Write"),
    compacts=Compacts(asks="CRITICAL: Respond with TEXT ONLY", answer="<summary>{}</summary>", prompt="/compact"),
)


# Codex CLI. Its hooks run once the person has reviewed them; a run of the tests says so by the client's own flag.

CODEX_TRUSTED = "--dangerously-bypass-hook-trust"
_CODEX_HOOKS = """{
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "true"}]}]
  }
}
"""
_CODEX_CONFIG = """model = "gpt-5.1-codex"
model_provider = "stub"
check_for_update_on_startup = false

[model_providers.stub]
name = "stub"
base_url = "{address}/v1"
env_key = "STUB_API_KEY"
wire_api = "responses"

[analytics]
enabled = false

[projects."{repository}"]
trust_level = "trusted"
"""


def _codex_words(prompt: str, again: bool) -> list[str]:
    session = ["exec", "resume", "--last"] if again else ["exec"]
    allowed = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", CODEX_TRUSTED]
    return [*session, "--json", *allowed, prompt]


def _codex_wrote(path: Path, content: str) -> Step:
    lines = "".join(f"+{line}\n" for line in content.splitlines())
    patch = f"*** Begin Patch\n*** Add File: {path.name}\n{lines}*** End Patch"
    return Step(tool="exec_command", input={"cmd": f"apply_patch <<'EOF'\n{patch}\nEOF"})


CODEX = Client(
    name="codex",
    programs=("@openai/codex-*/vendor/*/bin/codex", "@openai/codex-*/vendor/*/codex/codex"),
    words=_codex_words,
    environment=lambda place: {"STUB_API_KEY": KEY},
    settings={".codex/hooks.json": _CODEX_HOOKS},
    prepared=lambda place: {
        ".codex/config.toml": _CODEX_CONFIG.format(address=place.address, repository=place.repository)
    },
    ran=lambda command: Step(tool="exec_command", input={"cmd": command}),
    wrote=_codex_wrote,
    tools=("exec_command", "exec_command"),
    compacts=Compacts(asks="CONTEXT CHECKPOINT COMPACTION", answer="{}", tokens=990_000),
)


# Gemini CLI.

# Comments are allowed in it.
_GEMINI_SETTINGS = """{
  // Mine.
  "hooksConfig": {"enabled": true},
  "hooks": {
    "AfterAgent": [{"hooks": [{"type": "command", "command": "true"}]}]
  },
  "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false},
  "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false}
}
"""


def _gemini_words(prompt: str, again: bool) -> list[str]:
    allowed = ["--approval-mode", "yolo", "--skip-trust"]
    session = ["--resume", "latest"] if again else []
    return ["-p", prompt, *allowed, "--output-format", "stream-json", "--model", "gemini-2.5-pro", *session]


GEMINI = Client(
    name="gemini",
    programs=("@google/gemini-cli/bundle/gemini.js", "@google/gemini-cli/dist/index.js"),
    words=_gemini_words,
    environment=lambda place: {
        "GOOGLE_GEMINI_BASE_URL": place.address,
        "GEMINI_API_KEY": KEY,
        "GEMINI_CLI_NO_RELAUNCH": "true",
        "GEMINI_TELEMETRY_ENABLED": "false",
    },
    settings={".gemini/settings.json": _GEMINI_SETTINGS},
    prepared=lambda place: {},
    ran=lambda command: Step(tool="run_shell_command", input={"command": command, "description": "Runs a command"}),
    wrote=lambda path, content: Step(tool="write_file", input={"file_path": str(path), "content": content}),
    tools=("run_shell_command", "write_file"),
    compacts=Compacts(asks="<state_snapshot>", answer="<state_snapshot>{}</state_snapshot>", tokens=990_000),
)


# Copilot CLI.

_COPILOT_HOOKS = """{
  "version": 1,
  "hooks": {
    "agentStop": [{"type": "command", "bash": "true", "timeoutSec": 5}]
  }
}
"""


def _copilot_words(prompt: str, again: bool) -> list[str]:
    allowed = ["--allow-all-tools", "--allow-all-paths"]
    return ["-p", prompt, *allowed, "--no-auto-update", "--no-color", *(["--continue"] if again else [])]


COPILOT = Client(
    name="copilot",
    programs=("@github/copilot-*/copilot", "@github/copilot/index.js"),
    words=_copilot_words,
    environment=lambda place: {
        "COPILOT_PROVIDER_BASE_URL": f"{place.address}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "stub-model",
        "COPILOT_OFFLINE": "true",
    },
    settings={".copilot/hooks/mine.json": _COPILOT_HOOKS},
    prepared=lambda place: {
        ".copilot/config.json": json.dumps({"trustedFolders": [str(place.repository)], "banner": "never"})
    },
    ran=lambda command: Step(tool="bash", input={"command": command, "description": "Runs a command"}),
    wrote=lambda path, content: Step(tool="create", input={"path": str(path), "file_text": content}),
    tools=("bash", "create"),
    compacts=Compacts(asks="The history is being compacted", answer="<overview>{}</overview>", prompt="/compact"),
)


# OpenCode.

_OPENCODE_PLUGIN = "export const Mine = async () => ({})\n"


def _opencode_prepared(place: Place) -> Mapping[str, str]:
    """A provider of one's own. The tests leave this file alone, so that the address of the stub can be in it."""
    model = {"name": "stub", "limit": {"context": 100_000, "output": 8_000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "stub",
        "options": {"baseURL": f"{place.address}/v1", "apiKey": KEY},
        "models": {"stub-model": model},
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": "stub/stub-model",
        "small_model": "stub/stub-model",
        "permission": {"bash": "allow", "edit": "allow"},
        "provider": {"stub": provider},
    }
    # At every start it asks the registry for a package, and would try again for more than a minute.
    return {".config/opencode/opencode.json": json.dumps(settings), ".npmrc": "fetch-retries=0\n"}


OPENCODE = Client(
    name="opencode",
    programs=("opencode-*/bin/opencode",),
    words=lambda prompt, again: ["run", "--format", "json", *(["--continue"] if again else []), prompt],
    environment=lambda place: {
        f"OPENCODE_DISABLE_{name}": "1" for name in ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    },
    settings={".config/opencode/plugins/mine.js": _OPENCODE_PLUGIN},
    prepared=_opencode_prepared,
    ran=lambda command: Step(tool="bash", input={"command": command, "description": "Runs a command"}),
    wrote=lambda path, content: Step(tool="write", input={"filePath": str(path), "content": content}),
    tools=("bash", "write"),
    compacts=Compacts(asks="Here is the conversation so far:", answer="{}", tokens=990_000),
)


CLIENTS = {client.name: client for client in (CLAUDE, CODEX, GEMINI, COPILOT, OPENCODE)}
