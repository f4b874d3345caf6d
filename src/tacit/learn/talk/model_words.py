"""What the words of a model must be like, whatever they are about: a whole thought, plain, and no names made up."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.core.text import fold, show, words

_FEWEST_WORDS = 5  # C4: a complete thought
_META = re.compile(r"(?:let me|let's|now|first|next|i will|i'll|i am|i'm|we are going to)\b")
_TAG = re.compile(r"[<＜]\s{0,3}/?\s{0,3}\w|```|\]\(|https?://\S{1,300}$")
# What names have that nobody makes up while saying something in other words: paths, files, versions, identifiers.
_SIGNS = frozenset("/_~$@\\.:0123456789")
_QUOTES = "`'\"‘’“”«»()[],;:!?…"


def is_thought(text: str, longest: int) -> bool:
    """C4: whole, of a length to remember, about a matter and not about the talk, and no markup."""
    long_enough = len(text.split()) >= _FEWEST_WORDS or (not text.isascii() and len(words(text)) >= 9)
    plain = show(text) == text and not _TAG.search(text)
    return long_enough and len(text) <= longest and plain and not _META.match(fold(text)) and text[-1] != "?"


def names(text: str) -> Iterator[str]:
    """Words that look like no word of a language; flags too."""
    for word in text.split():
        bare = word.strip(_QUOTES).rstrip(".")
        if bare.startswith("-") or not _SIGNS.isdisjoint(bare):
            yield bare
