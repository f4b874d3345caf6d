"""What an adapter is: a memory that can be heard, told and asked, with a fresh home for every case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple, Protocol

from bench.write_side.cases import Turn


class Kept(NamedTuple):
    """A sentence that a memory keeps, and the person's words that it keeps it for, "" if it does not know them."""

    sentence: str
    quote: str = ""


class Outcome(Enum):
    """What a memory makes of a statement beside what it has."""

    SAME = "same"
    CONTRADICT = "contradict"
    DISTINCT = "distinct"
    ASKED_SAME = "asked-same"
    ASKED_CONTRADICT = "asked-contradict"
    MISSED = "missed"
    """It was not kept at all."""


class Memory(Protocol):
    """A memory with an empty home. One method is called in the life of each, and `add` twice."""

    def listen(self, turns: Sequence[Turn]) -> Sequence[Kept]:
        """Return what is kept of a session, one sentence each."""

    def add(self, text: str, /) -> Outcome:
        """Add what a person states; each call is a day later. Return what became of it beside the former ones."""

    def forget(self, memories: Sequence[str], request: str) -> Sequence[str]:
        """Add memories and forget what is asked for. Return those that are left, as they were added."""

    def tell(self, memories: Sequence[str], prompt: str) -> Sequence[str]:
        """Add memories and give a prompt. Return those that an agent is told with it, as they were added."""


class Known(NamedTuple):
    name: str
    open: Callable[[Path], Memory]
    """Takes an empty folder, which is removed afterwards."""
