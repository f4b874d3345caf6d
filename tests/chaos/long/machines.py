"""Rows of `make chaos` about several machines: M1, stories of three machines on replicated folders and on git.

`acknowledged` counts memories that were added, `lost` those that not every machine knows at the end; `found` also
counts differences between machines, what was purged or forgotten and is back, and plain text on a remote.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tests.chaos.apart import apart
from tests.chaos.long.rows import Result, Test, result
from tests.chaos.machines import MUTANTS, Plan, stories

_FOLDER_STORIES, _GIT_STORIES, _MUTANT_STORIES = 900, 100, 40
_ROWS = 3  # of folder stories, so that two run at a time


def tests(short: bool) -> Iterator[Test]:
    folders, git = (6, 2) if short else (_FOLDER_STORIES // _ROWS, _GIT_STORIES)
    for row in range(1 if short else _ROWS):
        yield Test(f"M1 three machines, folders {row + 1}", partial(_stories, row * folders, folders, False, ""))
    yield Test("M1 three machines, git", partial(_stories, 0, git, True, ""))
    for mutant in MUTANTS:
        yield Test(f"M1 mutant: {mutant}", partial(_stories, 500, _MUTANT_STORIES, False, mutant), mutant=True)


def _stories(first: int, count: int, git: bool, mutant: str, home: str) -> Result:
    return result(apart(stories, Plan(home, first, count, git, mutant)))
