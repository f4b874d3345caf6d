"""Rules that people wrote down, each said as a prompt of its own: how many are recognised as something to keep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from bench.extracting.rows import Row
from tacit.learn import Lesson, SessionEvent
from tacit.learn.statements.pipeline import learn_statements
from tacit.model.ids import EventId
from tacit.model.observation import PromptGiven


@dataclass
class Recognised:
    """How many there were, how many were recognised, and each with what was learnt of it."""

    rules: int = 0
    known: int = 0
    results: list[tuple[str, list[Lesson]]] = field(default_factory=list)

    @property
    def share(self) -> float:
        return self.known / self.rules if self.rules else 0.0


def measure(rows: Iterable[Row]) -> Recognised:
    recognised = Recognised()
    for row in rows:
        learnt = learn_statements([SessionEvent(EventId("1"), PromptGiven("", row["text"]))])
        recognised.rules += 1
        recognised.known += bool(learnt)
        recognised.results.append((row["text"], learnt))
    return recognised
