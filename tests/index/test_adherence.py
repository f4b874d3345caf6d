"""Rows of what was told and checked: the latest check of a session counts, in whatever order checks are indexed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import pytest

from tacit.index import adherence, reader
from tacit.log.codec import must_decode
from tacit.model.claim import Claim, Kind
from tacit.model.event import ClaimDecided, Event, EventBody, Verdict
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import BriefInjected, MemoryChecked, PromptGiven, ReplyGiven, session_id
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


# Memories that were told often and had to do with nothing

CRANE = says("the crane port of the harbour service is 7080", kind=Kind.PATTERN)
MORE = "is 7080 the port of the harbour service?"


def sittings(
    number: int, count: int = adherence.MIN_TOLD, *said: str, claim: Claim = CRANE, result: str = ""
) -> Iterator[Event]:
    """Sessions that were told a memory, from an event number on. The last ones said these things, others another."""
    for at, text in enumerate([*["rename the otter"] * (count - len(said)), *said]):
        name = f"sitting {number + at}"
        first = 10 * (number + at)
        yield event(first, PromptGiven("claude", text), session=name)
        yield injected(first + 1, name, claim)
        yield event(first + 2, ReplyGiven("claude", "It is done."), "agent:claude", session=name)
        if result:
            yield check(first + 3, session_id("claude", name), result, claim)


def idle(*events: Event, claim: Claim = CRANE) -> bool:
    return claim.id in adherence.idle_claims(index_of(event(1, added(claim)), *events), must_decode)


def test_a_memory_is_idle_once_five_sessions_were_told_it_and_none_had_to_do_with_it() -> None:
    assert idle(*sittings(1))
    assert idle(*sittings(1, 6))
    assert not idle(*sittings(1, 4))
    assert not idle()


def test_a_session_is_told_once_however_often_it_is_told() -> None:
    again = [injected(900 + number, "sitting 1", CRANE) for number in range(5)]
    assert not idle(*sittings(1, 4), *again)


def test_sessions_that_were_not_captured_show_nothing() -> None:
    assert not idle(*(one for one in sittings(1) if isinstance(one.body, BriefInjected)))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["start the service"], True),
        (["is the crane of the harbour there?"], True),
        ([MORE], False),
        (["which harbour?", "start the service", "is 7080 free?"], True),
        (["where are the cranes, and the ports of the harbours?"], False),
    ],
)
def test_a_session_that_has_half_of_the_words_has_to_do_with_a_memory(said: list[str], expected: bool) -> None:
    """Words in any form, all of them in one session."""
    assert idle(*sittings(1, 5, *said)) == expected


def test_half_of_the_words_of_a_session_may_be_in_several_of_its_messages_and_in_what_the_agent_said() -> None:
    def later(number: int, body: EventBody) -> Event:
        return event(number, body, session="sitting 3")

    more = [
        later(900, PromptGiven("claude", "where is the harbour?")),
        later(901, PromptGiven("claude", "which port?")),
    ]
    assert idle(*sittings(1), *more)
    assert not idle(*sittings(1), *more, later(902, ReplyGiven("claude", "The crane listens on 7080.")))


def test_a_session_that_was_not_told_a_memory_says_nothing_about_it() -> None:
    assert idle(*sittings(1), event(900, PromptGiven("claude", MORE), session="another"))


@pytest.mark.parametrize(
    ("result", "expected"),
    [("not_applicable", True), ("", True), (FOLLOWED, False), (VIOLATED, False), ("stopped", False)],
)
def test_a_check_that_found_a_bearing_makes_a_memory_no_idle_one(result: str, expected: bool) -> None:
    assert idle(*sittings(1), check(900, session_id("claude", "sitting 3"), result, CRANE)) == expected


def test_a_correction_is_a_bearing() -> None:
    assert not idle(*sittings(1), check(900, session_id("claude", "sitting 3"), "", CRANE, correction=9))


def test_a_memory_that_was_kept_is_asked_about_again_after_five_more_sessions() -> None:
    kept = event(200, ClaimDecided(CRANE, Verdict.KEPT))
    assert not idle(*sittings(1), kept)
    assert not idle(*sittings(1), kept, *sittings(30, 4))
    assert idle(*sittings(1), kept, *sittings(30, 5))
    assert idle(*sittings(1, 5, MORE), kept, *sittings(30, 5))
    assert not idle(*sittings(1), kept, *sittings(30, 5, MORE))


def test_what_was_found_before_a_memory_was_kept_says_nothing_about_the_sessions_since() -> None:
    kept, followed = event(200, ClaimDecided(CRANE, Verdict.KEPT)), check(150, ONE, FOLLOWED, CRANE)
    assert idle(*sittings(1), followed, kept, *sittings(30))
    assert not idle(*sittings(1), kept, *sittings(30), check(900, ONE, FOLLOWED, CRANE))


def test_a_decision_on_a_name_in_a_memory_is_none_on_whether_to_go_on_telling_it() -> None:
    assert idle(*sittings(1), event(200, ClaimDecided(CRANE, Verdict.KEPT, missing=("docs/crane.md",))))


@pytest.mark.parametrize("verdict", [Verdict.RETIRED, Verdict.DISMISSED])
def test_a_memory_that_is_not_active_is_not_idle(verdict: Verdict) -> None:
    assert not idle(*sittings(1), event(900, ClaimDecided(CRANE, verdict)))


@pytest.mark.parametrize("kind", [Kind.RULE, Kind.CONSTRAINT])
def test_a_rule_is_idle_only_when_five_checks_say_that_it_did_not_apply(kind: Kind) -> None:
    """Whether a rule that cannot be checked was followed is mostly not to be seen."""
    rule = says("keep the functions short", kind=kind)
    assert not idle(*sittings(1, 9, claim=rule), claim=rule)
    assert not idle(*sittings(1, 4, claim=rule, result="not_applicable"), *sittings(30, claim=rule), claim=rule)
    assert idle(*sittings(1, 5, claim=rule, result="not_applicable"), claim=rule)
    assert idle(*sittings(1, 5, "keep the functions short", claim=rule, result="not_applicable"), claim=rule)
    assert not idle(*sittings(1, 9, claim=rule, result="not_applicable"), check(900, ONE, FOLLOWED, rule), claim=rule)
    kept = event(200, ClaimDecided(rule, Verdict.KEPT))
    assert not idle(*sittings(1, 5, claim=rule, result="not_applicable"), kept, *sittings(30, claim=rule), claim=rule)


def test_idle_memories_are_listed_those_told_most_first() -> None:
    others = [says(f"the {name} lives in the attic", kind=Kind.PATTERN) for name in ("lynx", "heron")]
    events = [event(number, added(claim)) for number, claim in enumerate([CRANE, *others], 1)]
    told = [*sittings(1, 5), *sittings(20, 7, claim=others[0]), *sittings(40, 4, claim=others[1])]
    assert adherence.idle_claims(index_of(*events, *told), must_decode) == [others[0].id, CRANE.id]
