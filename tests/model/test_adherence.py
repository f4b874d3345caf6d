"""What checks do to the rank of a memory: little, never against a constraint, and nothing without checks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.model.adherence import MAX_RANK_CHANGE, Adherence, AdherenceCounts, combined, rank_factor
from tacit.model.claim import Kind

numbers = st.integers(0, 1000)
counts = st.builds(AdherenceCounts, numbers, numbers, numbers, numbers, numbers)
kinds = st.sampled_from(Kind)


@given(counts, kinds)
def test_the_rank_moves_by_fifteen_percent_at_most(given_counts: AdherenceCounts, kind: Kind) -> None:
    assert abs(rank_factor(given_counts, kind) - 1) <= MAX_RANK_CHANGE


@given(counts)
def test_constraints_never_fade(given_counts: AdherenceCounts) -> None:
    assert rank_factor(given_counts, Kind.CONSTRAINT) >= 1


@given(counts, kinds)
def test_one_more_session_that_followed_it_never_lowers_the_rank(given_counts: AdherenceCounts, kind: Kind) -> None:
    more = given_counts._replace(followed=given_counts.followed + 1)
    assert rank_factor(more, kind) >= rank_factor(given_counts, kind)


@given(numbers, kinds)
def test_disuse_alone_changes_nothing(injected: int, kind: Kind) -> None:
    assert rank_factor(AdherenceCounts(injected), kind) == 1


@given(st.lists(st.sampled_from(Adherence)))
def test_one_violation_is_a_violation_and_the_order_does_not_matter(results: list[Adherence]) -> None:
    whole = combined(results)
    assert combined(reversed(results)) is whole
    assert (whole is Adherence.VIOLATED) == (Adherence.VIOLATED in results)
    assert whole in results or (whole is Adherence.UNKNOWN and not results)


@pytest.mark.parametrize(("injected", "unknown"), [(14, 0), (16, 2), (3, 0)])
def test_what_was_not_checked_is_unknown(injected: int, unknown: int) -> None:
    assert AdherenceCounts(injected, followed=11, violated=2, not_applicable=1).unknown == unknown
