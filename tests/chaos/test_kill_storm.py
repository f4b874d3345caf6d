"""Kill -9 at any moment loses no acknowledged event. The long form is in `tests/chaos/long/__main__.py`."""

from __future__ import annotations

import pytest

from tests.chaos.apart import apart
from tests.chaos.storm import Outcome, Plan, storm, storms_until_a_write_is_torn

_BOUND = 40  # kills of a storm in which writers are killed in the middle of a write


def _assert_unharmed(outcome: Outcome) -> None:
    assert outcome.audit.faults == 0, outcome
    assert outcome.audit.acknowledged > 0
    assert outcome.audit.found >= outcome.audit.acknowledged
    assert outcome.audit.fragments <= outcome.kills
    assert outcome.rebuilt_alike


@pytest.mark.chaos
def test_a_kill_storm_loses_nothing_on_disk(home: str) -> None:
    _assert_unharmed(apart(storm, Plan(home, kills=60)))


def test_a_kill_storm_loses_nothing_in_memory(memory_home: str) -> None:
    _assert_unharmed(apart(storm, Plan(memory_home, kills=40, seed=2)))


def test_torn_writes_are_sealed_and_lose_nothing(memory_home: str) -> None:
    outcome = apart(storms_until_a_write_is_torn, Plan(memory_home, _BOUND, seed=3, mean=True, index=False))
    _assert_unharmed(outcome)
    assert outcome.audit.fragments > 0, "no write was torn: this storm shows nothing"


@pytest.mark.chaos
def test_without_the_seal_the_same_storm_loses_acknowledged_lines(memory_home: str) -> None:
    plan = Plan(memory_home, _BOUND, seed=3, mean=True, seal=False, index=False)
    found = apart(storms_until_a_write_is_torn, plan).audit
    assert found.lost > 0
    assert found.unreadable > 0
