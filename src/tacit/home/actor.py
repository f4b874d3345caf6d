"""The actor of a command: a person or an agent, detected by the environment and the parent processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime

from tacit.disk.files import closing_fd
from tacit.errors import RefusedError, UsageError
from tacit.model.claim import Provenance
from tacit.model.event import USER, EventOrigin
from tacit.record import Record
from tacit.text.display import clean, clip, printable

# Parent processes, read from /proc without exceptions and within bounds. A process that ends meanwhile, a process of
# another user or a system without /proc ends the search or leaves a part out.

PROC = "/proc"
_MAX_ANCESTORS = 64
_MAX_PROC_BYTES = 1024 * 1024  # of an environment or a command line

# Programs that run a script: the script's name counts as well.
_INTERPRETERS = ("node", "bun", "deno", "python", "nodejs")
_SCRIPT_ENDINGS = (".js", ".mjs", ".cjs")


class Process:
    """One process. Its environment is the one it was started with, of which only single variables are used."""

    def __init__(self, pid: int, name: str, parent: int, session: int, started: int) -> None:
        self.pid = pid
        self.name = name
        self.parent = parent
        self.session = session
        self.started = started
        self._variables: bytes | None = None

    def variable(self, name: str) -> str:
        """Return the value of a variable; "" if it is not set or cannot be read."""
        if self._variables is None:
            self._variables = b"\0" + (_read_proc_file(self.pid, "environ") or b"") + b"\0"
        start = self._variables.find(b"\0%s=" % name.encode())
        if start < 0:
            return ""
        value = self._variables[start + len(name) + 2 :].split(b"\0", 1)[0]
        return value.decode("utf-8", "replace")

    @property
    def program_names(self) -> Iterator[str]:
        """The names of this process, of its command, and of its script if the command is an interpreter."""
        yield self.name
        arguments = (_read_proc_file(self.pid, "cmdline") or b"").split(b"\0")
        command = _program_name(arguments[0])
        yield command
        if command.rstrip("0123456789.") in _INTERPRETERS:
            yield next((_program_name(word) for word in arguments[1:] if word and not word.startswith(b"-")), "")


def ancestors(pid: int | None = None) -> Iterator[Process]:
    """Yield the parents of a process, then the leader of its session, which may outlive them, and its parents.

    The default is this process.
    """
    pid = os.getpid() if pid is None else pid
    seen: set[int] = {pid}
    current = _read_process(pid)
    if current is None:
        return
    for start in (current.parent, current.session):
        child, pid = current, start
        while pid > 0 and pid not in seen and len(seen) < _MAX_ANCESTORS:
            seen.add(pid)
            process = _read_process(pid)
            if process is None or process.started > child.started:  # ended, and its id was reused
                break
            yield process
            child, pid = process, process.parent


def _read_process(pid: int) -> Process | None:
    """Parse `/proc/PID/stat`, in which the name is in brackets and may hold any character."""
    before, _, after = (_read_proc_file(pid, "stat") or b"").rpartition(b")")
    fields = after.split()
    try:
        name = before.partition(b"(")[2].decode("utf-8", "replace")
        return Process(pid, name, int(fields[1]), int(fields[3]), int(fields[19]))
    except (IndexError, ValueError):
        return None


def _read_proc_file(pid: int, name: str) -> bytes | None:
    try:
        with closing_fd(os.open(f"{PROC}/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC)) as fd:
            parts, room = [], _MAX_PROC_BYTES
            while room > 0 and (part := os.read(fd, min(room, 65536))):
                parts.append(part)
                room -= len(part)
            return b"".join(parts)
    except OSError:
        return None


def _program_name(path: bytes) -> str:
    """Return the last part of a path, without the extension of a script."""
    name = path.rpartition(b"/")[2].decode("utf-8", "replace")
    for ending in _SCRIPT_ENDINGS:
        name = name.removesuffix(ending)
    return name


# Agents. Hosts set variables for the commands they run. `env -i tacit …`, a login shell or a program that cleans its
# environment removes them, but the parent processes still have them, and the host's own process has a name. Not
# detected are commands that a host starts through a process that was running before (an ssh server, cron, a terminal
# multiplexer of the person), and commands with a clean environment whose parents have ended.


class AgentVariable(Record):
    """A variable that a host sets for the commands it runs.

    `value` is the only value that counts; if it is empty, any non-empty value does. `source` is the reference.
    Variables that a person sets to configure a tool, or that an editor sets in the person's own terminal
    (CURSOR_TRACE_ID, GEMINI_CLI_IDE_SERVER_PORT, CLAUDE_PROJECT_DIR, AIDER_MODEL, GOOSE_PROVIDER), do not count.
    """

    variable: str
    agent: str
    source: str
    value: str = ""


class AgentProgram(Record):
    """The name of a host's executable or script, as a parent process shows it."""

    name: str
    agent: str
    source: str = ""


_SEEN_IN_A_RUN = "seen in a run of the client: docs/guides/clients-tested.md"
_CODEX = "openai/codex codex-rs/"
_GOOSE = "aaif-goose/goose documentation/docs/guides/environment-variables.md"

AGENT_VARIABLES = (
    AgentVariable("CLAUDECODE", "claude", "anthropics/claude-code CHANGELOG.md 2.1.154"),
    AgentVariable("CODEX_THREAD_ID", "codex", _CODEX + "protocol/src/shell_environment.rs"),
    AgentVariable("CODEX_TOOL_CALL_ID", "codex", _SEEN_IN_A_RUN),
    AgentVariable("CODEX_CI", "codex", _CODEX + "core/src/unified_exec/process_manager.rs"),
    AgentVariable("CODEX_SANDBOX", "codex", _CODEX + "core/src/sandboxing/mod.rs"),
    AgentVariable("CODEX_SANDBOX_NETWORK_DISABLED", "codex", _CODEX + "core/src/spawn.rs"),
    AgentVariable("GEMINI_CLI", "gemini", "google-gemini/gemini-cli docs/tools/shell.md"),
    AgentVariable("GEMINI_SESSION_ID", "gemini", "google-gemini/gemini-cli docs/hooks/index.md"),
    AgentVariable("COPILOT_CLI", "copilot", "github/copilot-cli changelog.md 0.0.421"),
    AgentVariable("COPILOT_AGENT_SESSION_ID", "copilot", "github/copilot-cli changelog.md 1.0.29"),
    AgentVariable("OPENCODE", "opencode", "anomalyco/opencode packages/opencode/src/index.ts"),
    AgentVariable("CURSOR_AGENT", "cursor", "cursor.com/docs/agent/terminal"),
    AgentVariable("AGENT", "amp", "a third party: ascorbic/am-i-vibing packages/am-i-vibing/src/providers.ts", "amp"),
    AgentVariable("GOOSE_TERMINAL", "goose", _GOOSE),
    AgentVariable("AGENT", "goose", _GOOSE, "goose"),
    AgentVariable("CLINE_ACTIVE", "cline", "cline/cline apps/vscode/src/hosts/…/VscodeTerminalRegistry.ts"),
    AgentVariable("QWEN_CODE", "qwen", "QwenLM/qwen-code docs/developers/tools/shell.md, …/shellContextEnv.ts"),
    AgentVariable("AUGMENT_AGENT", "augment", "npm @augmentcode/auggie 0.36.0 augment.mjs"),
    AgentVariable("KIRO_SESSION_ID", "kiro", "aws/aws-cli pull request 10584 (the command line only, not the editor)"),
    AgentVariable("CRUSH", "crush", "charmbracelet/crush internal/shell/shell.go"),
    AgentVariable("ANTIGRAVITY_AGENT", "antigravity", "firebase/firebase-tools src/env.ts"),
    AgentVariable("PI_CODING_AGENT", "pi", "earendil-works/pi packages/coding-agent/docs/environment-variables.md"),
    AgentVariable("AI_AGENT", "", "vercel/detect-agent README.md: a name that any tool may give itself"),
)
# The variable with the id of the session. Gemini and Crush tell theirs to hooks only (see their docs/hooks).
_SESSION_VARIABLES = {
    "claude": "CLAUDE_CODE_SESSION_ID",
    "codex": "CODEX_THREAD_ID",
    "gemini": "GEMINI_SESSION_ID",
    "copilot": "COPILOT_AGENT_SESSION_ID",
    "amp": "AMP_CURRENT_THREAD_ID",
    "goose": "AGENT_SESSION_ID",
    "qwen": "QWEN_CODE_SESSION_ID",
    "kiro": "KIRO_SESSION_ID",
    "crush": "CRUSH_SESSION_ID",
    "pi": "PI_SESSION_ID",
}

# Editors are left out: the person's own terminals run below them.
AGENT_PROGRAMS = (
    AgentProgram("claude", "claude", _SEEN_IN_A_RUN),
    AgentProgram("codex", "codex", _SEEN_IN_A_RUN),
    AgentProgram("gemini", "gemini", _SEEN_IN_A_RUN),
    AgentProgram("copilot", "copilot", _SEEN_IN_A_RUN),
    AgentProgram("opencode", "opencode", _SEEN_IN_A_RUN),
    AgentProgram("cursor-agent", "cursor", "a third party: the script in Cursor's archive, as Gentoo packages it"),
    AgentProgram("amp", "amp", "npm @ampcode/cli package.json"),
    AgentProgram("goose", "goose", "aaif-goose/goose crates/goose-cli/Cargo.toml"),
    AgentProgram("cline", "cline", "cline/cline apps/cli/package.json"),
    AgentProgram("qwen", "qwen", "QwenLM/qwen-code package.json"),
    AgentProgram("auggie", "augment", "npm @augmentcode/auggie 0.36.0 package.json"),
    AgentProgram("kiro-cli", "kiro", "kiro.dev/docs/cli: a single binary since 3.0"),
    AgentProgram("kiro-cli-chat", "kiro", "a third party: ingo-eichhorst/Irrlicht issue 280, measured with 2.5.1"),
    AgentProgram("crush", "crush", "charmbracelet/crush .goreleaser.yml"),
    AgentProgram("aider", "aider", "Aider-AI/aider pyproject.toml"),
)
_PROGRAM_BY_NAME = {program.name: program for program in AGENT_PROGRAMS}


class DetectedAgent(Record):
    """The agent that runs this command, the id of its session or "", and what it was detected by."""

    name: str
    session: str
    detected_by: str


def detect_agent(environment: Mapping[str, str]) -> DetectedAgent | None:
    """Return the agent that this process works for; None for a person. Never raises.

    On a system without /proc, such as macOS, only `environment` counts.
    """
    if agent := _agent_by_variables(lambda name: environment.get(name, "")):
        return agent
    return _agent_among(ancestors())


def agent_of_process(pid: int) -> DetectedAgent | None:
    """Return the agent that another process works for; None if there is none. Never raises."""
    process = _read_process(pid)
    return _agent_among((process, *ancestors(pid))) if process else None


def _agent_among(processes: Iterable[Process]) -> DetectedAgent | None:
    for process in processes:
        who = f"{process.name} (process {process.pid}), which this was started from"
        if agent := _agent_by_variables(process.variable, f" in {who}"):
            return agent
        for name in process.program_names:
            if (program := _PROGRAM_BY_NAME.get(name)) is not None:
                return DetectedAgent(program.agent, "", f"{program.name} runs as {who}")
    return None


def _agent_by_variables(variable: Callable[[str], str], where: str = "") -> DetectedAgent | None:
    for sign in AGENT_VARIABLES:
        value = variable(sign.variable)
        if value and sign.value in ("", value):
            session = variable(_SESSION_VARIABLES[sign.agent]) if sign.agent in _SESSION_VARIABLES else ""
            return DetectedAgent(sign.agent or value, session, f"{sign.variable} is set{where}")
    return None


# Actors

Clock = Callable[[], datetime]


class Actor(Record):
    """Makes the origin of an operation. An actor that is not a person has the authority of a model.

    `detected_by` says how an agent was detected. It is shown when something is refused, and not recorded.
    """

    clock: Clock
    name: str = USER
    session: str = ""
    host: str = ""
    detected_by: str = ""

    @property
    def is_person(self) -> bool:
        return self.name == USER

    def require_person(self, action: str, command: str) -> None:
        """Raise RefusedError if the actor is not a person.

        The message says what to ask the person for, and to a person why they were taken for an agent.
        """
        if not self.is_person:
            detected_by = f" ({printable(self.detected_by)})" if self.detected_by else ""
            where = ", in a terminal that no agent started" if self.detected_by else ""
            raise RefusedError(
                f"only a person {action}, and this is {printable(self.name)}{detected_by}",
                f"ask them to type{where}: {command}",
            )

    def origin(self) -> EventOrigin:
        now = self.clock()
        offset = now.utcoffset()
        return EventOrigin(
            at=now.astimezone(UTC),
            utc_offset_minutes=int(offset.total_seconds() // 60) if offset else 0,
            host=self.host,
            session=self.session,
            actor=self.name,
            provenance=Provenance.USER_DIRECT if self.is_person else Provenance.MODEL,
        )


def current_actor(environment: Mapping[str, str]) -> Actor:
    """Return the actor of this process. `TACIT_NOW` fixes the clock, `TACIT_ACTOR` and `TACIT_SESSION` name an agent.

    A command that an agent runs is the agent's, whatever it calls itself and whichever variables it removed: no
    variable makes it the person's. Raise UsageError if `TACIT_NOW` is not a time.
    """
    agent = detect_agent(environment)
    clock: Clock = lambda: datetime.now(UTC).astimezone()  # noqa: E731
    if now := environment.get("TACIT_NOW"):
        try:
            moment = datetime.fromisoformat(now)
        except ValueError:
            raise UsageError(f"TACIT_NOW is not a time: {now!r}", "TACIT_NOW=2026-01-31T12:00:00Z tacit …") from None
        moment = moment if moment.tzinfo else moment.astimezone()
        clock = lambda: moment  # noqa: E731
    name = environment.get("TACIT_ACTOR") or USER
    return Actor(
        clock=clock,
        name=clip(clean(f"agent:{agent.name}" if agent and name == USER else name), 64),
        session=clip(clean(environment.get("TACIT_SESSION") or (agent.session if agent else "")), 128),
        host=clip(clean(os.uname().nodename), 64),
        detected_by=clip(clean(agent.detected_by), 160) if agent and name == USER else "",
    )
