"""What is tried: how many dimensions, which further tokens, closed form or gradients. A table holds 8 MB at most."""

from __future__ import annotations

from typing import NamedTuple

from bench.training.fit import Recipe


class Variant(NamedTuple):
    """A table to fit: its recipe, and how many further tokens there are of each language."""

    name: str
    recipe: Recipe
    rows: dict[str, int]
    small: bool = False  # only if it is named


_NONE: dict[str, int] = {}
_ENGLISH = {"en": 2_000}
_SOME = {"en": 1_000, "de": 1_800, "fr": 1_600, "es": 1_600, "ru": 1_900, "zh": 1_700, "ja": 1_700}
_MANY = {"en": 3_000, "de": 4_700, "fr": 3_600, "es": 3_600, "ru": 5_000, "zh": 4_300, "ja": 4_300}
_RANKS = Recipe(epochs=20)

VARIANTS = (
    Variant("ranks-128", _RANKS._replace(dimensions=128), _MANY),
    Variant("closed-256", Recipe(256), _NONE),
    Variant("ranks-192", _RANKS._replace(dimensions=192), _SOME),
    Variant("ranks-256", _RANKS._replace(dimensions=256), _NONE),
    Variant("dropout-192", _RANKS._replace(dimensions=192, dropout=0.1), _SOME),
    Variant("warm-192", _RANKS._replace(dimensions=192, temperature=0.1), _SOME),
    Variant("both-192", _RANKS._replace(dimensions=192, square=20.0), _SOME),
    Variant("square-192", _RANKS._replace(dimensions=192, nearness=0.0, square=20.0), _SOME),
    Variant("decay-192", _RANKS._replace(dimensions=192, decay=0.01), _SOME),
    Variant("half-192", _RANKS._replace(dimensions=192, share=0.5, epochs=40), _SOME),
    Variant("dropout-128", _RANKS._replace(dimensions=128, dropout=0.1), _MANY),
    Variant("longer-192", _RANKS._replace(dimensions=192, epochs=60), _SOME),
    Variant("english-192", _RANKS._replace(dimensions=192), _ENGLISH),
    # Small enough for a CPU.
    Variant("small-128", Recipe(128, epochs=4, batch=512, rate=3e-3), _SOME, small=True),
    Variant("small-closed-192", Recipe(192), _SOME, small=True),
)
