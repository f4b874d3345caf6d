"""How likely a pair is a fix worth remembering: a logistic regression over its features, scored in plain Python.

`weights.json` is written by `python -m bench.train_fixes`, which also chooses the threshold.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

from tacit.learn import load_data
from tacit.record import Record


class Ranker(Record):
    """`candidate` is the score from which a pair is a candidate."""

    weights: Mapping[str, float]
    candidate: float

    def score(self, features: Mapping[str, float]) -> float:
        """Return the probability, 0 to 1. Unknown features count nothing."""
        total = sum(value * self.weights.get(name, 0.0) for name, value in features.items())
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


@cache
def load_ranker() -> Ranker:
    """Return the ranker that comes with Tacit."""
    data = load_data("fixes/weights.json")
    return Ranker(data["weights"], data["candidate"])
