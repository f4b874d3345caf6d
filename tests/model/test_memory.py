"""The fold by example: what a memory is after each thing that can be said about it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.model.claim import GLOBAL, Kind, Provenance, Status
from tacit.model.event import (
    HAND_EDIT,
    IMPORT,
    POLICY,
    REPOSITORY,
    ClaimDecided,
    ClaimProposed,
    Event,
    EventOrigin,
    EventsUndone,
    Verdict,
)
from tacit.model.memory import confidence_of, effective_events, fold_memories, fold_memory, undone_ids
from tacit.model.observation import WorkLogged
from tests.support.events import START, added, event, history, memory_of, numbered, proposed, says, unhurried

CLAIM = says("use pnpm")


@pytest.mark.parametrize(
    ("verdict", "status"),
    [
        (Verdict.ACCEPTED, Status.ACTIVE),
        (Verdict.RESTORED, Status.ACTIVE),
        (Verdict.DISMISSED, Status.DISMISSED),
        (Verdict.RETIRED, Status.RETIRED),
        (Verdict.REVISED, Status.RETIRED),
        (Verdict.KEPT, Status.PENDING),
    ],
)
def test_the_latest_verdict_is_the_status(verdict: Verdict, status: Status) -> None:
    memory = memory_of(CLAIM, proposed(CLAIM), ClaimDecided(CLAIM, verdict, "because", "seen"))
    assert memory.status is status
    assert (memory.decided_by, memory.reason, memory.reason_evidence) == ("user", "because", "seen")
    assert memory.strength == 1


def test_a_suggestion_is_a_memory_nobody_has_decided_on() -> None:
    memory = memory_of(CLAIM, proposed(CLAIM, "a test"))
    assert (memory.status, memory.is_live, memory.decided_by) == (Status.PENDING, True, "")
    assert fold_memories([event(1, WorkLogged("T", "use pnpm"))]) == {}  # an observation makes none


def test_said_again_it_is_stronger_and_newer() -> None:
    memory = memory_of(CLAIM, added(CLAIM, "first"), added(CLAIM), added(CLAIM, "third"))
    assert memory.strength == 3
    assert [(given.event, given.text) for given in memory.evidence] == [(numbered(1), "first"), (numbered(3), "third")]
    assert (memory.first_at, memory.last_at) == (START + timedelta(hours=1), START + timedelta(hours=3))
    assert memory.last_event == numbered(3)


def test_sessions_are_counted_by_name_or_else_by_day() -> None:
    events = [
        event(1, proposed(CLAIM), session="one"),
        event(2, proposed(CLAIM), session="one"),
        event(3, proposed(CLAIM), session="two"),
        event(4, proposed(CLAIM)),
        event(5, proposed(CLAIM)),
    ]
    assert fold_memories(events)[CLAIM.id].sessions == {"one", "two", "2024-03-01"}


def test_the_latest_wording_of_a_person_wins_and_tags_add_up() -> None:
    memory = memory_of(
        CLAIM,
        added(says("use pnpm", tags=("js",))),
        added(says("Use the pnpm.", kind=Kind.CONSTRAINT, tags=("build",))),
    )
    assert memory.claim == says("Use the pnpm.", kind=Kind.CONSTRAINT, tags=("js", "build"))


def test_a_learner_rewords_only_what_no_person_has_spoken_of() -> None:
    reworded = says("Use the pnpm.")
    alone = [event(1, proposed(CLAIM), "agent"), event(2, proposed(reworded), "agent")]
    after_a_person = [event(1, proposed(CLAIM)), event(2, proposed(reworded), "agent")]
    assert fold_memories(alone)[CLAIM.id].claim == reworded
    assert fold_memories(after_a_person)[CLAIM.id].claim == CLAIM


@pytest.mark.parametrize("least", Provenance)
def test_a_policy_decides_only_on_a_persons_own_words_and_files(least: Provenance) -> None:
    accepted = event(2, ClaimDecided(CLAIM, Verdict.ACCEPTED), POLICY, provenance=Provenance.USER_DIRECT)
    learned = [event(1, proposed(CLAIM), "learner", provenance=least), accepted]
    is_owned = least >= Provenance.USER_FILE
    assert fold_memories(learned)[CLAIM.id].status is (Status.ACTIVE if is_owned else Status.PENDING)
    by_person = event(1, proposed(CLAIM))  # of which the person alone decides
    assert fold_memories([by_person, accepted])[CLAIM.id].status is Status.PENDING


@pytest.mark.parametrize("actor", ["agent:claude", "learner", IMPORT, HAND_EDIT])
@pytest.mark.parametrize("verdict", [Verdict.ACCEPTED, Verdict.RESTORED, Verdict.DISMISSED, Verdict.RETIRED])
def test_nobody_else_decides_anything(actor: str, verdict: Verdict) -> None:
    said = [event(1, proposed(CLAIM), actor), event(2, ClaimDecided(CLAIM, verdict), actor)]
    assert fold_memories(said)[CLAIM.id].status is Status.PENDING


@pytest.mark.parametrize("actor", ["agent:claude", "learner", IMPORT, HAND_EDIT, POLICY, REPOSITORY])
def test_what_others_add_waits_for_a_person(actor: str) -> None:
    assert fold_memories([event(1, added(CLAIM), actor)])[CLAIM.id].status is Status.PENDING


def test_what_a_trusted_repository_says_holds_until_the_trust_is_gone() -> None:
    said = event(1, added(CLAIM), REPOSITORY, provenance=Provenance.USER_FILE)
    revoked = event(2, EventsUndone((said.id,), (CLAIM.id,)), POLICY)
    accepted = event(2, ClaimDecided(CLAIM, Verdict.ACCEPTED))
    assert fold_memories([said])[CLAIM.id].status is Status.ACTIVE
    assert fold_memories([said, revoked]) == {}
    later = fold_memories([said, accepted, revoked._replace(id=numbered(3))])[CLAIM.id]
    assert later.status is Status.ACTIVE


@pytest.mark.parametrize("actor", ["agent:claude", "learner", IMPORT])
def test_nobody_takes_back_anothers_words(actor: str) -> None:
    said = event(1, proposed(CLAIM), "agent:codex")
    assert CLAIM.id in fold_memories([said, event(2, EventsUndone((said.id,), (CLAIM.id,)), actor)])
    assert fold_memories([said, event(2, EventsUndone((said.id,), (CLAIM.id,)), "agent:codex")]) == {}


def test_what_came_from_outside_is_not_washed_clean_by_a_later_yes() -> None:
    outside = EventOrigin(START, 0, "host", "", "learner", Provenance.EXTERNAL)
    found = Event(numbered(1), numbered(1), outside, GLOBAL, proposed(CLAIM))
    for later in (ClaimDecided(CLAIM, Verdict.ACCEPTED), proposed(CLAIM)):
        assert fold_memories([found, event(2, later)])[CLAIM.id].provenance is Provenance.EXTERNAL
    assert fold_memories([found, event(2, proposed(CLAIM), "agent")])[CLAIM.id].provenance is Provenance.EXTERNAL


def test_a_person_who_says_it_again_wakes_what_was_forgotten() -> None:
    gone = ClaimDecided(CLAIM, Verdict.RETIRED)
    assert memory_of(CLAIM, added(CLAIM), gone, added(CLAIM)).status is Status.ACTIVE
    assert memory_of(CLAIM, added(CLAIM), gone, proposed(CLAIM)).status is Status.PENDING
    by_agent = [*history(added(CLAIM), gone), event(3, added(CLAIM), "agent")]
    assert fold_memories(by_agent)[CLAIM.id].status is Status.RETIRED


def test_an_undone_event_counts_as_not_said() -> None:
    said = history(added(CLAIM), ClaimDecided(CLAIM, Verdict.RETIRED))
    taken_back = [*said, event(3, EventsUndone((numbered(2),), (CLAIM.id,)))]
    again = [*taken_back, event(4, EventsUndone((numbered(3),), (CLAIM.id,)))]
    assert fold_memories(said)[CLAIM.id].status is Status.RETIRED
    assert fold_memories(taken_back) == fold_memories(said[:1])
    assert fold_memories(again) == fold_memories(said)
    nothing = [*said[:1], event(2, EventsUndone((numbered(1),), (CLAIM.id,)))]
    assert (fold_memories(nothing), fold_memory(nothing, CLAIM.id)) == ({}, None)


def test_an_undo_reaches_only_what_came_before_it() -> None:
    events = [event(1, EventsUndone((numbered(2), numbered(1), numbered(7)), ())), event(2, added(CLAIM))]
    assert undone_ids(events) == set()
    assert [one.id for one in effective_events(events)] == [numbered(1), numbered(2)]


def test_the_day_is_the_one_on_the_wall_where_it_happened() -> None:
    origin = EventOrigin(START.replace(hour=23), 120, "host", "", "user", Provenance.USER_DIRECT)
    said = Event(numbered(1), numbered(1), origin, GLOBAL, ClaimProposed(CLAIM, Verdict.ADDED, "user_direct", "late"))
    memory = fold_memories([said])[CLAIM.id]
    assert memory.day == date(2024, 3, 2)
    assert memory.evidence[0].day == date(2024, 3, 2)


def learned(number: int, *sources: int) -> Event:
    """A proposal of a learner in an hour of the year 2030, from events at these milliseconds."""
    body = proposed(CLAIM, "as quoted")._replace(events=tuple(map(numbered, sources)))
    made = event(number, body, "learner:sessions")
    return made._replace(origin=made.origin._replace(at=datetime(2030, 1, 1, number, tzinfo=UTC)))


_OCTOBER, _NOVEMBER = (int(datetime(2029, month, 5, tzinfo=UTC).timestamp() * 1000) for month in (10, 11))


def test_what_a_session_showed_was_said_when_the_session_was() -> None:
    memory = fold_memories([learned(1, _OCTOBER, _NOVEMBER)])[CLAIM.id]
    assert memory.said_at == datetime(2029, 11, 5, tzinfo=UTC)
    assert memory.shown_day == memory.evidence[0].day == date(2029, 11, 5)
    assert memory.first_at == memory.last_at == datetime(2030, 1, 1, 1, tzinfo=UTC)
    assert memory.day == date(2030, 1, 1)


def test_accepting_says_nothing_new_and_forgetting_has_its_own_day() -> None:
    accepted, forgotten = ClaimDecided(CLAIM, Verdict.ACCEPTED), ClaimDecided(CLAIM, Verdict.RETIRED)
    decisions = [event(number, body) for number, body in ((2, accepted), (3, forgotten))]
    later = [one._replace(origin=one.origin._replace(at=datetime(2030, 2, 1, tzinfo=UTC))) for one in decisions]
    held = fold_memories([learned(1, _OCTOBER), later[0]])[CLAIM.id]
    assert (held.shown_day, held.day) == (date(2029, 10, 5), date(2030, 2, 1))
    assert fold_memories([learned(1, _OCTOBER), *later])[CLAIM.id].shown_day == date(2030, 2, 1)


def test_the_latest_time_it_was_said_counts_in_whatever_order_sessions_are_learned_from() -> None:
    for first, second in ((_OCTOBER, _NOVEMBER), (_NOVEMBER, _OCTOBER)):
        memory = fold_memories([learned(1, first), learned(2, second)])[CLAIM.id]
        assert memory.said_at.date() == date(2029, 11, 5)
        assert [one.day.month for one in memory.evidence] == [10 if ms == _OCTOBER else 11 for ms in (first, second)]


def test_a_source_without_a_time_or_from_the_future_changes_nothing() -> None:
    future = int(datetime(2031, 1, 1, tzinfo=UTC).timestamp() * 1000)
    for source in (0, future):
        memory = fold_memories([learned(1, source)])[CLAIM.id]
        assert memory.said_at == datetime(2030, 1, 1, 1, tzinfo=UTC)


# How sure a memory is: a base by source, rising with observations and sessions to a cap


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
    sessions = (["one"], ["one", "one"], ["one", "two"])
    folded = [
        fold_memories(event(number, proposed(CLAIM), session=name) for number, name in enumerate(names, 1))
        for names in sessions
    ]
    once, alone, apart = (memories[CLAIM.id].confidence for memories in folded)
    assert apart > alone > once
    by_learner = memory_of(CLAIM, ClaimProposed(CLAIM, Verdict.PROPOSED, "habits", confidence=0.95))
    assert by_learner.confidence == 0.95  # who may be surer than the table
