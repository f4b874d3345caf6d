"""Sixteen processes append at once. The long form is in `tests/chaos/long/__main__.py`."""

from __future__ import annotations

import os

import pytest

from tacit.log.segment import MAX_EVENT_BYTES, MEMORY_SEGMENT
from tests.chaos.apart import apart
from tests.chaos.crowd import Outcome, Plan, crowd
from tests.chaos.material import judgement, open_log, origin


def _assert_all_there(outcome: Outcome, lines: int) -> None:
    assert outcome.failed == 0
    assert outcome.audit.faults == 0, outcome.audit
    assert outcome.audit.acknowledged == outcome.audit.found == lines
    assert outcome.audit.fragments == 0
    assert outcome.misplaced == 0


@pytest.mark.chaos
def test_sixteen_writers_at_once_lose_and_mix_nothing(home: str) -> None:
    _assert_all_there(apart(crowd, Plan(home, writers=16, appends=40)), 16 * 40)


def test_the_lock_also_protects_records_that_the_disk_takes_in_pieces(home: str) -> None:
    _assert_all_there(apart(crowd, Plan(home, writers=4, appends=15, in_pieces=True)), 4 * 15)


@pytest.mark.chaos
def test_without_the_lock_records_in_pieces_are_mixed_up(home: str) -> None:
    found = apart(crowd, Plan(home, writers=16, appends=15, lock=False, in_pieces=True)).audit
    assert found.lost > 0
    assert found.unreadable > 0


@pytest.mark.parametrize("excess", [0, 1])
def test_an_event_may_be_so_large_and_no_larger(home: str, excess: int) -> None:
    log = open_log(home)
    log.append([judgement("0.0", "x")], origin("0"))
    size = log.size(MEMORY_SEGMENT)
    room = MAX_EVENT_BYTES - size + 1  # everything but the text is as long as before
    if excess:
        with pytest.raises(ValueError, match="larger than"):
            log.append([judgement("0.1", "x" * (room + 1))], origin("0"))
        assert log.size(MEMORY_SEGMENT) == size
    else:
        log.append([judgement("0.1", "x" * room)], origin("0"))
        assert os.stat(log.path(MEMORY_SEGMENT)).st_size == size + MAX_EVENT_BYTES
