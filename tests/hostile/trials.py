"""Many hostile inputs in a process of one's own: what was found, the longest that one took, the memory they cost."""

from __future__ import annotations

from typing import NamedTuple

from tests.hostile.giants import measured
from tests.hostile.queries import Asked, ask_anything
from tests.hostile.readers import Trial, distinct, try_readers


class Part(NamedTuple):
    """So many inputs of this seed, in a folder that exists."""

    folder: str
    cases: int
    seed: int


class Done(NamedTuple):
    """How many were wrong, one of each sort in words, and the price in seconds and MB."""

    wrong: int
    sorts: tuple[str, ...]
    slowest: float
    grown: float


def ask(part: Part) -> Done:
    """Strings to search and filters. Most go to the search alone; one in fifty through the whole library."""
    done: list[Asked] = []
    grown = measured(lambda: done.append(ask_anything(part.folder, part.cases, seed=part.seed, whole=0.02)))
    return Done(len(done[0].findings), tuple(distinct(done[0].findings)), done[0].slowest, grown)


def read(part: Part) -> Done:
    """Bytes to every reader."""
    done: list[Trial] = []
    grown = measured(lambda: done.append(try_readers(part.folder, part.cases, part.seed)))
    return Done(len(done[0].findings), tuple(distinct(done[0].findings)), done[0].slowest, grown)
