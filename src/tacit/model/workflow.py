"""Workflows: named steps folded from events, and placeholders that a run asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from shlex import shlex

from tacit.errors import RefusedError, UsageError
from tacit.model.claim import GLOBAL, Scope
from tacit.model.event import Draft, Event
from tacit.model.ids import EventId
from tacit.model.memory import undone_ids
from tacit.model.observation import StepRan, WorkflowDropped, WorkflowRan, WorkflowSaved
from tacit.record import Record
from tacit.text.display import PURGED_MARK, clip, printable

# Workflows: steps that a person accepted under a name, folded from the events that saved, dropped and ran them.
#
# A workflow is the person's word for word. Steps of anybody else are kept and shown, never run, and never take the
# place of what the person accepted.

MAX_NAME_CHARS = 64
MAX_STEPS = 100
MAX_STEPS_BYTES = (
    40_000  # bytes of all steps together: a run with each of them edited still fits into a line of the log
)
_NAME_PATTERN = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_NAME_CHARS - 1}}}")
_NAME_WORD = re.compile(r"[a-z0-9]+")
_REDACTED = re.compile(rf"\[redacted:[a-z0-9-]+(?::[0-9a-f]{{8}})?\]|{re.escape(PURGED_MARK)}")
_NOT_JUST_CD = re.compile(r"[\n`]|\$['\"(]|(?:^|\s)#")
# Said before the command that matters, and options: not what a workflow is called after.
_PREFIX_COMMANDS = frozenset("sudo env time nohup exec command run cd".split())
_MAX_NAME_WORDS = 4
_MAX_COMMAND_CHARS = 200


class PastRun(Record):
    """One run: when it was recorded, and what ran."""

    at: datetime
    body: WorkflowRan

    @property
    def status(self) -> int:
        """How it ended: 0 when completed, else the status of the step it stopped at."""
        if self.body.completed or not self.body.steps:
            return 0 if self.body.completed else 1
        return self.body.steps[-1].status or 1

    @property
    def stopped_step(self) -> int:
        """The step to go on with (the first is 0): the one that failed."""
        return self.body.first + max(len(self.body.steps) - 1, 0)


class Workflow(Record):
    """Steps under a name. An empty directory is wherever one stands; `claim` is the memory it was made from."""

    name: str
    steps: tuple[str, ...]
    directory: str
    claim: str
    saved_at: datetime
    saved_event: EventId
    scope: Scope = GLOBAL
    accepted: bool = True
    runs: tuple[EventId, ...] = ()
    last_run: PastRun | None = None


class RunReference(Record):
    """That a run of this name was recorded; the rest of it is read only for the latest."""

    event: EventId
    name: str


def fold_workflows(events: Iterable[Event], runs: Iterable[RunReference] = ()) -> list[Workflow]:
    """The workflows that stand, by name, each with its runs. What others than the person saved is not accepted.

    `events` are those that saved and dropped, with everything that was taken back.
    """
    ordered = sorted({event.id: event for event in events}.values(), key=lambda event: event.id)
    void = undone_ids(ordered)
    said: list[Event | RunReference] = [event for event in ordered if event.id not in void]
    renames = {event.op: event.body.name for event in ordered if isinstance(event.body, WorkflowSaved)}
    mine: dict[str, Workflow] = {}
    others: dict[str, Workflow] = {}
    for one in sorted([*said, *runs], key=_event_id_of):
        if isinstance(one, RunReference):
            if one.name in mine:
                mine[one.name] = _add_run(mine[one.name], one.event)
        elif isinstance(one.body, WorkflowSaved):
            kept = mine if one.is_by_user else others
            kept[one.body.name] = _saved_workflow(one, one.body, kept.get(one.body.name))
        elif isinstance(one.body, WorkflowDropped) and one.is_by_user:
            _drop_workflow(mine, one.body.name, renames.get(one.op))
            others.pop(one.body.name, None)
    return sorted([*mine.values(), *others.values()], key=lambda found: (found.name, not found.accepted))


def _event_id_of(one: Event | RunReference) -> EventId:
    return one.id if isinstance(one, Event) else one.event


def _saved_workflow(event: Event, body: WorkflowSaved, before: Workflow | None) -> Workflow:
    runs = before.runs if before else ()
    where = (body.name, body.steps, body.directory, body.claim)
    return Workflow(*where, event.at, event.id, event.scope, accepted=event.is_by_user, runs=runs)


def _add_run(workflow: Workflow, event: EventId) -> Workflow:
    return workflow._replace(runs=(*workflow.runs, event))


def _drop_workflow(mine: dict[str, Workflow], name: str, new_name: str | None) -> None:
    """A drop beside a saving, in one operation, is a renaming: the runs go along."""
    dropped = mine.pop(name, None)
    if dropped and new_name in mine and new_name is not None:
        mine[new_name] = mine[new_name]._replace(runs=dropped.runs + mine[new_name].runs)


# What may be saved


def checked_name(name: str) -> str:
    if not _NAME_PATTERN.fullmatch(name):
        raise UsageError(
            f"{clip(name, MAX_NAME_CHARS)!r} cannot be the name of a workflow",
            f"letters, digits, dots, dashes and underscores, {MAX_NAME_CHARS} at most: "
            "tacit workflow new check -- 'make'",
        )
    return name


def checked_steps(steps: Sequence[str]) -> tuple[str, ...]:
    """Steps as they are kept: no empty ones, no line breaks around them, nothing that no shell could be given."""
    kept = tuple(step.strip("\n") for step in steps)
    if not kept or not all(step.strip() for step in kept):
        raise UsageError("a workflow wants at least one step, and no empty ones", "tacit workflow new NAME -- 'make'")
    if any("\0" in step or not _is_valid_unicode(step) for step in kept):
        raise RefusedError(
            "a step holds NUL or what is no text, which no shell can be given", "take it out of the step"
        )
    if len(kept) > MAX_STEPS or sum(len(step.encode()) for step in kept) > MAX_STEPS_BYTES:
        raise RefusedError(
            f"a workflow has at most {MAX_STEPS} steps and {MAX_STEPS_BYTES:,} bytes",
            "put the rest into a script and run it",
        )
    return kept


def checked_directory(directory: str) -> str:
    if any(sign < " " or sign == "\x7f" for sign in directory) or not _is_valid_unicode(directory):
        raise RefusedError("the folder has a control character in its name", "name a link to it that has none")
    if directory and not directory.startswith(("/", "~")):
        raise UsageError(
            f"the folder of a workflow wants its whole path, not {directory!r}", "for example /home/me/app"
        )
    return directory


def _is_valid_unicode(text: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def suggest_name(steps: Sequence[str], taken: Collection[str]) -> str:
    """A short name made of the commands: `git add`, `git commit`, `git push` are `git-add-commit-push`."""
    words = dict.fromkeys(word for step in steps for word in _name_words(step))
    name = "-".join(list(words)[:_MAX_NAME_WORDS])[:MAX_NAME_CHARS].rstrip("-") or "workflow"
    number, unique = 1, name
    while unique in taken:
        number += 1
        unique = f"{name}-{number}"
    return unique


def _name_words(step: str) -> list[str]:
    """The command and its first word: what people call it by."""
    spoken = [word.rsplit("/", 1)[-1] for word in step.split() if not word.startswith("-") and "=" not in word]
    told = [word for word in spoken if word not in _PREFIX_COMMANDS][:2]
    return [part for word in told for part in _NAME_WORD.findall(word.lower())[:1]]


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


def has_redaction(step: str) -> bool:
    """Whether a secret or a purged text was taken out of it: it is no longer what the person typed."""
    return _REDACTED.search(step) is not None


def require_runnable(workflow: Workflow) -> Workflow:
    """Only what a person accepted runs, and only when nothing of it is missing."""
    edit = f"tacit workflow edit {printable(workflow.name)}"
    if not workflow.accepted:
        raise RefusedError(
            f"nobody accepted the steps of {printable(workflow.name)}", f"look at them and save them: {edit}"
        )
    for at, step in enumerate(workflow.steps, 1):
        if has_redaction(step):
            raise RefusedError(f"in step {at} a secret was taken out, so it would not run as it was meant", edit)
    if not workflow.steps:
        raise RefusedError(f"{printable(workflow.name)} has no steps", edit)
    return workflow


def first_step(workflow: Workflow, given: int | None, resume: bool) -> int:
    """Where to begin (the first is 0): at the step that was named (from 1), or where the last run stopped."""
    if resume:
        return _resume_step(workflow)
    first = (given or 1) - 1
    if first >= len(workflow.steps):
        raise UsageError(
            f"{workflow.name} has {len(workflow.steps)} steps, not {given}", f"{_run_hint(workflow)} --from 1"
        )
    return first


def _resume_step(workflow: Workflow) -> int:
    if workflow.last_run is None:
        raise RefusedError(f"{workflow.name} has not been run yet", _run_hint(workflow))
    if workflow.last_run.body.completed:
        raise RefusedError(
            f"the last run of {workflow.name} was completed; there is nothing to resume", _run_hint(workflow)
        )
    if workflow.last_run.stopped_step >= len(workflow.steps):
        raise RefusedError(f"{workflow.name} has fewer steps now than when it stopped", _run_hint(workflow))
    return workflow.last_run.stopped_step


def _run_hint(workflow: Workflow) -> str:
    return f"tacit workflow run {workflow.name}"


def is_directory_change(step: str) -> bool:
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


def make_run_body(name: str, steps: Sequence[StepRan], *, directory: str, first: int, of: int) -> WorkflowRan:
    """What is recorded of a run, completed or not."""
    completed = first + len(steps) == of and bool(steps) and steps[-1].status == 0
    if sum(len(step.command.encode()) for step in steps) > MAX_STEPS_BYTES:
        steps = [step._replace(command=clip(step.command, _MAX_COMMAND_CHARS)) for step in steps]
    return WorkflowRan(name, tuple(steps), directory, first, completed)


# Placeholders in the steps of a workflow: `git commit -m {?message}` asks for a message when it is run.
#
# A value is always one word of the step, or part of one: it is written so that no shell reads syntax in it. Where
# quoting alone cannot promise that (inside `"$(…)"`, backquotes, heredocs, arithmetic), the step is refused.

_PLACEHOLDER_NAME = r"[a-z][a-z0-9_]{0,31}"
_PLACEHOLDER = re.compile(r"\{\?(" + _PLACEHOLDER_NAME + r")\}")
_MAX_VALUE_CHARS = 2000  # characters of a value
_SAFE_UNQUOTED = re.compile(r"[A-Za-z0-9_@%+:,./-]+")


class _PlaceholderSpan(Record):
    """A placeholder in a step: from where to where, its name, and the quotation mark it stands behind, if any."""

    start: int
    stop: int
    name: str
    quote: str


def format_placeholder(name: str) -> str:
    return f"{{?{name}}}"


def placeholder_names(steps: Iterable[str]) -> list[str]:
    """The names of all placeholders, each once, in the order in which they are needed."""
    return list(dict.fromkeys(found[1] for step in steps for found in _PLACEHOLDER.finditer(step)))


def checked_value(name: str, value: str) -> str:
    """A value that can stand in a command. Raises WrongUse for one that cannot."""
    if len(value) > _MAX_VALUE_CHARS or not value.isprintable():
        raise UsageError(
            f"the value of {name} has a line break, a control character or more than {_MAX_VALUE_CHARS:,} characters",
            f"give one line of text: --set {name}=VALUE",
        )
    return value


def fill_placeholders(step: str, values: Mapping[str, str], shell: str) -> str:
    """The step with its placeholders replaced. `shell` is sh, bash, zsh or fish.

    Raises Refused where a placeholder stands in a place in which no quoting is safe, KeyError for a missing value.
    """
    return _replace_placeholders(step, shell, lambda place: _quote_value(values[place.name], place.quote, shell))


def use_positional_parameters(step: str, names: Sequence[str], shell: str) -> str:
    """The step with its placeholders replaced by the positional parameters of these names. Raises as `filled` does."""

    def parameter(place: _PlaceholderSpan) -> str:
        number = names.index(place.name) + 1
        value = f"$argv[{number}]" if shell == "fish" else f"${{{number}}}"
        return {'"': value, "'": f"'\"{value}\"'"}.get(place.quote, f'"{value}"')

    return _replace_placeholders(step, shell, parameter)


def _replace_placeholders(step: str, shell: str, written: Callable[[_PlaceholderSpan], str]) -> str:
    pieces: list[str] = []
    end = 0
    for place in _find_placeholders(step, shell):
        pieces += (step[end : place.start], written(place))
        end = place.stop
    return "".join([*pieces, step[end:]])


def can_be_filled(step: str) -> bool:
    """Whether the placeholders of a step stand where every shell can be given a value."""
    try:
        return all(list(_find_placeholders(step, shell)) is not None for shell in ("sh", "fish"))
    except RefusedError:
        return False


def _quote_value(value: str, quote: str, shell: str) -> str:
    """A value behind this quotation mark, or outside of any."""
    special = '\\"$' if shell == "fish" else '\\"$`'
    escaped = "".join(f"\\{sign}" if sign in special else sign for sign in value)
    match quote:
        case '"':
            return escaped
        case "'":
            return f"'\"{escaped}\"'"
    return value if _SAFE_UNQUOTED.fullmatch(value) else f'"{escaped}"'


def _find_placeholders(step: str, shell: str) -> Iterator[_PlaceholderSpan]:
    """The placeholders of a step in order."""
    if not _PLACEHOLDER.search(step):
        return
    at, quote = 0, ""
    while at < len(step):
        sign, ahead = step[at], step[at : at + 2]
        if found := _PLACEHOLDER.match(step, at):
            yield _PlaceholderSpan(at, found.end(), found[1], quote)
            at = found.end()
            continue
        if sign == "\\" and (quote != "'" or shell == "fish"):
            at += 2
            continue
        if sign == quote:
            quote = ""
        elif sign in "'\"" and not quote:
            quote = sign
        elif quote != "'" and _is_unsafe_syntax(step, at, ahead, quote):
            raise RefusedError(
                "a placeholder cannot be filled safely in a step with backquotes, a heredoc, a comment, arithmetic, "
                "$'…', or \"$(…)\" in quotes",
                "put that part into a script and call it in the step: tacit workflow edit NAME",
            )
        at += 1
    if quote:
        raise RefusedError("a quotation mark in a step with a placeholder is not closed", "tacit workflow edit NAME")


def _is_unsafe_syntax(step: str, at: int, ahead: str, quote: str) -> bool:
    if ahead[0] == "`":
        return True
    if quote:
        return ahead in ("$(", "${")
    is_comment = ahead[0] == "#" and (at == 0 or step[at - 1] in " \t\n;&|(")
    return is_comment or ahead in ("<<", "((", "$'", '$"', "${")
