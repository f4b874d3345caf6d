"""Things in the place of a file that Tacit reads: named pipes, devices, sockets, endless files, links to nowhere.

For every place and every kind of thing, each command, hook or recorder that reads the place is run as a process with a
limit on its time and on its memory. It ends, a command says what is wrong in plain words, and a hook says nothing.
"""

from __future__ import annotations

import os
import resource
import shutil
import socket
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from harness.homes import copy_home
from harness.transcripts import opencode, story

from tacit.shell.install import recorder_argv
from tests.chaos.outcome import Outcome, together
from tests.chaos.program import Ended, environment, wrong_end
from tests.support.hook_calls import AGENT, CALLS, Scene

HANGS = "does not end"
_PATIENCE = 60.0  # seconds; what hangs hangs for ever, and machines may be slow
_MEMORY = 3 << 30  # bytes of address space
_SPARSE = 1 << 40
_SECRET = "curl -H 'Authorization: Bearer ghp_16C7e42F292c6912E7710c838347Ae178B4a' https://example.org"
_WAITING = "01a1e2e6-4cc3-74a8-a06f-8be530f7d9a9"

Plant = Callable[[Path], Sequence[object]]  # what has to stay open while it lies there


def pipe(path: Path) -> Sequence[object]:
    os.mkfifo(path)
    return ()


def silent_pipe(path: Path) -> Sequence[object]:
    """Somebody has its other end open and never writes."""
    os.mkfifo(path)
    return (os.fdopen(os.open(path, os.O_RDWR), "wb"),)


def zeros(path: Path) -> Sequence[object]:
    path.symlink_to(_device(path, "zero", 5))
    return ()


def noise(path: Path) -> Sequence[object]:
    path.symlink_to(_device(path, "random", 8))
    return ()


def _device(path: Path, name: str, minor: int) -> str:
    """A device that a mistake may replace: whoever may write to /dev gets one of their own beside the planted link."""
    if not os.access("/dev", os.W_OK):
        return f"/dev/{name}"
    own = path.with_name(f".{name}-of-{path.name}")
    os.mknod(own, stat.S_IFCHR | 0o666, os.makedev(1, minor))
    return str(own)


def kernel_file(path: Path) -> Sequence[object]:
    """It calls itself plain and empty, and goes on for hundreds of gigabytes."""
    path.symlink_to("/proc/self/pagemap")
    return ()


def bound_socket(path: Path) -> Sequence[object]:
    made = socket.socket(socket.AF_UNIX)
    before = os.getcwd()
    os.chdir(path.parent)  # a path of a socket has at most about a hundred bytes
    try:
        made.bind(path.name)
    finally:
        os.chdir(before)
    return (made,)


def folder(path: Path) -> Sequence[object]:
    path.mkdir()
    return ()


def dangling_link(path: Path) -> Sequence[object]:
    path.symlink_to(path.parent / "not-there")
    return ()


def looping_link(path: Path) -> Sequence[object]:
    path.symlink_to(path.name)
    return ()


def sparse_file(path: Path) -> Sequence[object]:
    """A terabyte that takes no room."""
    with path.open("wb") as file:
        file.truncate(_SPARSE)
    return ()


def unreadable(path: Path) -> Sequence[object]:
    path.write_bytes(b"?\n")
    path.chmod(0)
    return ()


KINDS: tuple[Plant, ...] = (
    *(pipe, silent_pipe, zeros, noise, kernel_file, bound_socket, folder, dangling_link, looping_link, sparse_file),
    unreadable,
)


class Place(NamedTuple):
    """A path below the person's folder, and what reads it. `said`: who asked for this very file is told of it."""

    path: str
    readers: tuple[str, ...]
    said: bool = False


_SHELL_AND_AGENT = ("record", "prompt", "recall")
_INSTALL = ("install claude", "doctor")
PLACES = (
    Place("project/.git", _SHELL_AND_AGENT),
    Place("project/.git/config", (*_SHELL_AND_AGENT, "add", "doctor")),
    Place("project/.git/HEAD", _SHELL_AND_AGENT),
    Place("worktree/.git", ("recall in worktree",)),
    Place("main/.git/worktrees/one/commondir", ("recall in worktree",)),
    Place("project/docs/memory/memories.ndjson", ("recall", "prompt", "trust", "add")),
    Place(".agents/tacit.toml", _SHELL_AND_AGENT),
    Place(".agents/.tacit/key", ("record a secret",)),
    Place(".agents/.tacit/learned", ("record",)),
    Place(".agents/.tacit/reading", ("add", "recall")),
    Place(".agents/.tacit/pending/0123456789abcdef01234567", ("prompt", "stop")),
    Place(".agents/.tacit/unfinished/0123456789abcdef01234567", ("start",)),
    Place(".agents/.tacit/installed/claude.json", ("doctor", "install claude")),
    Place(".agents/.tacit/model.json", ("doctor",)),
    Place(".agents/.tacit/spool", ("record", "recall", "doctor")),
    Place(f".agents/.tacit/spool/{_WAITING}", ("record", "recall", "doctor")),
    Place(".agents/.tacit/spool/.dropped", ("record", "doctor", "status")),
    Place(".agents/memory/events.jsonl", _SHELL_AND_AGENT),
    Place(".agents/memory/purged.jsonl", _SHELL_AND_AGENT),
    Place(".agents/memory/long-term.md", ("recall", "add")),
    Place(".agents/activity/2026-03.jsonl", _SHELL_AND_AGENT),
    Place(".claude/settings.json", _INSTALL),
    Place(".claude/CLAUDE.md", ("init --wrappers",)),
    Place(".codex/config.toml", ("install codex", "doctor")),
    Place(".gemini/settings.json", ("install gemini", "doctor")),
    Place(".bashrc", ("install bash", "doctor")),
    Place(".bash_history", ("import history", "try")),
    Place(".zsh_history", ("import history",)),
    Place(".local/share/fish/fish_history", ("import history",)),
    Place(".local/share/atuin/history.db", ("import history",)),
    Place(".local/share/atuin/history.db-wal", ("import history",)),
    Place(".local/share/opencode/opencode.db", ("capture",)),
    Place(".local/share/opencode/opencode.db-wal", ("capture",)),
    Place(".local/share/opencode/opencode.db-journal", ("capture",)),
    Place("TRANSCRIPT", ("stop", "capture")),
    Place("given.jsonl", ("import given.jsonl", "capture given.jsonl"), said=True),
    Place("given.ndjson", ("import given.ndjson",), said=True),
    Place("given", ("import history --file given", "workflow edit --file given"), said=True),
    Place("other/memory/events.jsonl", ("import other", "import other --mine")),
)
_WORDS: dict[str, tuple[str, ...]] = {
    "add": ("add", "always look both ways"),
    "recall": ("recall", "force push"),
    "recall in worktree": ("recall", "force push"),
    "trust": ("trust",),
    "doctor": ("doctor",),
    "status": ("status",),
    "init --wrappers": ("init", "--wrappers"),
    "import history": ("import", "history", "--dry-run"),
    "import history --file given": ("import", "history", "--file", "GIVEN", "--shell", "bash"),
    "try": ("try",),
    "capture": ("capture",),
    "capture given.jsonl": ("capture", "GIVEN.jsonl"),
    "import given.jsonl": ("import", "GIVEN.jsonl"),
    "import given.ndjson": ("import", "GIVEN.ndjson"),
    "import other": ("import", "OTHER"),
    "import other --mine": ("import", "OTHER", "--mine"),
    "workflow edit --file given": ("workflow", "edit", "check", "--file", "GIVEN"),
    **{f"install {name}": ("install", name, "--yes") for name in ("claude", "codex", "gemini", "bash")},
}
_HOOKS = {"start": CALLS[0], "prompt": CALLS[1], "stop": CALLS[2]}


def obstacles(
    where: Path, kinds: Sequence[Plant] = KINDS, places: Sequence[Place] = PLACES, *, readers: int | None = None
) -> Outcome:
    """Each kind of thing in each place, one at a time, met by all or so many of its readers."""
    scene = _Scene(where)
    trials = ((place, kind, one) for kind in kinds for place in places for one in place.readers[:readers])
    return together(scene.one(*trial) for trial in trials)


class _Scene:
    """A person with memories, repositories, shells and agents; made anew for each run."""

    def __init__(self, where: Path) -> None:
        self._before, self._folder, self._number = where / "before", where / "person", 0
        prepared = Scene(self._before)
        prepared.prepare()
        self._transcript = str(prepared.transcript.relative_to(self._before))
        _prepare(self._before)
        self._run_in(self._before, ("workflow", "new", "check", "--in", ".", "--step", "true", "--step", "ls"))

    def one(self, place: Place, plant: Plant, reader: str) -> Outcome:
        """In a new folder: what a hook left to another process may still be at work in the last one."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._number += 1
        self._folder = self._before.with_name(f"person{self._number}")
        copy_home(self._before, self._folder)
        path = self._folder / place.path.replace("TRANSCRIPT", self._transcript)
        _clear(path)
        held = plant(path)
        found = list(self._faults(place, path, reader, plant))
        if path.is_symlink() and plant in (zeros, noise) and not path.is_char_device():
            found.append("a device was replaced")
        for one in held:
            one.close()  # type: ignore[attr-defined]
        _make_removable(path)
        return Outcome(1, 0, 0, tuple(f"{plant.__name__} at {place.path}, {reader}: {fault}" for fault in found))

    def _faults(self, place: Place, path: Path, reader: str, plant: Plant) -> Iterator[str]:
        try:
            ended = self._read(reader)
        except subprocess.TimeoutExpired:
            yield HANGS
            return
        if (wrong := wrong_end(ended)) is not None and not ended.out:
            yield wrong
        if "MemoryError" in ended.err or ended.code < 0 or ended.code > 5:
            yield f"ended with {ended.code}: {ended.err[-200:]}"
        if (reader in _HOOKS or reader.startswith("record")) and (ended.code or ended.err):
            yield f"exit code {ended.code}, said: {ended.err[-200:]}"
        if place.said and plant is not unreadable and (ended.code == 0 or path.name not in ended.err + ended.out):
            yield f"does not name the file: {ended.code} {ended.err[-200:]}{ended.out[-200:]}"

    def _read(self, reader: str) -> Ended:
        project = self._folder / "project"
        if reader.startswith("record"):
            line = _SECRET if "secret" in reader else "make test"
            fields = ("tacit1", "zsh", "1.2", "0", "", "15", str(project), line, "", "")
            return self._run(recorder_argv(), project, "\0".join(fields).encode() + b"\0")
        if reader in _HOOKS:
            call = _HOOKS[reader]
            given = Scene(self._folder).payload(call)
            return self._run([sys.executable, "-I", "-S", str(AGENT), "claude", call.what, call.event], project, given)
        stands = self._folder / "worktree" if "worktree" in reader else project
        names = {"GIVEN": "given", "OTHER": "other"}
        words = [_filled(word, names, self._folder) for word in _WORDS[reader]]
        return self._run([sys.executable, "-I", "-m", "tacit", *words], stands)

    def _run_in(self, folder: Path, words: Sequence[str]) -> None:
        home = folder / ".agents"
        command = [sys.executable, "-I", "-m", "tacit", *words]
        subprocess.run(command, cwd=folder, env=environment(home), capture_output=True, check=False)

    def _run(self, command: Sequence[str], cwd: Path, given: bytes = b"") -> Ended:
        home = self._folder / ".agents"
        done = subprocess.run(
            command,
            cwd=cwd,
            env=environment(home, CLAUDE_CONFIG_DIR=str(self._folder / ".claude")),
            input=given,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            preexec_fn=_limited,
        )
        return Ended(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _filled(word: str, names: dict[str, str], folder: Path) -> str:
    for name, file in names.items():
        if word.startswith(name):
            return str(folder / word.replace(name, file))
    return word


def _prepare(folder: Path) -> None:
    """Repositories, a work tree, histories, another home."""
    (folder / "project" / ".git").mkdir(parents=True, exist_ok=True)
    (folder / "project" / "docs" / "memory").mkdir(parents=True)
    tree = folder / "main" / ".git" / "worktrees" / "one"
    tree.mkdir(parents=True)
    (tree / "commondir").write_text("../..\n")
    (folder / "worktree").mkdir()
    (folder / "worktree" / ".git").write_text(f"gitdir: {tree}\n")
    for name in (".codex", ".gemini", ".local/share/fish", ".local/share/atuin", ".local/share/opencode"):
        (folder / name).mkdir(parents=True)
    for name in ("pending", "unfinished", "installed", "spool"):
        (folder / ".agents" / ".tacit" / name).mkdir(mode=0o700, exist_ok=True)
    (folder / ".agents" / "activity").mkdir(exist_ok=True)
    (folder / ".bash_history").write_text("make\nls\n")
    columns = "command TEXT, timestamp INTEGER, duration INTEGER, exit INTEGER, cwd TEXT, session TEXT, hostname TEXT"
    with closing(sqlite3.connect(folder / ".local/share/atuin/history.db")) as database, database:
        database.execute(f"CREATE TABLE history (id TEXT PRIMARY KEY, {columns})")
    opencode(folder / ".local/share/opencode/opencode.db", "ses_here", str(folder / "project"), story("opencode", 2))
    shutil.copytree(folder / ".agents" / "memory", folder / "other" / "memory")


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _make_removable(path: Path) -> None:
    if path.is_file() and not path.is_symlink():
        path.chmod(0o600)
