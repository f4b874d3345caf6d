"""Fit rows to the teacher: in closed form, and then by gradients on what lies near what.

Closed form: the features of a token (the teacher's input embedding and what the teacher says of that token alone) are
mapped to the teacher's vectors by ridge regression over sentences; what is left is spread over the tokens by another
ridge regression (conjugate gradient). Rare tokens count more: a / (a + share of sentences with it).

By gradients: all rows are free. The loss is the distance to the teacher's vector, and the difference between what lies
near what in a batch for the teacher and for the table, over softened ranks of the whole batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

_FREQUENCY_CONSTANT = 0.03  # a
_RIDGE, _RESIDUAL_RIDGE = 1e-4, 0.3
_CG_STEPS = 20
_SMALLEST_NORM = 1e-6


class Bags(NamedTuple):
    """The rows of the tokens of each sentence, one after the other, and where each sentence begins."""

    rows: torch.Tensor
    offsets: torch.Tensor  # one more than there are sentences

    @property
    def size(self) -> int:
        """The number of sentences."""
        return len(self.offsets) - 1

    def sums(self, table: torch.Tensor) -> torch.Tensor:
        """Return the sum of the rows of each sentence."""
        return functional.embedding_bag(self.rows, table, self.offsets[:-1], mode="sum")

    def choose(self, places: torch.Tensor) -> Bags:
        """Return some of the sentences."""
        starts, lengths = self.offsets[places], self.offsets[places + 1] - self.offsets[places]
        ends = torch.cumsum(lengths, 0)
        within = torch.arange(int(ends[-1]), device=self.rows.device) - torch.repeat_interleave(ends - lengths, lengths)
        rows = self.rows[torch.repeat_interleave(starts, lengths) + within]
        return Bags(rows, torch.cat([ends.new_zeros(1), ends]))


def bags(texts: Sequence[Sequence[int]], device: str) -> Bags:
    """Return sentences that are rows already, on a device."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    rows = np.fromiter((row for text in texts for row in text), np.int64, int(lengths.sum()))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return Bags(torch.tensor(rows, device=device), torch.tensor(offsets, device=device))


def principal_axes(vectors: torch.Tensor, dimensions: int) -> torch.Tensor:
    """Return the axes along which vectors differ most, as columns. They are not centred: a cosine is not, either."""
    _, axes = torch.linalg.eigh((vectors.T @ vectors).double())
    return axes.flip(1)[:, :dimensions].float()


def token_weights(texts: Bags, size: int) -> torch.Tensor:
    """Return the weight of each token, from 0 to 1."""
    sentence = torch.repeat_interleave(torch.arange(texts.size, device=texts.rows.device), texts.offsets.diff())
    distinct = torch.unique(texts.rows * texts.size + sentence) // texts.size
    shares = torch.bincount(distinct, minlength=size).float() / texts.size
    return _FREQUENCY_CONSTANT / (_FREQUENCY_CONSTANT + shares)


def closed_form(texts: Bags, targets: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    """Return one row for each token. `targets` are the teacher's vectors in as many dimensions as rows shall have."""
    weights = token_weights(texts, len(features))
    totals = texts.sums(weights[:, None]).clamp_min(_SMALLEST_NORM)
    means = texts.sums(features * weights[:, None]) / totals
    gram = means.T @ means
    ridge = _RIDGE * gram.diagonal().mean() * torch.eye(len(gram), device=gram.device)
    mapped = features @ torch.linalg.solve(gram + ridge, means.T @ targets)
    left = targets - texts.sums(mapped * weights[:, None]) / totals
    return (mapped + _residual(texts, left, weights, totals)) * weights[:, None]


def _residual(texts: Bags, left: torch.Tensor, weights: torch.Tensor, totals: torch.Tensor) -> torch.Tensor:
    """Return what added to the rows brings sentences nearest to what is left, by conjugate gradient."""
    sentence = torch.repeat_interleave(torch.arange(texts.size, device=left.device), texts.offsets.diff())
    share = weights[texts.rows] / totals[sentence, 0]

    def scatter(values: torch.Tensor) -> torch.Tensor:
        found = torch.zeros(len(weights), values.shape[1], device=left.device)
        for part in torch.arange(len(sentence), device=left.device).split(1 << 22):
            found.index_add_(0, texts.rows[part], values[sentence[part]] * share[part, None])
        return found

    def apply(rows: torch.Tensor) -> torch.Tensor:
        return scatter(texts.sums(rows * weights[:, None]) / totals) + _RESIDUAL_RIDGE * rows

    solution = torch.zeros(len(weights), left.shape[1], device=left.device)
    rest = scatter(left)
    direction, size = rest.clone(), (rest * rest).sum()
    for _ in range(_CG_STEPS):
        applied = apply(direction)
        step = size / (direction * applied).sum()
        solution += step * direction
        rest -= step * applied
        new = (rest * rest).sum()
        direction, size = rest + (new / size) * direction, new
    return solution


class Recipe(NamedTuple):
    """How rows are trained by gradients."""

    dimensions: int = 128
    epochs: float = 0.0  # none: closed form alone
    batch: int = 4096
    rate: float = 2e-3
    nearness: float = 1.0  # weight of the loss over ranks in the batch
    square: float = 0.0  # weight of the squared difference of cosines in the batch
    temperature: float = 0.05
    dropout: float = 0.0  # share of tokens that are left out at each step
    decay: float = 0.0  # pull towards the closed form
    share: float = 1.0  # of the sentences


def by_gradients(
    start: torch.Tensor,
    texts: Bags,
    targets: torch.Tensor,
    vectors: torch.Tensor,
    recipe: Recipe,
    *,
    report: Callable[[int, float], None],
) -> torch.Tensor:
    """Return rows that were trained from others. `vectors` are the teacher's in all dimensions, `targets` in ours."""
    # One scale for all, so that a step means the same whatever the closed form's rows are like.
    scale = start.norm(dim=1).mean()
    table = torch.nn.Parameter(start / scale)
    origin = table.detach().clone()
    optimizer = torch.optim.Adam([table], lr=recipe.rate, betas=(0.9, 0.98))
    steps = max(1, int(recipe.epochs * texts.size / recipe.batch))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.rate, total_steps=steps, pct_start=0.05)
    goals = functional.normalize(targets, dim=1)
    places = torch.randperm(texts.size, device=start.device)
    at = 0
    for number in range(steps):
        if at + recipe.batch > texts.size:
            places, at = torch.randperm(texts.size, device=start.device), 0
        chosen = places[at : at + recipe.batch]
        at += recipe.batch
        rows = texts.choose(chosen)
        kept = _with_dropout(table, rows, recipe.dropout)
        sums = functional.normalize(kept, dim=1)
        loss = (1 - (sums * goals[chosen]).sum(1)).mean()
        ours, theirs = sums @ sums.T, vectors[chosen] @ vectors[chosen].T
        if recipe.nearness:
            loss = loss + recipe.nearness * _rank_loss(ours, theirs, recipe.temperature)
        if recipe.square:
            loss = loss + recipe.square * (ours - theirs).square().mean()
        if recipe.decay:
            loss = loss + recipe.decay * (table - origin).square().sum(1).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
        if number % 200 == 0 or number == steps - 1:
            report(number, float(loss.detach()))
    return table.detach() * scale


def _with_dropout(table: torch.Tensor, texts: Bags, dropout: float) -> torch.Tensor:
    if not dropout:
        return texts.sums(table)
    kept = (torch.rand(len(texts.rows), device=table.device) >= dropout).float()
    return functional.embedding_bag(texts.rows, table, texts.offsets[:-1], mode="sum", per_sample_weights=kept)


def _rank_loss(ours: torch.Tensor, theirs: torch.Tensor, temperature: float) -> torch.Tensor:
    """Return how far our softened ranks of the batch are from the teacher's, for each of its sentences."""
    itself = torch.eye(len(ours), dtype=torch.bool, device=ours.device)
    wanted = functional.softmax((theirs / temperature).masked_fill(itself, -1e4), dim=1)
    given = functional.log_softmax((ours / temperature).masked_fill(itself, -1e4), dim=1)
    return functional.kl_div(given, wanted, reduction="batchmean")


def rotated(table: torch.Tensor, seed: int) -> torch.Tensor:
    """Return rows in a random orthogonal basis: cosines stay, and components have one size, as bytes and signs want."""
    generator = torch.Generator().manual_seed(seed)
    basis, _ = torch.linalg.qr(torch.randn(table.shape[1], table.shape[1], generator=generator, dtype=torch.float64))
    return table @ basis.float().to(table.device)


def as_numpy(values: torch.Tensor) -> NDArray[np.float32]:
    """Return values on this side."""
    array: NDArray[np.float32] = values.detach().float().cpu().numpy()
    return array
