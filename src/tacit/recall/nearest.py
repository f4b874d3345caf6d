"""Of answers to the same question, the nearest: a project's before its parents', all of them before global ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tacit.core.claim import Scope
from tacit.core.stance import opposed
from tacit.index.reader import Entry


def nearest(entries: Iterable[Entry], distance: Callable[[Scope], int]) -> list[Entry]:
    """Leave out what is farther where something nearer answers the same question; the order stays."""
    every = list(entries)
    answers: dict[str, list[Entry]] = {}
    for entry in every:
        if entry.stance.question:
            answers.setdefault(entry.stance.question, []).append(entry)
    return [
        entry
        for entry in every
        if not any(
            distance(own.scope) < distance(entry.scope) and _answers_it(own, entry)
            for own in answers.get(entry.stance.question, ())
        )
    ]


def _answers_it(own: Entry, other: Entry) -> bool:
    return opposed(own.stance, other.stance) or own.stance == other.stance
