"""Every learner of conversations, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.learn.fixes.fold import learnt_from
from tacit.learn.talk.all import learn_from
from tacit.learn.talk.learnt import Learnt, Said


def every_learner(said: Sequence[Said]) -> list[Learnt]:
    """What one session says that should hold on, and what mended what failed in it."""
    return [*learn_from(said), *learnt_from(said)]
