"""A hook of an agent, started as the agent starts it: by its path, with what happened as JSON on its input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple
from uuid import uuid4

from harness.person import Person
from harness.transcripts import Claude, lines

from tacit.hooks import agent
from tacit.hosts import HOSTS
from tacit.hosts.registration import hook_verb

AGENT = Path(agent.__file__)
SESSION = "5c2a8f6e-1111-4222-8333-944444444444"
PROMPT = "please mend the violet lighthouse"
RULES = ("never force push to main", "always run the linter first", "use pnpm instead of npm", "I prefer short commits")
DEADLINE = 10.0  # seconds; what a person is promised is far less, and is measured elsewhere
_MARK = "HOOK_OF_TEST"
_REDIRECTED = 'eval "shift; exec \\"\\$@\\" $1"'


class Call(NamedTuple):
    what: str
    event: str
    host: str = "claude"


CALLS = (
    Call("inject", "SessionStart"),
    Call("inject", "UserPromptSubmit"),
    Call("capture", "Stop"),
    Call("capture", "SessionEnd"),
)
# As hosts spell what Claude Code calls otherwise; each reads its own names and no others.
_SPELLED = {"session_id": ("sessionId", "conversation_id"), "transcript_path": ("transcriptPath",)}


def calls_of(name: str) -> list[Call]:
    """Every hook of a host, as it is registered."""
    return [Call(hook_verb(hook), hook.event, name) for hook in HOSTS[name].hooks]


ALL_CALLS = {name: calls_of(name) for name in HOSTS}


class Ended(NamedTuple):
    code: int
    out: bytes
    err: bytes


class Given(NamedTuple):
    """What is wrong when the hook runs. A variable that is None is taken away; `to` is what a shell redirects."""

    stdin: bytes | IO[bytes] | int | None = None
    changes: Mapping[str, object] = {}
    variables: Mapping[str, str | None] = {}
    prefix: Sequence[str] = ()
    to: str = ""
    stdout: int = subprocess.PIPE


class Running(NamedTuple):
    """A hook that was started, and what it is to be told."""

    process: subprocess.Popen[bytes]
    call: Call
    stdin: bytes | None
    until: float

    def tell(self) -> Running:
        """Give it its input at once, so that several can read theirs at the same time."""
        assert self.process.stdin is not None and self.stdin is not None
        self.process.stdin.write(self.stdin)
        self.process.stdin.close()
        self.process.stdin = None
        return self._replace(stdin=None)

    def end(self) -> Ended:
        """How it ended; one that takes too long is killed, which its code says."""
        try:
            out, err = self.process.communicate(self.stdin, timeout=max(self.until - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, err = self.process.communicate()
        return Ended(self.process.returncode, out or b"", err)


class Scene:
    """Somebody with memories, a transcript of one session, and autocapture on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / ".agents"
        self.project = folder / "project"
        self.transcript = folder / ".claude" / "projects" / "-project" / f"{SESSION}.jsonl"
        self._mark = uuid4().hex
        self._others: list[subprocess.Popen[bytes]] = []

    def prepare(self) -> Scene:
        self.project.mkdir(parents=True)
        self.transcript.parent.mkdir(parents=True)
        teller = Claude(SESSION, str(self.project))
        teller.ask(PROMPT)
        teller.reply("The lighthouse is mended.")
        self.transcript.write_bytes(lines(teller.records))
        person = Person(self.folder)
        person.tacit("init")
        for rule in RULES:
            person.tacit("add", rule)
        person.tacit("config", "set", "autocapture.enabled", "on")
        return self

    # Running

    def payload(self, call: Call, **changes: object) -> bytes:
        common = {"session_id": SESSION, "transcript_path": str(self.transcript), "cwd": str(self.project)}
        mode = {"hook_event_name": call.event, "permission_mode": "default"}
        own: dict[str, dict[str, object]] = {
            "SessionStart": {"source": "startup"},
            "UserPromptSubmit": {"prompt": "may I force push to main?"},
            "Stop": {"stop_hook_active": False, "last_assistant_message": "The lighthouse is mended."},
            "SessionEnd": {"reason": "other"},
        }
        others: dict[str, object] = {"source": "startup", "prompt": "may I force push to main?"}
        told = {**common, **mode, **own.get(call.event, others), **changes}
        return json.dumps(told if call.host == "claude" else _in_every_spelling(told)).encode()

    def start(self, call: Call, given: Given, *words: str) -> Running:
        stdin = given.stdin if given.stdin is not None else self.payload(call, **given.changes)
        hook = [sys.executable, "-I", "-S", str(AGENT), call.host, call.what, call.event, *words]
        redirected = ["sh", "-c", _REDIRECTED, "sh", given.to, *hook] if given.to else hook
        process = subprocess.Popen(
            [*given.prefix, *redirected],
            cwd="/",
            env=self._environment(given.variables),
            stdin=subprocess.PIPE if isinstance(stdin, bytes) else stdin,
            stdout=given.stdout,
            stderr=subprocess.PIPE,
        )
        return Running(process, call, stdin if isinstance(stdin, bytes) else None, time.monotonic() + DEADLINE)

    def run(self, call: Call, given: Given | None = None, *words: str) -> Ended:
        return self.start(call, given or Given(), *words).end()

    def _environment(self, variables: Mapping[str, str | None]) -> dict[str, str]:
        ours = {"HOME": str(self.folder), "TACIT_HOME": str(self.home), "PATH": os.environ["PATH"], _MARK: self._mark}
        changed = {name: value for name, value in {**ours, **variables}.items() if value is not None}
        return {**changed, "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION}

    # What else there is

    def hold(self, code: str, *words: str) -> None:
        """Another process that does something, says so, and stays for a minute."""
        command = [sys.executable, "-c", f"{code}\nprint('held', flush=True)\nimport time; time.sleep(60)", *words]
        other = subprocess.Popen(command, stdout=subprocess.PIPE)
        self._others.append(other)
        assert other.stdout is not None and other.stdout.readline() == b"held\n"

    def let_go(self) -> None:
        for other in self._others:
            other.kill()
            other.communicate()
        self._others.clear()

    def left(self) -> dict[int, str]:
        """Processes that our hooks started and that still run."""
        found = {}
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                if f"{_MARK}={self._mark}".encode() in Path("/proc", number, "environ").read_bytes():
                    found[int(number)] = Path("/proc", number, "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue  # gone meanwhile, or somebody else's
        return found

    def left_after(self, seconds: float) -> list[str]:
        """What still runs when everything must have ended; it is killed."""
        until = time.monotonic() + seconds
        while (left := self.left()) and time.monotonic() < until:
            time.sleep(0.02)
        for number in left:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        return [f"still running: {command}" for command in left.values()]

    def settle(self) -> None:
        """Until nothing of it runs any more."""
        assert self.left_after(DEADLINE) == []

    def holds(self, text: str) -> bool:
        """Whether any file of the home holds a text."""
        files = (path for path in self.home.rglob("*") if path.is_file() and not path.is_symlink())
        return any(text.encode() in path.read_bytes() for path in files)


def _in_every_spelling(told: dict[str, object]) -> dict[str, object]:
    """For hosts other than Claude Code, whose names differ and whose directory may be a list of them."""
    spelled = {other: told[name] for name, others in _SPELLED.items() for other in others}
    return {**told, **spelled, "workspace_roots": [told["cwd"]]}


def faults(ended: Ended) -> list[str]:
    """What an agent would notice of a hook that could not do its work."""
    found = ["takes too long" if ended.code == -signal.SIGKILL else f"exit code {ended.code}"] * (ended.code != 0)
    found += [f"said on standard error: {ended.err[-300:]!r}"] * bool(ended.err)
    try:
        if ended.out and not isinstance(json.loads(ended.out), dict):
            found.append(f"no object: {ended.out[:300]!r}")
    except ValueError:
        found.append(f"no JSON: {ended.out[:300]!r}")
    return found
