"""The cases as values. README.md says what the abilities are; a file that does not have this form is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).with_name("cases.jsonl")
HEARD, PAIRED, ASKED = ("keep", "drop"), ("same", "contradict", "distinct"), ("forget", "tell")
ABILITIES = (*HEARD, *PAIRED, *ASKED)
PERSON, AGENT = "person", "agent"


class Turn(NamedTuple):
    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """What was said, and the words in it that are to be kept. Of `drop` there are none."""

    id: str
    ability: str
    language: str
    turns: tuple[Turn, ...]
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements of a person on different days."""

    id: str
    ability: str
    language: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Request:
    """Memories, and what a person types then. `chosen` are the places of those to forget, or of those to tell."""

    id: str
    ability: str
    language: str
    memories: tuple[str, ...]
    text: str
    chosen: tuple[int, ...]


Case = Session | Pair | Request


def cases(file: Path = FILE) -> Iterator[Case]:
    """Read a file of cases. Raises ValueError for a line that is none."""
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        try:
            yield _case(json.loads(line))
        except (KeyError, TypeError, ValueError) as why:
            raise ValueError(f"{file}, line {number}: {why!r}") from why


def _case(row: dict[str, Any]) -> Case:
    own = str(row.pop("id")), str(row.pop("ability")), str(row.pop("language"))
    ability = own[1]
    case: Case
    if ability in HEARD:
        turns = tuple(Turn(**turn) for turn in row.pop("turns"))
        case = Session(*own, turns, tuple(row.pop("expect")["quotes"]))
    elif ability in PAIRED:
        case = Pair(*own, row.pop("first"), row.pop("second"))
    elif ability in ASKED:
        text, chosen = ("request", "gone") if ability == "forget" else ("prompt", "told")
        case = Request(*own, tuple(row.pop("memories")), row.pop(text), tuple(row.pop("expect")[chosen]))
    else:
        raise ValueError(f"there is no ability {ability}")
    if row:
        raise ValueError(f"nobody reads {', '.join(row)}")
    return case
