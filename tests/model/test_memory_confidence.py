"""How sure a memory is of itself: a base by source, rising with observations and sessions to a cap."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.model.event import ClaimProposed, Verdict
from tacit.model.memory import confidence_of, fold_memories
from tests.support.events import event, history, memory_of, proposed, says, unhurried

sources = st.sampled_from(("user_direct", "remember", "note", "edit", "decision", "evaluation", "anything else"))
counts = st.integers(0, 20)


@pytest.mark.parametrize(
    ("source", "strength", "sessions", "expected"),
    [
        ("user_direct", 1, 1, 1.0),
        ("remember", 1, 1, 0.6),
        ("remember", 0, 0, 0.6),
        ("remember", 3, 1, 0.69),
        ("remember", 5, 4, 0.9),
        ("remember", 500, 400, 0.9),
        ("evaluation", 1, 1, 0.5),
        ("anything else", 1, 1, 0.5),
        ("anything else", 5, 4, 0.85),
    ],
)
def test_the_table_of_bases_and_caps(source: str, strength: int, sessions: int, expected: float) -> None:
    assert confidence_of(source, strength, sessions) == expected


@unhurried
@given(sources, counts, counts)
def test_more_evidence_never_lowers_it_and_it_stays_between_nothing_and_one(
    source: str, strength: int, sessions: int
) -> None:
    now = confidence_of(source, strength, sessions)
    assert 0.0 <= now <= 1.0
    assert confidence_of(source, strength + 1, sessions) >= now
    assert confidence_of(source, strength, sessions + 1) >= now


def test_a_memory_seen_in_more_sessions_is_surer() -> None:
    claim = says("use pnpm")
    alone = fold_memories([event(1, proposed(claim), session="one"), event(2, proposed(claim), session="one")])
    apart = fold_memories([event(1, proposed(claim), session="one"), event(2, proposed(claim), session="two")])
    assert (
        apart[claim.id].confidence
        > alone[claim.id].confidence
        > fold_memories(history(proposed(claim)))[claim.id].confidence
    )


def test_a_learner_may_be_surer_than_the_table() -> None:
    claim = says("use pnpm")
    memory = memory_of(claim, ClaimProposed(claim, Verdict.PROPOSED, "habits", confidence=0.95))
    assert memory.confidence == 0.95
