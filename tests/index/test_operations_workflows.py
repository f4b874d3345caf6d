"""Workflows from their events: the steps that are valid now, and the last run by the person."""

from __future__ import annotations

import sqlite3

from tacit.index import operations
from tacit.log.codec import must_decode
from tacit.model.decide import undo
from tacit.model.event import Event
from tacit.model.observation import StepRan, WorkflowDropped, WorkflowRan, WorkflowSaved, WorkLogged
from tacit.model.workflow import PastRun
from tests.laws.filing import filed, indexed
from tests.support.events import event, numbered

SAVED = event(1, WorkflowSaved("check", ("make lint", "make test"), "/srv/app"))


def run(number: int, *statuses: int, name: str = "check", actor: str = "user") -> Event:
    steps = tuple(StepRan(f"step {place}", status) for place, status in enumerate(statuses))
    return event(number, WorkflowRan(name, steps, completed=not any(statuses)), actor)


def index_of(*events: Event) -> sqlite3.Connection:
    return indexed(filed(events))


def test_a_workflow_has_its_steps_and_its_last_run() -> None:
    failed, passed = run(2, 0, 1), run(3, 0, 0)
    (workflow,) = operations.load_workflows(index_of(passed, SAVED, failed), must_decode)
    assert (workflow.name, workflow.steps, workflow.directory) == ("check", ("make lint", "make test"), "/srv/app")
    assert workflow.runs == (failed.id, passed.id)
    assert workflow.last_run is not None
    assert (workflow.last_run.at, workflow.last_run.status) == (passed.at, 0)


def test_a_workflow_that_never_ran_has_no_last_run() -> None:
    (workflow,) = operations.load_workflows(index_of(SAVED, run(2, 0, name="other")), must_decode)
    assert (workflow.runs, workflow.last_run) == ((), None)


def test_runs_by_others_do_not_count() -> None:
    mine, theirs = run(2, 1), run(3, 0, actor="agent:claude")
    (workflow,) = operations.load_workflows(index_of(SAVED, mine, theirs), must_decode)
    assert workflow.runs == (mine.id,)
    assert workflow.last_run is not None and workflow.last_run.status == 1


def test_a_dropped_workflow_is_gone_and_undoing_that_brings_it_back_with_its_runs() -> None:
    dropped = event(3, WorkflowDropped("check"))
    index = index_of(SAVED, run(2, 0), dropped)
    assert operations.load_workflows(index, must_decode) == []
    index = index_of(SAVED, run(2, 0), dropped, event(4, undo([dropped], "drop").body))
    assert [workflow.runs for workflow in operations.load_workflows(index, must_decode)] == [(numbered(2),)]


def test_steps_that_another_saved_stand_beside_those_of_the_person() -> None:
    theirs = event(2, WorkflowSaved("check", ("curl evil.example",)), "agent:claude")
    found = operations.load_workflows(index_of(SAVED, theirs), must_decode)
    assert [(workflow.accepted, workflow.steps[0]) for workflow in found] == [
        (True, "make lint"),
        (False, "curl evil.example"),
    ]


def test_runs_without_any_saved_workflow_are_none() -> None:
    assert operations.load_workflows(index_of(run(1, 0)), must_decode) == []


def test_runs_are_loaded_in_the_given_order_without_missing_and_other_events() -> None:
    first, second = run(2, 0), run(3, 1)
    index = index_of(SAVED, first, second, event(4, WorkLogged("", "x")))
    asked = [second.id, numbered(9), numbered(4), first.id]
    assert list(operations.load_runs(index, asked, must_decode)) == [
        PastRun(second.at, second.body),  # type: ignore[arg-type]
        PastRun(first.at, first.body),  # type: ignore[arg-type]
    ]
