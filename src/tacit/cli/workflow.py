"""`tacit workflow`: saving, editing, listing and exporting workflows."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from difflib import unified_diff

from tacit.cli.commands import JSON_OPTION, Command, Invocation, Option
from tacit.cli.json_output import run_json, workflow_json
from tacit.cli.output import ask, confirm, echo, echo_json, pluralize
from tacit.disk.read import read_external
from tacit.errors import NotFoundError, RefusedError, TacitError, UsageError
from tacit.model.ids import ClaimId
from tacit.model.memory import Memory
from tacit.model.workflow import (
    PastRun,
    Workflow,
    checked_value,
    fill_placeholders,
    first_step,
    is_directory_change,
    placeholder_names,
)
from tacit.pages.workflows import WorkflowForm, form_lines, parse_form, render_form
from tacit.record import Record
from tacit.text.display import clip, printable
from tacit.vault.vault import Vault
from tacit.vault.workflows import EXPORT_FORMATS

# Editing a workflow in the person's editor. What they wrote is never lost: a text that cannot be read is kept.


def edit_workflow(vault: Vault, workflow: Workflow, file: str | None) -> int:
    """Take in a changed form, from a file or from the editor, and show what changed."""
    if file is not None:
        return _save_form(vault, workflow, _read_file(file))
    if not sys.stdin.isatty():
        raise UsageError(
            "there is no terminal to edit in",
            f"tacit workflow show {workflow.name} --form > FORM, change it, and then"
            f" tacit workflow edit {workflow.name} --file FORM",
        )
    path = _open_editor(render_form(editable_form(workflow)))
    try:
        code = _save_form(vault, workflow, _read_file(path))
    except TacitError as error:
        again = f"your text is in {path}; change it, then: tacit workflow edit {workflow.name} --file {path}"
        raise type(error)(error.message, f"{error.hint}; {again}" if error.hint else again) from error
    os.unlink(path)
    return code


def editable_form(workflow: Workflow) -> WorkflowForm:
    return WorkflowForm(workflow.name, workflow.steps, workflow.directory)


def _save_form(vault: Vault, workflow: Workflow, text: str) -> int:
    old, new = editable_form(workflow), parse_form(text)
    if new == old and workflow.accepted:
        echo("Nothing changed.")
        return 0
    saved = vault.workflows.change_workflow(workflow, name=new.name, steps=new.steps, directory=new.directory)
    for line in list(unified_diff(list(form_lines(old)), list(form_lines(editable_form(saved))), lineterm="", n=1))[2:]:
        if not line.startswith("@@"):
            echo(f"  {printable(line)}")
    echo(f"Saved {printable(saved.name)}. tacit undo takes it back.")
    return 0


def _open_editor(text: str) -> str:
    """Let the person edit a text in their editor. Return the path of the file. Raise RefusedError if it fails."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    handle, path = tempfile.mkstemp(prefix="tacit-workflow-", suffix=".txt")
    with open(handle, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    if subprocess.run([*shlex.split(editor), path], check=False).returncode != 0:
        raise RefusedError(f"{editor} ended with an error; nothing was changed", f"your text, if any, is in {path}")
    return path


def _read_file(path: str) -> str:
    try:
        return read_external(path).decode("utf-8")
    except UnicodeDecodeError:
        raise RefusedError(f"{path} is not UTF-8", "save it as UTF-8") from None
    except OSError as error:
        raise NotFoundError(f"{path}: {error.strerror}", "name a file that is there: --file PATH") from error


# tacit workflow

_MAX_STEP_CHARS = 60
_FORMAT_NAMES = "bash, zsh, fish, just, make or claude-command"


class _WorkflowSubcommand(Record):
    """A subcommand: its usage, how many names it takes, its options, and the function that runs it."""

    usage: str
    arg_count: int
    options: tuple[str, ...]
    run: Callable[[Invocation, list[str]], int]


def run_workflow(call: Invocation) -> int:
    name, *words = call.args or ["list"]
    part = _SUBCOMMANDS.get(name)
    if part is None:
        raise UsageError(f"tacit workflow has no {name!r}", f"one of {', '.join(_SUBCOMMANDS)}")
    for option in call.values.keys() - {"--home", *part.options}:
        raise UsageError(f"{option} does not belong to tacit workflow {name}", f"tacit workflow {name} {part.usage}")
    if len(words) < part.arg_count or (len(words) > part.arg_count and name != "new"):
        raise UsageError(
            f"tacit workflow {name} wants {part.usage or 'no words'}", f"tacit workflow {name} {part.usage}"
        )
    return part.run(call, words)


# Looking


def _list(call: Invocation, _words: list[str]) -> int:
    workflows = call.vault.workflows.workflows()
    if call.flag("--json"):
        echo_json([workflow_json(workflow) for workflow in workflows])
        return 0
    echo(f"Workflows ({len(workflows)})")
    for workflow in workflows:
        echo(f"- {printable(workflow.name)}: {printable(clip(' → '.join(workflow.steps), _MAX_STEP_CHARS))}")
        echo(f"    {_directory_text(workflow)}; {_last_run_text(workflow)}")
    if not workflows:
        echo("  make one: tacit workflow new check -- 'make lint' 'make test'")
    return 0


def _show(call: Invocation, words: list[str]) -> int:
    from tacit.cli.workflow_run import step_lines

    workflow = call.vault.workflows.workflow(words[0])
    if call.flag("--json"):
        echo_json(workflow_json(workflow))
        return 0
    if call.flag("--form"):
        from tacit.pages.workflows import render_form

        sys.stdout.write(render_form(editable_form(workflow)))
        return 0
    echo(f"{printable(workflow.name)} ({pluralize(len(workflow.steps), 'step')}), {_directory_text(workflow)}")
    for line in step_lines(workflow.steps):
        echo(line)
    made = f", made from memory {printable(workflow.claim)}" if workflow.claim else ""
    echo(f"  saved on {workflow.saved_at.date().isoformat()}{made}; {_last_run_text(workflow)}")
    if not workflow.accepted:
        echo(f"  to accept these steps, look at them and save them: tacit workflow edit {printable(workflow.name)}")
    return 0


def _list_runs(call: Invocation, words: list[str]) -> int:
    runs = call.vault.workflows.workflow_runs(words[0])
    if call.flag("--json"):
        echo_json([run_json(run) for run in runs])
        return 0
    echo(f"Runs of {printable(words[0])} ({len(runs)})")
    for run in runs:
        echo(
            f"- {run.at:%Y-%m-%d %H:%M} {_result_text(run)}, {_duration_text(run)}, in {printable(run.body.directory)}"
        )
        for number, step in enumerate(run.body.steps, run.body.first + 1):
            mark = "✓" if step.status == 0 else f"✗ {step.status}"
            echo(
                f"    {number}. {mark}  {printable(clip(step.command, _MAX_STEP_CHARS))}  "
                f"{step.milliseconds / 1000:.1f} s"
            )
    return 0


def _directory_text(workflow: Workflow) -> str:
    place = f"in {printable(workflow.directory)}" if workflow.directory else "where you stand"
    return place if workflow.accepted else f"{place}; not accepted"


def _last_run_text(workflow: Workflow) -> str:
    if workflow.last_run is None:
        return "never run"
    return f"last run on {workflow.last_run.at.date().isoformat()}: {_result_text(workflow.last_run)}"


def _result_text(run: PastRun) -> str:
    if run.body.completed:
        return "completed"
    return f"stopped at step {run.stopped_step + 1} with status {run.status}"


def _duration_text(run: PastRun) -> str:
    return f"{sum(step.milliseconds for step in run.body.steps) / 1000:.1f} s"


# Changing


def _new(call: Invocation, words: list[str]) -> int:
    name, *steps = words
    if steps and call.flag("--step"):
        raise UsageError("the steps were given twice, as words and with --step")
    workflow = call.vault.workflows.save_workflow(
        name, steps or call.all_values("--step"), _folder_option(call), ClaimId("")
    )
    echo(f"Saved {workflow.name} ({pluralize(len(workflow.steps), 'step')}), {_directory_text(workflow)}.")
    echo(f"  tacit workflow run {workflow.name}   tacit workflow edit {workflow.name}   tacit undo")
    return 0


def _folder_option(call: Invocation) -> str:
    value = call.value("--in")
    if not value:
        return ""
    folder = os.path.abspath(os.path.expanduser(value))
    if not os.path.isdir(folder):
        raise NotFoundError(f"there is no folder {folder}", f"mkdir -p {folder}, or name another with --in")
    return folder


def _edit(call: Invocation, words: list[str]) -> int:

    _must_be_person(call, "changes a workflow", f"tacit workflow edit {words[0]}")
    return edit_workflow(call.vault, call.vault.workflows.workflow(words[0]), call.value("--file"))


def _must_be_person(call: Invocation, what: str, type_it: str) -> None:
    """Raise RefusedError before an editor opens; the vault checks again."""
    if not call.vault.home.is_person:
        raise RefusedError(f"only a person {what}", f"ask them to type: {type_it}")


def _rename(call: Invocation, words: list[str]) -> int:
    workflow = call.vault.workflows.rename_workflow(*words)
    echo(f"{printable(words[0])} is {workflow.name} now; its runs went along. tacit undo takes it back.")
    return 0


def _rm(call: Invocation, words: list[str]) -> int:
    workflow = call.vault.workflows.drop_workflow(words[0])
    echo(f"Removed {printable(workflow.name)} ({pluralize(len(workflow.steps), 'step')}). tacit undo brings it back.")
    return 0


# Running and exporting


def _run(call: Invocation, words: list[str]) -> int:
    from tacit.cli.workflow_run import WorkflowRunner, run_directory, step_lines, user_shell

    if call.flag("--from") and call.flag("--resume"):
        raise UsageError("--from and --resume do not go together", f"tacit workflow run {words[0]} --resume")
    workflow = call.vault.workflows.runnable_workflow(words[0])
    first = first_step(workflow, call.number("--from"), call.flag("--resume"))
    shell, directory = user_shell(), run_directory(workflow)
    needed = placeholder_names(
        step for number, step in enumerate(workflow.steps) if number >= first or is_directory_change(step)
    )
    values = _given_values(call, workflow)
    missing = [name for name in needed if name not in values]
    steps: Sequence[str] = workflow.steps
    if not missing:
        steps = _fill_steps(workflow, values, shell.name)
    where = f"{printable(workflow.name)}, in {printable(f'{directory}, with {shell.name}')}:"
    for line in (where, *step_lines(steps, first)):
        echo(line)
    if call.flag("--dry-run"):
        if missing:
            echo(f"It asks for: {', '.join(missing)}.")
        return 0
    if missing:
        values.update(_ask_values(workflow, missing))
        steps = _fill_steps(workflow, values, shell.name)
        for line in step_lines(steps, first):
            echo(line)
    if not call.flag("--yes") and not _confirm_run(workflow):
        echo("Nothing was run.")
        return 1
    return WorkflowRunner(call.vault, workflow, first, shell, directory, steps).run()


def _given_values(call: Invocation, workflow: Workflow) -> dict[str, str]:
    """Return the values of `--set NAME=VALUE`. Raise UsageError for a name that the workflow does not have."""
    names = placeholder_names(workflow.steps)
    values: dict[str, str] = {}
    for pair in call.all_values("--set"):
        name, equals, value = pair.partition("=")
        if not equals or name not in names:
            hint = f"it asks for {', '.join(names)}" if names else "its steps have no placeholders"
            raise UsageError(
                f"{printable(workflow.name)} does not ask for {printable(name)!r}", f"{hint}: --set NAME=VALUE"
            )
        values[name] = checked_value(name, value)
    return values


def _ask_values(workflow: Workflow, missing: Sequence[str]) -> dict[str, str]:
    """Ask the person for the missing values and return them. Raise UsageError without a terminal."""
    if not sys.stdin.isatty():
        wanted = " ".join(f"--set {name}=VALUE" for name in missing)
        raise UsageError(
            f"{printable(workflow.name)} asks for {', '.join(missing)}, and there is nobody to ask",
            f"tacit workflow run {workflow.name} --yes {wanted}",
        )
    values: dict[str, str] = {}
    for name in missing:
        try:
            while not (value := ask(f"  {name} > ")):
                pass
        except EOFError:
            raise RefusedError("nothing was run: a value is missing", f"tacit workflow run {workflow.name}") from None
        values[name] = checked_value(name, value)
    return values


def _fill_steps(workflow: Workflow, values: Mapping[str, str], shell: str) -> list[str]:
    """Return the steps with their values. A step that is left out may keep its placeholders."""
    return [
        fill_placeholders(step, values, shell) if all(name in values for name in placeholder_names([step])) else step
        for step in workflow.steps
    ]


def _confirm_run(workflow: Workflow) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("there is nobody to ask whether to run this", f"tacit workflow run {workflow.name} --yes")
    return confirm("Run it?")


def _export(call: Invocation, words: list[str]) -> int:
    from tacit.cli.workflow_run import user_shell

    form = call.text_value("--as")
    if form not in EXPORT_FORMATS:
        raise UsageError(f"export wants --as {_FORMAT_NAMES}", f"tacit workflow export {words[0]} --as make")
    text = call.vault.workflows.export_text(words[0], form, user_shell().name)
    target = call.value("--to")
    if target is None:
        sys.stdout.write(text)
        return 0
    _write_new_file(os.path.expanduser(target), text)
    echo(f"Wrote {printable(target)}.")
    return 0


def _write_new_file(path: str, text: str) -> None:
    try:
        with open(path, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise RefusedError(
            f"{path} is there already", "name another file with --to, or leave --to out and append it"
        ) from None
    except OSError as error:
        raise RefusedError(f"{path} cannot be written: {error.strerror}", "name another file with --to") from error


_SUBCOMMANDS = {
    "list": _WorkflowSubcommand("", 0, ("--json",), _list),
    "show": _WorkflowSubcommand("NAME", 1, ("--json", "--form"), _show),
    "new": _WorkflowSubcommand("NAME [--in DIR] -- 'command' 'command'", 1, ("--in", "--step"), _new),
    "edit": _WorkflowSubcommand("NAME", 1, ("--file",), _edit),
    "run": _WorkflowSubcommand("NAME", 1, ("--from", "--resume", "--set", "--yes", "--dry-run"), _run),
    "runs": _WorkflowSubcommand("NAME", 1, ("--json",), _list_runs),
    "rename": _WorkflowSubcommand("OLD NEW", 2, (), _rename),
    "rm": _WorkflowSubcommand("NAME", 1, (), _rm),
    "export": _WorkflowSubcommand("NAME", 1, ("--as", "--to"), _export),
}

WORKFLOW = Command(
    name="workflow",
    usage="list | show | new | edit | run | runs | rename | rm | export [NAME]",
    help=(
        "Commands that you run in order, under a name. Only steps that you saved ever run, and all of them are shown\n"
        "first. Each step has a shell of its own, yours, in the folder of the workflow or where you stand; a step\n"
        "that is only `cd FOLDER` changes the folder of those after it. A step that fails stops the run: retry,\n"
        "edit, skip or quit. A {?name} in a step is a placeholder: its value is asked for, or given with --set, and\n"
        "is always one word for the shell, whatever it holds. The exit code is that of the step it stopped at.\n"
        "See docs/guides/workflows.md."
    ),
    example="tacit workflow new check --in . -- 'make lint' 'make test'",
    run=run_workflow,
    options=(
        Option("--in", "DIR", "new: the folder to run in (default: where one stands)"),
        Option("--step", "COMMAND", "new: a step, instead of words behind --", repeatable=True),
        Option("--from", "N", "run: begin with this step"),
        Option("--resume", help="run: go on with the step that the last run stopped at"),
        Option(
            "--set", "NAME=VALUE", "run: the value of a placeholder {?NAME}, instead of being asked", repeatable=True
        ),
        Option("--yes", help="run: do not ask"),
        Option("--dry-run", help="run: only show what would run"),
        Option("--as", "FORMAT", f"export: {_FORMAT_NAMES}"),
        Option("--to", "FILE", "export: write it there instead of printing it"),
        Option("--form", help="show: print the text that edit reads"),
        Option("--file", "FILE", "edit: read the text from there instead of opening an editor"),
        JSON_OPTION,
    ),
)


# From an accepted pattern to a workflow that can be edited and run.


def make_workflow(vault: Vault, memory: Memory) -> None:
    """Save the commands of a pattern as they were typed; on a terminal they can be edited at once."""
    try:
        workflow = vault.workflows.save_pattern(memory)
    except TacitError as error:  # the memory holds all the same
        echo(f"  no workflow was made of it: {printable(error.message)}")
        return
    if workflow is None:
        return
    where = f" in {printable(workflow.directory)}" if workflow.directory else ""
    echo(f"Workflow {printable(workflow.name)}{where}:")
    for at, line in enumerate(workflow.steps, 1):
        echo(f"  {at}. {printable(line)}")
    if names := placeholder_names(workflow.steps):
        echo(f"  asks when it is run: {', '.join(names)}")
    if sys.stdin.isatty() and confirm("Edit it now?"):
        edit_workflow(vault, workflow, None)
        return
    echo(f"  tacit workflow run {printable(workflow.name)}   tacit workflow edit {printable(workflow.name)}")
