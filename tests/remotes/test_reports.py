"""What a manifest tells about a machine: its clock, and the purges it has not confirmed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tacit.remotes.reports import report_machine
from tests.remotes.test_manifest import AT, MANIFEST

OWN = "c" * 32


@pytest.mark.parametrize(
    ("written", "seen", "seconds"),
    [
        (timedelta(), None, 0),
        (timedelta(minutes=-3), None, 0),
        (timedelta(days=-90), None, 0),  # off for months, as far as anybody can tell
        (timedelta(hours=9), None, 9 * 3600),
        (timedelta(hours=-9), timedelta(minutes=-10), -9 * 3600 + 600),
        (timedelta(hours=-9), timedelta(hours=-10), 0),
    ],
)
def test_a_clock_differs_only_where_it_is_certain(written: timedelta, seen: timedelta | None, seconds: int) -> None:
    manifest = MANIFEST._replace(at=AT + written, seen=((OWN, AT + seen),) if seen is not None else ())
    assert report_machine(manifest, OWN, (), AT).clock_seconds == seconds


def test_purges_that_it_does_not_name_are_unconfirmed() -> None:
    manifest = MANIFEST._replace(purges=("a", "b"))
    assert report_machine(manifest, OWN, ("a", "b"), AT).unconfirmed == 0
    assert report_machine(manifest, OWN, ("a", "c", "d"), AT).unconfirmed == 2
