"""Which keywords a text holds. Asked of every text before anything else, so it has to be cheap.

For the few texts of a short command the keywords are sorted by their first three signs, for that needs little
preparation. Whoever asks for more has all keywords made into expressions, and what they said of a word is kept: most
words come again and again. All ways answer the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

PATIENCE = 32_768  # so many characters are asked for keywords by their first signs before the expression is made
KEPT = 50_000  # words of which the answer is kept
_LONGEST_KEPT = 32
_SHORT = 256
_FIRST = 3  # signs by which keywords are sorted
_BY_USE = "etaoinsrhldcumfpgwybvk"  # the commoner a letter, the sooner it is tried; all others after these
_CAPITALS = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def lowered(text: str) -> str:
    """In lower case, sign for sign in the same place."""
    low = text.lower()
    return low if len(low) == len(text) else text.translate(_CAPITALS)


class Keywords:
    """A fixed set of keywords, none with a blank in it."""

    def __init__(self, keywords: Sequence[str]) -> None:
        self._all = keywords
        self._plain = [keyword for keyword in keywords if keyword.isascii()]
        self._other = [keyword for keyword in keywords if not keyword.isascii()]
        self._others: re.Pattern[str] | None = None
        self._asked = 0
        self._whole: re.Pattern[str] | None = None
        self._brief: list[str] = []  # keywords too short to be sorted
        self._sorted: dict[str, list[str]] = {}
        self._parts: list[tuple[str, re.Pattern[str]]] = []
        self._longer: dict[str, list[str]] = {}
        self._known: dict[str, list[str]] = {}

    def of(self, low: str) -> list[str]:
        """The keywords that a text in lower case holds, in no order."""
        self._asked += len(low)
        if self._asked <= PATIENCE:
            return self.by_first_signs(low)
        return self.in_words(low)

    def in_words(self, low: str) -> list[str]:
        """No keyword has a blank in it, so each stands in a word."""
        found: set[str] = set()
        known, new = self._known, []
        for word in set(low.split()):
            held = known.get(word)
            if held is None:
                new.append(word)
            elif held:
                found.update(held)
        if new:
            found.update(self._learnt(new))
        return list(found)

    def _learnt(self, words: list[str]) -> list[str]:
        found = self.at_once("\n".join(words))
        if len(self._known) > KEPT:
            self._known.clear()
        for word in words:
            if len(word) <= _LONGEST_KEPT:
                self._known[word] = [keyword for keyword in found if keyword in word]
        return found

    def at_once(self, low: str) -> list[str]:
        """What begins at each place; of keywords that begin alike the shortest is told, the others are asked for."""
        if len(low) < _SHORT:
            self._whole = self._whole or re.compile(f"(?=({_ways(_tree(self._plain))}))")
            found = set(self._whole.findall(low))
        else:
            # An expression that begins with one certain sign is read much faster, so that many of them are quicker.
            self._parts = self._parts or [
                (sign, re.compile(f"{re.escape(sign)}(?=({_ways(rest)}))")) for sign, rest in _tree(self._plain).items()
            ]
            found = {sign + rest for sign, expression in self._parts for rest in expression.findall(low)}
        if self._other and not low.isascii():
            self._others = self._others or re.compile(f"(?=({_ways(_tree(self._other))}))")
            found.update(self._others.findall(low))
        return [*found, *{longer for one in found for longer in self._longer_than(one) if longer in low}]

    def by_first_signs(self, low: str) -> list[str]:
        if not self._sorted:
            for keyword in self._all:
                if len(keyword) < _FIRST:
                    self._brief.append(keyword)
                else:
                    self._sorted.setdefault(keyword[:_FIRST], []).append(keyword)
        found = [keyword for keyword in self._brief if keyword in low]
        for first in {low[at : at + _FIRST] for at in range(len(low) - _FIRST + 1)} & self._sorted.keys():
            for keyword in self._sorted[first]:
                if keyword in low:
                    found.append(keyword)
        return found

    def _longer_than(self, one: str) -> list[str]:
        if one not in self._longer:
            self._longer[one] = [other for other in self._all if other != one and other.startswith(one)]
        return self._longer[one]


def _tree(keywords: Sequence[str]) -> dict[str, Any]:
    """The keywords by their first sign, the rest of them by the second, and so on."""
    tree: dict[str, Any] = {}
    for keyword in keywords:
        branch = tree
        for sign in keyword:
            branch = branch.setdefault(sign, {})
        branch[""] = {}
    return tree


def _ways(tree: dict[str, Any]) -> str:
    if "" in tree:
        return ""
    common_first = sorted(tree.items(), key=lambda way: _BY_USE.find(way[0]) % 64)
    ways = [re.escape(sign) + _ways(rest) for sign, rest in common_first]
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"
