"""Event ids sort by time, whatever the clock does; claim ids are the same everywhere and can be typed."""

from __future__ import annotations

import uuid

from hypothesis import given
from hypothesis import strategies as st

from tacit.model.ids import (
    CLAIM_ID_LENGTH,
    ClaimId,
    EventId,
    claim_id,
    claim_number,
    event_id,
    hash_number,
    is_claim_prefix,
    next_event_id,
)
from tests.support.events import unhurried

moments = st.integers(0, 2**48 - 2)
entropy = st.binary(min_size=10, max_size=10)
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
claim_ids = st.text(ALPHABET, min_size=CLAIM_ID_LENGTH, max_size=CLAIM_ID_LENGTH).map(ClaimId)


@unhurried
@given(moments, entropy)
def test_an_event_id_is_a_uuid_of_version_seven_that_sorts_by_its_time(at: int, random: bytes) -> None:
    name = uuid.UUID(event_id(at, random))
    assert (name.version, name.variant, name.int >> 80) == (7, uuid.RFC_4122, at)
    assert str(name) == event_id(at, random) < event_id(at + 1, bytes(10))


@unhurried
@given(st.lists(st.tuples(moments, entropy), min_size=1, max_size=8))
def test_each_id_follows_the_last_even_when_the_clock_jumps_back(clock: list[tuple[int, bytes]]) -> None:
    last: EventId | None = None
    for at, random in clock:
        name = next_event_id(last, at, random)
        assert last is None or name > last
        last = name


def test_the_time_is_kept_while_the_clock_runs_forward() -> None:
    last = event_id(1_000, bytes(10))
    assert next_event_id(last, 2_000, b"0123456789") == event_id(2_000, b"0123456789")
    assert next_event_id(None, 2_000, b"0123456789") == event_id(2_000, b"0123456789")


def test_an_id_at_the_end_of_its_millisecond_is_followed_by_one_in_the_next() -> None:
    last = event_id(1_000, b"\xff" * 10)
    after = next_event_id(last, 5, bytes(10))
    assert after > last
    assert uuid.UUID(after).int >> 80 == 1_001


@unhurried
@given(claim_ids, claim_ids)
def test_the_number_of_a_claim_keeps_the_order_of_ids(one: ClaimId, other: ClaimId) -> None:
    assert (one < other) == (claim_number(one) < claim_number(other))
    assert (one == other) == (claim_number(one) == claim_number(other))
    assert 0 <= claim_number(one) < 2**63


@unhurried
@given(st.text(max_size=20), st.text(max_size=20))
def test_a_claim_id_is_twelve_letters_that_a_person_can_type(scope: str, key: str) -> None:
    name = claim_id(scope, key)
    assert name == claim_id(scope, key)
    assert hash_number(scope, key) == claim_number(name)
    assert len(name) == CLAIM_ID_LENGTH and set(name) <= set(ALPHABET)
    assert all(is_claim_prefix(name[:length]) for length in range(1, CLAIM_ID_LENGTH + 1))


def test_claim_ids_never_change_between_versions() -> None:
    assert claim_id("global", "agent|use|pnpm") == "75wq8xjbpgw2"
    assert claim_id("project:example.org/app", "agent|use|pnpm") == "x17n7rdz5m3h"


def test_what_cannot_begin_a_claim_id_is_known() -> None:
    for text in ("", "ilou", "7K2M", "7k2m!", "0" * 13, "use pnpm"):
        assert not is_claim_prefix(text)
