"""Who acts, where and when: a person or which agent, told by the environment and the processes above this one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

from tacit.errors import Refused, WrongUse
from tacit.model.claim import Provenance
from tacit.model.event import USER, Origin
from tacit.record import Record
from tacit.text.display import clean, clip, show

# The processes that a command was started from, as far as the system shows them in /proc.
#
# Read-only, bounded and without exceptions: a process that ends while it is looked at, one of another user, or a
# system without /proc ends the walk or leaves a part of it out.

PROC = "/proc"
_MOST = 64  # levels
_BYTES = 1024 * 1024  # of an environment or a command line

# Programs that run a script: the script's name counts as well.
_INTERPRETERS = ("node", "bun", "deno", "python", "nodejs")
_SCRIPT_ENDINGS = (".js", ".mjs", ".cjs")


class Process:
    """One process. Its environment is the one that it was started with, and only single variables are taken from it."""

    def __init__(self, pid: int, name: str, parent: int, session: int, started: int) -> None:
        self.pid = pid
        self.name = name
        self.parent = parent
        self.session = session
        self.started = started
        self._variables: bytes | None = None

    def variable(self, name: str) -> str:
        """The value of a variable; empty where it is not set or cannot be read."""
        if self._variables is None:
            self._variables = b"\0" + (_read(self.pid, "environ") or b"") + b"\0"
        start = self._variables.find(b"\0%s=" % name.encode())
        if start < 0:
            return ""
        value = self._variables[start + len(name) + 2 :].split(b"\0", 1)[0]
        return value.decode("utf-8", "replace")

    @property
    def programs(self) -> Iterator[str]:
        """The names that this process may be known by: its own, its command's, and its script's."""
        yield self.name
        arguments = (_read(self.pid, "cmdline") or b"").split(b"\0")
        command = _base(arguments[0])
        yield command
        if command.rstrip("0123456789.") in _INTERPRETERS:
            yield next((_base(word) for word in arguments[1:] if word and not word.startswith(b"-")), "")


def ancestors() -> Iterator[Process]:
    """From the parent of this process upwards, then from the leader of its session, which may outlive the parent."""
    seen: set[int] = {os.getpid()}
    here = _process(os.getpid())
    if here is None:
        return
    for start in (here.parent, here.session):
        child, pid = here, start
        while pid > 0 and pid not in seen and len(seen) < _MOST:
            seen.add(pid)
            process = _process(pid)
            if process is None or process.started > child.started:  # ended, and its number was given to another
                break
            yield process
            child, pid = process, process.parent


def _process(pid: int) -> Process | None:
    """What the system says of a process; the name is in brackets and may hold any character."""
    before, _, after = (_read(pid, "stat") or b"").rpartition(b")")
    fields = after.split()
    try:
        name = before.partition(b"(")[2].decode("utf-8", "replace")
        return Process(pid, name, int(fields[1]), int(fields[3]), int(fields[19]))
    except (IndexError, ValueError):
        return None


def _read(pid: int, name: str) -> bytes | None:
    try:
        fd = os.open(f"{PROC}/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        parts, room = [], _BYTES
        while room > 0 and (part := os.read(fd, min(room, 65536))):
            parts.append(part)
            room -= len(part)
        return b"".join(parts)
    except OSError:
        return None
    finally:
        os.close(fd)


def _base(path: bytes) -> str:
    """The last part of a path, without the ending of a script."""
    name = path.rpartition(b"/")[2].decode("utf-8", "replace")
    for ending in _SCRIPT_ENDINGS:
        name = name.removesuffix(ending)
    return name


# Which agent runs this command: told by its own environment, by those of the processes above it, and by their names.
#
# Hosts put variables into the environment of the commands they run. A command line like `env -i tacit …`, a login
# shell or a program that cleans its environment removes them, but the processes that started it still have them, and
# the host itself has a name. What cannot be told: a command that a host started through a process that was running
# before (an ssh server, cron, a terminal multiplexer of the person), or whose parents have ended and whose
# environment is clean.


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


# Who speaks, when and where: read from the environment once, handed down as values.

Clock = Callable[[], datetime]


class Speaker(Record):
    """Makes the origin of an operation. An actor other than the person speaks with a model's authority.

    `sign` says what an agent was recognised by; it is shown where something is refused, and not recorded.
    """

    clock: Clock
    actor: str = USER
    session: str = ""
    host: str = ""
    sign: str = ""

    @property
    def is_person(self) -> bool:
        return self.actor == USER

    def must_be_person(self, what: str, type_it: str) -> None:
        """Decisions are the person's; an agent is told what to ask for, and a person why they were taken for one."""
        if not self.is_person:
            known_by = f" ({show(self.sign)})" if self.sign else ""
            elsewhere = ", in a terminal that no agent started" if self.sign else ""
            raise Refused(
                f"only a person {what}, and this is {show(self.actor)}{known_by}",
                f"ask them to type{elsewhere}: {type_it}",
            )

    def origin(self) -> Origin:
        now = self.clock()
        offset = now.utcoffset()
        return Origin(
            at=now.astimezone(UTC),
            tz=int(offset.total_seconds() // 60) if offset else 0,
            host=self.host,
            session=self.session,
            actor=self.actor,
            provenance=Provenance.USER_DIRECT if self.is_person else Provenance.MODEL,
        )


def speaker(environment: Mapping[str, str]) -> Speaker:
    """`TACIT_NOW` fixes the clock, `TACIT_ACTOR` names an agent, `TACIT_SESSION` its session.

    A command that an agent runs is the agent's, whatever it calls itself and whichever variables it removed: nobody
    becomes the person by a variable.
    """
    fixed, agent = environment.get("TACIT_NOW"), find_agent(environment)
    named = environment.get("TACIT_ACTOR") or USER
    return Speaker(
        clock=_fixed(fixed) if fixed else _wall_clock,
        actor=clip(clean(f"agent:{agent.name}" if agent and named == USER else named), 64),
        session=clip(clean(environment.get("TACIT_SESSION") or (agent.session if agent else "")), 128),
        host=clip(clean(os.uname().nodename), 64),
        sign=clip(clean(agent.sign), 160) if agent and named == USER else "",
    )


def _wall_clock() -> datetime:
    return datetime.now(UTC).astimezone()


def _fixed(text: str) -> Clock:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise WrongUse(f"TACIT_NOW is not a time: {text!r}", "TACIT_NOW=2026-01-31T12:00:00Z tacit …") from None
    aware = moment if moment.tzinfo else moment.astimezone()
    return lambda: aware
