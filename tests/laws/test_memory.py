"""A memory is the fold of its events: whatever their order, whoever speaks, and whatever is taken back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.model.claim import GLOBAL, Claim, Kind, Status
from tacit.model.decide import undo
from tacit.model.event import ClaimDecided, ClaimProposed, Event, EventsUndone, Verdict
from tacit.model.memory import KindSource, Memory, fold_memories, fold_memory
from tacit.model.statement import claim_from
from tests.laws.filing import rulings
from tests.laws.strategies import (
    DECISIONS,
    OTHERS,
    PERSON,
    Spoken,
    after,
    claims,
    in_other_words,
    law,
    logs,
    moved_after,
    quick_law,
    spoken,
)

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
@given(claims, st.integers(0, 5), st.sampled_from((Verdict.ADDED, Verdict.PROPOSED)))
def test_the_first_proposal_carries_how_often_others_stated_it(claim: Claim, times: int, verdict: Verdict) -> None:
    """A trusted line of a colleague counts as often as they have said it."""
    proposed = after([], ClaimProposed(claim, verdict, "user_direct", carried_strength=times))
    assert fold_memories([proposed])[claim.id].strength == 1 + times


@law
@given(claims)
def test_what_a_team_accepted_keeps_the_reason_it_gave(claim: Claim) -> None:
    said = after([], ClaimProposed(claim, Verdict.ADDED, "team", reason="agreed on Monday"))
    by_team = said._replace(origin=said.origin._replace(actor="team:alice"))
    assert fold_memories([by_team])[claim.id].reason == "agreed on Monday"
    assert fold_memories([said])[claim.id].reason == ""


@law
@given(claims, st.integers(1, 5))
def test_a_learners_notice_is_no_observation(claim: Claim, times: int) -> None:
    log = [after([], ClaimProposed(claim, Verdict.PROPOSED, "remember"))]
    for _ in range(times):
        log.append(after(log, ClaimProposed(claim, Verdict.SUGGESTED, "repeats"), "learner"))
    memory = fold_memories(log)[claim.id]
    assert (memory.strength, memory.suggested) == (1, True)


# Kinds: one that somebody named is never replaced by one that was told from the words


# Who states a claim, with which kind, and whether the kind was told from the words.
statements = st.tuples(
    st.sampled_from((PERSON, PERSON, "repository", "agent", "learner")),
    st.sampled_from((Kind.CONSTRAINT, Kind.RULE, Kind.DECISION)),
    st.booleans(),
)


def kind_after(claim: Claim, said: list[tuple[str, Kind, bool]]) -> Kind:
    log: list[Event] = []
    for actor, kind, is_inferred in said:
        body = ClaimProposed(claim._replace(kind=kind), Verdict.ADDED, "test", kind_inferred=is_inferred)
        log.append(after(log, body, actor))
    return fold_memories(log)[claim.id].kind


@law
@given(claims, st.sampled_from(Kind), st.lists(st.sampled_from(Kind), max_size=5), st.data())
def test_the_kind_that_a_person_named_is_the_same_whatever_the_order_of_hearing(
    claim: Claim, named: Kind, told: list[Kind], data: st.DataObject
) -> None:
    said = [(PERSON, named, False), *((PERSON, kind, True) for kind in told)]
    assert kind_after(claim, data.draw(st.permutations(said))) is named


@law
@given(claims, st.sampled_from(Kind), st.sampled_from(Kind))
def test_a_kind_in_a_trusted_file_holds_before_and_after_words_of_the_person(
    claim: Claim, named: Kind, told: Kind
) -> None:
    said = [("repository", named, False), (PERSON, told, True)]
    assert kind_after(claim, said) is kind_after(claim, said[::-1]) is named


@law
@given(claims, st.lists(statements, min_size=1, max_size=6))
def test_a_person_who_names_a_kind_has_the_last_word(claim: Claim, said: list[tuple[str, Kind, bool]]) -> None:
    named = [kind for actor, kind, is_inferred in said if actor == PERSON and not is_inferred]
    if named:
        assert kind_after(claim, said) is named[-1]


@law
@given(claims, st.lists(statements, min_size=1, max_size=6), st.sampled_from(Kind), st.booleans())
def test_no_agent_changes_the_kind_of_what_a_person_stated(
    claim: Claim, said: list[tuple[str, Kind, bool]], kind: Kind, is_inferred: bool
) -> None:
    if any(actor == PERSON for actor, _, _ in said):
        assert kind_after(claim, [*said, ("agent", kind, is_inferred)]) is kind_after(claim, said)


@law
@given(logs)
def test_in_an_old_log_the_latest_kind_of_a_person_holds(log: list[Event]) -> None:
    """Lines from before kinds were marked are read as if the kind had been named: nothing changes by an upgrade."""
    old = _marked(log, kind_inferred=False)
    for memory in fold_memories(old).values():
        other = in_other_words(memory.claim)
        again = after(old, ClaimProposed(other, Verdict.ADDED, "user_direct"))
        assert fold_memories([*old, again])[memory.id].kind is other.kind


# Sharing is folded from the log like everything else; logs from before there was sharing mean what they meant


SHARING = (Verdict.SHARED, Verdict.UNSHARED)


def _marked(log: list[Event], **marks: bool) -> list[Event]:
    """The log with each judgement marked otherwise."""
    return [
        event._replace(body=event.body._replace(**marks))  # type: ignore[arg-type]
        if isinstance(event.body, ClaimProposed | ClaimDecided)
        else event
        for event in log
    ]


def _old(log: list[Event]) -> list[Event]:
    """The log as it was written before: nothing is marked as private, and nobody speaks of sharing."""
    spoken = [event for event in log if not (isinstance(event.body, ClaimDecided) and event.body.verdict in SHARING)]
    return _marked(spoken, private=False)


@law
@given(logs)
def test_of_an_old_log_what_a_person_spoke_of_and_holds_is_shared_and_nothing_else(log: list[Event]) -> None:
    for memory in fold_memories(_old(log)).values():
        if memory.status is Status.ACTIVE:
            assert bool(memory.shared) is memory.touched_by_user


@law
@given(logs)
def test_what_is_marked_private_is_never_shared_and_otherwise_the_same(log: list[Event]) -> None:
    old, private = fold_memories(_old(log)), fold_memories(_marked(_old(log), private=True))
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


# Authority: what a person said holds until a person speaks again; no learner, agent or policy overrules it


def _word(verdict: Verdict, claim: Claim) -> ClaimDecided | ClaimProposed:
    if verdict in DECISIONS:
        return ClaimDecided(claim, verdict, "a person's reason")
    return ClaimProposed(claim, verdict, "user")


def _heard(spoken: Spoken, verdict: Verdict) -> tuple[Memory, Memory]:
    """The memory after a person's word, and after all that others said later."""
    said = [*spoken.log, after(spoken.log, _word(verdict, spoken.claim))]
    later = [*said, *moved_after(said, spoken.others)]
    return fold_memories(said)[spoken.claim.id], fold_memories(later)[spoken.claim.id]


@law
@given(spoken)
def test_whoever_dismissed_or_retired_it_only_a_person_brings_it_back(spoken: Spoken) -> None:
    gone = [claim for claim, one in fold_memories(spoken.log).items() if not one.is_live]
    later = fold_memories([*spoken.log, *moved_after(spoken.log, spoken.others)])
    assert [claim for claim in gone if later[claim].is_live] == []


@pytest.mark.parametrize("verdict", Verdict)
@quick_law
@given(spoken=spoken)
def test_nobody_overrules_rewords_or_takes_over_what_a_person_said(verdict: Verdict, spoken: Spoken) -> None:
    said, later = _heard(spoken, verdict)
    assert later.status is said.status
    assert later.claim._replace(kind=said.kind) == said.claim
    if later.kind is not said.kind:  # a person accepted the line of a repository that names it, and named none before
        assert said.kind_source <= later.kind_source is KindSource.STATED_IN_TRUSTED_FILE
    if verdict in (Verdict.ADDED, *DECISIONS):
        assert (later.decided_by, later.reason) == (said.decided_by, said.reason)


@quick_law
@given(spoken)
def test_a_person_can_bring_back_what_a_person_dismissed(spoken: Spoken) -> None:
    log, claim = spoken.log, spoken.claim
    dismissed = [*log, after(log, ClaimDecided(claim, Verdict.DISMISSED))]
    said_again = [*dismissed, after(dismissed, ClaimProposed(claim, Verdict.PROPOSED, "remember"))]
    restored = [*dismissed, after(dismissed, ClaimDecided(claim, Verdict.RESTORED))]
    assert fold_memories(said_again)[claim.id].status is Status.PENDING
    assert fold_memories(restored)[claim.id].status is Status.ACTIVE


@pytest.mark.parametrize("actor", OTHERS)
def test_only_a_person_takes_back_what_a_person_said(actor: str) -> None:
    claim = claim_from("use pnpm", GLOBAL)
    log = [after([], ClaimProposed(claim, Verdict.PROPOSED, "agent"), "agent")]
    log.append(after(log, ClaimDecided(claim, Verdict.DISMISSED)))
    log.append(after(log, undo(log[-1:], "the dismissal").body, actor))
    assert fold_memories(log)[claim.id].status is Status.DISMISSED


@pytest.mark.parametrize("repeated", ["use npm", "use pnpm"])
def test_an_agent_that_repeats_an_answer_reopens_no_question_a_person_settled(repeated: str) -> None:
    log: list[Event] = []
    for text in ("use npm", "use pnpm"):
        log.append(after(log, ClaimProposed(claim_from(text, GLOBAL), Verdict.ADDED, "user_direct")))
    settled = rulings(fold_memories(log).values())
    log.append(after(log, ClaimProposed(claim_from(repeated, GLOBAL), Verdict.PROPOSED, "agent"), "agent"))
    assert settled[claim_from("use npm", GLOBAL).id] == (claim_from("use pnpm", GLOBAL).id, False)
    assert rulings(fold_memories(log).values()) == settled


# Undo restores, and undo of the undo restores again


operations = logs.filter(bool).flatmap(
    lambda log: st.tuples(st.just(log), st.sampled_from(sorted({event.op for event in log})))
)


def _taken_back(log: list[Event], operation: list[Event]) -> list[Event]:
    return [*log, after(log, undo(operation, "an operation").body)]


@law
@given(operations)
def test_an_undone_operation_counts_as_never_said(chosen: tuple[list[Event], str]) -> None:
    log, op = chosen
    without = [event for event in log if event.op != op]
    undone = _taken_back(log, [event for event in log if event.op == op])
    assert fold_memories(undone) == fold_memories(without)
    redone = _taken_back(undone, undone[-1:])
    assert fold_memories(redone) == fold_memories(log)
    assert fold_memories(_taken_back(redone, redone[-1:])) == fold_memories(without)


@law
@given(operations)
def test_an_undo_names_every_claim_it_changes(chosen: tuple[list[Event], str]) -> None:
    log, op = chosen
    undone = _taken_back(log, [event for event in log if event.op == op])
    before, now = fold_memories(log), fold_memories(undone)
    changed = {claim for claim in {*before, *now} if before.get(claim) != now.get(claim)}
    body = undone[-1].body
    assert isinstance(body, EventsUndone)
    assert changed <= set(body.claims)
