"""Undo and redo: which operations are in effect, in which order they are taken back, and what stands against it."""

from __future__ import annotations

import pytest

from tacit.index.operations import Operations, is_undo, judgements, load_runs, load_workflows
from tacit.log.codec import must_decode
from tacit.model import observation
from tacit.model.decide import undo
from tacit.model.event import POLICY, REPOSITORY, USER, ClaimDecided, Event, EventBody, Verdict
from tacit.model.observation import StepRan, WorkflowDropped, WorkflowRan, WorkflowSaved, WorkLogged
from tacit.model.workflow import PastRun
from tests.index.conftest import index_of
from tests.laws.filing import filed, indexed
from tests.support.events import added, event, numbered, proposed, says

FIRST, SECOND, THIRD = says("feed the walrus"), says("wash the otter"), says("count the seals")


def operation(number: int, *bodies: EventBody, actor: str = USER) -> list[Event]:
    """The events of one operation, the first of which has this number."""
    return [event(number + place, body, actor)._replace(op=numbered(number)) for place, body in enumerate(bodies)]


def taken_back(number: int, events: list[Event], actor: str = USER) -> list[Event]:
    return operation(number, undo(events, "an undo").body, actor=actor)


def operations(*logged: list[Event]) -> Operations:
    return Operations(indexed(filed([each for events in logged for each in events])), must_decode)


# Undo


def test_undo_takes_back_whole_operations_the_newest_first() -> None:
    one, two = operation(1, added(FIRST), added(SECOND)), operation(5, observation.WorkLogged("", "read the code"))
    assert list(operations(one, two).undoable()) == [two, one]


def test_an_undo_is_no_step_of_undo_and_neither_is_what_it_took_back() -> None:
    one, two = operation(1, added(FIRST)), operation(2, added(SECOND))
    assert list(operations(one, two, taken_back(3, two)).undoable()) == [one]


def test_an_operation_whose_undo_was_undone_can_be_undone_again() -> None:
    one = operation(1, added(FIRST))
    back = taken_back(2, one)
    assert list(operations(one, back, taken_back(3, back)).undoable()) == [one]


@pytest.mark.parametrize(
    "events",
    [
        operation(2, proposed(SECOND), actor="learner:habit"),
        operation(2, proposed(SECOND), actor="learner:talk"),
        operation(2, observation.EvaluationCreated("2024-03-01", ())),
        operation(2, observation.WorkflowRan("check", ())),
        operation(2, observation.RepositoryDistrusted("/app/facts", "it changed"), actor=POLICY),
    ],
    ids=["a habit", "a lesson of a session", "an evaluation", "a run", "trust that ended by itself"],
)
def test_what_a_person_does_not_mean_by_the_latest_change_is_no_step(events: list[Event]) -> None:
    one = operation(1, added(FIRST))
    assert list(operations(one, events).undoable()) == [one]


def test_trust_that_the_person_ended_is_a_step() -> None:
    ended = operation(1, observation.RepositoryDistrusted("/app/facts", "asked to"))
    assert list(operations(ended).undoable()) == [ended]


def test_the_operations_on_one_memory_include_those_of_learners() -> None:
    one, learned = operation(1, added(FIRST), added(SECOND)), operation(4, proposed(FIRST), actor="learner:talk")
    known = operations(one, learned, operation(5, added(THIRD)))
    assert list(known.undoable(FIRST.id)) == [learned, one]
    assert list(known.undoable(SECOND.id)) == [one]


def test_trusting_a_repository_is_no_step_any_more_when_all_it_brought_is_taken_back() -> None:
    trust = operation(1, observation.RepositoryTrusted("/app/facts", 0, 0, ()))
    (brought,) = operation(2, added(FIRST), actor=REPOSITORY)
    trust.append(brought._replace(op=numbered(1)))
    assert list(operations(trust).undoable()) == [trust]
    assert list(operations(trust, taken_back(3, trust[1:], actor=POLICY)).undoable()) == []


def test_an_undo_by_another_takes_back_only_their_own() -> None:
    mine, theirs = operation(1, added(FIRST)), operation(2, proposed(SECOND), actor="agent:claude")
    both = taken_back(3, mine + theirs, actor="agent:claude")
    assert list(operations(mine, theirs, both).undoable()) == [mine]


# Redo


def test_redo_takes_back_the_undos_since_the_last_change_the_newest_first() -> None:
    one, two = operation(1, added(FIRST)), operation(2, added(SECOND))
    last, before = taken_back(3, two), taken_back(4, one)
    assert list(operations(one, two, last, before).redoable()) == [*before, *last]
    redone = taken_back(5, before)
    assert list(operations(one, two, last, before, redone).redoable()) == last


def test_a_change_after_an_undo_clears_redo_and_is_named() -> None:
    one, change = operation(1, added(FIRST)), operation(3, added(SECOND))
    known = operations(one, taken_back(2, one), change, operation(4, proposed(THIRD), actor="learner:talk"))
    assert list(known.redoable()) == []
    assert known.redo_cleared_by() == change
    assert operations(one, change).redo_cleared_by() == []


def test_an_undo_of_what_was_purged_cannot_be_redone() -> None:
    gone = operation(1, added(FIRST))
    back = taken_back(2, gone)
    known = operations(back)
    assert known.targets(back[0]) == []
    assert list(known.redoable()) == []


# What an undo would meet


def test_later_decisions_on_the_same_memories_are_named_and_further_observations_are_not() -> None:
    one = operation(1, added(FIRST), ClaimDecided(FIRST, Verdict.KEPT))
    observed = operation(3, proposed(FIRST, "again"))
    accepted, again = operation(4, ClaimDecided(FIRST, Verdict.ACCEPTED)), operation(5, added(FIRST))
    retired = operation(6, ClaimDecided(FIRST, Verdict.RETIRED))
    other = operation(7, added(SECOND))
    known = operations(one, observed, accepted, again, retired, other, taken_back(8, retired))
    assert known.later_decisions(one) == [*accepted, *again]
    assert known.later_decisions(again) == []


def test_later_decisions_on_a_workflow_are_found_by_its_name() -> None:
    saved, run = (
        operation(1, observation.WorkflowSaved("check", ("make",))),
        operation(2, observation.WorkflowRan("check", ())),
    )
    dropped, other = (
        operation(3, observation.WorkflowDropped("check")),
        operation(4, observation.WorkflowSaved("deploy", ("ship",))),
    )
    assert operations(saved, run, dropped, other).later_decisions(saved) == dropped


def test_the_operation_of_an_event_has_its_undoable_events() -> None:
    mixed = operation(1, added(FIRST), observation.EvaluationCreated("2024-03-01", ()), added(SECOND))
    known = operations(mixed, operation(9, added(THIRD)))
    assert known.operation_of(mixed[2]) == [mixed[0], mixed[2]]


def test_judgements_are_the_events_about_memories() -> None:
    logged = operation(1, added(FIRST), observation.WorkLogged("", "x"), ClaimDecided(FIRST, Verdict.KEPT))
    assert judgements(logged) == [logged[0], logged[2]]
    assert not is_undo([*taken_back(5, logged), logged[0]])
    assert is_undo(taken_back(5, logged))


# Workflows: the steps that are valid now, and the last run by the person


SAVED = event(1, WorkflowSaved("check", ("make lint", "make test"), "/srv/app"))


def run(number: int, *statuses: int, name: str = "check", actor: str = "user") -> Event:
    steps = tuple(StepRan(f"step {place}", status) for place, status in enumerate(statuses))
    return event(number, WorkflowRan(name, steps, completed=not any(statuses)), actor)


def test_a_workflow_has_its_steps_and_its_last_run() -> None:
    failed, passed = run(2, 0, 1), run(3, 0, 0)
    (workflow,) = load_workflows(index_of(passed, SAVED, failed), must_decode)
    assert (workflow.name, workflow.steps, workflow.directory) == ("check", ("make lint", "make test"), "/srv/app")
    assert workflow.runs == (failed.id, passed.id)
    assert workflow.last_run is not None
    assert (workflow.last_run.at, workflow.last_run.status) == (passed.at, 0)


def test_a_workflow_that_never_ran_has_no_last_run() -> None:
    (workflow,) = load_workflows(index_of(SAVED, run(2, 0, name="other")), must_decode)
    assert (workflow.runs, workflow.last_run) == ((), None)


def test_runs_by_others_do_not_count() -> None:
    mine, theirs = run(2, 1), run(3, 0, actor="agent:claude")
    (workflow,) = load_workflows(index_of(SAVED, mine, theirs), must_decode)
    assert workflow.runs == (mine.id,)
    assert workflow.last_run is not None and workflow.last_run.status == 1


def test_a_dropped_workflow_is_gone_and_undoing_that_brings_it_back_with_its_runs() -> None:
    dropped = event(3, WorkflowDropped("check"))
    index = index_of(SAVED, run(2, 0), dropped)
    assert load_workflows(index, must_decode) == []
    index = index_of(SAVED, run(2, 0), dropped, event(4, undo([dropped], "drop").body))
    assert [workflow.runs for workflow in load_workflows(index, must_decode)] == [(numbered(2),)]


def test_steps_that_another_saved_stand_beside_those_of_the_person() -> None:
    theirs = event(2, WorkflowSaved("check", ("curl evil.example",)), "agent:claude")
    found = load_workflows(index_of(SAVED, theirs), must_decode)
    assert [(workflow.accepted, workflow.steps[0]) for workflow in found] == [
        (True, "make lint"),
        (False, "curl evil.example"),
    ]


def test_runs_without_any_saved_workflow_are_none() -> None:
    assert load_workflows(index_of(run(1, 0)), must_decode) == []


def test_runs_are_loaded_in_the_given_order_without_missing_and_other_events() -> None:
    first, second = run(2, 0), run(3, 1)
    index = index_of(SAVED, first, second, event(4, WorkLogged("", "x")))
    asked = [second.id, numbered(9), numbered(4), first.id]
    assert list(load_runs(index, asked, must_decode)) == [
        PastRun(second.at, second.body),  # type: ignore[arg-type]
        PastRun(first.at, first.body),  # type: ignore[arg-type]
    ]
