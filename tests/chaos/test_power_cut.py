"""Stories of a disk that is cut at random: the two write protocols on `CrashDisk`, and mutants of both.

A story is one seed: a few lives of a process, each ended by a kill or a power cut, and then a look at what is there.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial, reduce
from pathlib import Path
from typing import Protocol

from tacit.disk.files import Disk, open_fd, replace_file, write_all
from tacit.log import Log
from tacit.log.segment import MEMORY_SEGMENT
from tests.chaos import mutants
from tests.chaos.crashdisk import CrashDisk, Cut
from tests.chaos.logs import NOTHING, Audit, audit, judgement, open_log, origin, text_of
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row, together

_NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)  # the clock stands still: order is the log's own affair
_LIVES, _LONGEST_LIFE, _ENDLESS = 4, 12, 10**9
_TEXTS = (1, 2_000)


class NoFsync(CrashDisk):
    """Mutant: bytes are never synced. With a rename it is the classic *rename without fsync*."""

    def sync_data(self, fd: int) -> None:
        self._call()


class NoFolderSync(CrashDisk):
    """Mutant: names are never synced."""

    def sync_folder(self, path: str) -> None:
        self._call()


class Replace(Protocol):
    """How a file is given new content."""

    def __call__(self, disk: Disk, path: str, data: bytes) -> None: ...


def in_place(disk: Disk, path: str, data: bytes) -> None:
    """Mutant: the target itself is emptied and written."""
    with open_fd(disk, path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as fd:
        write_all(disk, fd, data)
        disk.sync_data(fd)
    disk.sync_folder(os.path.dirname(path))


@dataclass(frozen=True, slots=True)
class Plan:
    """How the stories go. Whatever is not the default is a mutant, but for `holes`, which a disk may leave or not.

    Where there are holes, a line that was never acknowledged may be damaged in its middle, and no seal can tell.
    """

    folder: str
    disk: type[CrashDisk] = CrashDisk
    seal: bool = True
    replace: Replace = replace_file
    holes: bool = True


def append_story(plan: Plan, seed: int) -> Audit:
    """Appends and cuts, one more append; then the content is put on a real disk and looked at like any log."""
    rng = random.Random(seed)
    disk = plan.disk(rng, holes=plan.holes)
    log = open_log(plan.folder, disk=disk, lock=mutants.NoLock(), entropy=lambda: rng.randbytes(10))
    acknowledged: list[str] = []

    def append() -> None:
        (event,) = log.append([judgement(str(len(acknowledged)), text_of(rng, _TEXTS))], origin("story", _NOON))
        acknowledged.append(event.id)

    with nullcontext() if plan.seal else mutants.no_seal():
        for _ in _lives(rng, disk):
            with suppress(Cut):
                while True:
                    append()
        append()
    return audit(_on_real_disk(plan.folder, disk), acknowledged)


def _lives(rng: random.Random, disk: CrashDisk) -> Iterator[None]:
    """A few lives that end after some calls, by a kill or a power cut. Afterwards nothing is cut any more."""
    for _ in range(rng.randint(1, _LIVES)):
        disk.live(rng.randint(0, _LONGEST_LIFE))
        yield
        disk.restart(power=rng.random() < 0.6)
    disk.live(_ENDLESS)


def _on_real_disk(folder: str, disk: CrashDisk) -> Log:
    log = open_log(folder)
    with open(log.path(MEMORY_SEGMENT), "wb") as file:
        file.write(disk.content(log.path(MEMORY_SEGMENT)) or b"")
    return log


def append_stories(plan: Plan, seeds: range) -> Outcome:
    """Where there are holes, a line that nobody was promised may have one that no seal can tell."""
    found = reduce(Audit.__add__, (append_story(plan, seed) for seed in seeds), NOTHING)
    note = f"{found.fragments} sealed fragments"
    forgiven = ("unreadable", "loose_seals", "serious") if plan.holes else ()
    faults = [fault for fault in found.faults if fault not in forgiven]
    faults += ["no write was torn: this shows nothing"] * (not found.fragments)
    return found.outcome(len(seeds), note)._replace(faults=tuple(faults))


def replace_story(plan: Plan, seed: int) -> Outcome:
    """A fault for each look at a file that was neither the last acknowledged version nor the one being written."""
    rng = random.Random(seed)
    disk = plan.disk(rng, holes=plan.holes)
    path = os.path.join(plan.folder, "view.md")
    allowed: list[bytes | None] = [None]  # the last acknowledged version (none yet) and all that were begun since
    acknowledged = wrong = 0
    for _ in _lives(rng, disk):
        wrong += disk.content(path) not in allowed
        with suppress(Cut):
            while True:
                allowed.append(data := rng.randbytes(rng.randint(0, 1_500)))
                plan.replace(disk, path, data)
                allowed, acknowledged = [data], acknowledged + 1
    wrong += disk.content(path) not in allowed
    return Outcome(1, acknowledged, wrong, ("neither the old nor the new one",) * wrong)


def failed_stories(folder: Path, mutant: Callable[[str], Plan], seeds: range) -> Outcome:
    """How often a mutant loses a line or tears a file: it must in a twentieth of all stories, 1,000 of 20,000."""
    plan = mutant(str(folder))
    story = append_story if mutant in APPEND_MUTANTS.values() else replace_story
    failed = sum(story(plan, seed).lost > 0 for seed in seeds)
    return Outcome(len(seeds), 0, failed, ("lost or torn",) * failed)


APPEND_MUTANTS = {
    "no fsync": partial(Plan, disk=NoFsync),
    "no folder sync": partial(Plan, disk=NoFolderSync),
    "no seal": partial(Plan, seal=False),
}
REPLACE_MUTANTS = {
    "rename without fsync": partial(Plan, disk=NoFsync),
    "no folder sync": partial(Plan, disk=NoFolderSync),
    "write in place": partial(Plan, replace=in_place),
}


_MANY, _TWENTIETH = range(300), 20


def test_no_cut_loses_an_acknowledged_line(memory_home: str) -> None:
    assert_held(append_stories(Plan(memory_home), _MANY), acknowledged=len(_MANY))


def test_a_replaced_file_is_the_old_or_the_new_one(memory_home: str) -> None:
    assert_held(together(replace_story(Plan(memory_home), seed) for seed in _MANY), acknowledged=len(_MANY))


def rows(short: bool) -> Iterator[Row]:
    """In memory, because the disk that is cut is simulated; only the last look at a log takes a real one."""
    cuts, seeds = (range(300), range(100)) if short else (range(20_000), range(4_000))
    yield Row("T02 power cuts, append", lambda at: append_stories(Plan(str(at)), cuts))
    yield Row("T02 power cuts, no sector lost", lambda at: append_stories(Plan(str(at), holes=False), cuts))
    yield Row("T02 power cuts, replace", lambda at: together(replace_story(Plan(str(at)), seed) for seed in cuts))
    for mutants_of, suffix in ((APPEND_MUTANTS, ""), (REPLACE_MUTANTS, " (replace)")):
        for name, mutant in mutants_of.items():
            failed = partial(failed_stories, mutant=mutant, seeds=seeds)
            yield mutant_row(f"T02 mutant: {name}{suffix}", failed, least=len(seeds) // _TWENTIETH)
