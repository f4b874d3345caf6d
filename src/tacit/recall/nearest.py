"""Of several answers to a question, the nearest: a project's before its parents', all of them before global ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tacit.core.claim import Kind, Scope
from tacit.core.stance import families, opposed
from tacit.index.reader import Entry

# What a person decided for a place counts more there than what they like in general.
_DECIDED = (Kind.CONSTRAINT, Kind.RULE, Kind.DECISION, Kind.CONVENTION)


def nearest(entries: Iterable[Entry], distance: Callable[[Scope], int]) -> list[Entry]:
    """Leave out what is farther where something nearer answers the same question; the order stays.

    A farther preference is also left out where something nearer that was decided speaks of the same choice in other
    words: "never run npm here, use pnpm" answers "I prefer yarn".
    """
    every = list(entries)
    answers: dict[str, list[Entry]] = {}
    for entry in every:
        if entry.stance.question:
            answers.setdefault(entry.stance.question, []).append(entry)
    settled = _settled(every, distance)
    return [
        entry
        for entry in every
        if not any(
            distance(own.scope) < distance(entry.scope) and _answers_it(own, entry)
            for own in answers.get(entry.stance.question, ())
        )
        and not any(settled.get(family, _FARTHEST) < distance(entry.scope) for family in _preferred(entry))
    ]


_FARTHEST = 1 << 30


def _answers_it(own: Entry, other: Entry) -> bool:
    return opposed(own.stance, other.stance) or own.stance == other.stance


def _settled(every: list[Entry], distance: Callable[[Scope], int]) -> dict[str, int]:
    """How near something was decided about each choice that a preference is about."""
    asked = {family for entry in every for family in _preferred(entry)}
    settled: dict[str, int] = {}
    for entry in every if asked else ():
        if entry.kind in _DECIDED:
            for family in asked & families(entry.sentence):
                settled[family] = min(settled.get(family, _FARTHEST), distance(entry.scope))
    return settled


def _preferred(entry: Entry) -> frozenset[str]:
    return families(entry.stance.answer) if entry.kind is Kind.PREFERENCE and entry.stance.answer else frozenset()
