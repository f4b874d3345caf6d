"""What a person runs in order: pairs and triples of different commands of one session (A3).

What failed is not there, what is trivial is not there, and a command repeated is one command. A triple that is a habit
takes the place of its pairs, whatever became of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from tacit.core.claim import Kind
from tacit.learn.habits.habit import BETWEEN, Seen
from tacit.learn.habits.tables.common import is_generic_directory
from tacit.learn.habits.trail import KEPT, Step, Trail

SEVERAL = "/*"  # behind the common parent of several directories


def seen(trail: Trail, step: Step) -> Iterator[Seen]:
    before, where, here = trail.families, trail.directories, step.ran.directory
    for family in families(trail, step):
        for length in range(1, len(before) + 1):
            sequence = (*before[-length:], family)
            if len(set(sequence)) == len(sequence):
                directories = (*where[-length:], here)
                place = here if directories.count(here) > length else common_place(directories)
                yield Seen(Kind.WORKFLOW_PATTERN, BETWEEN.join(sequence), place)
        before, where = (*before, family)[-KEPT:], (*where, here)[-KEPT:]


@lru_cache(maxsize=8192)  # people go back and forth between a few directories
def common_place(directories: tuple[str, ...]) -> str:
    """The place of a sequence: the one directory of its steps, or their common parent and `SEVERAL`.

    Steps in a directory and in one below it are at home in the upper one, unless that is a generic one.
    """
    if len(set(directories)) == 1:
        return directories[0]
    shared = []
    for names in zip(*(directory.split("/") for directory in directories), strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    parent = "/".join(shared)
    is_home = parent in directories and not is_generic_directory(parent)
    return parent if is_home else parent.rstrip("/") + SEVERAL


def families(trail: Trail, step: Step) -> tuple[str, ...]:
    """The families that this step adds to the session: those that went well, that mean something, no repetitions."""
    added: list[str] = []
    last = trail.families[-1] if trail.families else ""
    for part in step.parts if step.ran.went_well else ():
        if not part.trivial and part.family != last:
            added.append(part.family)
            last = part.family
    return tuple(added)
