"""Where a person works: every line that went well counts for the directory it was started in (A1)."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.claim import Kind
from tacit.learn.habits.habit import Seen
from tacit.learn.habits.trail import Step, Trail


def seen(_trail: Trail, step: Step) -> Iterator[Seen]:
    if step.ran.directory and step.ran.went_well and step.parts:
        yield Seen(Kind.PREFERRED_CWD, step.ran.directory, step.ran.directory)
