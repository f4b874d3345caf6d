"""What a test with many runs came to. The short forms ask that there be no faults; the long forms print the counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


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
        return Outcome(
            self.runs + other.runs,
            self.acknowledged + other.acknowledged,
            self.lost + other.lost,
            self.faults + other.faults,
            self.note or other.note,
        )


def together(outcomes: Iterable[Outcome], *, until_caught: bool = False) -> Outcome:
    """All of them; of a mutant it is enough to see one fault."""
    found = Outcome()
    for outcome in outcomes:
        found += outcome
        if until_caught and (outcome.faults or outcome.lost):
            break
    return found
