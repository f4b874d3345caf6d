"""A flipped bit, a lost end, a foreign line: found, and it harms itself alone. The long form is in `make chaos`."""

from __future__ import annotations

import pytest

from tests.chaos.damage import INSERTS, UNNOTICED, any_case, cuts, flips, inserts


def test_every_flipped_bit_is_found_and_harms_one_line(home: str) -> None:
    found = flips(home, 12, step=5)
    assert found.runs > 5_000
    assert found.faults == ()


def test_a_log_cut_at_any_byte_is_no_damage_and_is_written_on(home: str) -> None:
    found = cuts(home, step=7)
    assert found.runs > 100
    assert found.faults == ()


def test_a_foreign_line_is_found_wherever_it_stands(home: str) -> None:
    found = inserts(home)
    assert found.runs >= 7 * len(INSERTS)
    assert found.faults == ()


@pytest.mark.chaos
def test_a_checksum_compared_in_any_case_is_caught(home: str) -> None:
    back = any_case()
    try:
        found = flips(home, 2)
    finally:
        back()
    assert any(UNNOTICED in fault for fault in found.faults)
