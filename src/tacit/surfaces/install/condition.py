"""In which condition Tacit stands in a shell or an agent: up to date, started from a place that is gone, turned off."""

import json
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from tacit.core.errors import TacitError
from tacit.surfaces.install.change import Change
from tacit.surfaces.install.json_part import OURS
from tacit.surfaces.install.receipt import kept
from tacit.surfaces.install.target import Place, Target

_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_TESTED = re.compile(r"^if (?:\[|test) -x (.+?)(?: \];.*)?$", re.MULTILINE)
_BARE = ["-I", "-S"]  # how hooks start the interpreter


class Condition(NamedTuple):
    """A target that has Tacit in it. `gone` are files that it starts and that are no longer there; `problem` says why
    nothing else can be told."""

    name: str
    path: str
    is_agent: bool
    is_current: bool = True
    gone: tuple[str, ...] = ()
    doubt: str = ""
    problem: str = ""
    hint: str = ""


def condition(target: Target, place: Place) -> Condition | None:
    """Nothing where Tacit is not installed. What cannot be read is told only where it was put in from this home."""
    try:
        ours = [change for change in target.removed(place) if change.is_needed]
        if not ours:
            return None
        is_current = not any(change.is_needed for change in target.installed(place))
    except (TacitError, OSError) as error:
        return _unreadable(target, place, error)
    named = sorted({word for change in ours for word in _started(change)})
    gone = tuple(word for word in named if not os.path.exists(word))
    return Condition(target.name, ours[0].path, target.is_agent, is_current, gone, target.doubt(place))


def _unreadable(target: Target, place: Place, error: TacitError | OSError) -> Condition | None:
    path = next(iter(kept(place.home, target.name)), "")
    hint = error.hint if isinstance(error, TacitError) else ""
    return Condition(target.name, path, target.is_agent, problem=str(error), hint=hint) if path else None


def _started(change: Change) -> Iterator[str]:
    """The programs and files that our entries or lines name."""
    text = (change.before or b"").decode("utf-8", "surrogateescape")
    yield from _by_hooks(text)
    if "# >>> tacit install " in text:
        block = text.partition("# >>> tacit install ")[2].partition("# <<< tacit install ")[0]
        yield from (word for line in _TESTED.findall(block) for word in _words(line))


def _by_hooks(text: str) -> Iterator[str]:
    """A hook is one string, or a list of strings."""
    strings = [string for literal in _LITERAL.findall(text) if (string := _string(literal))]
    for at, string in enumerate(strings):
        if OURS not in string:
            continue
        words = _words(string) if f" {shlex.join(_BARE)} " in string else strings[max(at - 3, 0) : at + 1]
        if words[1:3] == _BARE:
            yield from (words[0], words[3])


def _string(literal: str) -> str:
    with suppress(ValueError):
        return str(json.loads(literal))
    return ""


def _words(line: str) -> list[str]:
    with suppress(ValueError):
        return shlex.split(line)
    return []
