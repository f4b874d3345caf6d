"""The budget of a day, and the pause after three failures."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.disk.files import OsDisk
from tacit.learn.judge.meter import (
    TokenReservation,
    UsageMeter,
    count_failure,
    meter_at,
    read_meter,
    refusal_reason,
    reserve_tokens,
    reset_failures,
    settle_tokens,
    write_meter,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NEED = TokenReservation(400, 1000)


def test_a_day_has_its_budget() -> None:
    meter = reserve_tokens(reserve_tokens(meter_at(UsageMeter(), NOON), NEED), NEED)
    assert meter.spent == 800
    assert "800 of 1,000 are spent" in refusal_reason(meter, NEED, NOON)
    assert refusal_reason(meter, TokenReservation(200, 1000), NOON) == ""
    assert refusal_reason(meter_at(meter, NOON + timedelta(days=1)), NEED, NOON) == ""


@given(st.lists(st.tuples(st.integers(1, 900), st.integers(0, 900)), max_size=30))
@settings(max_examples=100, deadline=None)
def test_questions_that_cost_no_more_than_reserved_never_exceed_the_budget(costs: list[tuple[int, int]]) -> None:
    meter = meter_at(UsageMeter(), NOON)
    for most, cost in costs:
        need = TokenReservation(most, 1000)
        if not refusal_reason(meter, need, NOON):
            meter = settle_tokens(reserve_tokens(meter, need), need, min(cost, most))
        assert meter.spent <= 1000


def test_the_third_failure_in_a_row_closes_for_an_hour() -> None:
    meter = count_failure(count_failure(UsageMeter(), NOON), NOON)
    assert refusal_reason(meter, NEED, NOON) == ""
    meter = count_failure(meter, NOON)
    assert "none is asked before 13:00" in refusal_reason(meter, NEED, NOON + timedelta(minutes=59))
    assert refusal_reason(meter, NEED, NOON + timedelta(minutes=60)) == ""


def test_an_answer_between_failures_makes_them_count_anew() -> None:
    meter = count_failure(reset_failures(count_failure(count_failure(UsageMeter(), NOON), NOON)), NOON)
    assert refusal_reason(count_failure(meter, NOON), NEED, NOON) == ""


def test_after_the_hour_one_more_failure_closes_again() -> None:
    meter = count_failure(count_failure(count_failure(UsageMeter(), NOON), NOON), NOON)
    later = NOON + timedelta(hours=2)
    assert refusal_reason(meter, NEED, later) == ""
    assert refusal_reason(count_failure(meter, later), NEED, later) != ""


def test_a_clock_that_was_set_back_closes_nothing_for_longer() -> None:
    meter = count_failure(count_failure(count_failure(UsageMeter(), NOON), NOON), NOON)
    assert refusal_reason(meter, NEED, NOON - timedelta(days=2)) == ""


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = str(tmp_path / "model.json")
    meter = count_failure(reserve_tokens(meter_at(UsageMeter(), NOON), NEED), NOON)
    write_meter(OsDisk(), path, meter)
    assert read_meter(path) == meter


@pytest.mark.parametrize("text", ["", "[", "[]", "null", "7", '{"spent": "x"}', '{"spent": -5}', '{"other": 1}'])
def test_what_lies_there_and_is_no_meter_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "model.json").write_text(text)
    assert read_meter(str(tmp_path / "model.json")) == UsageMeter()
    assert read_meter(str(tmp_path / "none.json")) == UsageMeter()
