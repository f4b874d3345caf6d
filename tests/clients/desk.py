"""Somebody at work with a real client: a folder of their own, a repository, memories, and a stub for a model."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from harness.person import Person, Said, checked

from tests.clients import script
from tests.clients.apis import Body
from tests.clients.hosts import Client, Place
from tests.clients.offline import Offline
from tests.clients.script import Rule

LIMIT = 180  # seconds a run may take
REMOTE = "https://git.example.org/somebody/shop.git"
MEMORIES = (
    "Invoices are rounded half to even",
    "The staging database is called kestrel",
    "Migrations are reviewed by two people",
    "Feature flags live in flags.yaml",
    "Release notes are written in British English",
)
RULE = "never run npm here, use pnpm"
SUGGESTION = "always bake the bread before noon"
_OF_MANY = ("hooks", "plugins")
_TACIT = Path(sys.executable).with_name("tacit")


class Run(NamedTuple):
    """One run of a client, with the requests that it made to the model."""

    code: int
    out: str
    err: str
    requests: list[Body]

    @property
    def asked(self) -> list[Body]:
        """Requests that a turn is made of: the model may use tools."""
        return [body for body in self.requests if body.get("tools")]


class Desk:
    """One client, one repository; its settings are there as if the person had used it for long."""

    def __init__(self, folder: Path, client: Client) -> None:
        self.client = client
        self.program = _program(client)
        self.person = Person(folder / "person")
        self.person.folder.mkdir()
        self.repository = self.person.repository("shop", REMOTE)
        (self.repository / "README.md").write_text("# Shop\n")
        self.person.commit(self.repository)
        self._outside = folder / "model"
        self._outside.mkdir()
        self.write_script([])
        self._offline = Offline(self._outside)
        self._write(client.settings)
        self._write(client.prepared(self.place))

    @property
    def place(self) -> Place:
        return Place(self.person.folder, self.repository, self._offline.port)

    # The person

    def tacit(self, *words: str, code: int | None = 0) -> Said:
        done = subprocess.run(
            [_TACIT, *words],
            cwd=self.repository,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return checked(Said(done.returncode, done.stdout, done.stderr), code)

    def move_in(self) -> str:
        """Remember a few things and let the client load Tacit; what installing said."""
        for memory in MEMORIES:
            self.tacit("add", memory, "--global")
        self.tacit("remember", SUGGESTION, "--evidence", "chat", "--global")
        self.tacit("autocapture", "on")
        return self.tacit("install", self.client.name, "--yes").out

    @property
    def environment(self) -> dict[str, str]:
        """A plain one: nothing is said about where the home of Tacit is, and the clock is the real one."""
        own = self.person.environment()
        kept = {name: value for name, value in own.items() if not name.startswith("TACIT_") and name != "VIRTUAL_ENV"}
        folder = self.person.folder
        (folder / "tmp").mkdir(exist_ok=True)
        return {**kept, "USER": "somebody", "SHELL": "/bin/bash", "TERM": "dumb", "TMPDIR": str(folder / "tmp")}

    def settings(self) -> dict[str, bytes | None]:
        """The settings that the person wrote, and whatever lies beside them in a folder that is for such files."""
        folder = self.person.folder
        paths = {folder / name for name in self.client.settings}
        beside = {other for path in paths if path.parent.name in _OF_MANY for other in path.parent.glob("*")}
        found = sorted(paths | beside)
        return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in found}

    # The model

    def write_script(self, rules: Sequence[Rule]) -> None:
        script.write(self._outside / "script.json", rules)

    def requests(self) -> list[Body]:
        log = self._outside / "requests.jsonl"
        lines = log.read_text(encoding="utf-8").split("\n") if log.exists() else []
        return [json.loads(line)["body"] for line in lines if line]

    # The client

    def run(self, prompt: str, *, again: bool = False, without: str = "") -> Run:
        """One prompt, to the end; `without` leaves out a word of the command line."""
        before = len(self.requests())
        started = self.start(prompt, again=again, without=without)
        out, err = self.finish(started)
        return Run(started.returncode, out, err, self.requests()[before:])

    def start(self, prompt: str, *, again: bool = False, without: str = "") -> subprocess.Popen[str]:
        words = [word for word in self.client.words(prompt, again) if word != without]
        return subprocess.Popen(
            [*self.command, *words],
            cwd=self.repository,
            env=self.client_environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )

    def finish(self, started: subprocess.Popen[str], *, alone: bool = True) -> tuple[str, str]:
        """Wait for the end of a run; of all that it started, too, unless it is not the only one."""
        try:
            out, err = started.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            out, err = started.communicate()
            raise AssertionError(f"{self.client.name} did not end in {LIMIT} s\n{out}\n{err}") from None
        if alone:
            self.settle()
        return out, err

    def settle(self) -> None:
        """Hooks may hand work on; nobody else may go on."""
        still = wait_until_gone(self.person.folder)
        assert not still, f"left behind: {still}"

    @property
    def command(self) -> list[str]:
        return [*self._offline.within, *self.program]

    @property
    def client_environment(self) -> dict[str, str]:
        return {**self.environment, **self.client.environment(self.place)}

    # What came of it

    def sessions(self) -> list[dict[str, Any]]:
        """Every captured session, whole."""
        listed = self.tacit("sessions", "--json").json
        return [self.tacit("session", "show", one["id"], "--json").json for one in listed]

    def recorded(self) -> str:
        """All that was captured, as it is on the disk, and the pages that were made of it."""
        folders = [self.person.home / name for name in ("activity", "sessions")]
        files = (path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file())
        return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in files)

    def close(self) -> None:
        self._offline.close()
        wait_until_gone(self.person.folder)

    def _write(self, files: Any) -> None:
        for name, text in files.items():
            path = self.person.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def _program(client: Client) -> list[str]:
    """The words that start a client. `make e2e` installs them; the test is skipped where there is none."""
    folder = Path(os.environ.get("CLIENTS_DIR") or Path(__file__).resolve().parents[2] / ".clients")
    packages = folder / client.name / "node_modules"
    found = [path for pattern in client.programs for path in sorted(packages.glob(pattern))]
    if not found:
        pytest.skip(f"{client.name} is not installed in {folder}: make e2e")
    return ["node", str(found[0])] if found[0].suffix == ".js" else [str(found[0])]


# Processes that a run left behind, known by the home folder in their environment

_PATIENCE = 30.0


def running(home: Path) -> dict[int, str]:
    """Number and command line of every process with this home folder."""
    sign = f"HOME={home}".encode()
    found = {}
    for number in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        with contextlib.suppress(OSError):
            if sign in Path(f"/proc/{number}/environ").read_bytes().split(b"\0"):
                words = Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ")
                found[number] = words.decode(errors="replace").strip()
    return found


def wait_until_gone(home: Path, patience: float = _PATIENCE) -> dict[int, str]:
    """Wait for what finishes by itself, such as a capture that was handed on; end the rest and say what it was."""
    until = time.monotonic() + patience
    while (left := running(home)) and time.monotonic() < until:
        time.sleep(0.05)
    for number in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    return left
