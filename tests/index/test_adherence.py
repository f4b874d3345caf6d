"""Rows of what was told and checked: the latest check of a session counts, in whatever order checks are indexed."""

from __future__ import annotations

from itertools import permutations

import pytest

from tacit.index import adherence, reader
from tacit.index.adherence import RecentAdherence
from tacit.log.codec import must_decode
from tacit.model.claim import Claim, Kind
from tacit.model.event import ClaimDecided, Event, EventBody, Verdict
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import BriefInjected, MemoryChecked, session_id
from tacit.model.session import AdherenceCounts
from tests.index.conftest import index_of
from tests.support.events import added, event, numbered, says

RULE = says("never use npm")
ONE, TWO = session_id("claude", "one"), session_id("claude", "two")
VIOLATED, FOLLOWED = "violated", "followed"


def check(number: int, session: ClaimId, result: str, claim: Claim = RULE, correction: int = 0) -> Event:
    prompt = numbered(correction) if correction else EventId("")
    call = numbered(1) if result in (FOLLOWED, VIOLATED) else EventId("")
    body = MemoryChecked(claim.id, session, result, call, prompt)
    return event(number, body, "learner:adherence")


def injected(number: int, session: str, *claims: Claim, agent: str = "claude") -> Event:
    body = BriefInjected(tuple(claim.id for claim in claims), 10, agent=agent, moment="startup")
    return event(number, body, f"agent:{agent}", session=session)


def test_the_latest_check_of_a_session_counts_in_whatever_order_they_come() -> None:
    checks = [check(1, ONE, FOLLOWED), check(2, ONE, VIOLATED), check(3, TWO, FOLLOWED)]
    for order in permutations(checks):
        counts = adherence.adherence_counts(index_of(*order), RULE.id)
        assert counts == AdherenceCounts(0, followed=1, violated=1)


def test_a_memory_is_told_once_a_session_and_a_printed_brief_tells_nobody() -> None:
    index = index_of(
        injected(1, "one", RULE), injected(2, "one", RULE), injected(3, "two", RULE), injected(4, "x", RULE, agent="")
    )
    assert adherence.adherence_counts(index, RULE.id).injected == 2


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([check(2, ONE, VIOLATED)], 0),
        ([check(2, ONE, VIOLATED), check(3, TWO, VIOLATED)], 2),
        ([check(2, ONE, VIOLATED), check(3, ONE, VIOLATED)], 0),
        ([check(2, ONE, "", correction=9)], 1),
        ([check(2, ONE, VIOLATED), event(3, ClaimDecided(RULE, Verdict.KEPT)), check(4, TWO, VIOLATED)], 0),
        ([check(2, ONE, VIOLATED), check(3, TWO, VIOLATED), event(4, ClaimDecided(RULE, Verdict.RETIRED))], 0),
    ],
)
def test_two_sessions_or_a_correction_make_a_memory_ineffective(events: list[Event], expected: int) -> None:
    index = index_of(event(1, added(RULE)), *events)
    assert len(adherence.ineffective_claims(index, must_decode).get(RULE.id, [])) == expected


def test_recent_counts_begin_at_an_event() -> None:
    index = index_of(
        injected(1, "one", RULE), check(2, ONE, VIOLATED), injected(3, "two", RULE), check(4, TWO, FOLLOWED)
    )
    assert adherence.recent_adherence(index, numbered(0)) == RecentAdherence(2, 20, 1, 1, 0)
    assert adherence.recent_adherence(index, numbered(3)) == RecentAdherence(1, 10, 1, 0, 0)


def test_relevance_moves_a_little_and_that_of_constraints_never_down() -> None:
    claims = [says("sort imports", kind=Kind.RULE), says("wash the otter", kind=Kind.RULE), RULE]
    bodies: list[EventBody] = [added(claim) for claim in claims]
    judgements = [event(number, body) for number, body in enumerate(bodies, 1)]
    checks = [check(9, ONE, FOLLOWED, claims[0])]
    checks += [check(10 + at, ONE, "not_applicable", claim) for at, claim in enumerate(claims[1:])]
    index = index_of(*judgements, *checks)
    rows = list(reader.memory_rows(index))
    shares = adherence.adjusted_relevance(index, rows, {claim.id: 0.5 for claim in claims} | {"other": 1.0})
    assert 0.5 < shares[claims[0].id] <= 0.575 and 0.425 <= shares[claims[1].id] < 0.5
    assert shares[RULE.id] == 0.5 and shares["other"] == 1.0
    assert reader.has_checks(index) and not reader.has_checks(index_of(*judgements))
