"""How good answers are: the share of what is right among the first, and how early the first right one comes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass
class Scores:
    """Over many questions."""

    at: dict[int, list[float]] = field(default_factory=lambda: {5: [], 10: []})
    ranks: list[float] = field(default_factory=list)

    def add(self, answers: Sequence[str], right: Collection[str], *, any_will_do: bool) -> None:
        """`any_will_do`: one right answer is all that is wanted; else the share of all of them counts."""
        for most, shares in self.at.items():
            hit = sum(name in answers[:most] for name in right)
            shares.append(float(hit > 0) if any_will_do else hit / len(right))
        first = next((place for place, name in enumerate(answers, 1) if name in right), 0)
        self.ranks.append(1 / first if first else 0.0)

    def recall(self, most: int) -> float:
        return _mean(self.at[most])

    @property
    def mrr(self) -> float:
        return _mean(self.ranks)

    @property
    def object(self) -> dict[str, float]:
        named = {f"recall@{most}": round(self.recall(most), 4) for most in self.at}
        return {**named, "mrr": round(self.mrr, 4), "questions": len(self.ranks)}


class Both(NamedTuple):
    """Of the same questions by words, and by meaning as well."""

    by_words: Scores
    by_meaning: Scores


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
