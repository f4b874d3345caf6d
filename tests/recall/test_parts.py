"""The numbers of messages: each its own, neighbours side by side, the latest sessions first, apart from memories."""

from __future__ import annotations

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.index.doc_ids import AGENT, MOST, PERSON, RUN, first_number, message_of, number_of, run_of, voice_of

days = st.dates(date(1990, 1, 1), date(2200, 1, 1))
sessions = st.integers(0, 2**60 - 1)


@settings(max_examples=100, deadline=None)
@given(days, sessions, st.integers(0, MOST), st.sampled_from([PERSON, AGENT]))
def test_a_number_tells_its_session_message_and_voice(day: date, session: int, message: int, voice: int) -> None:
    first = first_number(day, session)
    number = number_of(first, message, voice)
    assert -(2**63) <= first <= number < min(first + RUN, 0)
    assert (run_of(number), message_of(number), voice_of(number)) == (first, message, voice)


def test_what_is_beyond_the_last_place_stays_in_its_session() -> None:
    first = first_number(date(2026, 1, 1), 7)
    assert run_of(number_of(first, 10**6, AGENT)) == first


@settings(max_examples=50, deadline=None)
@given(sessions, sessions)
def test_a_session_of_a_later_day_comes_first(one: int, other: int) -> None:
    assert first_number(date(2026, 3, 2), one) < first_number(date(2026, 3, 1), other)
