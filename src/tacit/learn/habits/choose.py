"""Which habits are worth a person's attention, best first. The thresholds are only a floor.

A sequence is worth what it says beyond chance: two commands that are run all day follow each other all day. Its measure
is the normalised pointwise mutual information, 0 for chance and 1 for commands that never go without each other.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, zip_longest
from math import log
from typing import NamedTuple

from tacit.core.claim import Kind
from tacit.learn.habits.families import parts
from tacit.learn.habits.habit import BETWEEN, Tally, confidence, is_habit

WAITING = 5  # new cards at a time; whoever gets more reads none
_LEAST_LIFT = 0.15
_SHALLOW = 3  # "/", "/tmp", "/home/me": everybody is there, nobody works there
# The order in which kinds take turns.
_TURNS = (Kind.WORKFLOW_PATTERN, Kind.RECURRING_COMMAND, Kind.PREFERRED_CWD, Kind.PREFERENCE)


class Odds(NamedTuple):
    """How often commands were run, to tell habit from chance: all together, and one family. And whether a sequence is
    part of a longer one that is a habit too, which takes its place for good."""

    total: int
    runs: Callable[[str], int]
    in_longer: Callable[[str], bool]


def chosen(tallies: Iterable[Tally], odds: Odds) -> list[Tally]:
    """The habits worth showing: the best of each kind first, then the second best of each.

    What a sequence tells already, a command need not tell: it comes after those that are in none.
    """
    shown = [tally for tally in tallies if is_habit(tally)]
    ranked = {kind: _ranked([one for one in shown if one.seen.kind is kind], odds) for kind in _TURNS}
    sequences = ranked[Kind.WORKFLOW_PATTERN] = _distinct(ranked[Kind.WORKFLOW_PATTERN])
    told = {family for one in sequences[:WAITING] for family in one.seen.key.split(BETWEEN)}
    ranked[Kind.RECURRING_COMMAND].sort(key=lambda one: one.seen.key in told)
    return [tally for tally in chain.from_iterable(zip_longest(*ranked.values())) if tally is not None]


def _distinct(sequences: Sequence[Tally]) -> list[Tally]:
    """A longer habit shows as many sequences that overlap, and so does one that goes round and round: of those that
    share more than one command, the best."""
    kept: list[tuple[set[str], Tally]] = []
    for one in sequences:
        commands = set(one.seen.key.split(BETWEEN))
        if all(len(commands & told) <= 1 for told, _ in kept):
            kept.append((commands, one))
    return [one for _, one in kept]


def _ranked(tallies: Sequence[Tally], odds: Odds) -> list[Tally]:
    weighed = [(worth(tally, odds), tally) for tally in tallies]
    kept = [(weight, tally) for weight, tally in weighed if weight > 0]
    return [tally for _, tally in sorted(kept, key=lambda one: (-one[0], one[1].seen.key))]


def worth(tally: Tally, odds: Odds) -> float:
    """Nought for what should not be shown."""
    often = log(1 + tally.runs) * log(1 + tally.sessions)
    match tally.seen.kind:
        case Kind.WORKFLOW_PATTERN:
            lift = 0.0 if odds.in_longer(tally.seen.key) else association(tally, odds)
            return lift * often if lift >= _LEAST_LIFT else 0.0
        case Kind.PREFERRED_CWD:
            return often * (0.1 if len(tally.seen.key.rstrip("/").split("/")) <= _SHALLOW else 1.0)
        case Kind.PREFERENCE:
            return confidence(tally) if _is_replaced(tally, odds) else 0.0
    return often


def association(tally: Tally, odds: Odds) -> float:
    """Normalised pointwise mutual information of a sequence, by the counts of its commands."""
    steps = tally.seen.key.split(BETWEEN)
    if tally.runs >= odds.total:
        return 0.0
    together = log(tally.runs / odds.total)
    apart = sum(log(max(odds.runs(step), tally.runs) / odds.total) for step in steps)
    return (together - apart) / (-(len(steps) - 1) * together)


def _is_replaced(tally: Tally, odds: Odds) -> bool:
    """Whether the one is really given up for the other: what works as often as it fails is not."""
    wrong, right = (parts(text) for text in tally.seen.key.split(BETWEEN))
    if not wrong or not right or wrong[0].family == right[0].family:
        return True
    return odds.runs(wrong[0].family) <= tally.runs
