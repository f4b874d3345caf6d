"""How good orders are: how early the first right one comes, and which share of what is right is among the first."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

MOST = 10


class Score(NamedTuple):
    """Means over questions. `hit` is the share with a right one among the first, `recall` the mean share of all that
    is right; MRR counts 0 where none is among the first ten."""

    questions: int
    hit1: float
    hit5: float
    hit10: float
    mrr: float
    recall5: float
    recall10: float


@dataclass
class Tally:
    """Of many questions."""

    rows: list[tuple[float, ...]] = field(default_factory=list)

    def add(self, answers: Sequence[str], right: Collection[str]) -> None:
        found = [name in right for name in answers[:MOST]]
        rank = next((1 / place for place, is_right in enumerate(found, 1) if is_right), 0.0)
        hits = [float(any(found[:most])) for most in (1, 5, MOST)]
        self.rows.append((*hits, rank, *(sum(found[:most]) / len(right) for most in (5, MOST))))

    @property
    def score(self) -> Score:
        columns = zip(*self.rows, strict=True) if self.rows else [(0.0,)] * 6
        return Score(len(self.rows), *(sum(column) / max(len(column), 1) for column in columns))
