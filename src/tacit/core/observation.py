"""What the world did. Observations carry no verdict; learners and views read them."""

from __future__ import annotations

from typing import NamedTuple


class WorkLogged(NamedTuple):
    """One entry of the worklog (S11)."""

    task: str
    summary: str
    changes: str = ""
    evidence: str = ""
    next: str = ""


class Recalled(NamedTuple):
    """Someone asked; this many facts answered."""

    query: str
    hits: int


class Injected(NamedTuple):
    """A brief was handed out: which memories, and how large it was."""

    memories: tuple[str, ...]
    tokens: int
    task: str = ""


class Score(NamedTuple):
    """One measure of an evaluation: 0 weak, 1 fair, 2 good, and why."""

    name: str
    points: int
    reason: str


class Evaluated(NamedTuple):
    """The evaluation of one day, whole, so that its page can be drawn again."""

    day: str
    scores: tuple[Score, ...]


class ProjectSeen(NamedTuple):
    """On this machine the scope's project lies here."""

    root: str


class Sealed(NamedTuple):
    """A torn tail was closed: where it began, how long it was, and its hash."""

    offset: int
    length: int
    sha256: str


class Unknown(NamedTuple):
    """A line of a type this version does not know: kept, never obeyed."""

    type: str


Observation = WorkLogged | Recalled | Injected | Evaluated | ProjectSeen | Sealed | Unknown
