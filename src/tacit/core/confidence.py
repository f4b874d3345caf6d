"""How sure a memory is of itself, 0 to 1: a base by source, rising with observations and sessions to a cap."""

from __future__ import annotations

from tacit.record import Record


class Scale(Record):
    base: float
    cap: float


_SCALES = {
    "user_direct": Scale(1.0, 1.0),
    "remember": Scale(0.60, 0.90),
    "note": Scale(0.60, 0.90),
    "edit": Scale(0.90, 1.0),
    "decision": Scale(0.90, 1.0),
    "evaluation": Scale(0.50, 0.80),
    "habit": Scale(0.0, 0.0),  # told by what was counted: see learn/habits/habit.py
}
_OTHERS = Scale(0.50, 0.85)
# Seen four times more, in three more sessions: as sure as this source can make it.
_FULL_STRENGTH, _FULL_SESSIONS = 4, 3


def confidence_of(source: str, strength: int, sessions: int) -> float:
    scale = _SCALES.get(source, _OTHERS)
    by_strength = min(max(strength - 1, 0) / _FULL_STRENGTH, 1.0)
    by_sessions = min(max(sessions - 1, 0) / _FULL_SESSIONS, 1.0)
    return round(scale.base + (scale.cap - scale.base) * (0.6 * by_strength + 0.4 * by_sessions), 2)
