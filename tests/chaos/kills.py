"""A kill at every moment of a command: each time on the same files, and then a look at what is left."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from harness.homes import copy_home

from tacit.log.log import Log
from tacit.model.event import Event
from tests.chaos import strace
from tests.chaos.outcome import Outcome, together
from tests.chaos.program import Ended, deferred, run, tacit
from tests.chaos.rebuild import catch_up, fingerprint, open_store
from tests.chaos.strace import Call

TEXT = "never deploy on a friday evening"
_STRAYS = (".tacit-new", ".new", ".new-wal", ".new-shm", ".new-journal")
Look = Callable[[Path, Ended], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Scene:
    """A folder with a home and a repository in it, as they are before the command that is killed."""

    folder: Path
    words: tuple[str, ...]
    mutant: str = ""
    defers: bool = False  # whether the words are those of `deferred`

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def command(self) -> list[str]:
        return deferred(*self.words) if self.defers else tacit(*self.words, mutant=self.mutant)

    def prepare(self, *before: Sequence[str], deferring: Sequence[str] = ()) -> None:
        """Make it, and have these commands run in it, at last one whose pages are not drawn."""
        (self.project / ".git").mkdir(parents=True)
        for command in [*(tacit(*words) for words in before), *([deferred(*deferring)] if deferring else [])]:
            ended = run(command, self.home, cwd=self.project)
            assert ended.code == 0, ended
        copy_home(self.folder, self._kept)

    @property
    def _kept(self) -> Path:
        return self.folder.with_name(self.folder.name + "-before")

    def again(self) -> None:
        """As it was."""
        shutil.rmtree(self.folder)
        copy_home(self._kept, self.folder)

    def moments(self) -> list[Call]:
        """When it can be killed; afterwards everything is as the command leaves it."""
        self.again()
        return strace.moments(self.command, self.home, cwd=self.project)

    def finish(self) -> Ended:
        """The command, with nobody in its way."""
        self.again()
        return run(self.command, self.home, cwd=self.project)

    def killed(self, moment: Call) -> Ended:
        self.again()
        return strace.killed_at(moment, self.command, self.home, cwd=self.project)


def always(_call: Call) -> bool:
    return True


def sweep(
    scene: Scene, look: Look, *, most: int = 0, since: Callable[[Call], bool] = always, until: str = ""
) -> Outcome:
    """Kill at every moment from a certain one on (or at so many of them), and look each time.

    A mutant is only asked whether it is caught: a fault with the words `until` ends it.
    """
    moments = scene.moments()
    moments = moments[next(number for number, call in enumerate(moments) if since(call)) :]
    if most and len(moments) > most:
        moments = sorted(random.Random(most).sample(moments, most), key=moments.index)
    outcomes = []
    for moment in moments:
        outcomes.append(_one(scene, moment, look))
        if until and any(until in fault for fault in outcomes[-1].faults):
            break
    found = together(outcomes)
    assert found.note, "no kill has hit: this sweep shows nothing"
    return found


def _one(scene: Scene, moment: Call, look: Look) -> Outcome:
    ended = scene.killed(moment)
    acknowledged = 1 if ended.out else 0
    where = f"killed at {moment.name} {moment.number} ({moment.words[-60:]})"
    faults = tuple(f"{where}: {fault}" for fault in look(scene.folder, ended))
    lost = sum(1 for fault in faults if "acknowledged" in fault)
    return Outcome(1, acknowledged, lost, faults, "killed" if ended.killed else "")


# What is looked at


def index_faults(home: Path) -> Iterator[str]:
    """The next question finds everything that the log holds, and the index is whole. Nobody had to ask for it."""
    with closing(open_store(str(home))) as store:
        recorded = set(_ids(store.log))
        filed = {row[0] for row in store.read(lambda index: index.execute("SELECT id FROM events").fetchall())}
        if missing := recorded - filed:
            yield f"{len(missing)} events of the log are not in the index"
        if store.read(lambda index: index.execute("PRAGMA integrity_check").fetchall()) != [("ok",)]:
            yield "the index is damaged"
        catch_up(store)
        with closing(store.in_memory_index()) as fresh:
            if store.read(fingerprint) != fingerprint(fresh):
                yield "the index is not what the log says"


def _ids(log: Log) -> Iterator[str]:
    """Of the lines that memories and pages are folded from: others are only counted."""
    from tacit.index.writer import FOLDED_BODIES

    for segment in log.segments():
        for record in log.read(segment):
            if isinstance(record.event, Event) and isinstance(record.event.body, FOLDED_BODIES):
                yield record.event.id


def acknowledged_faults(home: Path, ended: Ended, text: str = TEXT) -> Iterator[str]:
    """What was said to be there is there."""
    if ended.out and text not in run(tacit("recall", text, "--json"), home, cwd=home.parent / "project").out:
        yield "what was acknowledged is not found"


def strays(folder: Path) -> list[str]:
    """Temporary files."""
    return sorted(
        os.path.join(where, name) for where, _, names in os.walk(folder) for name in names if name.endswith(_STRAYS)
    )
