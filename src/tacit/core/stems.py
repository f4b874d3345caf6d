"""Words without their endings: alike enough to compare, no more."""

from __future__ import annotations

from functools import lru_cache

_ENDINGS = ("ingly", "edly", "ings", "ing", "ed", "es", "ly", "s")
_DOUBLED = "bdgmnprt"  # before an ending


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Alike enough to compare: `testing`, `tested` and `tests` are `test`, `committing` is `commit`."""
    if not word.isalpha() or not word.isascii():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            root = word[: -len(ending)]
            return root[:-1] if len(root) > 3 and root[-1] == root[-2] and root[-1] in _DOUBLED else root
    return word.removesuffix("e") if len(word) > 4 else word
