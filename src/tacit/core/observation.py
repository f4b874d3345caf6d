"""What the world did. Observations carry no verdict; learners and views read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class WorkLogged:
    """One entry of the worklog (S11)."""

    task: str
    summary: str
    changes: str = ""
    evidence: str = ""
    next: str = ""


@dataclass(frozen=True, slots=True)
class Recalled:
    """Someone asked; this many facts answered."""

    query: str
    hits: int


@dataclass(frozen=True, slots=True)
class Injected:
    """A brief was handed out: which memories, and how large it was."""

    memories: tuple[str, ...]
    tokens: int
    task: str = ""


class Score(NamedTuple):
    """One measure of an evaluation: 0 weak, 1 fair, 2 good, and why."""

    name: str
    points: int
    reason: str


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The evaluation of one day, whole, so that its page can be drawn again."""

    day: str
    scores: tuple[Score, ...]


@dataclass(frozen=True, slots=True)
class ProjectSeen:
    """On this machine the scope's project lies here."""

    root: str


@dataclass(frozen=True, slots=True)
class Sealed:
    """A torn tail was closed: where it began, how long it was, and its hash."""

    offset: int
    length: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A line of a type this version does not know: kept, never obeyed."""

    type: str


Observation = WorkLogged | Recalled | Injected | Evaluated | ProjectSeen | Sealed | Unknown
