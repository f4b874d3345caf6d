"""Whether a pattern can be made to try for ever, told from its own structure, and inputs that would make it so."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterator
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from tests.hostile.source import Found

_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT)
_MANY = 1000  # as good as without end
SIZE = 4096
_ENOUGH = 2.0  # seconds
_GENERAL = (
    " ",
    "\n",
    "a",
    "0",
    "aA",
    "-",
    "\\",
    "(",
    '"',
    "a b ",
    "<",
    "&",
    "://",
    "x:y@",
    "error",
    ", ",
    "\t ",
    "=",
    ".",
    "日",
)


def nested_repeats(pattern: str) -> list[str]:
    """The unbounded repeats of this pattern that stand in another unbounded repeat."""
    return list(_nested(parser.parse(pattern), inside=False))


def _nested(tree: Any, *, inside: bool) -> Iterator[str]:
    for code, argument in tree:
        endless = code in _REPEATS and argument[1] > _MANY
        if endless and inside:
            yield f"{argument}"
        for part in _parts(code, argument):
            yield from _nested(part, inside=inside or endless)


def _parts(code: Any, argument: Any) -> list[Any]:
    """The patterns inside a piece of one, whatever sort of piece it is."""
    if isinstance(argument, parser.SubPattern):
        return [argument]
    if isinstance(argument, tuple | list) and code != op.IN:
        return [part for inner in argument for part in _parts(None, inner)]
    return []


class Worst(NamedTuple):
    """The longest that a pattern took, and for what."""

    place: str
    seconds: float
    text: str


def worst(found: Found) -> Worst:
    """The slowest of the inputs that were made for a pattern, 4 KiB each; the best of three runs counts."""
    compiled = re.compile(found.text, found.flags)
    slowest = Worst(found.place, 0.0, "")
    for text in pumped(found.text):
        took = _timed(compiled, found.methods, text)
        if took > slowest.seconds:
            took = min(took, *(_timed(compiled, found.methods, text) for _ in range(2 if took < _ENOUGH else 1)))
            slowest = max(slowest, Worst(found.place, took, text), key=lambda one: one.seconds)
        if took >= _ENOUGH:
            break
    return slowest


def _timed(pattern: re.Pattern[str], methods: frozenset[str], text: str) -> float:
    """Seconds of the processor; whoever needs too many is stopped."""
    began = time.process_time()
    before = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, _ENOUGH)
    try:
        for method in methods:
            if method in ("sub", "subn"):
                pattern.sub("", text)
            else:  # what is no method of a pattern is asked of what it gave
                getattr(pattern, "findall" if method == "finditer" else method, pattern.search)(text)
    except _Stopped:
        return _ENOUGH
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return time.process_time() - began


class _Stopped(Exception):
    pass


def _stop(*_: object) -> None:
    raise _Stopped


def pumped(pattern: str) -> Iterator[str]:
    """Texts in which each repeat of the pattern runs long and what should follow never comes."""
    pieces = {piece for piece in (*_GENERAL, *_samples(parser.parse(pattern))) if piece}
    whole = _sample(parser.parse(pattern))
    for piece in sorted(pieces):
        run = (piece * SIZE)[: SIZE - 1]
        yield run + "\0"
        yield (whole + run)[: SIZE - 1] + "\0"
        yield (whole[: len(whole) // 2] + run)[: SIZE - 1] + "\0"


def _samples(tree: Any) -> Iterator[str]:
    """What each part of the pattern could match."""
    yield _sample(tree)
    for code, argument in tree:
        for part in _parts(code, argument):
            yield from _samples(part)


def _sample(tree: Any) -> str:
    """Something this pattern could match, each repeat taken twice at most."""
    found = ""
    for code, argument in tree:
        if code == op.LITERAL:
            found += chr(argument)
        elif code in (op.IN, op.NOT_LITERAL, op.ANY):
            found += _member(code, argument)
        elif code == op.BRANCH:
            found += _sample(argument[1][0])
        elif code in _REPEATS:
            found += _sample(argument[2]) * min(max(argument[0], 1), 40)
        elif code == op.SUBPATTERN:
            found += _sample(argument[3])
        elif code == op.ASSERT and argument[0] > 0:
            found += _sample(argument[1])  # what is looked for ahead has to stand there
    return found


def _member(code: Any, argument: Any) -> str:
    if code == op.IN:
        for kind, value in argument:
            if kind == op.LITERAL:
                return chr(value)
            if kind == op.RANGE:
                return chr(value[0])
            if kind == op.CATEGORY:
                return {op.CATEGORY_DIGIT: "0", op.CATEGORY_SPACE: " "}.get(value, "a")
    return "a" if argument != ord("a") else "b"
