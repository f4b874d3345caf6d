"""What a person runs: every command of a line that went well counts for its family (A2)."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.claim import Kind
from tacit.learn.habits.habit import Seen
from tacit.learn.habits.trail import Step, Trail


def seen(_trail: Trail, step: Step) -> Iterator[Seen]:
    if step.ran.went_well:
        yield from (
            Seen(Kind.RECURRING_COMMAND, part.family, step.ran.directory) for part in step.parts if not part.trivial
        )
