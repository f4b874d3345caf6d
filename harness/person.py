"""A person at a shell: types commands, stands in folders, reads the files that come of it.

`tacit` runs the command line in this process, which is quick; `process` starts the real program. Both take the same
words, see the same environment and check the exit code.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import tacit
from harness.followers import (
    SYSTEM_VARIABLES,
    can_be_forked,
    is_anybody_told_of,
    run_forked,
    wait_for_followers,
    watched,
)
from tacit import cli
from tacit.disk.lock import FileLock
from tacit.errors import IndexUnusableError, StoreError
from tacit.home.follower import wait_for_threads
from tacit.home.indexing import Indexer, is_view_missing
from tacit.home.paths import HomePaths
from tacit.index import reader
from tacit.index.database import open_for_reading
from tacit.log.reader import LogReader
from tacit.log.segment import MEMORY_SEGMENT

if TYPE_CHECKING:
    from tacit.vault import Vault

BESIDE = ("-wal", "-shm")
NOW = "2026-03-02T12:00:00+00:00"
_MAX_WAIT_SECONDS = 10.0  # for another process, on a busy machine


@dataclass(frozen=True, slots=True)
class Said:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def first(self) -> str:
        return self.out.splitlines()[0]


class Person:
    """Somebody with a folder of their own; it holds the home and all repositories."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / ".agents"
        self.now = NOW
        self.prefix: tuple[str, ...] = ()

    # Commands

    def environment(self, now: str | None = None, **more: str) -> dict[str, str]:
        system = {name: os.environ[name] for name in SYSTEM_VARIABLES if name in os.environ}
        ours = {"HOME": str(self.folder), "TACIT_HOME": str(self.home), "TACIT_NOW": now or self.now}
        git = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
        return {**system, "LC_ALL": "C.UTF-8", **git, **ours, **more}

    def tacit(
        self, *words: str, cwd: Path | None = None, now: str | None = None, code: int | None = 0, **environment: str
    ) -> Said:
        out, err = io.StringIO(), io.StringIO()
        shown = contextlib.redirect_stdout(out), contextlib.redirect_stderr(err)
        with self.at(cwd, now, **environment), shown[0], shown[1], _following_here():
            given = cli.main(list(words))
        return checked(Said(given, out.getvalue(), err.getvalue()), code)

    def process(
        self, *words: str, cwd: Path | None = None, now: str | None = None, code: int | None = 0, **environment: str
    ) -> Said:
        """The real program. Unless it has to start in a particular way, it is forked from one that has started."""
        given = self.environment(now, **environment)
        if not self.prefix and can_be_forked(given):
            return checked(Said(*run_forked(words, cwd or self.folder, given)), code)
        with watched() as watching:
            started = self.start(*words, cwd=cwd, now=now, inherited=(watching,), **environment)
        out, err = started.communicate(timeout=60)
        return checked(Said(started.returncode, out, err), code)

    def start(
        self,
        *words: str,
        cwd: Path | None = None,
        now: str | None = None,
        inherited: Sequence[int] = (),
        **environment: str,
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.prefix, sys.executable, "-m", "tacit", *words],
            cwd=cwd or self.folder,
            env=self.environment(now, **environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            pass_fds=inherited,
        )

    @contextlib.contextmanager
    def at(self, cwd: Path | None = None, now: str | None = None, **environment: str) -> Iterator[None]:
        """Stand somewhere, with this person's environment."""
        with pytest.MonkeyPatch.context() as patch, contextlib.chdir(cwd or self.folder):
            for name, value in self.environment(now, **environment).items():
                patch.setenv(name, value)
            yield

    @contextlib.contextmanager
    def vault(self, cwd: Path | None = None, now: str | None = None) -> Iterator[Vault]:
        """The library instead of the command line. At the end its pages are drawn."""
        with self.at(cwd, now):
            with tacit.open(self.home, cwd=cwd or self.folder) as vault:
                yield vault
            wait_for_threads()

    # What is known

    def recalled(self, *words: str, cwd: Path | None = None, now: str | None = None) -> list[dict[str, Any]]:
        """The answers to a question, as a program reads them."""
        found: list[dict[str, Any]] = self.tacit("recall", "--json", *words, cwd=cwd, now=now, code=None).json
        return found

    def texts(self, *words: str, cwd: Path | None = None, now: str | None = None) -> list[str]:
        return [hit["text"] for hit in self.recalled(*words, cwd=cwd, now=now)]

    def listed(self, *words: str, cwd: Path | None = None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.tacit("list", "--json", "--all", *words, cwd=cwd).json
        return found

    def id_of(self, text: str, cwd: Path | None = None) -> str:
        (memory,) = [one for one in self.listed("--status", "all", "--scope", "all") if one["label"] == text]
        return str(memory["id"])

    # Files

    @property
    def long_term(self) -> Path:
        self.wait_for_pages()
        return self.home / "memory" / "long-term.md"

    @property
    def facts(self) -> Path:
        self.wait_for_pages()
        return self.home / "memory" / "memories.ndjson"

    def page(self, name: str) -> Path:
        """A page by its path in the home, drawn."""
        self.wait_for_pages()
        return self.home / name

    def wait_for_pages(self) -> None:
        """Wait for the process that follows a command: it indexes what was recorded and draws the pages."""
        wait_for_pages(self.home)

    @property
    def events(self) -> Path:
        return self.home / "memory" / "events.jsonl"

    def event_types(self) -> list[str]:
        return [json.loads(line)["type"] for line in self.events.read_bytes().splitlines()]

    def section(self, title: str) -> list[str]:
        """The entries below one heading of long-term.md."""
        entries: list[str] = []
        heading = ""
        for line in self.long_term.read_text().split("\n"):
            heading = line[3:] if line.startswith("## ") else heading
            if heading == title and line.startswith("- "):
                entries.append(line)
        return entries

    def repository(self, name: str = "work", remote: str = "") -> Path:
        """A real repository of git."""
        root = self.folder / name
        root.mkdir()
        self.git(root, "init", "--quiet", "--initial-branch=main")
        if remote:
            self.git(root, "remote", "add", "origin", remote)
        return root

    def git(self, root: Path, *words: str) -> str:
        who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            ["git", *who, *words], cwd=root, env=self.environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def commit(self, root: Path) -> None:
        self.git(root, "add", "--all")
        self.git(root, "commit", "--quiet", "--message", "State of now")


@contextlib.contextmanager
def _following_here() -> Iterator[None]:
    """What a command leaves to a process of its own is done in this one, as in any program that has threads, unseen."""

    def follow(home_root: str | None) -> None:
        unseen = io.StringIO()
        with contextlib.redirect_stdout(unseen), contextlib.redirect_stderr(unseen), contextlib.suppress(Exception):
            cli.follow(home_root)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cli, "_follow_in_background", follow)
        yield


def wait_for_pages(home: Path) -> None:
    """Wait until the index of a home has everything that an answer could show, and all pages are drawn.

    What nobody is going to draw is not waited for.
    """
    paths = HomePaths(str(home))
    until = time.monotonic() + _MAX_WAIT_SECONDS
    wait_for_followers(_MAX_WAIT_SECONDS)
    wait_for_threads()
    while _is_anything_left(paths) and is_anybody_told_of(home) and time.monotonic() < until:
        time.sleep(0.005)
    if os.path.exists(paths.write_lock):
        with FileLock(paths.write_lock, _MAX_WAIT_SECONDS, _MAX_WAIT_SECONDS).acquire(None):
            pass  # who drew the pages has closed the index


def _is_anything_left(paths: HomePaths) -> bool:
    log = LogReader(paths.root)
    try:
        with contextlib.closing(open_for_reading(paths.index)) as index:
            return (
                Indexer(paths, log).is_behind(index) or reader.has_stale_views(index) or is_view_missing(index, paths)
            )
    except (IndexUnusableError, StoreError, sqlite3.DatabaseError):
        return log.size(MEMORY_SEGMENT) > 0


def checked(said: Said, code: int | None) -> Said:
    assert code is None or said.code == code, f"exit code {said.code}\n{said.out}\n{said.err}"
    assert "Traceback" not in said.err, said.err
    return said


def facts_in(path: Path) -> list[dict[str, Any]]:
    """The facts of a fact file, in its order."""
    return [json.loads(line) for line in path.read_text().split("\n") if line]


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes, but for those that SQLite keeps beside the index while it reads.

    Pages of homes that are still being drawn are waited for.
    """
    for log in folder.rglob(MEMORY_SEGMENT):
        wait_for_pages(log.parent.parent)
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files if not path.name.endswith(BESIDE)}
