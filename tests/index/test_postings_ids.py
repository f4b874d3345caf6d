"""The numbers of messages: each its own, neighbours side by side, the latest sessions first, apart from memories."""

from __future__ import annotations

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.index.postings import (
    AGENT,
    IDS_PER_SESSION,
    MAX_MESSAGE_INDEX,
    PERSON,
    message_doc_id,
    message_index,
    role_of,
    session_start_id,
    start_id_of,
)

days = st.dates(date(1990, 1, 1), date(2200, 1, 1))
sessions = st.integers(0, 2**60 - 1)


@settings(max_examples=100, deadline=None)
@given(days, sessions, st.integers(0, MAX_MESSAGE_INDEX), st.sampled_from([PERSON, AGENT]))
def test_a_number_tells_its_session_message_and_voice(day: date, session: int, message: int, voice: int) -> None:
    first = session_start_id(day, session)
    number = message_doc_id(first, message, voice)
    assert -(2**63) <= first <= number < min(first + IDS_PER_SESSION, 0)
    assert (start_id_of(number), message_index(number), role_of(number)) == (first, message, voice)


def test_what_is_beyond_the_last_place_stays_in_its_session() -> None:
    first = session_start_id(date(2026, 1, 1), 7)
    assert start_id_of(message_doc_id(first, 10**6, AGENT)) == first


@settings(max_examples=50, deadline=None)
@given(sessions, sessions)
def test_a_session_of_a_later_day_comes_first(one: int, other: int) -> None:
    assert session_start_id(date(2026, 3, 2), one) < session_start_id(date(2026, 3, 1), other)
