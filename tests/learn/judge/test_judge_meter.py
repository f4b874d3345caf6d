"""The budget of a day, and the pause after three failures."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.learn.judge import UsageMeter, read_meter

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NEED, BUDGET = 400, 1000


def failed(times: int, meter: UsageMeter = UsageMeter()) -> UsageMeter:  # noqa: B008
    for _ in range(times):
        meter = meter.after_failure(NOON)
    return meter


def test_a_day_has_its_budget() -> None:
    meter = UsageMeter().at(NOON).add(NEED).add(NEED)
    assert meter.spent == 800
    assert "800 of 1,000 are spent" in meter.refusal(NEED, BUDGET, NOON)
    assert meter.refusal(200, BUDGET, NOON) == ""
    assert meter.at(NOON + timedelta(days=1)).refusal(NEED, BUDGET, NOON) == ""


@given(st.lists(st.tuples(st.integers(1, 900), st.integers(0, 900)), max_size=30))
@settings(max_examples=100, deadline=None)
def test_questions_that_cost_no_more_than_reserved_never_exceed_the_budget(costs: list[tuple[int, int]]) -> None:
    meter = UsageMeter().at(NOON)
    for most, cost in costs:
        if not meter.refusal(most, BUDGET, NOON):
            meter = meter.add(most).add(-most).add(min(cost, most))
        assert meter.spent <= BUDGET


def test_the_third_failure_in_a_row_closes_for_an_hour() -> None:
    assert failed(2).refusal(NEED, BUDGET, NOON) == ""
    meter = failed(3)
    assert "none is asked before 13:00" in meter.refusal(NEED, BUDGET, NOON + timedelta(minutes=59))
    assert meter.refusal(NEED, BUDGET, NOON + timedelta(minutes=60)) == ""


def test_an_answer_between_failures_makes_them_count_anew() -> None:
    assert failed(2, failed(2).after_answer()).refusal(NEED, BUDGET, NOON) == ""


def test_after_the_hour_one_more_failure_closes_again() -> None:
    later = NOON + timedelta(hours=2)
    assert failed(3).refusal(NEED, BUDGET, later) == ""
    assert failed(3).after_failure(later).refusal(NEED, BUDGET, later) != ""


def test_a_clock_that_was_set_back_closes_nothing_for_longer() -> None:
    assert failed(3).refusal(NEED, BUDGET, NOON - timedelta(days=2)) == ""


@pytest.mark.parametrize("text", ["", "[", "[]", "null", "7", '{"spent": "x"}', '{"spent": -5}', '{"other": 1}'])
def test_what_lies_there_and_is_no_meter_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "model.json").write_text(text)
    assert read_meter(str(tmp_path / "model.json")) == UsageMeter()
    assert read_meter(str(tmp_path / "none.json")) == UsageMeter()
