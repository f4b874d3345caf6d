"""Which agent runs this command: told by its own environment, by those of the processes above it, and by their names.

Hosts put variables into the environment of the commands they run. A command line like `env -i tacit …`, a login shell
or a program that cleans its environment removes them, but the processes that started it still have them, and the host
itself has a name. What cannot be told: a command that a host started through a process that was running before (an
ssh server, cron, a terminal multiplexer of the person), or whose parents have ended and whose environment is clean.
"""

from __future__ import annotations

from collections.abc import Mapping

from tacit.record import Record
from tacit.vault.ancestors import Process, ancestors


class Sign(Record):
    """A variable that a host sets for the commands it runs, and the one that holds its session.

    `value` is the only value that counts; without one, any does that is not empty. `source` says where it is known
    from. Variables that a person sets to configure a tool, or that an editor sets in the person's own terminal
    (CURSOR_TRACE_ID, GEMINI_CLI_IDE_SERVER_PORT, CLAUDE_PROJECT_DIR, AIDER_MODEL, GOOSE_PROVIDER), are no signs.
    """

    variable: str
    agent: str
    session: str = ""
    value: str = ""
    source: str = ""


class Program(Record):
    """The name of a host's executable or script, as a process above the command shows it."""

    name: str
    agent: str
    source: str = ""


_SEEN = "seen in a run of the client: docs/guides/clients-tested.md"

SIGNS = (
    Sign("CLAUDECODE", "claude", "CLAUDE_CODE_SESSION_ID", source="anthropics/claude-code CHANGELOG.md 2.1.154"),
    Sign(
        "CODEX_THREAD_ID",
        "codex",
        "CODEX_THREAD_ID",
        source="openai/codex codex-rs/protocol/src/shell_environment.rs",
    ),
    Sign("CODEX_TOOL_CALL_ID", "codex", "CODEX_THREAD_ID", source=_SEEN),
    Sign(
        "CODEX_CI",
        "codex",
        "CODEX_THREAD_ID",
        source="openai/codex codex-rs/core/src/unified_exec/process_manager.rs",
    ),
    Sign("CODEX_SANDBOX", "codex", source="openai/codex codex-rs/core/src/sandboxing/mod.rs"),
    Sign("CODEX_SANDBOX_NETWORK_DISABLED", "codex", source="openai/codex codex-rs/core/src/spawn.rs"),
    Sign(
        "GEMINI_CLI",
        "gemini",
        "GEMINI_SESSION_ID",
        source="google-gemini/gemini-cli docs/tools/shell.md; its session is told to hooks only (docs/hooks/index.md)",
    ),
    Sign("GEMINI_SESSION_ID", "gemini", "GEMINI_SESSION_ID", source="google-gemini/gemini-cli docs/hooks/index.md"),
    Sign("COPILOT_CLI", "copilot", "COPILOT_AGENT_SESSION_ID", source="github/copilot-cli changelog.md 0.0.421"),
    Sign(
        "COPILOT_AGENT_SESSION_ID",
        "copilot",
        "COPILOT_AGENT_SESSION_ID",
        source="github/copilot-cli changelog.md 1.0.29",
    ),
    Sign("OPENCODE", "opencode", source="anomalyco/opencode packages/opencode/src/index.ts"),
    Sign("CURSOR_AGENT", "cursor", source="cursor.com/docs/agent/terminal"),
    Sign(
        "AGENT",
        "amp",
        "AMP_CURRENT_THREAD_ID",
        value="amp",
        source="a third party: ascorbic/am-i-vibing packages/am-i-vibing/src/providers.ts",
    ),
    Sign(
        "GOOSE_TERMINAL",
        "goose",
        "AGENT_SESSION_ID",
        source="aaif-goose/goose documentation/docs/guides/environment-variables.md",
    ),
    Sign(
        "AGENT",
        "goose",
        "AGENT_SESSION_ID",
        value="goose",
        source="aaif-goose/goose documentation/docs/guides/environment-variables.md",
    ),
    Sign(
        "CLINE_ACTIVE",
        "cline",
        source="cline/cline apps/vscode/src/hosts/vscode/terminal/VscodeTerminalRegistry.ts",
    ),
    Sign(
        "QWEN_CODE",
        "qwen",
        "QWEN_CODE_SESSION_ID",
        source="QwenLM/qwen-code docs/developers/tools/shell.md, packages/core/src/utils/shellContextEnv.ts",
    ),
    Sign("AUGMENT_AGENT", "augment", source="npm @augmentcode/auggie 0.36.0 augment.mjs"),
    Sign(
        "KIRO_SESSION_ID",
        "kiro",
        "KIRO_SESSION_ID",
        source="aws/aws-cli pull request 10584 (the command line only, not the editor)",
    ),
    Sign(
        "CRUSH",
        "crush",
        "CRUSH_SESSION_ID",
        source="charmbracelet/crush internal/shell/shell.go; its session is told to hooks only (docs/hooks/README.md)",
    ),
    Sign("ANTIGRAVITY_AGENT", "antigravity", source="firebase/firebase-tools src/env.ts"),
    Sign(
        "PI_CODING_AGENT",
        "pi",
        "PI_SESSION_ID",
        source="earendil-works/pi packages/coding-agent/docs/environment-variables.md",
    ),
    Sign("AI_AGENT", "", source="vercel/detect-agent README.md: a name that any tool may give itself"),
)

# Editors are left out: the person's own terminals run below them.
PROGRAMS = (
    Program("claude", "claude", _SEEN),
    Program("codex", "codex", _SEEN),
    Program("gemini", "gemini", _SEEN),
    Program("copilot", "copilot", _SEEN),
    Program("opencode", "opencode", _SEEN),
    Program("cursor-agent", "cursor", "a third party: the script in Cursor's archive, as Gentoo packages it"),
    Program("amp", "amp", "npm @ampcode/cli package.json"),
    Program("goose", "goose", "aaif-goose/goose crates/goose-cli/Cargo.toml"),
    Program("cline", "cline", "cline/cline apps/cli/package.json"),
    Program("qwen", "qwen", "QwenLM/qwen-code package.json"),
    Program("auggie", "augment", "npm @augmentcode/auggie 0.36.0 package.json"),
    Program("kiro-cli", "kiro", "kiro.dev/docs/cli: a single binary since 3.0"),
    Program("kiro-cli-chat", "kiro", "a third party: ingo-eichhorst/Irrlicht issue 280, measured with 2.5.1"),
    Program("crush", "crush", "charmbracelet/crush .goreleaser.yml"),
    Program("aider", "aider", "Aider-AI/aider pyproject.toml"),
)
_PROGRAMS = {program.name: program for program in PROGRAMS}


class Agent(Record):
    """The host that runs this command, its session where it tells one, and what it was recognised by."""

    name: str
    session: str
    sign: str


def find_agent(environment: Mapping[str, str]) -> Agent | None:
    """The agent that this process works for, or None for a person. Never raises.

    Where processes cannot be looked at (no /proc, as on macOS) only `environment` counts.
    """
    found = _in_environment(environment)
    if found is not None:
        return found
    for process in ancestors():
        if (found := _in_process(process)) is not None:
            return found
    return None


def _in_environment(environment: Mapping[str, str]) -> Agent | None:
    for sign in SIGNS:
        value = environment.get(sign.variable)
        if value and sign.value in ("", value):
            return Agent(sign.agent or value, environment.get(sign.session, ""), f"{sign.variable} is set")
    return None


def _in_process(process: Process) -> Agent | None:
    who = f"{process.name} (process {process.pid}), which this was started from"
    for sign in SIGNS:
        value = process.variable(sign.variable)
        if value and sign.value in ("", value):
            session = process.variable(sign.session) if sign.session else ""
            return Agent(sign.agent or value, session, f"{sign.variable} is set in {who}")
    for name in process.programs:
        if (program := _PROGRAMS.get(name)) is not None:
            return Agent(program.agent, "", f"{program.name} runs as {who}")
    return None
