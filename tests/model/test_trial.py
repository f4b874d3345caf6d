"""Trials folded from their events: who may begin and end one, and which ending holds."""

from __future__ import annotations

from tacit.model.claim import GLOBAL
from tacit.model.event import Event, EventBody, EventsUndone
from tacit.model.ids import ClaimId
from tacit.model.memory import claims_of_event, effective_events, fold_memory, touched_claims
from tacit.model.observation import TrialEnded, TrialStarted
from tacit.model.trial import TRIAL_ACTOR, Ending, fold_trials
from tests.laws.strategies import after

CLAIM = ClaimId("0123456789ab")
STARTED = TrialStarted(CLAIM, "0123456789abcdef0123", 40)


def log(*said: tuple[str, EventBody]) -> list[Event]:
    events: list[Event] = []
    for actor, body in said:
        event = after(events, body)
        events.append(event._replace(origin=event.origin._replace(actor=actor), scope=GLOBAL))
    return events


def test_only_a_person_starts_a_trial() -> None:
    for actor in ("agent:claude", "team:bob", "repository", "import", TRIAL_ACTOR):
        assert fold_trials(log((actor, STARTED))) == []
    (trial,) = fold_trials(log(("user", STARTED)))
    assert trial.is_running and (trial.claim, trial.most) == (CLAIM, 40)


def test_the_first_ending_holds_and_an_agent_ends_none() -> None:
    (start,) = begun = log(("user", STARTED))
    endings = ("agent:claude", Ending.HARMS), (TRIAL_ACTOR, Ending.HELPS), ("user", Ending.STOPPED)
    for actor, ending in endings:
        begun.append(after(begun, TrialEnded(CLAIM, start.id, ending.value), actor if actor == "user" else "learner"))
        begun[-1] = begun[-1]._replace(origin=begun[-1].origin._replace(actor=actor))
    (trial,) = fold_trials(reversed(begun))
    assert trial.ending is Ending.HELPS and trial.ended == begun[2].id


def test_a_word_of_a_later_version_ends_nothing() -> None:
    (start,) = begun = log(("user", STARTED))
    (trial,) = fold_trials([*begun, after(begun, TrialEnded(CLAIM, start.id, "a_later_word"))])
    assert trial.is_running


def test_what_was_undone_does_not_count_and_a_trial_makes_no_memory() -> None:
    (start,) = begun = log(("user", STARTED))
    stop = after(begun, TrialEnded(CLAIM, start.id, "stopped"))
    undo = after([start, stop], EventsUndone((stop.id,), (CLAIM,)))
    (trial,) = fold_trials(effective_events([start, stop, undo]))
    assert trial.is_running
    assert claims_of_event(start) == [CLAIM] and touched_claims(start) == ()
    assert fold_memory([start, stop], CLAIM) is None
