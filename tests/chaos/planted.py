"""Links, pipes and folders planted where Tacit will write: nothing outside is touched, and nobody waits for ever."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from harness.homes import copy_home

from tests.chaos.index_kill import LIFE
from tests.chaos.outcome import Outcome, together
from tests.chaos.program import Ended, environment, tacit, wrong_end

VICTIM = b"somebody else's words\n"
COMMANDS = {"add": ("add", "always look both ways"), "recall": ("recall", "sign commits"), "doctor": ("doctor",)}
PLACES = (
    *("index.sqlite", "index.sqlite-wal", "index.sqlite-shm", "index.sqlite-file", "index.sqlite.new", "tacit.toml"),
    *(".tacit/write.lock", ".tacit/log.lock", ".tacit/written/COPY", "memory/events.jsonl", "activity/2026-03.jsonl"),
    *("memory/long-term.md", "memory/.long-term.md.tacit-new", "memory/memories.ndjson"),
    *("memory/.memories.ndjson.tacit-new", "worklog/2026-03-02.md"),
    *("../project/docs/memory/memories.ndjson", "../project/docs/memory/.memories.ndjson.tacit-new"),
    *("../project/docs/memory", "../project/docs"),
)
HANGS = "hangs"
_PATIENCE = 20.0


def link(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "victim")


def link_to_folder(path: Path, outside: Path) -> None:
    path.symlink_to(outside)


def dangling_link(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "not-there-yet")


def hard_link(path: Path, outside: Path) -> None:
    path.hardlink_to(outside / "victim")


def pipe(path: Path, outside: Path) -> None:
    os.mkfifo(path)


def folder(path: Path, outside: Path) -> None:
    path.mkdir()


Plant = Callable[[Path, Path], None]
PLANTS: tuple[Plant, ...] = (link, link_to_folder, dangling_link, hard_link, pipe, folder)


def planted(
    where: Path,
    plant: Plant,
    *,
    verbs: tuple[str, ...] = tuple(COMMANDS),
    places: tuple[str, ...] = PLACES,
    mutant: str = "",
) -> Outcome:
    """One sort of thing in every place, one place at a time."""
    scene = _Scene(where, mutant)
    return together(scene.one(place, plant, verb) for place in places for verb in verbs)


class _Scene:
    """A home, a project, and a folder outside of both that must stay as it is."""

    def __init__(self, where: Path, mutant: str) -> None:
        self._folder, self._before, self._mutant = where / "scene", where / "before", mutant
        self._outside = self._folder / "outside"
        self._outside.mkdir(parents=True)
        (self._outside / "victim").write_bytes(VICTIM)
        (self._project / ".git").mkdir(parents=True)
        for words in LIFE:
            assert self._run(words).code == 0
        copy_home(self._folder, self._before)

    @property
    def _home(self) -> Path:
        return self._folder / "home"

    @property
    def _project(self) -> Path:
        return self._folder / "project"

    def one(self, place: str, plant: Plant, verb: str) -> Outcome:
        shutil.rmtree(self._folder)
        copy_home(self._before, self._folder)
        path = self._place(place)
        _clear(path)
        plant(path, self._outside)
        faults = tuple(f"{plant.__name__} at {place}, {verb}: {fault}" for fault in self._faults(COMMANDS[verb]))
        return Outcome(1, 0, 0, faults)

    def _place(self, place: str) -> Path:
        copies = sorted((self._home / ".tacit/written").iterdir())
        return self._home / place.replace("COPY", f".{copies[0].name}.tacit-new")

    def _faults(self, words: tuple[str, ...]) -> Iterator[str]:
        try:
            ended = self._run(words, self._mutant)
        except subprocess.TimeoutExpired:
            yield HANGS
            return
        if (wrong := wrong_end(ended)) is not None and words[0] == "add":
            yield wrong
        if "Traceback" in ended.err:
            yield f"ended with a traceback: {ended.err.splitlines()[-1]}"
        names = [str(path.relative_to(self._outside)) for path in self._outside.rglob("*")]
        if names != ["victim"]:
            yield f"outside there are now {names}"
        if (self._outside / "victim").read_bytes() != VICTIM:
            yield "somebody else's file was changed"

    def _run(self, words: tuple[str, ...], mutant: str = "") -> Ended:
        done = subprocess.run(
            tacit(*words, mutant=mutant),
            cwd=self._project,
            env=environment(self._home),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)


def _clear(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
