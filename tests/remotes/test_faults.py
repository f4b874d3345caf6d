"""Which faults are ordinary for a while, and which are damage."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tacit.remotes.faults import Fault, FaultKind, since_before, wanted_files

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
OTHER, NAME = "a" * 32, "b" * 32


def fault(kind: FaultKind, hours: float = 0) -> Fault:
    return Fault(OTHER, NAME, kind, 7, NOW - timedelta(hours=hours))


@pytest.mark.parametrize(
    ("kind", "hours", "is_overdue", "is_loss"),
    [
        (FaultKind.DAMAGED, 0, True, True),
        (FaultKind.ARRIVING, 5.9, False, False),
        (FaultKind.ARRIVING, 6, True, True),
        (FaultKind.MISSING, 23.9, False, False),
        (FaultKind.MISSING, 24, True, True),
        (FaultKind.MISSING, -1, True, True),  # the clock was set back
        (FaultKind.BEHIND, 0, False, False),
        (FaultKind.BEHIND, 24, True, True),
        (FaultKind.ROLLED_BACK, 24, True, False),  # this home had seen more
    ],
)
def test_what_stays_for_long_is_damage(kind: FaultKind, hours: float, is_overdue: bool, is_loss: bool) -> None:
    found = fault(kind, hours)
    assert (found.is_overdue(NOW), found.is_loss(NOW)) == (is_overdue, is_loss)
    assert wanted_files([found], NOW) == (((OTHER, (NAME,)),) if is_overdue else ())


def test_a_file_that_grows_begins_anew() -> None:
    before = fault(FaultKind.ARRIVING, 5)
    same, grown = fault(FaultKind.ARRIVING), fault(FaultKind.ARRIVING)._replace(size=8)
    assert since_before([same, grown], [before]) == (before, grown)
