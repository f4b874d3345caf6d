"""What a learner may look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from tacit.core.memory import Memory
from tacit.core.observation import WorkLogged


@dataclass(frozen=True, slots=True)
class History:
    """Everything remembered and logged, seen from one day."""

    today: date
    memories: tuple[Memory, ...] = ()
    worklog: tuple[WorkLogged, ...] = ()
    undecided: int = 0
    tallies: Mapping[str, int] = field(default_factory=dict)
