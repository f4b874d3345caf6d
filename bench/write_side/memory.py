"""What an adapter is: a memory that can be heard, told and asked, with a fresh home for every case."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

from bench.peers.peer import Place
from bench.write_side.cases import Case, Pair, Session, Turn

_ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")  # a full stop within a name ends nothing
# What the table says where there is nothing to measure: without an operation, and with one that only a model chooses.
NONE, BY_A_MODEL = "has none", "decided by a model"


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


Answer = Sequence[Kept] | Outcome | Sequence[str]


class Memory:
    """A memory with an empty home. One method is called in the life of each, and `add` twice.

    An adapter has those for which its memory has an operation. Its `Known` names the others.
    """

    def listen(self, _turns: Sequence[Turn], /) -> Sequence[Kept]:
        """Return what is kept of a session, one sentence each."""
        raise NotImplementedError

    def add(self, _text: str, /) -> Outcome:
        """Add what a person states; each call is a day later. Return what became of it beside the former ones."""
        raise NotImplementedError

    def forget(self, _memories: Sequence[str], _request: str, /) -> Sequence[str]:
        """Add memories and forget what is asked for. Return those that are left, as they were added."""
        raise NotImplementedError

    def tell(self, _memories: Sequence[str], _prompt: str, /) -> Sequence[str]:
        """Add memories and give a prompt. Return those that an agent is told with it, as they were added."""
        raise NotImplementedError

    def close(self) -> None:
        """End what was started."""


class Known(NamedTuple):
    """A memory of the table. `lacks` are the abilities that it is not asked for, with what the table says instead."""

    name: str
    open: Callable[[Place], Memory]
    """Takes a place whose home is an empty folder, which is removed afterwards."""
    peer: str = ""
    """The module of `bench/peers/known` that says what to install; it runs in an interpreter of its own."""
    lacks: Mapping[str, str] = MappingProxyType({})


def put(memory: Memory, case: Case) -> Answer:
    """Put a case to a memory with an empty home."""
    if isinstance(case, Session):
        return memory.listen(case.turns)
    if isinstance(case, Pair):
        memory.add(case.first)
        return memory.add(case.second)
    return (memory.forget if case.ability == "forget" else memory.tell)(case.memories, case.text)


def sentences(texts: Iterable[str]) -> Iterator[str]:
    """Split what is kept, for a memory that keeps more than a sentence at a time."""
    return (part.strip() for text in texts for part in _ENDS.split(text) if part.strip())
