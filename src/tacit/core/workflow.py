"""Workflows: steps that a person accepted under a name, folded from the events that saved, dropped and ran them.

A workflow is the person's word for word. Steps of anybody else are kept and shown, never run, and never take the place
of what the person accepted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from shlex import shlex

from tacit.core.claim import GLOBAL, Scope
from tacit.core.errors import Refused, WrongUse
from tacit.core.event import Draft, Event
from tacit.core.ids import EventId
from tacit.core.memory import undone
from tacit.core.observation import StepRan, WorkflowDropped, WorkflowRan, WorkflowSaved
from tacit.core.text import clip, show
from tacit.core.traces import MARK
from tacit.record import Record

NAME_LIMIT = 64
STEP_LIMIT = 100
SIZE_LIMIT = 40_000  # bytes of all steps together: a run with each of them edited still fits into a line of the log
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{NAME_LIMIT - 1}}}")
_NAMING = re.compile(r"[a-z0-9]+")
_HOLE = re.compile(rf"\[redacted:[a-z0-9-]+(?::[0-9a-f]{{8}})?\]|{re.escape(MARK)}")
_NOT_JUST_CD = re.compile(r"[\n`]|\$['\"(]|(?:^|\s)#")
# Said before the command that matters, and options: not what a workflow is called after.
_IN_FRONT = frozenset("sudo env time nohup exec command run cd".split())
_WORDS_OF_A_NAME = 4
_IN_SHORT = 200


class Run(Record):
    """One run: when it was recorded, and what ran."""

    at: datetime
    ran: WorkflowRan

    @property
    def status(self) -> int:
        """How it ended: 0 when completed, else the status of the step it stopped at."""
        if self.ran.completed or not self.ran.steps:
            return 0 if self.ran.completed else 1
        return self.ran.steps[-1].status or 1

    @property
    def stopped_at(self) -> int:
        """The step to go on with (the first is 0): the one that failed."""
        return self.ran.first + max(len(self.ran.steps) - 1, 0)


class Workflow(Record):
    """Steps under a name. An empty directory is wherever one stands; `claim` is the memory it was made from."""

    name: str
    steps: tuple[str, ...]
    directory: str
    claim: str
    saved_at: datetime
    saved: EventId
    scope: Scope = GLOBAL
    accepted: bool = True
    runs: tuple[EventId, ...] = ()
    last: Run | None = None


class Ran(Record):
    """That a run of this name was recorded; the rest of it is read only for the latest."""

    event: EventId
    name: str


def fold(events: Iterable[Event], runs: Iterable[Ran] = ()) -> list[Workflow]:
    """The workflows that stand, by name, each with its runs. What others than the person saved is not accepted.

    `events` are those that saved and dropped, with everything that was taken back.
    """
    ordered = sorted({event.id: event for event in events}.values(), key=lambda event: event.id)
    void = undone(ordered)
    said: list[Event | Ran] = [event for event in ordered if event.id not in void]
    renames = {event.op: event.body.name for event in ordered if isinstance(event.body, WorkflowSaved)}
    mine: dict[str, Workflow] = {}
    others: dict[str, Workflow] = {}
    for one in sorted([*said, *runs], key=_place):
        if isinstance(one, Ran):
            if one.name in mine:
                mine[one.name] = _with_run(mine[one.name], one.event)
        elif isinstance(one.body, WorkflowSaved):
            kept = mine if one.by_person else others
            kept[one.body.name] = _saved(one, one.body, kept.get(one.body.name))
        elif isinstance(one.body, WorkflowDropped) and one.by_person:
            _drop(mine, one.body.name, renames.get(one.op))
            others.pop(one.body.name, None)
    return sorted([*mine.values(), *others.values()], key=lambda found: (found.name, not found.accepted))


def _place(one: Event | Ran) -> EventId:
    return one.id if isinstance(one, Event) else one.event


def _saved(event: Event, body: WorkflowSaved, before: Workflow | None) -> Workflow:
    runs = before.runs if before else ()
    where = (body.name, body.steps, body.directory, body.claim)
    return Workflow(*where, event.at, event.id, event.scope, accepted=event.by_person, runs=runs)


def _with_run(workflow: Workflow, event: EventId) -> Workflow:
    return workflow._replace(runs=(*workflow.runs, event))


def _drop(mine: dict[str, Workflow], name: str, new_name: str | None) -> None:
    """A drop beside a saving, in one operation, is a renaming: the runs go along."""
    dropped = mine.pop(name, None)
    if dropped and new_name in mine and new_name is not None:
        mine[new_name] = mine[new_name]._replace(runs=dropped.runs + mine[new_name].runs)


# What may be saved


def checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise WrongUse(
            f"{clip(name, NAME_LIMIT)!r} cannot be the name of a workflow",
            f"letters, digits, dots, dashes and underscores, {NAME_LIMIT} at most: tacit workflow new check -- 'make'",
        )
    return name


def checked_steps(steps: Sequence[str]) -> tuple[str, ...]:
    """Steps as they are kept: no empty ones, no line breaks around them, nothing that no shell could be given."""
    kept = tuple(step.strip("\n") for step in steps)
    if not kept or not all(step.strip() for step in kept):
        raise WrongUse("a workflow wants at least one step, and no empty ones", "tacit workflow new NAME -- 'make'")
    if any("\0" in step or not _is_text(step) for step in kept):
        raise Refused("a step holds NUL or what is no text, which no shell can be given", "take it out of the step")
    if len(kept) > STEP_LIMIT or sum(len(step.encode()) for step in kept) > SIZE_LIMIT:
        raise Refused(
            f"a workflow has at most {STEP_LIMIT} steps and {SIZE_LIMIT:,} bytes",
            "put the rest into a script and run it",
        )
    return kept


def checked_directory(directory: str) -> str:
    if any(sign < " " or sign == "\x7f" for sign in directory) or not _is_text(directory):
        raise Refused("the folder has a control character in its name", "name a link to it that has none")
    if directory and not directory.startswith(("/", "~")):
        raise WrongUse(f"the folder of a workflow wants its whole path, not {directory!r}", "for example /home/me/app")
    return directory


def _is_text(text: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def name_for(steps: Sequence[str], taken: Collection[str]) -> str:
    """A short name made of the commands: `git add`, `git commit`, `git push` are `git-add-commit-push`."""
    words = dict.fromkeys(word for step in steps for word in _telling(step))
    name = "-".join(list(words)[:_WORDS_OF_A_NAME])[:NAME_LIMIT].rstrip("-") or "workflow"
    number, unique = 1, name
    while unique in taken:
        number += 1
        unique = f"{name}-{number}"
    return unique


def _telling(step: str) -> list[str]:
    """The command and its first word: what people call it by."""
    spoken = [word.rsplit("/", 1)[-1] for word in step.split() if not word.startswith("-") and "=" not in word]
    told = [word for word in spoken if word not in _IN_FRONT][:2]
    return [part for word in told for part in _NAMING.findall(word.lower())[:1]]


def save(name: str, steps: Sequence[str], directory: str = "", claim: str = "", scope: Scope = GLOBAL) -> Draft:
    body = WorkflowSaved(checked_name(name), checked_steps(steps), checked_directory(directory), claim)
    return Draft(body, scope)


def change(old: Workflow, name: str, steps: Sequence[str], directory: str) -> list[Draft]:
    """Another form of a workflow; nothing when it is the same, and the old name is dropped when it has a new one."""
    new = save(name, steps, directory, old.claim, old.scope)
    if new.body == WorkflowSaved(old.name, old.steps, old.directory, old.claim) and old.accepted:
        return []
    return [new] if name == old.name else [new, Draft(WorkflowDropped(old.name), old.scope)]


# What may be run


def has_hole(step: str) -> bool:
    """Whether a secret or a purged text was taken out of it: it is no longer what the person typed."""
    return _HOLE.search(step) is not None


def must_be_runnable(workflow: Workflow) -> Workflow:
    """Only what a person accepted runs, and only when nothing of it is missing."""
    edit = f"tacit workflow edit {show(workflow.name)}"
    if not workflow.accepted:
        raise Refused(f"nobody accepted the steps of {show(workflow.name)}", f"look at them and save them: {edit}")
    for at, step in enumerate(workflow.steps, 1):
        if has_hole(step):
            raise Refused(f"in step {at} a secret was taken out, so it would not run as it was meant", edit)
    if not workflow.steps:
        raise Refused(f"{show(workflow.name)} has no steps", edit)
    return workflow


def first_step(workflow: Workflow, given: int | None, resume: bool) -> int:
    """Where to begin (the first is 0): at the step that was named (from 1), or where the last run stopped."""
    if resume:
        return _resumed(workflow)
    first = (given or 1) - 1
    if first >= len(workflow.steps):
        raise WrongUse(f"{workflow.name} has {len(workflow.steps)} steps, not {given}", f"{_again(workflow)} --from 1")
    return first


def _resumed(workflow: Workflow) -> int:
    if workflow.last is None:
        raise Refused(f"{workflow.name} has not been run yet", _again(workflow))
    if workflow.last.ran.completed:
        raise Refused(f"the last run of {workflow.name} was completed; there is nothing to resume", _again(workflow))
    if workflow.last.stopped_at >= len(workflow.steps):
        raise Refused(f"{workflow.name} has fewer steps now than when it stopped", _again(workflow))
    return workflow.last.stopped_at


def _again(workflow: Workflow) -> str:
    return f"tacit workflow run {workflow.name}"


def changes_directory(step: str) -> bool:
    """Whether a step is just `cd` and one word: then it changes where the following steps run."""
    if _NOT_JUST_CD.search(step.strip()):
        return False
    reader = shlex(step, posix=True, punctuation_chars=True)
    reader.whitespace_split, reader.commenters = True, ""
    try:
        words = list(reader)
    except ValueError:  # a quote that is not closed: the shell shall say so
        return False
    return words[:1] == ["cd"] and len([word for word in words if word != "--"]) <= 2


def outcome(name: str, steps: Sequence[StepRan], *, directory: str, first: int, of: int) -> WorkflowRan:
    """What is recorded of a run, completed or not."""
    completed = first + len(steps) == of and bool(steps) and steps[-1].status == 0
    if sum(len(step.command.encode()) for step in steps) > SIZE_LIMIT:
        steps = [step._replace(command=clip(step.command, _IN_SHORT)) for step in steps]
    return WorkflowRan(name, tuple(steps), directory, first, completed)
