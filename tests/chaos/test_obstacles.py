"""Things in the place of a file that Tacit reads: named pipes, devices, sockets, endless files, links to nowhere.

For every place and every kind of thing, each command, hook or recorder that reads the place is run as a process with a
limit on its time and on its memory. It ends, a command says what is wrong in plain words, and a hook says nothing.
"""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, closing
from pathlib import Path
from typing import NamedTuple

import pytest
from harness.homes import copy_home
from harness.transcripts import opencode, story

from tacit.shell.install import recorder_argv
from tests.chaos.kills import LIFE
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row, together
from tests.chaos.program import Ended, run, tacit, wrong_end
from tests.support.hook_calls import AGENT, CALLS, Scene

CHANGED = "somebody else's file was changed"
_VICTIM = b"somebody else's words\n"
_PATIENCE = 60.0  # seconds; what hangs hangs for ever, and machines may be slow
_MEMORY = 3 << 30  # bytes of address space
_SECRET = "curl -H 'Authorization: Bearer ghp_16C7e42F292c6912E7710c838347Ae178B4a' https://example.org"
_WAITING = "01a1e2e6-4cc3-74a8-a06f-8be530f7d9a9"

Plant = Callable[[Path, Path], object]  # what has to stay open while it lies there


def _silent_pipe(path: Path, _outside: Path) -> object:
    """Somebody has its other end open and never writes."""
    os.mkfifo(path)
    return os.fdopen(os.open(path, os.O_RDWR), "wb")


def _device(path: Path, name: str, minor: int) -> str:
    """A device that a mistake may replace: whoever may write to /dev gets one of their own beside the planted link."""
    if not os.access("/dev", os.W_OK):
        return f"/dev/{name}"
    own = path.with_name(f".{name}-of-{path.name}")
    os.mknod(own, stat.S_IFCHR | 0o666, os.makedev(1, minor))
    return str(own)


def _bound_socket(path: Path, _outside: Path) -> object:
    made = socket.socket(socket.AF_UNIX)
    with chdir(path.parent):  # a path of a socket has at most about a hundred bytes
        made.bind(path.name)
    return made


def _sparse_file(path: Path, _outside: Path) -> None:
    """A terabyte that takes no room."""
    path.touch()
    os.truncate(path, 1 << 40)


def _unreadable(path: Path, _outside: Path) -> None:
    path.write_bytes(b"?\n")
    path.chmod(0)


PLANTS: dict[str, Plant] = {
    "pipe": lambda path, _outside: os.mkfifo(path),
    "silent pipe": _silent_pipe,
    "zeros": lambda path, _outside: path.symlink_to(_device(path, "zero", 5)),
    "noise": lambda path, _outside: path.symlink_to(_device(path, "random", 8)),
    # It calls itself plain and empty, and goes on for hundreds of gigabytes.
    "kernel file": lambda path, _outside: path.symlink_to("/proc/self/pagemap"),
    "bound socket": _bound_socket,
    "folder": lambda path, _outside: path.mkdir(),
    "link": lambda path, outside: path.symlink_to(outside / "victim"),
    "link to a folder": lambda path, outside: path.symlink_to(outside),
    "dangling link": lambda path, outside: path.symlink_to(outside / "not-there-yet"),
    "hard link": lambda path, outside: path.hardlink_to(outside / "victim"),
    "looping link": lambda path, _outside: path.symlink_to(path.name),
    "sparse file": _sparse_file,
    "unreadable": _unreadable,
}
LINKS = ("link", "link to a folder", "dangling link", "hard link", "pipe", "folder")
KINDS = tuple(name for name in PLANTS if name not in ("link", "link to a folder", "hard link"))


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
# Where Tacit writes.
_HOME_FILES = (
    *("index.sqlite", "index.sqlite-wal", "index.sqlite-shm", "index.sqlite-file", "index.sqlite.new", "tacit.toml"),
    *(".tacit/write.lock", ".tacit/log.lock", ".tacit/written/COPY", "memory/events.jsonl", "activity/2026-03.jsonl"),
    *("memory/long-term.md", "memory/.long-term.md.tacit-new", "memory/memories.ndjson"),
    *("memory/.memories.ndjson.tacit-new", "worklog/2026-03-02.md"),
)
_PROJECT_FILES = ("docs/memory/memories.ndjson", "docs/memory/.memories.ndjson.tacit-new", "docs/memory", "docs")
WRITTEN = tuple(
    Place(path, ("add", "recall", "doctor"))
    for path in (*(f".agents/{name}" for name in _HOME_FILES), *(f"project/{name}" for name in _PROJECT_FILES))
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
    where: Path,
    kinds: Sequence[str] = KINDS,
    places: Sequence[Place] = PLACES,
    *,
    readers: int | None = None,
    mutant: str = "",
) -> Outcome:
    """Each kind of thing in each place, one at a time, met by all or so many of its readers."""
    scene = _Scene(where, mutant)
    trials = ((place, kind, one) for kind in kinds for place in places for one in place.readers[:readers])
    return together(scene.one(*trial) for trial in trials)


class _Scene:
    """A person with memories, repositories, shells and agents, and a folder of somebody else; made anew each time."""

    def __init__(self, where: Path, mutant: str) -> None:
        self._before, self._folder, self._number, self._mutant = where / "before", where / "person", 0, mutant
        prepared = Scene(self._before)
        prepared.prepare()
        self._transcript = str(prepared.transcript.relative_to(self._before))
        _prepare(self._before)
        project = self._before / "project"
        for words in (("workflow", "new", "check", "--in", ".", "--step", "true", "--step", "ls"), *LIFE[1:]):
            run(tacit(*words), self._before / ".agents", cwd=project if words[0] == "add" else None)

    def one(self, place: Place, kind: str, reader: str) -> Outcome:
        """In a new folder: what a hook left to another process may still be at work in the last one."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._number += 1
        self._folder = self._before.with_name(f"person{self._number}")
        copy_home(self._before, self._folder)
        path = self._folder / place.path.replace("TRANSCRIPT", self._transcript)
        if path.name == "COPY":
            path = path.with_name(f".{min(path.parent.iterdir()).name}.tacit-new")
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        held = PLANTS[kind](path, self._folder / "outside")
        found = list(self._faults(place, path, reader, kind))
        if path.is_symlink() and kind in ("zeros", "noise") and not path.is_char_device():
            found.append("a device was replaced")
        if held:
            held.close()  # type: ignore[attr-defined]
        if path.is_file() and not path.is_symlink():
            path.chmod(0o600)  # so that it can be deleted
        return Outcome(1, 0, 0, tuple(f"{kind} at {place.path}, {reader}: {fault}" for fault in found))

    def _faults(self, place: Place, path: Path, reader: str, kind: str) -> Iterator[str]:
        try:
            ended = self._read(reader)
        except subprocess.TimeoutExpired:
            yield "does not end"
            return
        if (wrong := wrong_end(ended)) is not None and (reader == "add" or not ended.out):
            yield wrong
        if "MemoryError" in ended.err or ended.code < 0 or ended.code > 5:
            yield f"ended with {ended.code}: {ended.err[-200:]}"
        if (reader in _HOOKS or reader.startswith("record")) and (ended.code or ended.err):
            yield f"exit code {ended.code}, said: {ended.err[-200:]}"
        if place.said and kind != "unreadable" and (ended.code == 0 or path.name not in ended.err + ended.out):
            yield f"does not name the file: {ended.code} {ended.err[-200:]}{ended.out[-200:]}"

        outside = self._folder / "outside"
        names = [str(path.relative_to(outside)) for path in outside.rglob("*")]
        if names != ["victim"]:
            yield f"outside there are now {names}"
        elif (outside / "victim").read_bytes() != _VICTIM:
            yield CHANGED

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
        file, other = str(self._folder / "given"), str(self._folder / "other")
        words = [word.replace("GIVEN", file).replace("OTHER", other) for word in _WORDS[reader]]
        return self._run(tacit(*words, mutant=self._mutant), stands)

    def _run(self, command: Sequence[str], cwd: Path, given: bytes = b"") -> Ended:
        more = {"CLAUDE_CONFIG_DIR": str(self._folder / ".claude")}
        home = self._folder / ".agents"
        return run(command, home, cwd=cwd, more=more, given=given, seconds=_PATIENCE, memory=_MEMORY)


def _prepare(folder: Path) -> None:
    """Repositories, a work tree, histories, another home, and a file of somebody else."""
    (folder / "outside").mkdir()
    (folder / "outside" / "victim").write_bytes(_VICTIM)
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


_AT_EVERY_COMMAND = ("project/.git", "project/.git/config", ".agents/tacit.toml", ".agents/.tacit/key")
_NAMED = ("given", "given.jsonl", "given.ndjson", ".claude/CLAUDE.md", ".claude/settings.json")


@pytest.mark.parametrize("kind", ["link", "hard link", "pipe"])
def test_what_is_planted_leads_nowhere_and_keeps_nobody_waiting(tmp_path: Path, kind: str) -> None:
    assert_held(obstacles(tmp_path, [kind], WRITTEN, readers=1), runs=len(WRITTEN))


def test_a_pipe_keeps_no_question_waiting(tmp_path: Path) -> None:
    names = ("tacit.toml", "index.sqlite", "index.sqlite-wal", "memory/events.jsonl", "memory/long-term.md")
    assert_held(obstacles(tmp_path, ["pipe"], [Place(f".agents/{name}", ("recall",)) for name in names]))


def followed(folder: Path) -> Outcome:
    temporary = [place for place in WRITTEN if place.path.endswith(".long-term.md.tacit-new")]
    return obstacles(folder, ["hard link"], temporary, readers=1, mutant="links_followed")


def test_a_named_pipe_in_any_place_keeps_nobody_waiting(tmp_path: Path) -> None:
    assert_held(obstacles(tmp_path, ["pipe"], readers=1), runs=len(PLACES))


@pytest.mark.parametrize("kind", ["silent pipe", "zeros", "kernel file", "sparse file", "looping link"])
def test_nothing_else_does_where_every_command_reads_or_a_person_names_a_file(tmp_path: Path, kind: str) -> None:
    named = _NAMED if kind in ("silent pipe", "zeros") else ()
    places = [place for place in PLACES if place.path in (*_AT_EVERY_COMMAND, *named)]
    assert_held(obstacles(tmp_path, [kind], places, readers=1))


def rows(short: bool) -> Iterator[Row]:
    kinds, places = (("pipe",), PLACES[::30]) if short else (KINDS, PLACES)
    yield Row("T29 planted links and pipes", lambda at: obstacles(at, LINKS, WRITTEN))
    yield mutant_row("T29 mutant: links followed", followed, CHANGED)
    note = "each place, each kind, each reader"
    yield Row("T29 pipes, devices, endless files", lambda at: obstacles(at, kinds, places), note)
