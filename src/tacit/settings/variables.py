"""What a variable of the environment may do to a setting: restrict it, and never grant more than the file does.

A repository, an agent or a tool such as direnv can set variables, so a variable is not the person's consent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tacit.record import Record

NO_MODE = "(none)"  # the only entry of a list of modes that allows none: an empty list allows all


class Rule(Record):
    """`hold(said, wanted)` is the value that holds where the file says one thing and a variable wants another. It
    never grants more than what the file says. `may` tells a person what a variable may do."""

    name: str
    may: str
    hold: Callable[[Any, Any], Any]


def _added(said: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[str, ...]:
    return (*said, *(one for one in wanted if one not in said))


def _narrowed(said: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Entries that both allow, where an empty list allows everything."""
    if not said or not wanted:
        return said or wanted
    return tuple(one for one in said if one in wanted) or (NO_MODE,)


ANY = Rule("any", "may say anything", lambda _said, wanted: wanted)  # only for how something is presented
ONLY_OFF = Rule("only off", "may only turn it off", lambda said, wanted: said and wanted)
ONLY_LOWER = Rule("only lower", "may only lower it", min)
ONLY_ADD = Rule("only add", "may only add to the list", _added)
ONLY_NARROW = Rule("only narrow", "may only leave some out", _narrowed)
ONLY_EMPTY = Rule("only empty", "may only be empty, for none", lambda said, wanted: said if wanted else "")
NEVER = Rule("never", "may say nothing", lambda said, _wanted: said)
