"""What a person said holds until a person speaks again: no learner, agent or policy overrules it."""

from __future__ import annotations

import pytest
from hypothesis import given

from tacit.model.claim import GLOBAL, Claim, Status
from tacit.model.decide import undo
from tacit.model.event import ClaimDecided, ClaimProposed, Event, Verdict
from tacit.model.memory import KindSource, Memory, fold_memories
from tacit.model.statement import claim_from
from tests.laws.notes import rulings
from tests.laws.strategies import DECISIONS, OTHERS, Spoken, after, law, moved_after, quick_law, spoken


def _word(verdict: Verdict, claim: Claim) -> ClaimDecided | ClaimProposed:
    return (
        ClaimDecided(claim, verdict, "a person's reason")
        if verdict in DECISIONS
        else ClaimProposed(claim, verdict, "user")
    )


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
def test_nobody_overrules_the_verdict_of_a_person(verdict: Verdict, spoken: Spoken) -> None:
    said, later = _heard(spoken, verdict)
    assert later.status is said.status


@pytest.mark.parametrize("verdict", Verdict)
@quick_law
@given(spoken=spoken)
def test_nobody_rewords_what_a_person_has_spoken_of(verdict: Verdict, spoken: Spoken) -> None:
    said, later = _heard(spoken, verdict)
    assert later.claim._replace(kind=said.kind) == said.claim
    if later.kind is not said.kind:  # a person accepted the line of a repository that names it, and named none before
        assert said.kind_source <= later.kind_source is KindSource.STATED_IN_TRUSTED_FILE


@pytest.mark.parametrize("verdict", (Verdict.ADDED, *DECISIONS))
@quick_law
@given(spoken=spoken)
def test_a_persons_decision_is_never_said_to_be_anothers(verdict: Verdict, spoken: Spoken) -> None:
    said, later = _heard(spoken, verdict)
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
