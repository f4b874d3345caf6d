"""The envelope: times that sort as text and read back without loss."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.model.claim import Provenance
from tacit.model.event import EventOrigin, local_day, local_time, timestamp
from tests.support.events import unhurried

moments = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))


def origin(at: datetime, offset: int) -> EventOrigin:
    return EventOrigin(at, offset, "host", "", "user", Provenance.USER_DIRECT)


@unhurried
@given(moments, moments)
def test_timestamps_sort_as_the_moments_do(one: datetime, other: datetime) -> None:
    assert (timestamp(one) < timestamp(other)) == (one < other)
    assert datetime.fromisoformat(timestamp(one)) == one


def test_a_timestamp_is_utc() -> None:
    berlin = timezone(timedelta(hours=2))
    assert timestamp(datetime(2024, 7, 1, 12, 30, tzinfo=berlin)) == "2024-07-01T10:30:00.000000Z"


@unhurried
@given(moments, st.integers(-1439, 1439))
def test_the_local_time_is_the_same_moment(at: datetime, offset: int) -> None:
    assert local_time(origin(at, offset)) == at
    assert abs((local_day(origin(at, offset)) - at.date()).days) <= 1


@pytest.mark.parametrize("offset", [720, -720, 100_000])
def test_an_offset_across_the_edge_of_time_is_left_out(offset: int) -> None:
    assert local_day(origin(datetime(9999, 12, 31, 23, tzinfo=UTC), offset)).year == 9999
    assert local_day(origin(datetime(1, 1, 1, tzinfo=UTC), offset)) == date(1, 1, 1)
