"""Whether a pattern can be made to try for ever, told from its own structure, and inputs that would make it so."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterable, Iterator
from itertools import chain, combinations
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from tests.hostile.source import Found

_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT)
_MANY = 1000  # as good as without end
_FEW = 8  # repeats that are looked at one by one
_CHARS = "".join(map(chr, range(0x250))) + "жд日ー\u2028\U0001f600"
SIZE = 4096
_ENOUGH = 2.0  # seconds
_GENERAL = (
    *(" ", "\n", "a", "0", "aA", "-", "\\", "(", '"', "a b ", "<", "&", "://", "x:y@", "error", ", ", "\t ", "=", "."),
    "日",
)


def nested_repeats(pattern: str, flags: int = 0) -> list[str]:
    """The unbounded repeats in another unbounded repeat that can be left and entered again at the same character.

    Where each character of a text allows one way on alone, as in `"[^"]*"(?:,"[^"]*")*`, there is nothing to try anew.
    """
    return list(_nested(parser.parse(pattern, flags), inside=False))


def _nested(tree: Any, *, inside: bool) -> Iterator[str]:
    for code, argument in tree:
        endless = code in _REPEATS and argument[1] > _MANY
        if endless and inside:
            yield f"{argument}"
        if endless and not inside and _Ways(tree.state).is_one_way(argument[2]):
            continue
        for part in _parts(code, argument):
            yield from _nested(part, inside=inside or endless)


def forbidden_parts(pattern: str) -> list[str]:
    """The possessive quantifiers and atomic groups of a pattern: Python 3.11.0 to 3.11.4 match them wrongly."""
    return list(_forbidden(parser.parse(pattern)))


def _forbidden(tree: Any) -> Iterator[str]:
    for code, argument in tree:
        if code in (op.POSSESSIVE_REPEAT, op.ATOMIC_GROUP):
            yield f"{code} {argument}"
        for part in _parts(code, argument):
            yield from _forbidden(part)


class _Span(NamedTuple):
    """The places of a pattern that a match of a part can begin and end with, and whether the part can match nothing."""

    first: tuple[int, ...]
    last: tuple[int, ...]
    is_optional: bool


class _Ways:
    """The ways from character to character that a repeated pattern allows.

    A place is one set of characters in the pattern. What looks ahead or behind counts as nothing, so that there may be
    fewer ways than are counted here, and never more.
    """

    def __init__(self, state: Any) -> None:
        self._state = state
        self._flags = state.flags
        self._chars: list[frozenset[str]] = []
        self._next: list[list[int]] = []
        self._is_twofold = False

    def is_one_way(self, body: Any) -> bool:
        """Whether no text allows two ways through any number of repeats of this."""
        self._repeated(self._sequence(body))
        return not self._is_twofold and all(
            self._chars[one].isdisjoint(self._chars[other])
            for places in self._next
            for one, other in combinations(places, 2)
        )

    def _sequence(self, tree: Any) -> _Span:
        whole = _Span((), (), True)
        for code, argument in tree:
            whole = self._joined(whole, self._part(code, argument))
        return whole

    def _part(self, code: Any, argument: Any) -> _Span:
        if code == op.SUBPATTERN:
            _, more_flags, _, body = argument
            self._flags |= more_flags
            return self._sequence(body)
        if code == op.BRANCH:
            parts = [self._sequence(part) for part in argument[1]]
            first, last = (tuple(chain.from_iterable(ends)) for ends in zip(*(part[:2] for part in parts), strict=True))
            return _Span(first, last, any(part.is_optional for part in parts))
        if code in _REPEATS:
            return self._repeat(*argument)
        if code in (op.ASSERT, op.ASSERT_NOT, op.AT):
            return _Span((), (), True)
        self._chars.append(self._matched(code, argument))
        self._next.append([])
        place = (len(self._chars) - 1,)
        return _Span(place, place, False)

    def _matched(self, code: Any, argument: Any) -> frozenset[str]:
        """Which of many characters a part of the pattern matches; all if it is no set of characters."""
        if code not in (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY):
            return frozenset(_CHARS)
        one = compiler.compile(parser.SubPattern(self._state, [(code, argument)]), self._flags)
        return frozenset(filter(one.fullmatch, _CHARS))

    def _repeat(self, least: int, most: int, body: Any) -> _Span:
        if most > _FEW:
            return self._repeated(self._sequence(body))._replace(is_optional=least == 0)
        whole = _Span((), (), True)
        for number in range(most):
            part = self._sequence(body)
            whole = self._joined(whole, part._replace(is_optional=part.is_optional or number >= least))
        return whole

    def _repeated(self, body: _Span) -> _Span:
        self._is_twofold |= body.is_optional
        self._link(body.last, body.first)
        return body

    def _joined(self, one: _Span, other: _Span) -> _Span:
        self._link(one.last, other.first)
        return _Span(
            one.first + other.first if one.is_optional else one.first,
            one.last + other.last if other.is_optional else other.last,
            one.is_optional and other.is_optional,
        )

    def _link(self, places: Iterable[int], following: tuple[int, ...]) -> None:
        for place in places:
            self._next[place] += following


def _parts(code: Any, argument: Any) -> list[Any]:
    """The patterns inside a piece of one, whatever sort of piece it is."""
    if isinstance(argument, parser.SubPattern):
        return [argument]
    if isinstance(argument, tuple | list) and code != op.IN:
        return [part for inner in argument for part in _parts(None, inner)]
    return []


# Repeats that can take the same text one after the other: `\s*\n(.*)\n\s*` is slow in the third power of a run of line
# breaks although no repeat stands in another.

_LONG = 300  # a repeat that may take more than this is as good as without end
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
    if most <= _LONG:
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


# Inputs, and how long they take


class Worst(NamedTuple):
    """The longest that a pattern took, and for what."""

    place: str
    seconds: float
    text: str


def worst(found: Found, examples: Iterable[str] = ()) -> Worst:
    """The slowest of the inputs that were made for a pattern, 4 KiB each; the best of three runs counts."""
    compiled = re.compile(found.text, found.flags)
    slowest = Worst(found.place, 0.0, "")
    for text in chain(pumped(found.text), _repeated_examples(examples)):
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


def _repeated_examples(examples: Iterable[str]) -> Iterator[str]:
    """What a pattern is for over and over, and almost that."""
    for example in examples:
        plain = example.lower().rstrip(".!")
        words = plain.split()
        for piece in (plain, f"{plain}. ", f"{plain}, ", plain[:-1], " ".join(words[:-1]), " ".join(words[1:]), *words):
            yield (f"{piece} " * SIZE)[:SIZE]
            yield (piece * SIZE)[: SIZE - 1] + "\0"


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
