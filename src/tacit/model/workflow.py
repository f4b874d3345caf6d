"""Workflows: steps that a person accepted under a name, and placeholders in them that a run asks for.

Workflows are folded from the events that saved, dropped and ran them. Their steps are the person's word for word. Steps
that anybody else saved are kept and shown, but never run, and never replace what the person accepted.

A placeholder is written `git commit -m {?message}`. Its value is always one word of the step or part of one, quoted so
that no shell reads syntax in it. Where quoting cannot ensure that (inside `"$(…)"`, backquotes, heredocs, arithmetic),
the step is refused.
"""

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

MAX_NAME_CHARS = 64
MAX_STEPS = 100
MAX_STEPS_BYTES = 40_000  # of all steps together: a run with each of them edited still fits into a line of the log
_NAME_PATTERN = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_NAME_CHARS - 1}}}")
_NAME_WORD = re.compile(r"[a-z0-9]+")
_REDACTED = re.compile(rf"\[redacted:[a-z0-9-]+(?::[0-9a-f]{{8}})?\]|{re.escape(PURGED_MARK)}")
_NOT_JUST_CD = re.compile(r"[\n`]|\$['\"(]|(?:^|\s)#")
# Words before the command that matters: no part of a suggested name.
_PREFIX_COMMANDS = frozenset("sudo env time nohup exec command run cd".split())
_MAX_NAME_WORDS = 4
_MAX_COMMAND_CHARS = 200
_PLACEHOLDER = re.compile(r"\{\?([a-z][a-z0-9_]{0,31})\}")
_MAX_VALUE_CHARS = 2000
_SAFE_UNQUOTED = re.compile(r"[A-Za-z0-9_@%+:,./-]+")


class PastRun(Record):
    """One run, and when it was recorded."""

    at: datetime
    body: WorkflowRan

    @property
    def status(self) -> int:
        """0 if it completed, else the exit status of the step it stopped at."""
        if self.body.completed:
            return 0
        return (self.body.steps[-1].status if self.body.steps else 0) or 1

    @property
    def stopped_step(self) -> int:
        """The step to resume with (the first is 0): the one that failed."""
        return self.body.first + max(len(self.body.steps) - 1, 0)


class Workflow(Record):
    """Steps under a name. An empty directory is the current one; `claim` is the memory it was made from."""

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
    """A recorded run of the workflow of this name. Its body is read only for the latest run."""

    event: EventId
    name: str


def fold_workflows(events: Iterable[Event], runs: Iterable[RunReference] = ()) -> list[Workflow]:
    """Return the current workflows sorted by name, each with its runs. Those that others saved are not accepted.

    `events` are those that saved and dropped workflows, undone and undoing ones among them.
    """
    ordered = sorted({event.id: event for event in events}.values(), key=lambda event: event.id)
    undone = undone_ids(ordered)
    effective: list[Event | RunReference] = [event for event in ordered if event.id not in undone]
    new_names = {event.op: event.body.name for event in ordered if isinstance(event.body, WorkflowSaved)}
    accepted: dict[str, Workflow] = {}
    others: dict[str, Workflow] = {}
    for item in sorted([*effective, *runs], key=lambda item: item.id if isinstance(item, Event) else item.event):
        if isinstance(item, RunReference):
            if workflow := accepted.get(item.name):
                accepted[item.name] = workflow._replace(runs=(*workflow.runs, item.event))
        elif isinstance(item.body, WorkflowSaved):
            group = accepted if item.is_by_user else others
            before = group.get(item.body.name)
            group[item.body.name] = Workflow(
                *item.body, item.at, item.id, item.scope, item.is_by_user, before.runs if before else ()
            )
        elif isinstance(item.body, WorkflowDropped) and item.is_by_user:
            dropped = accepted.pop(item.body.name, None)
            renamed = accepted.get(new_names[item.op]) if item.op in new_names else None
            if dropped and renamed:  # saved in the same operation: the runs go along
                accepted[renamed.name] = renamed._replace(runs=dropped.runs + renamed.runs)
            others.pop(item.body.name, None)
    return sorted([*accepted.values(), *others.values()], key=lambda workflow: (workflow.name, not workflow.accepted))


def checked_name(name: str) -> str:
    """Return the name. Raise UsageError if it cannot be the name of a workflow."""
    if not _NAME_PATTERN.fullmatch(name):
        raise UsageError(
            f"{clip(name, MAX_NAME_CHARS)!r} cannot be the name of a workflow",
            f"letters, digits, dots, dashes and underscores, {MAX_NAME_CHARS} at most: "
            "tacit workflow new check -- 'make'",
        )
    return name


def checked_steps(steps: Sequence[str]) -> tuple[str, ...]:
    """Return the steps without line breaks around them.

    Raise UsageError if there is none or an empty one, RefusedError if they are too long or no shell could run them.
    """
    stripped = tuple(step.strip("\n") for step in steps)
    if not stripped or not all(step.strip() for step in stripped):
        raise UsageError("a workflow wants at least one step, and no empty ones", "tacit workflow new NAME -- 'make'")
    if any("\0" in step or not _is_valid_unicode(step) for step in stripped):
        raise RefusedError(
            "a step holds NUL or what is no text, which no shell can be given", "take it out of the step"
        )
    if len(stripped) > MAX_STEPS or sum(len(step.encode()) for step in stripped) > MAX_STEPS_BYTES:
        raise RefusedError(
            f"a workflow has at most {MAX_STEPS} steps and {MAX_STEPS_BYTES:,} bytes",
            "put the rest into a script and run it",
        )
    return stripped


def checked_directory(directory: str) -> str:
    """Return the directory. Raise UsageError if it is not absolute, RefusedError if it has a control character."""
    if any(char < " " or char == "\x7f" for char in directory) or not _is_valid_unicode(directory):
        raise RefusedError("the folder has a control character in its name", "name a link to it that has none")
    if directory and not directory.startswith(("/", "~")):
        raise UsageError(
            f"the folder of a workflow wants its whole path, not {directory!r}", "for example /home/me/app"
        )
    return directory


def _is_valid_unicode(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


def suggest_name(steps: Sequence[str], taken: Collection[str]) -> str:
    """Return a short name made of the commands that is not taken.

    `git add`, `git commit` and `git push` become `git-add-commit-push`.
    """
    names: list[str] = []
    for step in steps:  # the command and its first argument that is no option: what people call the step
        words = [word.rsplit("/", 1)[-1] for word in step.split() if not word.startswith("-") and "=" not in word]
        named = [word for word in words if word not in _PREFIX_COMMANDS][:2]
        names += [part for word in named for part in _NAME_WORD.findall(word.lower())[:1]]
    name = "-".join([*dict.fromkeys(names)][:_MAX_NAME_WORDS])[:MAX_NAME_CHARS].rstrip("-") or "workflow"
    number, unique = 1, name
    while unique in taken:
        number += 1
        unique = f"{name}-{number}"
    return unique


def save(name: str, steps: Sequence[str], directory: str = "", claim: str = "", scope: Scope = GLOBAL) -> Draft:
    """Save a workflow. Raise UsageError or RefusedError if its name, steps or directory cannot be saved."""
    body = WorkflowSaved(checked_name(name), checked_steps(steps), checked_directory(directory), claim)
    return Draft(body, scope)


def change(old: Workflow, name: str, steps: Sequence[str], directory: str) -> list[Draft]:
    """Return the drafts that change a workflow; none if nothing changes. A new name drops the old one."""
    new = save(name, steps, directory, old.claim, old.scope)
    if new.body == WorkflowSaved(old.name, old.steps, old.directory, old.claim) and old.accepted:
        return []
    return [new] if name == old.name else [new, Draft(WorkflowDropped(old.name), old.scope)]


def has_redaction(step: str) -> bool:
    """Return whether a secret or a purged text was cut out of the step, so that it is not what the person typed."""
    return _REDACTED.search(step) is not None


def require_runnable(workflow: Workflow) -> Workflow:
    """Return the workflow. Raise RefusedError if no person accepted it, or if something is missing in its steps."""
    edit = f"tacit workflow edit {printable(workflow.name)}"
    if not workflow.accepted:
        raise RefusedError(
            f"nobody accepted the steps of {printable(workflow.name)}", f"look at them and save them: {edit}"
        )
    for number, step in enumerate(workflow.steps, 1):
        if has_redaction(step):
            raise RefusedError(f"in step {number} a secret was taken out, so it would not run as it was meant", edit)
    if not workflow.steps:
        raise RefusedError(f"{printable(workflow.name)} has no steps", edit)
    return workflow


def first_step(workflow: Workflow, number: int | None, resume: bool) -> int:
    """Return the index of the step to begin with: step `number` (from 1), or where the last run stopped.

    Raise UsageError if there is no such step, RefusedError if there is nothing to resume.
    """
    hint = f"tacit workflow run {workflow.name}"
    if not resume:
        if (number or 1) > len(workflow.steps):
            raise UsageError(f"{workflow.name} has {len(workflow.steps)} steps, not {number}", f"{hint} --from 1")
        return (number or 1) - 1
    if workflow.last_run is None:
        raise RefusedError(f"{workflow.name} has not been run yet", hint)
    if workflow.last_run.body.completed:
        raise RefusedError(f"the last run of {workflow.name} was completed; there is nothing to resume", hint)
    if workflow.last_run.stopped_step >= len(workflow.steps):
        raise RefusedError(f"{workflow.name} has fewer steps now than when it stopped", hint)
    return workflow.last_run.stopped_step


def is_directory_change(step: str) -> bool:
    """Return whether a step is just `cd` and one word, which changes where the following steps run."""
    if _NOT_JUST_CD.search(step.strip()):
        return False
    reader = shlex(step, posix=True, punctuation_chars=True)
    reader.whitespace_split, reader.commenters = True, ""
    try:
        words = list(reader)
    except ValueError:  # an unclosed quote: the shell reports it
        return False
    return words[:1] == ["cd"] and len([word for word in words if word != "--"]) <= 2


def make_run_body(name: str, steps: Sequence[StepRan], *, directory: str, first: int, step_count: int) -> WorkflowRan:
    """Return what is recorded of a run that began with step `first` of a workflow with `step_count` steps."""
    completed = first + len(steps) == step_count and bool(steps) and steps[-1].status == 0
    if sum(len(step.command.encode()) for step in steps) > MAX_STEPS_BYTES:
        steps = [step._replace(command=clip(step.command, _MAX_COMMAND_CHARS)) for step in steps]
    return WorkflowRan(name, tuple(steps), directory, first, completed)


class _PlaceholderSpan(Record):
    """A placeholder in a step: its position, its name, and the quotation mark around it, "" if there is none."""

    start: int
    stop: int
    name: str
    quote: str


def format_placeholder(name: str) -> str:
    return f"{{?{name}}}"


def placeholder_names(steps: Iterable[str]) -> list[str]:
    """Return the names of all placeholders in order, each once."""
    return list(dict.fromkeys(match[1] for step in steps for match in _PLACEHOLDER.finditer(step)))


def checked_value(name: str, value: str) -> str:
    """Return the value. Raise UsageError if it cannot be part of a command."""
    if len(value) > _MAX_VALUE_CHARS or not value.isprintable():
        raise UsageError(
            f"the value of {name} has a line break, a control character or more than {_MAX_VALUE_CHARS:,} characters",
            f"give one line of text: --set {name}=VALUE",
        )
    return value


def fill_placeholders(step: str, values: Mapping[str, str], shell: str) -> str:
    """Return the step with values for its placeholders. `shell` is sh, bash, zsh or fish.

    Raise RefusedError if a placeholder is where no quoting is safe, KeyError if a value is missing.
    """
    special = '\\"$' if shell == "fish" else '\\"$`'

    def quoted(span: _PlaceholderSpan) -> str:
        value = values[span.name]
        if not span.quote and _SAFE_UNQUOTED.fullmatch(value):
            return value
        escaped = "".join(f"\\{char}" if char in special else char for char in value)
        return _in_double_quotes(escaped, span.quote)

    return _replace_placeholders(step, shell, quoted)


def use_positional_parameters(step: str, names: Sequence[str], shell: str) -> str:
    """Return the step with positional parameters for its placeholders: `names[0]` is the first parameter.

    Raise RefusedError as `fill_placeholders` does.
    """

    def parameter(span: _PlaceholderSpan) -> str:
        number = names.index(span.name) + 1
        return _in_double_quotes(f"$argv[{number}]" if shell == "fish" else f"${{{number}}}", span.quote)

    return _replace_placeholders(step, shell, parameter)


def _replace_placeholders(step: str, shell: str, render: Callable[[_PlaceholderSpan], str]) -> str:
    pieces: list[str] = []
    end = 0
    for span in _find_placeholders(step, shell):
        pieces += (step[end : span.start], render(span))
        end = span.stop
    return "".join([*pieces, step[end:]])


def can_be_filled(step: str) -> bool:
    """Return whether all placeholders of a step can be filled safely in every shell."""
    try:
        for shell in ("sh", "fish"):
            list(_find_placeholders(step, shell))
    except RefusedError:
        return False
    return True


def _in_double_quotes(text: str, around: str) -> str:
    """Return a text as it stands in double quotes, where the quotation mark `around` is open, or none."""
    return {'"': text, "'": f"'\"{text}\"'"}.get(around, f'"{text}"')


def _find_placeholders(step: str, shell: str) -> Iterator[_PlaceholderSpan]:
    """Yield the placeholders of a step in order. Raise RefusedError if the step has unsafe syntax."""
    if not _PLACEHOLDER.search(step):
        return
    index, quote = 0, ""
    while index < len(step):
        char = step[index]
        if match := _PLACEHOLDER.match(step, index):
            yield _PlaceholderSpan(index, match.end(), match[1], quote)
            index = match.end()
            continue
        if char == "\\" and (quote != "'" or shell == "fish"):
            index += 2
            continue
        if char == quote:
            quote = ""
        elif char in "'\"" and not quote:
            quote = char
        elif quote != "'" and _is_unsafe_syntax(step, index, quote):
            raise RefusedError(
                "a placeholder cannot be filled safely in a step with backquotes, a heredoc, a comment, arithmetic, "
                "$'…', or \"$(…)\" in quotes",
                "put that part into a script and call it in the step: tacit workflow edit NAME",
            )
        index += 1
    if quote:
        raise RefusedError("a quotation mark in a step with a placeholder is not closed", "tacit workflow edit NAME")


def _is_unsafe_syntax(step: str, index: int, quote: str) -> bool:
    ahead = step[index : index + 2]
    if ahead[0] == "`":
        return True
    if quote:
        return ahead in ("$(", "${")
    is_comment = ahead[0] == "#" and (index == 0 or step[index - 1] in " \t\n;&|(")
    return is_comment or ahead in ("<<", "((", "$'", '$"', "${")
