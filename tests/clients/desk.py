"""Somebody at work with a real client: a folder of their own, a repository, memories, and a stub for a model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness.person import Person, Said, checked

from tests.clients import installed, left, script
from tests.clients.apis.shape import Body
from tests.clients.hosts.client import Client, Place
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
        self.program = installed.program(client)
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
        still = left.wait_until_gone(self.person.folder)
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
        left.wait_until_gone(self.person.folder)

    def _write(self, files: Any) -> None:
        for name, text in files.items():
            path = self.person.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
