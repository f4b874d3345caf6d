"""Sharing is folded from the log like everything else; logs from before there was sharing mean what they meant."""

from __future__ import annotations

from hypothesis import given

from tacit.model.claim import Status
from tacit.model.event import ClaimDecided, ClaimProposed, Event, Verdict
from tacit.model.memory import fold_memories
from tests.laws.strategies import after, law, logs

SHARING = (Verdict.SHARED, Verdict.UNSHARED)


def _old(log: list[Event]) -> list[Event]:
    """The log as it was written before: nothing is marked as private, and nobody speaks of sharing."""
    return [
        event._replace(body=event.body._replace(private=False))
        if isinstance(event.body, ClaimProposed | ClaimDecided)
        else event
        for event in log
        if not (isinstance(event.body, ClaimDecided) and event.body.verdict in SHARING)
    ]


def _private(log: list[Event]) -> list[Event]:
    return [
        event._replace(body=event.body._replace(private=True))
        if isinstance(event.body, ClaimProposed | ClaimDecided)
        else event
        for event in _old(log)
    ]


@law
@given(logs)
def test_of_an_old_log_what_a_person_spoke_of_and_holds_is_shared_and_nothing_else(log: list[Event]) -> None:
    for memory in fold_memories(_old(log)).values():
        if memory.status is Status.ACTIVE:
            assert bool(memory.shared) is memory.touched_by_user


@law
@given(logs)
def test_what_is_marked_private_is_never_shared_and_otherwise_the_same(log: list[Event]) -> None:
    old, private = fold_memories(_old(log)), fold_memories(_private(log))
    assert all(memory.shared is None for memory in private.values())
    assert {name: memory._replace(shared=None) for name, memory in old.items()} == private


@law
@given(logs)
def test_sharing_changes_nothing_else_and_the_last_word_counts(log: list[Event]) -> None:
    before = fold_memories(log)
    for name, memory in before.items():
        grown = list(log)
        for verdict in (*SHARING, *SHARING[:1]):
            grown.append(after(grown, ClaimDecided(memory.claim, verdict)))
        now = fold_memories(grown)
        # A judgement by the person: the line of the fact file has the strength of now.
        assert now[name] == memory._replace(shared=True, touched_by_user=True, judged_strength=memory.strength)
        assert {other: now[other] for other in now if other != name} == {
            other: before[other] for other in before if other != name
        }


@law
@given(logs)
def test_nobody_but_a_person_shares(log: list[Event]) -> None:
    before = fold_memories(log)
    for name, memory in before.items():
        for actor in ("agent", "learner", "policy", "repository"):
            for verdict in SHARING:
                event = after(log, ClaimDecided(memory.claim, verdict), actor)
                assert fold_memories([*log, event])[name] == memory
