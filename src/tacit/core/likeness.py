"""Whether two sentences say the same thing in other words.

Careful rather than clever: what is not plainly the same stays two memories, and a person can merge them. The opposite
of a rule often has the same words, so nothing may differ that could tell two rules apart (see `relation`).
"""

from __future__ import annotations

from tacit.core.profile import profile
from tacit.core.relation import is_same


def is_alike(one: str, other: str) -> bool:
    """Whether the second may count as one more observation of the first, and the other way round."""
    return is_same(profile(one), profile(other))
