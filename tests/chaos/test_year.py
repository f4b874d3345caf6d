"""Two days of somebody who works a lot: all of it is there, and stays when the index is made anew. A year of it, with
what it costs, is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

from tests.chaos import year
from tests.chaos.year import COMMANDS, TURNS


def test_nothing_of_a_busy_day_is_lost_when_the_index_is_made_anew(tmp_path: Path) -> None:
    found = year.year(tmp_path / "person", 1, questions=2)
    assert found.lost == ()
    assert found.events > COMMANDS + 3 * TURNS
