"""A prepared home for one command, which is killed or interfered with at a moment of it, each time on the same files;
and what is looked at afterwards."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from harness.homes import copy_home

from tacit.index.writer import FOLDED_BODIES
from tacit.model.event import Event
from tests.chaos import strace
from tests.chaos.outcome import Outcome, together
from tests.chaos.program import Ended, run, tacit
from tests.chaos.strace import Call
from tests.chaos.workload import catch_up, fingerprint, open_store

T = TypeVar("T")

TEXT = "never deploy on a friday evening"
LIFE = (
    ("init",),
    ("add", "always sign commits", "--tag", "git"),
    ("add", "global: I prefer pnpm"),
    ("remember", "the tests need docker", "--evidence", "chat"),
    ("log", "--task", "T-1", "--summary", "moved the parser"),
)
_TEMPORARY = (".tacit-new", ".new", ".new-wal", ".new-shm", ".new-journal")


@dataclass(frozen=True, slots=True)
class Scene:
    """A folder with a home and a repository in it, as they are before the command that is disturbed. `program` is
    another one than `tacit words`."""

    folder: Path
    words: tuple[str, ...] = ()
    mutant: str = ""
    program: tuple[str, ...] = ()

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def before(self) -> Path:
        """The copy that every run starts from."""
        return self.folder.with_name(self.folder.name + "-before")

    @property
    def command(self) -> list[str]:
        return list(self.program) or tacit(*self.words, mutant=self.mutant)

    def prepare(self, *before: Sequence[str]) -> Scene:
        """Make it, and have these commands run in it."""
        (self.project / ".git").mkdir(parents=True)
        for words in before:
            assert self.run(*words).code == 0, words
        self.keep()
        return self

    def keep(self) -> None:
        """Every run starts from how it is now."""
        shutil.rmtree(self.before, ignore_errors=True)
        copy_home(self.folder, self.before)

    def again(self) -> None:
        """As it was."""
        shutil.rmtree(self.folder)
        copy_home(self.before, self.folder)
        if (mark := self.home / ".tacit" / "learned").is_file():
            os.utime(mark)  # one recorder in a minute also learns, which takes long and is no matter here

    def run(self, *words: str, mutant: str = "") -> Ended:
        return run(tacit(*words, mutant=mutant), self.home, cwd=self.project)

    def moments(self) -> list[Call]:
        """When it can be disturbed; afterwards everything is as the command leaves it."""
        self.again()
        return strace.moments(self.command, self.home, cwd=self.project)

    def finish(self) -> Ended:
        """The command, with nobody in its way."""
        self.again()
        return run(self.command, self.home, cwd=self.project)

    def interfered(self, inject: str, name: str) -> Ended:
        self.again()
        return strace.interfered(inject, name, self.command, self.home, cwd=self.project)


def sample(cases: list[T], most: int) -> list[T]:
    """So many of them in their order, or all where that is nought."""
    chosen = random.Random(most).sample(range(len(cases)), min(most or len(cases), len(cases)))
    return [cases[at] for at in sorted(chosen)]


def sweep(
    scene: Scene,
    look: Callable[[Ended], Iterable[str]],
    *,
    most: int = 0,
    since: Callable[[Call], bool] = lambda _call: True,
    until: str = "",
) -> Outcome:
    """Kill at every moment from a certain one on (or at so many of them), and look each time.

    A mutant is only asked whether it is caught: a fault with the words `until` ends it.
    """
    moments = scene.moments()
    moments = moments[next(number for number, call in enumerate(moments) if since(call)) :]
    outcomes = []
    for moment in sample(moments, most):
        scene.again()
        ended = strace.killed_at(moment, scene.command, scene.home, cwd=scene.project)
        where = f"killed at {moment.name} {moment.number} ({moment.words[-60:]})"
        faults = tuple(f"{where}: {fault}" for fault in look(ended))
        lost = sum("acknowledged" in fault for fault in faults)
        outcomes.append(Outcome(1, 1 if ended.out else 0, lost, faults, "killed" if ended.killed else ""))
        if until and any(until in fault for fault in faults):
            break
    found = together(outcomes)
    assert found.note, "no kill has hit: this sweep shows nothing"
    return found


def index_faults(home: Path) -> Iterator[str]:
    """The next question finds everything that the log holds, and the index is whole. Nobody had to ask for it."""
    with closing(open_store(str(home))) as store:
        records = [record.event for segment in store.log.segments() for record in store.log.read(segment)]
        # Memories and pages are folded from these; other lines are only counted.
        recorded = {one.id for one in records if isinstance(one, Event) and isinstance(one.body, FOLDED_BODIES)}
        filed = {row[0] for row in store.read(lambda index: index.execute("SELECT id FROM events").fetchall())}
        if missing := recorded - filed:
            yield f"{len(missing)} events of the log are not in the index"
        if store.read(lambda index: index.execute("PRAGMA integrity_check").fetchall()) != [("ok",)]:
            yield "the index is damaged"
        catch_up(store)
        with closing(store.indexer.in_memory_index()) as fresh:
            if store.read(fingerprint) != fingerprint(fresh):
                yield "the index is not what the log says"


def home_faults(home: Path) -> Iterator[str]:
    """The log is whole, and the index is what it says."""
    checked = run(tacit("verify"), home)
    if checked.code:
        yield f"the log is damaged: {checked.out}"
    yield from index_faults(home)


def looked(folder: Path) -> dict[str, tuple[bytes | str, int, int]]:
    """Every file, folder and link below a folder: what it holds, its mode and when it was changed."""
    found: dict[str, tuple[bytes | str, int, int]] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        held = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(folder))] = (held, status.st_mode, status.st_mtime_ns)
    return found


def changes(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[str]:
    for name in before.keys() | after.keys():
        if before.get(name) != after.get(name):
            yield f"{name} was {before.get(name)} and is {after.get(name)}"


def left_behind(folder: Path) -> Iterator[str]:
    """Temporary files that are there after the next command."""
    files = (os.path.join(where, name) for where, _, names in os.walk(folder) for name in names)
    if found := sorted(name for name in files if name.endswith(_TEMPORARY)):
        yield f"left behind: {found}"
