"""Stories of a disk that is cut at random: the two write protocols on `CrashDisk`, and mutants of both.

A story is one seed: a few lives of a process, each ended by a kill or a power cut, and then a look at what is there.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial, reduce
from typing import NamedTuple, Protocol

from tacit.disk.files import Disk, open_fd, replace_file, write_all
from tacit.log.log import Log
from tacit.log.segment import MEMORY_SEGMENT
from tests.chaos import mutants
from tests.chaos.audit import NOTHING, Audit, audit
from tests.chaos.crashdisk import CrashDisk, Cut
from tests.chaos.material import judgement, open_log, origin, text_of

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


def failed_stories(plan: Plan, seeds: Iterable[int]) -> int:
    """In how many an acknowledged line was lost: what a mutant is measured by."""
    return sum(append_story(plan, seed).lost > 0 for seed in seeds)


def torn_stories(plan: Plan, seeds: Iterable[int]) -> int:
    """In how many a file was seen that is neither old nor new."""
    return sum(replace_story(plan, seed).wrong > 0 for seed in seeds)


def append_stories(plan: Plan, seeds: Iterable[int]) -> Audit:
    """Many of them, counted together."""
    return reduce(Audit.__add__, (append_story(plan, seed) for seed in seeds), NOTHING)


class Replaced(NamedTuple):
    """`wrong` counts looks at a file that was neither the last acknowledged version nor the one being written."""

    acknowledged: int
    wrong: int


def replace_story(plan: Plan, seed: int) -> Replaced:
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
    return Replaced(acknowledged, wrong)


def replace_stories(plan: Plan, seeds: Iterable[int]) -> Replaced:
    stories = [replace_story(plan, seed) for seed in seeds]
    return Replaced(sum(story.acknowledged for story in stories), sum(story.wrong for story in stories))


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
