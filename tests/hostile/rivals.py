"""Repeats of a pattern that can take the same text one after the other: told from its structure, without a clock.

`\\s*\\n(.*)\\n\\s*` is slow in the third power of a run of line breaks although no repeat stands in another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

_MANY = 300  # a repeat that may take more than this is as good as without end
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT)
_SIGNS = frozenset(map(chr, (*range(0x250), 0x2014, 0x201C, 0x3042, 0x65E5, 0xAC00, 0x1F600)))
_CATEGORIES = {
    op.CATEGORY_DIGIT: frozenset(sign for sign in _SIGNS if sign.isdigit()),
    op.CATEGORY_SPACE: frozenset(sign for sign in _SIGNS if sign.isspace()),
    op.CATEGORY_WORD: frozenset(sign for sign in _SIGNS if sign.isalnum() or sign == "_"),
}
_OTHERS = {op.CATEGORY_NOT_DIGIT: op.CATEGORY_DIGIT, op.CATEGORY_NOT_SPACE: op.CATEGORY_SPACE}
_CATEGORIES |= {other: _SIGNS - _CATEGORIES[one] for other, one in _OTHERS.items()}
_CATEGORIES[op.CATEGORY_NOT_WORD] = _SIGNS - _CATEGORIES[op.CATEGORY_WORD]

Signs = frozenset[str]


class _Walk(NamedTuple):
    """The endless repeats that may still be taking text here, and the pairs that were found."""

    going: frozenset[Signs] = frozenset()
    rivals: int = 0


def rivals(pattern: re.Pattern[str]) -> int:
    """How many endless repeats of this pattern can go on where another one still goes on."""
    dots = _SIGNS if pattern.flags & re.DOTALL else _SIGNS - {"\n"}
    return _along(parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE), _Walk(), dots).rivals


def _along(tree: Iterable[Any], walk: _Walk, dots: Signs) -> _Walk:
    for code, argument in tree:
        walk = _past(code, argument, walk, dots)
    return walk


def _past(code: Any, argument: Any, walk: _Walk, dots: Signs) -> _Walk:
    if code in _REPEATS:
        return _repeated(argument, walk, dots)
    if code == op.SUBPATTERN:
        return _along(argument[3], walk, dots)
    if code == op.BRANCH:
        ways = [_along(way, _Walk(walk.going), dots) for way in argument[1]]
        return _Walk(frozenset().union(*(way.going for way in ways)), walk.rivals + sum(way.rivals for way in ways))
    if code in (op.AT, op.ASSERT, op.ASSERT_NOT):
        return walk
    taken = _signs(code, argument, dots)
    return walk._replace(going=frozenset(one for one in walk.going if one & taken))


def _repeated(argument: Any, walk: _Walk, dots: Signs) -> _Walk:
    least, most, inner = argument
    once = _along(inner, walk, dots)
    passed = once._replace(going=once.going | walk.going) if least == 0 else once
    if most <= _MANY:
        return passed
    taken = _all_signs(inner, dots)
    found = sum(1 for one in walk.going if one & taken)
    return _Walk(passed.going | {taken}, passed.rivals + found)


def _all_signs(tree: Iterable[Any], dots: Signs) -> Signs:
    """Everything that a part of a pattern can take."""
    found: Signs = frozenset()
    for code, argument in tree:
        if code in _REPEATS:
            found |= _all_signs(argument[2], dots)
        elif code == op.SUBPATTERN:
            found |= _all_signs(argument[3], dots)
        elif code == op.BRANCH:
            found = found.union(*(_all_signs(way, dots) for way in argument[1]))
        else:
            found |= _signs(code, argument, dots)
    return found


def _signs(code: Any, argument: Any, dots: Signs) -> Signs:
    if code == op.ANY:
        return dots
    if code == op.LITERAL:
        return frozenset({chr(argument), chr(argument).lower(), chr(argument).upper()})
    if code == op.NOT_LITERAL:
        return _SIGNS - {chr(argument)}
    return _of_class(argument) if code == op.IN else frozenset()


def _of_class(members: Iterable[Any]) -> Signs:
    found: Signs = frozenset()
    is_other = False
    for kind, value in members:
        if kind == op.NEGATE:
            is_other = True
        elif kind == op.LITERAL:
            found |= {chr(value)}
        elif kind == op.RANGE:
            found |= {sign for sign in _SIGNS if value[0] <= ord(sign) <= value[1]}
        elif kind == op.CATEGORY:
            found |= _CATEGORIES[value]
    return _SIGNS - found if is_other else found
