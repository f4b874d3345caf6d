"""`tacit workflow`: saving, editing, listing and exporting workflows."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from difflib import unified_diff

from tacit.cli.commands import JSON_OPTION, Invocation, Option, Subcommand, command
from tacit.cli.output import JsonObject, ask, confirm, echo, echo_lines, pluralize
from tacit.disk.read import read_external
from tacit.errors import NotFoundError, RefusedError, TacitError, UsageError
from tacit.model.event import timestamp
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
from tacit.text.display import clip, printable
from tacit.vault import Vault
from tacit.vault.workflows import EXPORT_FORMATS

_MAX_STEP_CHARS = 60
_FORMAT_NAMES = "bash, zsh, fish, just, make or claude-command"

# Looking


def list_workflows(call: Invocation) -> None:
    workflows = call.vault.workflows.workflows()
    if call.shows_json(lambda: [workflow_json(workflow) for workflow in workflows]):
        return
    echo(f"Workflows ({len(workflows)})")
    for workflow in workflows:
        echo(f"- {printable(workflow.name)}: {printable(clip(' → '.join(workflow.steps), _MAX_STEP_CHARS))}")
        echo(f"    {_directory_text(workflow)}; {_last_run_text(workflow)}")
    if not workflows:
        echo("  make one: tacit workflow new check -- 'make lint' 'make test'")


def show_workflow(call: Invocation, name: str) -> None:
    from tacit.cli.workflow_run import step_lines

    workflow = call.vault.workflows.workflow(name)
    if call.shows_json(lambda: workflow_json(workflow)):
        return
    if call.flag("--form"):
        sys.stdout.write(render_form(editable_form(workflow)))
        return
    echo(f"{printable(workflow.name)} ({pluralize(len(workflow.steps), 'step')}), {_directory_text(workflow)}")
    echo_lines(step_lines(workflow.steps))
    made = f", made from memory {printable(workflow.claim)}" if workflow.claim else ""
    echo(f"  saved on {workflow.saved_at.date().isoformat()}{made}; {_last_run_text(workflow)}")
    if not workflow.accepted:
        echo(f"  to accept these steps, look at them and save them: tacit workflow edit {printable(workflow.name)}")


def list_runs(call: Invocation, name: str) -> None:
    runs = call.vault.workflows.workflow_runs(name)
    if call.shows_json(lambda: [run_json(run) for run in runs]):
        return
    echo(f"Runs of {printable(name)} ({len(runs)})")
    for run in runs:
        seconds = sum(step.milliseconds for step in run.body.steps) / 1000
        echo(f"- {run.at:%Y-%m-%d %H:%M} {_result_text(run)}, {seconds:.1f} s, in {printable(run.body.directory)}")
        for number, step in enumerate(run.body.steps, run.body.first + 1):
            mark = "✓" if step.status == 0 else f"✗ {step.status}"
            text = printable(clip(step.command, _MAX_STEP_CHARS))
            echo(f"    {number}. {mark}  {text}  {step.milliseconds / 1000:.1f} s")


def editable_form(workflow: Workflow) -> WorkflowForm:
    return WorkflowForm(workflow.name, workflow.steps, workflow.directory)


def _directory_text(workflow: Workflow) -> str:
    place = f"in {printable(workflow.directory)}" if workflow.directory else "where you stand"
    return place if workflow.accepted else f"{place}; not accepted"


def _last_run_text(workflow: Workflow) -> str:
    if workflow.last_run is None:
        return "never run"
    return f"last run on {workflow.last_run.at.date().isoformat()}: {_result_text(workflow.last_run)}"


def _result_text(run: PastRun) -> str:
    return "completed" if run.body.completed else f"stopped at step {run.stopped_step + 1} with status {run.status}"


def workflow_json(workflow: Workflow) -> JsonObject:
    return {
        "name": workflow.name,
        "steps": list(workflow.steps),
        "directory": workflow.directory,
        "memory": workflow.claim,
        "at": timestamp(workflow.saved_at),
        "accepted": workflow.accepted,
        "run_count": len(workflow.runs),
        "last_run": run_json(workflow.last_run) if workflow.last_run else None,
    }


def run_json(run: PastRun) -> JsonObject:
    return {
        "at": timestamp(run.at),
        "completed": run.body.completed,
        "exit_status": run.status,
        "directory": run.body.directory,
        "first_step": run.body.first + 1,
        "results": [
            {"text": step.command, "exit_status": step.status, "milliseconds": step.milliseconds}
            for step in run.body.steps
        ],
    }


# Changing


def new_workflow(call: Invocation, name: str, *steps: str) -> None:
    if steps and call.flag("--step"):
        raise UsageError("the steps were given twice, as words and with --step")
    folder = os.path.abspath(os.path.expanduser(given)) if (given := call.value("--in")) else ""
    if folder and not os.path.isdir(folder):
        raise NotFoundError(f"there is no folder {folder}", f"mkdir -p {folder}, or name another with --in")
    workflow = call.vault.workflows.save_workflow(name, steps or call.all_values("--step"), folder, ClaimId(""))
    echo(f"Saved {workflow.name} ({pluralize(len(workflow.steps), 'step')}), {_directory_text(workflow)}.")
    echo(f"  tacit workflow run {workflow.name}   tacit workflow edit {workflow.name}   tacit undo")


def edit_workflow(call: Invocation, name: str) -> None:
    if not call.vault.home.is_person:  # before an editor opens; the vault checks again
        raise RefusedError("only a person changes a workflow", f"ask them to type: tacit workflow edit {name}")
    workflow, file = call.vault.workflows.workflow(name), call.value("--file")
    if file is None:
        _edit_form(call.vault, workflow)
    else:
        _save_form(call.vault, workflow, file)


def _edit_form(vault: Vault, workflow: Workflow) -> None:
    """Let the person edit a workflow in their editor, and save it. What they wrote is kept if it cannot be read."""
    from tacit.cli.edit import open_editor

    name = workflow.name
    if not sys.stdin.isatty():
        hint = f"tacit workflow show {name} --form > FORM, change it, and then tacit workflow edit {name} --file FORM"
        raise UsageError("there is no terminal to edit in", hint)
    handle, path = tempfile.mkstemp(prefix="tacit-workflow-", suffix=".txt")
    with open(handle, "w", encoding="utf-8", newline="\n") as file:
        file.write(render_form(editable_form(workflow)))
    open_editor(path, f"your text, if any, is in {path}")
    try:
        _save_form(vault, workflow, path)
    except TacitError as error:
        again = f"your text is in {path}; change it, then: tacit workflow edit {name} --file {path}"
        raise type(error)(error.message, f"{error.hint}; {again}" if error.hint else again) from error
    os.unlink(path)


def _save_form(vault: Vault, workflow: Workflow, path: str) -> None:
    """Save a workflow as the form in a file says, and show what changed."""
    try:
        text = read_external(path).decode("utf-8")
    except UnicodeDecodeError:
        raise RefusedError(f"{path} is not UTF-8", "save it as UTF-8") from None
    except OSError as error:
        raise NotFoundError(f"{path}: {error.strerror}", "name a file that is there: --file PATH") from error
    old, new = editable_form(workflow), parse_form(text)
    if new == old and workflow.accepted:
        echo("Nothing changed.")
        return
    saved = vault.workflows.change_workflow(workflow, name=new.name, steps=new.steps, directory=new.directory)
    for line in list(unified_diff(list(form_lines(old)), list(form_lines(editable_form(saved))), lineterm="", n=1))[2:]:
        if not line.startswith("@@"):
            echo(f"  {printable(line)}")
    echo(f"Saved {printable(saved.name)}. tacit undo takes it back.")


def rename_workflow(call: Invocation, old: str, new: str) -> None:
    workflow = call.vault.workflows.rename_workflow(old, new)
    echo(f"{printable(old)} is {workflow.name} now; its runs went along. tacit undo takes it back.")


def remove_workflow(call: Invocation, name: str) -> None:
    workflow = call.vault.workflows.drop_workflow(name)
    echo(f"Removed {printable(workflow.name)} ({pluralize(len(workflow.steps), 'step')}). tacit undo brings it back.")


# Running and exporting


def run_steps(call: Invocation, name: str) -> int:
    from tacit.cli.workflow_run import WorkflowRunner, run_directory, step_lines, user_shell

    call.only_one(("--from", "--resume"), f"tacit workflow run {name} --resume")
    workflow = call.vault.workflows.runnable_workflow(name)
    first = first_step(workflow, call.number("--from"), call.flag("--resume"))
    shell, directory = user_shell(), run_directory(workflow)
    needed = placeholder_names(
        step for number, step in enumerate(workflow.steps) if number >= first or is_directory_change(step)
    )
    values = _given_values(call, workflow)
    missing = [name for name in needed if name not in values]
    steps: Sequence[str] = workflow.steps if missing else _fill_steps(workflow, values, shell.name)
    echo(f"{printable(workflow.name)}, in {printable(f'{directory}, with {shell.name}')}:")
    echo_lines(step_lines(steps, first))
    if call.flag("--dry-run"):
        if missing:
            echo(f"It asks for: {', '.join(missing)}.")
        return 0
    if missing:
        values.update(_ask_values(workflow, missing))
        steps = _fill_steps(workflow, values, shell.name)
        echo_lines(step_lines(steps, first))
    nobody = UsageError("there is nobody to ask whether to run this", f"tacit workflow run {workflow.name} --yes")
    if not call.agrees("Run it?", nobody, "Nothing was run."):
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
            wrong = f"{printable(workflow.name)} does not ask for {printable(name)!r}"
            raise UsageError(wrong, f"{hint}: --set NAME=VALUE")
        values[name] = checked_value(name, value)
    return values


def _ask_values(workflow: Workflow, missing: Sequence[str]) -> dict[str, str]:
    """Ask the person for the missing values and return them. Raise UsageError without a terminal."""
    if not sys.stdin.isatty():
        wanted = " ".join(f"--set {name}=VALUE" for name in missing)
        nobody = f"{printable(workflow.name)} asks for {', '.join(missing)}, and there is nobody to ask"
        raise UsageError(nobody, f"tacit workflow run {workflow.name} --yes {wanted}")
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


def export_workflow(call: Invocation, name: str) -> None:
    from tacit.cli.workflow_run import user_shell

    form, target = call.value("--as"), call.value("--to")
    if form not in EXPORT_FORMATS:
        raise UsageError(f"export wants --as {_FORMAT_NAMES}", f"tacit workflow export {name} --as make")
    text = call.vault.workflows.export_text(name, form, user_shell().name)
    if target is None:
        sys.stdout.write(text)
        return
    path = os.path.expanduser(target)
    try:
        with open(path, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        hint = "name another file with --to, or leave --to out and append it"
        raise RefusedError(f"{path} is there already", hint) from None
    except OSError as error:
        raise RefusedError(f"{path} cannot be written: {error.strerror}", "name another file with --to") from error
    echo(f"Wrote {printable(target)}.")


@command(
    "list | show | new | edit | run | runs | rename | rm | export [NAME]",
    "tacit workflow new check --in . -- 'make lint' 'make test'",
    Option("--in", "DIR", "new: the folder to run in (default: where one stands)"),
    Option("--step", "COMMAND", "new: a step, instead of words behind --", repeatable=True),
    Option("--from", "N", "run: begin with this step"),
    Option("--resume", help="run: go on with the step that the last run stopped at"),
    Option("--set", "NAME=VALUE", "run: the value of a placeholder {?NAME}, instead of being asked", repeatable=True),
    Option("--yes", help="run: do not ask"),
    Option("--dry-run", help="run: only show what would run"),
    Option("--as", "FORMAT", f"export: {_FORMAT_NAMES}"),
    Option("--to", "FILE", "export: write it there instead of printing it"),
    Option("--form", help="show: print the text that edit reads"),
    Option("--file", "FILE", "edit: read the text from there instead of opening an editor"),
    JSON_OPTION,
    subcommands=(
        Subcommand("list", list_workflows, options=("--json",)),
        Subcommand("show", show_workflow, 1, "NAME", options=("--json", "--form")),
        Subcommand(
            "new", new_workflow, 1, "NAME [--in DIR] -- 'command' 'command'", more=True, options=("--in", "--step")
        ),
        Subcommand("edit", edit_workflow, 1, "NAME", options=("--file",)),
        Subcommand("run", run_steps, 1, "NAME", options=("--from", "--resume", "--set", "--yes", "--dry-run")),
        Subcommand("runs", list_runs, 1, "NAME", options=("--json",)),
        Subcommand("rename", rename_workflow, 2, "OLD NEW", options=()),
        Subcommand("rm", remove_workflow, 1, "NAME", options=()),
        Subcommand("export", export_workflow, 1, "NAME", options=("--as", "--to")),
    ),
)
def run_workflow(call: Invocation) -> int | None:
    """Commands that you run in order, under a name. Only steps that you saved ever run, and all of them are shown
    first. Each step has a shell of its own, yours, in the folder of the workflow or where you stand; a step
    that is only `cd FOLDER` changes the folder of those after it. A step that fails stops the run: retry,
    edit, skip or quit. A {?name} in a step is a placeholder: its value is asked for, or given with --set, and
    is always one word for the shell, whatever it holds. The exit code is that of the step it stopped at.
    See docs/guides/workflows.md.
    """
    return call.run_subcommand("list")


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
        _edit_form(vault, workflow)
        return
    echo(f"  tacit workflow run {printable(workflow.name)}   tacit workflow edit {printable(workflow.name)}")
