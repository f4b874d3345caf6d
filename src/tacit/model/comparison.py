"""Whether sessions that were told a memory went better than those that were not: an interval that may be looked at
after every session, and the verdict that follows from it.

The unit is a session in which the memory applied. The measure is the difference of two shares: of the sessions that
were not told it and went badly, and of those that were told it and went badly. The interval is that of Agresti and
Caffo, with the boundary of Wang and Tsiatis in place of the usual 1.96: wide while there are few sessions, and narrower
as the greatest number comes near. So all intervals of a trial cover the true difference together as often as one
interval alone would (ADR 108, `python -m bench.trial`).

If the memory applied in far more sessions of one arm than of the other, telling it changes what the sessions do, and
shares of those in which it applied compare unlike things. Then all sessions count: the coin made the arms alike.
"""

from __future__ import annotations

from math import sqrt

from tacit.model.trial import Ending
from tacit.record import Record

CONFIDENCE = 0.95
MARGIN = 0.2  # a smaller difference is none: one session in five
# Of the boundary BOUNDARY * (n / most) ** -SLOPE. A Brownian motion crosses it with probability .03 after the first
# tenth; the rest is for shares that are estimated from few sessions (`bench/trial.py`).
_BOUNDARY, _SLOPE = 2.5, 0.25
_FIRST_SHARE, _FIRST_SESSIONS = 0.1, 20  # no interval before so many
_MOST_PER_APPLIED = 5  # a memory that applies in fewer of the sessions is not waited for


class ArmCounts(Record):
    """The sessions of one arm in which the memory applied, and how many of them went badly."""

    applied: int = 0
    bad: int = 0

    @property
    def share(self) -> float:
        """The share of bad sessions, 0 without any session."""
        return self.bad / self.applied if self.applied else 0.0


class Difference(Record):
    """How many fewer of 1 session go badly if the memory is told: the estimate and its interval.

    `is_of_all` says that all sessions were compared, because the memory did not apply equally often.
    """

    estimate: float
    low: float
    high: float
    is_of_all: bool = False


def compare(treated: ArmCounts, control: ArmCounts, most: int) -> Difference | None:
    """Return the difference between the arms of a trial that may take `most` sessions; None if it is too early.

    `treated` are the sessions that were told the memory, `control` those from which it was withheld.
    """
    number = treated.applied + control.applied
    if number < max(_FIRST_SHARE * most, _FIRST_SESSIONS):
        return None
    boundary = _BOUNDARY * (min(number, most) / most) ** -_SLOPE
    if is_of_all := abs(treated.applied - control.applied) > boundary * sqrt(number):
        # Each session counts half a session in either arm, and bad ones count where they were. Its variance is that of
        # a number that is 2 in bad sessions without the memory, -2 in those with it, and else 0.
        estimate = 2 * (control.bad - treated.bad) / number
        error = sqrt(max(4 * (control.bad + treated.bad + 1) / number - estimate**2, 0) / number)
    else:
        shares = [((arm.bad + 1) / (arm.applied + 2), arm.applied + 2) for arm in (treated, control)]
        estimate = shares[1][0] - shares[0][0]
        error = sqrt(sum(share * (1 - share) / sessions for share, sessions in shares))
    low, high = estimate - boundary * error, estimate + boundary * error
    estimate, low, high = (min(max(value, -1.0), 1.0) for value in (estimate, low, high))
    return Difference(estimate, low, high, is_of_all)


def ending_of(treated: ArmCounts, control: ArmCounts, sessions: int, most: int) -> Ending | None:
    """Return how a trial ends with these arms, None if it goes on.

    `sessions` is the number of all sessions that take part, whether or not the memory applied in them.
    """
    difference = compare(treated, control, most)
    if difference and difference.low > 0:
        return Ending.HELPS
    if difference and difference.high < 0:
        return Ending.HARMS
    if difference and difference.low > -MARGIN and difference.high < MARGIN:
        return Ending.NO_DIFFERENCE
    is_used_up = treated.applied + control.applied >= most or sessions >= most * _MOST_PER_APPLIED
    return Ending.UNDECIDED if is_used_up else None
