"""Placeholders in the steps of a workflow: `git commit -m {?message}` asks for a message when it is run.

A value is always one word of the step, or part of one: it is written so that no shell reads syntax in it. Where quoting
alone cannot promise that (inside `"$(…)"`, backquotes, heredocs, arithmetic), the step is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from tacit.core.errors import Refused, WrongUse
from tacit.record import Record

_NAME = r"[a-z][a-z0-9_]{0,31}"
_PLACEHOLDER = re.compile(r"\{\?(" + _NAME + r")\}")
_LONGEST = 2000  # characters of a value
_BARE = re.compile(r"[A-Za-z0-9_@%+:,./-]+")


class _Place(Record):
    """A placeholder in a step: from where to where, its name, and the quotation mark it stands behind, if any."""

    start: int
    stop: int
    name: str
    quote: str


def placeholder(name: str) -> str:
    return f"{{?{name}}}"


def names_in(steps: Iterable[str]) -> list[str]:
    """The names of all placeholders, each once, in the order in which they are needed."""
    return list(dict.fromkeys(found[1] for step in steps for found in _PLACEHOLDER.finditer(step)))


def checked_value(name: str, value: str) -> str:
    """A value that can stand in a command. Raises WrongUse for one that cannot."""
    if len(value) > _LONGEST or not value.isprintable():
        raise WrongUse(
            f"the value of {name} has a line break, a control character or more than {_LONGEST:,} characters",
            f"give one line of text: --set {name}=VALUE",
        )
    return value


def filled(step: str, values: Mapping[str, str], shell: str) -> str:
    """The step with its placeholders replaced. `shell` is sh, bash, zsh or fish.

    Raises Refused where a placeholder stands in a place in which no quoting is safe, KeyError for a missing value.
    """
    return _replaced(step, shell, lambda place: _written(values[place.name], place.quote, shell))


def parametrised(step: str, names: Sequence[str], shell: str) -> str:
    """The step with its placeholders replaced by the positional parameters of these names. Raises as `filled` does."""

    def parameter(place: _Place) -> str:
        number = names.index(place.name) + 1
        value = f"$argv[{number}]" if shell == "fish" else f"${{{number}}}"
        return {'"': value, "'": f"'\"{value}\"'"}.get(place.quote, f'"{value}"')

    return _replaced(step, shell, parameter)


def _replaced(step: str, shell: str, written: Callable[[_Place], str]) -> str:
    pieces: list[str] = []
    end = 0
    for place in _placed(step, shell):
        pieces += (step[end : place.start], written(place))
        end = place.stop
    return "".join([*pieces, step[end:]])


def can_be_filled(step: str) -> bool:
    """Whether the placeholders of a step stand where every shell can be given a value."""
    try:
        return all(list(_placed(step, shell)) is not None for shell in ("sh", "fish"))
    except Refused:
        return False


def _written(value: str, quote: str, shell: str) -> str:
    """A value behind this quotation mark, or outside of any."""
    special = '\\"$' if shell == "fish" else '\\"$`'
    escaped = "".join(f"\\{sign}" if sign in special else sign for sign in value)
    match quote:
        case '"':
            return escaped
        case "'":
            return f"'\"{escaped}\"'"
    return value if _BARE.fullmatch(value) else f'"{escaped}"'


def _placed(step: str, shell: str) -> Iterator[_Place]:
    """The placeholders of a step in order."""
    if not _PLACEHOLDER.search(step):
        return
    at, quote = 0, ""
    while at < len(step):
        sign, ahead = step[at], step[at : at + 2]
        if found := _PLACEHOLDER.match(step, at):
            yield _Place(at, found.end(), found[1], quote)
            at = found.end()
            continue
        if sign == "\\" and (quote != "'" or shell == "fish"):
            at += 2
            continue
        if sign == quote:
            quote = ""
        elif sign in "'\"" and not quote:
            quote = sign
        elif quote != "'" and _is_unsafe(step, at, ahead, quote):
            raise Refused(
                "a placeholder cannot be filled safely in a step with backquotes, a heredoc, a comment, arithmetic, "
                "$'…', or \"$(…)\" in quotes",
                "put that part into a script and call it in the step: tacit workflow edit NAME",
            )
        at += 1
    if quote:
        raise Refused("a quotation mark in a step with a placeholder is not closed", "tacit workflow edit NAME")


def _is_unsafe(step: str, at: int, ahead: str, quote: str) -> bool:
    if ahead[0] == "`":
        return True
    if quote:
        return ahead in ("$(", "${")
    is_comment = ahead[0] == "#" and (at == 0 or step[at - 1] in " \t\n;&|(")
    return is_comment or ahead in ("<<", "((", "$'", '$"', "${")
