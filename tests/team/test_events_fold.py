"""The fold of the team's events: what holds does not depend on pages, repetitions or who comes last."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tacit.model.claim import project_scope
from tacit.model.ids import ClaimId
from tacit.model.statement import claim_from
from tacit.team.events import Position, Proposal, TeamEvent, TeamMemories, TeamStatus, TeamVerb, fold_events

PROJECT = "github.com/acme/api"
CLAIM = claim_from("use pnpm for packages", project_scope(PROJECT))
KEY = (PROJECT, CLAIM.id)


def event(number: int, verb: TeamVerb, author: str = "alice", target: str = "") -> TeamEvent:
    proposal = Proposal(f"e{number}", author, "", CLAIM) if verb is TeamVerb.PROPOSED else None
    return TeamEvent(Position(1, number), f"e{number}", PROJECT, author, "", verb, CLAIM.id, proposal, target)


def fold(*events: TeamEvent) -> TeamStatus:
    return fold_events({}, events, Position())[KEY].status


PROPOSED = event(1, TeamVerb.PROPOSED)
ACCEPTED = event(2, TeamVerb.ACCEPTED, "bob", "e1")


def test_a_proposal_waits_until_it_is_decided_or_withdrawn() -> None:
    assert fold(PROPOSED) is TeamStatus.WAITING
    assert fold(PROPOSED, ACCEPTED) is TeamStatus.ACCEPTED
    assert fold(PROPOSED, event(2, TeamVerb.DECLINED, "bob")) is TeamStatus.DECLINED
    assert fold(PROPOSED, event(2, TeamVerb.WITHDRAWN)) is TeamStatus.WITHDRAWN


def test_another_proposal_still_waits_when_one_is_withdrawn() -> None:
    assert fold(PROPOSED, event(2, TeamVerb.PROPOSED, "carol"), event(3, TeamVerb.WITHDRAWN)) is TeamStatus.WAITING


def test_what_was_accepted_is_not_withdrawn_or_declined_any_more() -> None:
    for verb in (TeamVerb.WITHDRAWN, TeamVerb.DECLINED):
        assert fold(PROPOSED, ACCEPTED, event(3, verb)) is TeamStatus.ACCEPTED
    assert fold(PROPOSED, ACCEPTED, event(3, TeamVerb.RETIRED, "bob")) is TeamStatus.RETIRED


def test_an_acceptance_counts_for_the_proposal_that_it_names_and_only_after_it() -> None:
    assert fold(PROPOSED, event(2, TeamVerb.ACCEPTED, "bob", "e9")) is TeamStatus.WAITING
    assert fold(PROPOSED, event(2, TeamVerb.ACCEPTED, "bob")) is TeamStatus.WAITING
    assert fold(event(1, TeamVerb.ACCEPTED, "bob", "e2"), event(2, TeamVerb.PROPOSED)) is TeamStatus.WAITING
    assert fold(PROPOSED, event(2, TeamVerb.PROPOSED), event(3, TeamVerb.ACCEPTED, "bob", "e1")) is TeamStatus.WAITING


def test_what_was_purged_has_no_text_and_never_comes_back() -> None:
    memory = fold_events({}, [PROPOSED, ACCEPTED, event(3, TeamVerb.PURGED)], Position())[KEY]
    assert memory.shown is None and memory.acceptance is None
    assert fold(PROPOSED, event(2, TeamVerb.PURGED), event(3, TeamVerb.PROPOSED)) is TeamStatus.PURGED


verbs = st.lists(st.tuples(st.sampled_from(TeamVerb), st.sampled_from(["alice", "bob", "carol"]), st.integers(1, 12)))


@given(verbs, st.integers(0, 12))
def test_pages_and_repetitions_do_not_matter(drawn: Sequence[tuple[TeamVerb, str, int]], cut: int) -> None:
    events = [event(number, verb, author, f"e{target}") for number, (verb, author, target) in enumerate(drawn, 1)]
    whole = fold_events({}, events, Position())
    first: TeamMemories = fold_events({}, events[:cut], Position())
    after = events[:cut][-1].position if events[:cut] else Position()
    assert fold_events(first, events, after) == whole  # the second page repeats the first
    assert fold_events({}, reversed(events), Position()) == whole
    assert all(memory.id == ClaimId(CLAIM.id) for memory in whole.values())
