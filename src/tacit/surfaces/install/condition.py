"""In which condition Tacit is in a shell or an agent: up to date, started from a place that is gone, without the guard
that keeps a missing program from stopping the host, or turned off."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress

from tacit.core.errors import TacitError
from tacit.record import Record
from tacit.surfaces.install.json_part import OURS
from tacit.surfaces.install.receipt import kept
from tacit.surfaces.install.registered import GUARD
from tacit.surfaces.install.target import Place, Target

_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_TESTED = re.compile(r"^if (?:\[|test) -x (.+?)(?: \];.*)?$", re.MULTILINE)
_AROUND = 6  # literals before and behind the file of a hook, or the verb of a server, that belong to the same command


class Condition(Record):
    """A target that has Tacit in it. `gone` are files that it starts or works on and that are no longer there;
    `problem` says why nothing else can be told. Without `is_guarded`, a host takes a missing program for a refusal."""

    name: str
    path: str
    is_agent: bool
    is_current: bool = True
    gone: tuple[str, ...] = ()
    doubt: str = ""
    problem: str = ""
    hint: str = ""
    is_guarded: bool = True

    @property
    def is_stale(self) -> bool:
        """Whether it has to be installed again. Another installation that is there may be meant."""
        return not self.problem and (bool(self.gone) or not self.is_guarded)


def condition(target: Target, place: Place) -> Condition | None:
    """Nothing where Tacit is not installed. What cannot be read is told only where it was put in from this home."""
    try:
        ours = [change for change in target.removed(place) if change.is_needed]
        if not ours:
            return None
        is_current = not any(change.is_needed for change in target.installed(place))
    except (TacitError, OSError) as error:
        return _unreadable(target, place, error)
    texts = [(change.before or b"").decode("utf-8", "surrogateescape") for change in ours]
    named = sorted({word for text in texts for word in _named(text)})
    return Condition(
        target.name,
        ours[0].path,
        target.is_agent,
        is_current,
        gone=tuple(word for word in named if not os.path.exists(word)),
        doubt=target.doubt(place),
        is_guarded=all(GUARD in words for text in texts for words, _ in _hooks(text) if len(words) > 1),
    )


def _unreadable(target: Target, place: Place, error: TacitError | OSError) -> Condition | None:
    path = next(iter(kept(place.home, target.name)), "")
    hint = error.hint if isinstance(error, TacitError) else ""
    return Condition(target.name, path, target.is_agent, problem=str(error), hint=hint) if path else None


def _named(text: str) -> Iterator[str]:
    """The programs, files and homes that our entries or lines name."""
    literals = _literals(text)
    for words, at in _hooks(text):
        command = (words, _at_file(words)) if len(words) > 1 else (literals, at)
        yield from _of_hook(*command)
    yield from _of_servers(literals)
    if "# >>> tacit install " in text:
        block = text.partition("# >>> tacit install ")[2].partition("# <<< tacit install ")[0]
        yield from (word for line in _TESTED.findall(block) for word in _words(line))


def _hooks(text: str) -> Iterator[tuple[list[str], int]]:
    """The words of each literal that names the file of our hooks, and where it is among the literals.

    A hook is one literal with a whole command, or a list of literals, each a word of it.
    """
    for at, literal in enumerate(_literals(text)):
        if OURS in literal:
            yield ([literal] if literal.endswith(OURS) and os.path.isabs(literal) else _words(literal)), at


def _at_file(words: list[str]) -> int:
    return next((at for at, word in enumerate(words) if word.endswith(OURS)), 0)


def _of_hook(words: list[str], at: int) -> Iterator[str]:
    """The interpreter, which stands before its options and the file; the file; and the home, if one is named."""
    first = next((word for word in reversed(words[max(at - _AROUND, 0) : at]) if not word.startswith("-")), "")
    behind = words[at + 1 : at + _AROUND]
    home = [behind[nth + 1] for nth, word in enumerate(behind[:-1]) if word == "--home"]
    yield from (word for word in (first, *words[at : at + 1], *home) if os.path.isabs(word))


def _of_servers(literals: list[str]) -> Iterator[str]:
    """The program of an MCP server of ours."""
    for at, literal in enumerate(literals):
        before = literals[max(at - _AROUND, 0) : at]
        programs = [nth for nth, word in enumerate(before) if os.path.isabs(word)] if literal == "mcp" else []
        if programs and any("tacit" in word for word in before[programs[-1] :]):
            yield before[programs[-1]]


def _literals(text: str) -> list[str]:
    return [string for literal in _LITERAL.findall(text) if (string := _string(literal))]


def _string(literal: str) -> str:
    with suppress(ValueError):
        return str(json.loads(literal))
    return ""


def _words(line: str) -> list[str]:
    with suppress(ValueError):
        return shlex.split(line)
    return []
