"""A clock that jumps disturbs neither order nor dates nor hooks. All moments are in `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.clocks import MOMENTS, clocks, faked


@pytest.mark.parametrize(
    "machine", [pytest.param(False, marks=pytest.mark.chaos), True], ids=["told", "of the machine"]
)
def test_a_clock_that_jumps_disturbs_nothing(tmp_path: Path, machine: bool) -> None:
    if machine and not faked():
        pytest.skip("faketime is not installed")
    years = ("2038",) if machine else ("1970",)
    chosen = [one for one in MOMENTS if one.local[:4] in years or (not machine and "Kiritimati" in one.zone)]
    assert clocks(tmp_path / "person", chosen, machine=machine).faults == ()
