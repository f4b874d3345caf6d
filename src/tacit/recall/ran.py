"""Commands that answer a question: "which command did this?" is asked with words of the line, or of its folder."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence

from tacit.core.roots import root
from tacit.index import commands
from tacit.index.commands import Kept
from tacit.recall import weighing
from tacit.record import Record

_PLACES = 4000  # of one word that are looked at
_LEAST = 0.5  # of the question, by weight, that a command has to hold
_CANDIDATES = 200  # that are looked up
# What a command is asked for with, and what does not stand in it.
_ASKED_WITH = frozenset(root(word) for word in "command run ran running line shell terminal typed type".split())


class RanCommand(Record):
    """A command, how much of the question it holds (0 to 1), and which words of it."""

    kept: Kept
    share: float
    own: tuple[str, ...]


def is_asked_for(telling: Sequence[str]) -> bool:
    """Whether a question is about a command."""
    return any(root(word) in _ASKED_WITH for word in telling)


def ran_commands(
    connection: sqlite3.Connection, telling: Sequence[str], most: int, fits: Callable[[Kept], bool]
) -> list[RanCommand]:
    """The commands that hold most of the question, each line once: of those that hold as much, the latest first."""
    roots = {name: word for word in reversed(telling) if (name := root(word)) not in _ASKED_WITH}
    if not roots or not commands.are_any(connection):
        return []
    total = commands.count(connection)
    places = {name: commands.holding(connection, name, _PLACES) for name in roots}
    weights = {name: weighing.rarity(len(there), total) for name, there in places.items()}
    whole = sum(weights.values())
    shares: dict[int, float] = defaultdict(float)
    for name, there in places.items():
        for number in there:
            shares[number] += weights[name] / whole
    enough = sorted((number for number, share in shares.items() if share >= _LEAST), key=lambda one: -shares[one])
    found: dict[str, RanCommand] = {}
    looked_up = [one for one in commands.kept(connection, enough[:_CANDIDATES]) if fits(one)]
    for kept in sorted(looked_up, key=lambda one: (shares[one.number], one.last), reverse=True):
        if kept.text not in found:
            own = tuple(word for name, word in roots.items() if kept.number in places[name])
            found[kept.text] = RanCommand(kept, shares[kept.number], own)
    return list(found.values())[:most]
