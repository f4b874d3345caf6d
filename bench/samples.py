"""Samples drawn from a regular expression: each choice by lot, so that entropy is that of the real thing.

Formats are published in Go's spelling; what Python spells otherwise is rewritten first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

_MORE = 40  # repeats beyond the least, where the expression sets no bound
_PRINTABLE = [chr(code) for code in range(33, 127)]
_CLASSES = {
    "alnum": "A-Za-z0-9", "alpha": "A-Za-z", "digit": "0-9", "xdigit": "0-9A-Fa-f", "lower": "a-z",
    "upper": "A-Z", "space": r"\s", "word": r"\w",
}  # fmt: skip
_CATEGORIES = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_WORD": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_",
    "CATEGORY_SPACE": "  \t\n",
}


def in_python(expression: str) -> str:
    """Go's spelling of an expression in Python's."""
    expression = re.sub(r"\[:(\w+):\]", lambda name: _CLASSES[name[1]], expression).replace(r"\z", r"\Z")
    if "(?i)" in expression[4:]:  # in the middle it holds for the rest of its group; drawing ignores case anyway
        expression = expression[:4] + expression[4:].replace("(?i)", "")
    return expression


def sample(expression: str, random: Random) -> str:
    """One text that the expression matches, but for its assertions."""
    return Drawing(random).of(_parser.parse(in_python(expression)))


class Drawing:
    """Draws a text from a parsed expression."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._groups: dict[int, str] = {}

    def of(self, parsed: Any) -> str:
        return "".join(self._one(str(code), argument) for code, argument in parsed)

    def _one(self, code: str, argument: Any) -> str:
        draw: Callable[[Any], str] = getattr(self, f"_{code.lower()}", self._nothing)
        return draw(argument)

    def _nothing(self, _: Any) -> str:
        return ""

    def _literal(self, argument: int) -> str:
        return chr(argument)

    def _not_literal(self, argument: int) -> str:
        return self._random.choice([sign for sign in _PRINTABLE if sign != chr(argument)])

    def _any(self, _: Any) -> str:
        return self._random.choice(_PRINTABLE + [" "] * 10)

    def _in(self, members: Any) -> str:
        if str(members[0][0]) == "NEGATE":
            taken = set(self._members(members[1:]))
            return self._random.choice([sign for sign in _PRINTABLE if sign not in taken])
        return self._random.choice(self._members(members))

    def _members(self, members: Any) -> list[str]:
        signs: list[str] = []
        for code, argument in members:
            if code is codes.LITERAL:
                signs.append(chr(argument))
            elif code is codes.RANGE:
                signs += map(chr, range(argument[0], argument[1] + 1))
            else:
                signs += _CATEGORIES.get(str(argument), _PRINTABLE)
        return signs

    def _max_repeat(self, argument: Any) -> str:
        least, most, inner = argument
        most = min(most, least + _MORE)
        return "".join(self.of(inner) for _ in range(self._random.randint(least, most)))

    _min_repeat = _possessive_repeat = _max_repeat

    def _subpattern(self, argument: Any) -> str:
        group, _, _, inner = argument
        drawn = self.of(inner)
        if group is not None:
            self._groups[group] = drawn
        return drawn

    def _atomic_group(self, argument: Any) -> str:
        return self.of(argument)

    def _groupref(self, group: int) -> str:
        return self._groups.get(group, "")

    def _branch(self, argument: Any) -> str:
        return self.of(self._random.choice(argument[1]))
