"""Whether two sentences say the same thing in other words: most of what they are about, and both for or both against.

Careful rather than clever: what is not plainly the same stays two memories, and a person can merge them.
"""

from __future__ import annotations

import re

from tacit.core.stems import stem
from tacit.core.text import STOP_WORDS, words

_ALIKE, _ALIKE_BUT_ONE = 0.7, 0.85  # of all that either is about
_FEWEST = 2
_AGAINST = frozenset(
    "never not no don't dont doesn't avoid stop without cannot can't mustn't shouldn't isn't aren't".split()
)
_RATHER = re.compile(r"\b(?:instead of|rather than|in place of|over)\b", re.IGNORECASE)
# What a rule is told with, and not what it is about.
_TOLD_WITH = frozenset(
    "please should must need needs want wants prefer prefers instead always ensure make sure remember note rather "
    "than only again when whenever before after every each let's lets also now".split()
)


def is_alike(one: str, other: str) -> bool:
    first, second = subjects(one), subjects(other)
    if len(first) < _FEWEST or len(second) < _FEWEST or is_against(one) != is_against(other):
        return False
    # Where both are about something that the other is not, one thing stands in the place of another.
    least = _ALIKE if first <= second or second <= first else _ALIKE_BUT_ONE
    return len(first & second) / len(first | second) >= least and _chosen(one) == _chosen(other)


def _chosen(sentence: str) -> frozenset[str]:
    """Of "A instead of B", what A is about: with A and B swapped it is the opposite, in the same words."""
    parts = _RATHER.split(sentence, maxsplit=1)
    return subjects(parts[0]) if len(parts) > 1 else frozenset()


def subjects(sentence: str) -> frozenset[str]:
    """The roots of the words it is about."""
    left_out = STOP_WORDS | _TOLD_WITH | _AGAINST
    return frozenset(stem(word) for word in words(sentence) if word not in left_out and len(word) > 1)


def is_against(sentence: str) -> bool:
    return any(word in _AGAINST for word in words(sentence))
