"""When a habit is one, and how sure it is: the edges of the thresholds (A1 to A3, A10)."""

from __future__ import annotations

import pytest

from tacit.learn.habits.habit import (
    HABIT_THRESHOLDS,
    HabitKey,
    HabitTally,
    confidence,
    habit_claim,
    habit_from_claim,
    is_habit,
)
from tacit.model.claim import Kind

EDGES = [
    (Kind.PREFERRED_CWD, 4, 2, None),
    (Kind.PREFERRED_CWD, 5, 1, None),
    (Kind.PREFERRED_CWD, 50, 1, None),
    (Kind.PREFERRED_CWD, 5, 2, 0.70),
    (Kind.PREFERRED_CWD, 6, 2, 0.71),
    (Kind.PREFERRED_CWD, 5, 3, 0.73),
    (Kind.PREFERRED_CWD, 30, 2, 0.95),
    (Kind.PREFERRED_CWD, 10_000, 900, 0.95),
    (Kind.RECURRING_COMMAND, 3, 3, None),
    (Kind.RECURRING_COMMAND, 4, 1, 0.60),
    (Kind.RECURRING_COMMAND, 5, 1, 0.61),
    (Kind.RECURRING_COMMAND, 4, 2, 0.64),
    (Kind.RECURRING_COMMAND, 34, 1, 0.90),
    (Kind.RECURRING_COMMAND, 10_000, 900, 0.90),
    (Kind.WORKFLOW_PATTERN, 2, 2, None),
    (Kind.WORKFLOW_PATTERN, 3, 1, None),
    (Kind.WORKFLOW_PATTERN, 9, 1, None),
    (Kind.WORKFLOW_PATTERN, 3, 2, 0.65),
    (Kind.WORKFLOW_PATTERN, 4, 2, 0.66),
    (Kind.WORKFLOW_PATTERN, 3, 3, 0.68),
    (Kind.WORKFLOW_PATTERN, 10_000, 900, 0.85),
    (Kind.PREFERENCE, 1, 1, None),
    (Kind.PREFERENCE, 2, 1, 0.60),
    (Kind.PREFERENCE, 10_000, 900, 0.85),
]


@pytest.mark.parametrize(("kind", "runs", "sessions", "sure"), EDGES)
def test_the_threshold_is_exact(kind: Kind, runs: int, sessions: int, sure: float | None) -> None:
    tally = HabitTally(HabitKey(kind, "a\nb"), runs, sessions)
    assert is_habit(tally) == (sure is not None)
    assert sure is None or confidence(tally) == sure


@pytest.mark.parametrize("kind", HABIT_THRESHOLDS)
def test_confidence_never_falls_and_never_passes_the_cap(kind: Kind) -> None:
    scale = HABIT_THRESHOLDS[kind]
    for runs in range(scale.min_runs, 60):
        for sessions in range(scale.min_sessions, 20):
            now = confidence(HabitTally(HabitKey(kind, "x"), runs, sessions))
            assert scale.base <= now <= scale.cap
            assert now <= confidence(HabitTally(HabitKey(kind, "x"), runs + 1, sessions))
            assert now <= confidence(HabitTally(HabitKey(kind, "x"), runs, sessions + 1))


@pytest.mark.parametrize(
    "seen",
    [
        HabitKey(Kind.PREFERRED_CWD, "/srv/My App"),
        HabitKey(Kind.RECURRING_COMMAND, "npm test"),
        HabitKey(Kind.WORKFLOW_PATTERN, "git add\ngit commit\ngit push"),
        HabitKey(Kind.PREFERENCE, "grep\nrg"),
    ],
)
def test_a_claim_tells_which_habit_it_speaks_of(seen: HabitKey) -> None:
    assert habit_from_claim(habit_claim(seen)) == seen
