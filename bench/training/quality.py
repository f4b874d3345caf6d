"""How good rows are on what was held out: agreement with the teacher, and finding the one answer among all answers."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch.nn import functional

from bench.training.fit import Bags

_PAIRS = 400_000
_SEED = 34


class Quality(NamedTuple):
    """Spearman's correlation with the teacher's cosines, and how often the answer is first, or among five."""

    spearman: float
    nearest: float  # of the teacher's ten nearest sentences, how many are among our ten
    first: dict[str, float]
    five: dict[str, float]

    @property
    def score(self) -> float:
        """One number to choose by: agreement with the teacher, and the mean of the shares among five."""
        return self.spearman + sum(self.five.values()) / len(self.five)

    def row(self) -> str:
        """Return one line of a table."""
        shares = "  ".join(f"{name} {self.first[name]:.3f}/{self.five[name]:.3f}" for name in self.first)
        return f"spearman {self.spearman:.4f}  nearest {self.nearest:.4f}  {shares}"


def spearman(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """Return the correlation of the ranks of cosines, over random pairs of sentences."""
    generator = torch.Generator().manual_seed(_SEED)
    first, second = (torch.randint(len(ours), (_PAIRS,), generator=generator).to(ours.device) for _ in range(2))
    apart = first != second
    ranks = [
        (vectors[first[apart]] * vectors[second[apart]]).sum(1).argsort().argsort().double()
        for vectors in (ours, theirs)
    ]
    return float(torch.corrcoef(torch.stack(ranks))[0, 1])


def nearest_kept(ours: torch.Tensor, theirs: torch.Tensor, count: int = 10) -> float:
    """Return the share of the teacher's nearest sentences that are among as many of ours."""
    found = []
    for vectors in (ours, theirs):
        near = vectors @ vectors.T
        near.fill_diagonal_(-2)
        found.append(near.topk(count, dim=1).indices)
    kept = (found[0][:, :, None] == found[1][:, None, :]).any(2).float().mean()
    return float(kept)


def found(questions: torch.Tensor, answers: torch.Tensor, most: int) -> float:
    """Return the share of questions whose answer is among the first of all answers."""
    near = questions @ answers.T
    rank = (near > near.diagonal()[:, None]).sum(1)
    return float((rank < most).float().mean())


def measure(table: torch.Tensor, plain: Bags, teacher: torch.Tensor, sets: dict[str, tuple[Bags, Bags]]) -> Quality:
    """Measure rows. `teacher` has the vectors of the plain sentences, `sets` questions and their answers."""

    def vectors(texts: Bags) -> torch.Tensor:
        return functional.normalize(texts.sums(table), dim=1)

    ours = vectors(plain)
    pairs = {name: (vectors(questions), vectors(answers)) for name, (questions, answers) in sets.items()}
    return Quality(
        spearman(ours, teacher),
        nearest_kept(ours, teacher),
        {name: found(*pair, 1) for name, pair in pairs.items()},
        {name: found(*pair, 5) for name, pair in pairs.items()},
    )


def of_teacher(sets: dict[str, tuple[torch.Tensor, torch.Tensor]]) -> str:
    """Return what the teacher itself finds, for comparison."""
    return "  ".join(f"{name} {found(*pair, 1):.3f}/{found(*pair, 5):.3f}" for name, pair in sets.items())
