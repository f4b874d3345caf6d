"""A memory is the fold of its events: whatever their order, however often each is heard."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tacit.model.claim import Claim, Status
from tacit.model.event import ClaimProposed, Event, Verdict
from tacit.model.memory import fold_memories, fold_memory
from tests.laws.strategies import after, claims, law, logs

shuffled_logs = logs.flatmap(lambda log: st.tuples(st.just(log), st.permutations(log)))


@law
@given(shuffled_logs)
def test_order_does_not_matter(both: tuple[list[Event], list[Event]]) -> None:
    log, shuffled = both
    assert fold_memories(shuffled) == fold_memories(log)


@law
@given(shuffled_logs)
def test_hearing_it_twice_changes_nothing(both: tuple[list[Event], list[Event]]) -> None:
    log, shuffled = both
    assert fold_memories(log + shuffled) == fold_memories(log)


@law
@given(logs)
def test_one_memory_alone_is_the_same_as_among_all(log: list[Event]) -> None:
    memories = fold_memories(log)
    assert {claim: fold_memory(log, claim) for claim in memories} == memories


@law
@given(logs)
def test_a_memory_stands_under_the_id_of_its_claim(log: list[Event]) -> None:
    for claim, memory in fold_memories(log).items():
        assert memory.id == claim


@law
@given(claims, st.integers(1, 12), st.sampled_from((Verdict.ADDED, Verdict.PROPOSED)))
def test_strength_counts_observations(claim: Claim, times: int, verdict: Verdict) -> None:
    log: list[Event] = []
    for _ in range(times):
        log.append(after(log, ClaimProposed(claim, verdict, "user_direct")))
    memory = fold_memories(log)[claim.id]
    assert memory.strength == times
    assert memory.status is (Status.ACTIVE if verdict is Verdict.ADDED else Status.PENDING)


@law
@given(claims, st.integers(1, 5))
def test_a_learners_notice_is_no_observation(claim: Claim, times: int) -> None:
    log = [after([], ClaimProposed(claim, Verdict.PROPOSED, "remember"))]
    for _ in range(times):
        log.append(after(log, ClaimProposed(claim, Verdict.SUGGESTED, "repeats"), "learner"))
    memory = fold_memories(log)[claim.id]
    assert (memory.strength, memory.suggested) == (1, True)
