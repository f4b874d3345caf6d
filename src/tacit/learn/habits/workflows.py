"""What a person runs in order: pairs and triples of different commands of one session (A3).

What failed is not there, what is trivial is not there, and a command repeated is one command. A triple that is a habit
takes the place of its pairs, whatever became of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.claim import Kind
from tacit.learn.habits.habit import BETWEEN, Seen
from tacit.learn.habits.trail import KEPT, Step, Trail


def seen(trail: Trail, step: Step) -> Iterator[Seen]:
    before = trail.families
    for family in families(trail, step):
        for length in range(1, len(before) + 1):
            sequence = (*before[-length:], family)
            if len(set(sequence)) == len(sequence):
                yield Seen(Kind.WORKFLOW_PATTERN, BETWEEN.join(sequence))
        before = (*before, family)[-KEPT:]


def families(trail: Trail, step: Step) -> tuple[str, ...]:
    """The families that this step adds to the session: those that went well, that mean something, no repetitions."""
    added: list[str] = []
    last = trail.families[-1] if trail.families else ""
    for part in step.parts if step.ran.went_well else ():
        if not part.trivial and part.family != last:
            added.append(part.family)
            last = part.family
    return tuple(added)
