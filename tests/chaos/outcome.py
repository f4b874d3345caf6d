"""What a test with many runs came to, and the rows of `make chaos`: the same tests in large numbers.

A module of tests has `rows(short)`: what it tests in its long form, or in a quick look.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest


class Outcome(NamedTuple):
    """`faults` are sentences, one for each thing that must never be; `lost` counts what was acknowledged, and gone."""

    runs: int = 0
    acknowledged: int = 0
    lost: int = 0
    faults: tuple[str, ...] = ()
    note: str = ""

    def __add__(self, other: object) -> Outcome:
        """Both together."""
        assert isinstance(other, Outcome)
        counts = (self.runs + other.runs, self.acknowledged + other.acknowledged, self.lost + other.lost)
        return Outcome(*counts, self.faults + other.faults, self.note or other.note)


def together(outcomes: Iterable[Outcome], *, until_caught: bool = False) -> Outcome:
    """All of them; of a mutant it is enough to see one fault."""
    found = Outcome()
    for outcome in outcomes:
        found += outcome
        if until_caught and (outcome.faults or outcome.lost):
            break
    return found


def assert_held(outcome: Outcome, *, runs: int = 1, acknowledged: int = 0) -> None:
    """Nothing is wrong, and enough was tried for that to mean something."""
    assert outcome.faults == (), outcome.faults
    assert outcome.lost == 0, outcome
    assert outcome.runs >= runs and outcome.acknowledged >= acknowledged, (
        f"too little for it to show anything: {outcome}"
    )


def assert_caught(outcome: Outcome, words: str = "") -> None:
    """The fault of a mutant was found."""
    assert any(words in fault for fault in outcome.faults), outcome


@contextmanager
def replaced(target: object, name: str, value: object) -> Iterator[None]:
    """Mutant: one step of the program is another while this holds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(target, name, value, raising=not hasattr(builtins, name))
        yield


class Row(NamedTuple):
    """`run` gets an empty folder: in memory, unless how a disk behaves is part of what is looked at. In a mutant at
    least `least` faults with these `words` must be found. What times are part of is run alone: beside another row they
    come out longer."""

    name: str
    run: Callable[[Path], Outcome]
    note: str = ""
    mutant: bool = False
    on_disk: bool = False
    alone: bool = False
    least: int = 1
    words: str = ""

    def has_held(self, outcome: Outcome) -> bool:
        """Whether nothing is wrong, or the fault of a mutant was found."""
        if not self.mutant:
            return outcome.faults == () and outcome.lost == 0
        return sum(self.words in fault for fault in outcome.faults) >= self.least


def mutant_row(name: str, run: Callable[[Path], Outcome], words: str = "", *, least: int = 1) -> Row:
    """A row of a program that leaves out one step on purpose."""
    return Row(name, run, mutant=True, least=least, words=words)
