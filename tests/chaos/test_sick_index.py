"""A damaged index is found out and made again. The long form is in `make chaos`."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.chaos import mutants
from tests.chaos.sick_index import CAUGHT, HARMS, sick_index


def test_a_damaged_index_answers_as_before_and_costs_no_event(tmp_path: Path) -> None:
    found = sick_index(tmp_path, variants=3 * len(HARMS))
    assert found.faults == ()


def test_an_index_whose_damage_nobody_looks_for_is_caught(tmp_path: Path) -> None:
    with mutants.no_wellness():
        found = sick_index(tmp_path, variants=len(HARMS))
    assert found.faults


def test_an_index_that_lies_would_be_seen(tmp_path: Path) -> None:
    """What no look at the file can tell apart; it is the doctor who compares it with the log."""
    found = sick_index(tmp_path, variants=1, harms=(_lie,))
    assert any(CAUGHT in fault for fault in found.faults)


def _lie(index: Path, _rng: random.Random) -> None:
    with closing(sqlite3.connect(index)) as connection:
        connection.execute("UPDATE memory SET status = 'active'")
        connection.commit()
