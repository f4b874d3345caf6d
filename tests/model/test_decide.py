"""What each verb concludes, and what it refuses; every refusal says what to type next where there is something."""

from __future__ import annotations

import pytest

from tacit.errors import RefusedError
from tacit.model import decide
from tacit.model.claim import Kind, Provenance, Status
from tacit.model.event import ClaimDecided, ClaimProposed, Draft, EventsUndone, Verdict
from tacit.model.memory import fold_memories
from tests.support.events import active, added, dismissed, event, forgotten, history, memory_of, pending, proposed, says

CLAIM = says("use pnpm")


def decided(draft: Draft) -> ClaimDecided:
    assert isinstance(draft.body, ClaimDecided)
    return draft.body


def test_the_same_words_with_the_same_evidence_are_known_already() -> None:
    known = memory_of(CLAIM, proposed(CLAIM, "a test"))
    assert decide.propose(known, CLAIM, source="remember", evidence="a test") == []
    (again,) = decide.propose(known, CLAIM, source="remember", evidence="another test")
    assert again.body == ClaimProposed(CLAIM, Verdict.PROPOSED, "remember", "another test")
    assert again.scope == CLAIM.scope


def test_what_was_dismissed_may_be_remembered_again_with_the_same_evidence() -> None:
    known = memory_of(CLAIM, proposed(CLAIM, "a test"), ClaimDecided(CLAIM, Verdict.DISMISSED))
    assert len(decide.propose(known, CLAIM, source="remember", evidence="a test")) == 1
    assert len(decide.propose(None, CLAIM, source="remember", evidence="a test")) == 1


def test_an_add_is_active_at_once_only_when_a_person_says_so() -> None:
    for provenance in Provenance:
        body = decide.add(CLAIM, provenance=provenance, evidence="").body
        if provenance is Provenance.USER_DIRECT:
            assert body == ClaimProposed(CLAIM, Verdict.ADDED, "user_direct")
        else:
            assert body == ClaimProposed(CLAIM, Verdict.PROPOSED, "agent")
            assert fold_memories([event(1, body, "agent")])[CLAIM.id].status is Status.PENDING


def test_accept_makes_it_active_under_the_kind_one_names() -> None:
    body = decided(decide.accept(pending(), kind=Kind.CONSTRAINT, evidence="review"))
    memory = memory_of(CLAIM, proposed(CLAIM), body)
    assert (memory.status, memory.kind) == (Status.ACTIVE, Kind.CONSTRAINT)
    assert [given.text for given in memory.evidence] == ["review"]


def test_an_active_memory_is_not_accepted_again_but_may_get_another_kind() -> None:
    for kind in (None, Kind.RULE):
        with pytest.raises(RefusedError, match="active already"):
            decide.accept(active(), kind=kind)
    assert decided(decide.accept(active(), kind=Kind.CONSTRAINT)).claim.kind is Kind.CONSTRAINT


def test_promote_records_the_observation_and_the_verdict() -> None:
    bodies = [draft.body for draft in decide.promote(CLAIM, evidence="seen thrice")]
    memory = memory_of(CLAIM, *bodies)
    assert (memory.status, memory.strength) == (Status.ACTIVE, 1)
    assert [given.text for given in memory.evidence] == ["seen thrice"]


def test_only_a_suggestion_is_dismissed() -> None:
    assert decided(decide.dismiss(pending(), reason="no")).verdict is Verdict.DISMISSED
    with pytest.raises(RefusedError, match="not a suggestion") as refusal:
        decide.dismiss(active())
    assert refusal.value.hint.startswith(f"tacit forget {active().id}")
    for memory in (dismissed(), forgotten()):
        with pytest.raises(RefusedError, match="already"):
            decide.dismiss(memory)


def test_only_what_lives_is_forgotten_and_only_what_is_gone_is_restored() -> None:
    for memory in (active(), pending()):
        assert decided(decide.forget(memory, reason="old", evidence="today")).verdict is Verdict.RETIRED
        with pytest.raises(RefusedError, match="nothing to restore"):
            decide.restore(memory)
    for memory in (dismissed(), forgotten()):
        assert decided(decide.restore(memory)).verdict is Verdict.RESTORED
        with pytest.raises(RefusedError, match="already") as refusal:
            decide.forget(memory, reason="old", evidence="today")
        assert refusal.value.hint == f"tacit restore {memory.id}"


def test_new_words_for_the_same_statement_stay_the_same_memory() -> None:
    body = decided(decide.revise(active(), says("Use the pnpm.")))
    memory = memory_of(CLAIM, added(CLAIM), body)
    assert (memory.claim.sentence, memory.status, memory.strength) == ("Use the pnpm.", Status.ACTIVE, 1)


def test_another_statement_takes_the_place_of_the_old_and_inherits() -> None:
    old = memory_of(CLAIM, added(CLAIM, "first"), added(CLAIM, "second"))
    body = decided(decide.revise(old, says("use yarn")))
    memories = fold_memories(history(added(CLAIM, "first"), added(CLAIM, "second"), body))
    new = memories[says("use yarn").id]
    assert (new.status, new.strength) == (Status.ACTIVE, 2)
    assert [given.text for given in new.evidence] == ["first", "second"]
    assert (memories[CLAIM.id].status, memories[CLAIM.id].replaced_by) == (Status.RETIRED, new.id)


def test_a_revised_suggestion_stays_a_suggestion_unless_accepted_with_it() -> None:
    for activate, status in ((False, Status.PENDING), (True, Status.ACTIVE)):
        body = decided(decide.revise(pending(), says("use yarn"), activate=activate))
        assert fold_memories(history(proposed(CLAIM), body))[says("use yarn").id].status is status


def test_a_revision_that_changes_nothing_is_refused() -> None:
    with pytest.raises(RefusedError, match="nothing to change"):
        decide.revise(active(), CLAIM)
    assert decided(decide.revise(pending(), CLAIM, activate=True)).active


def test_a_merge_moves_strength_and_evidence_to_the_other() -> None:
    other = says("use pnpm everywhere")
    body = decided(decide.merge(memory_of(CLAIM, added(CLAIM, "first")), memory_of(other, added(other, "own"))))
    memories = fold_memories(history(added(CLAIM, "first"), added(other, "own"), body))
    kept = memories[other.id]
    assert (kept.status, kept.strength) == (Status.ACTIVE, 2)
    assert [given.text for given in kept.evidence] == ["own", "first"]
    assert memories[CLAIM.id].status is Status.RETIRED


def test_a_memory_is_not_merged_with_itself_or_into_a_forgotten_one() -> None:
    with pytest.raises(RefusedError, match="with itself"):
        decide.merge(active(), active())
    with pytest.raises(RefusedError) as refusal:
        decide.merge(active("use yarn"), forgotten())
    assert refusal.value.hint == f"tacit restore {forgotten().id}"


def test_an_undo_names_its_events_and_whom_they_touch() -> None:
    operation = history(added(CLAIM), ClaimDecided(CLAIM, Verdict.REVISED, instead=says("use yarn")))
    body = decide.undo(operation, "revise").body
    assert body == EventsUndone(tuple(one.id for one in operation), (CLAIM.id, says("use yarn").id), "revise")
    again = decide.undo([event(9, body)], "undo of revise").body
    assert isinstance(again, EventsUndone) and again.claims == body.claims


def test_a_learners_notice_carries_the_confidence_and_counts_nothing() -> None:
    body = decide.suggest(pending(), source="repeats", reason="seen often", evidence="").body
    memory = memory_of(CLAIM, proposed(CLAIM, "a test"), body)
    assert (memory.strength, memory.suggested, memory.confidence) == (1, True, pending().confidence)


def test_a_memory_is_kept_despite_a_contradiction_or_despite_missing_names() -> None:
    names = ("docs/a.md", "make lint")
    memory = memory_of(CLAIM, added(CLAIM), *(decide.keep_despite(active(), [name]).body for name in names))
    assert (memory.status, memory.is_kept, memory.kept_names) == (Status.ACTIVE, False, frozenset(names))
    kept = memory_of(CLAIM, added(CLAIM), decide.keep(active()).body)
    assert (kept.status, kept.is_kept, kept.kept_names) == (Status.ACTIVE, True, frozenset())
