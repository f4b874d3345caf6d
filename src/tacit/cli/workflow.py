"""`tacit workflow`: saving, editing, listing and exporting workflows."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from difflib import unified_diff

from tacit.cli.command import JSON, Call, Command, Option
from tacit.cli.json_forms import run_form, workflow_form
from tacit.cli.output import counted, say, say_json
from tacit.cli.terminal import agreed, ask
from tacit.disk.read import read_theirs
from tacit.errors import NotFound, Refused, TacitError, WrongUse
from tacit.model.ids import ClaimId
from tacit.model.memory import Memory
from tacit.model.workflow import (
    Run,
    Workflow,
    changes_directory,
    checked_value,
    filled,
    first_step,
    must_be_runnable,
    names_in,
)
from tacit.pages.workflows import Form, lines, read, write
from tacit.record import Record
from tacit.text.display import clip, show
from tacit.vault.vault import Vault

# Editing a workflow in the person's editor. What they wrote is never lost: a text that cannot be read is kept.


def rewrite(vault: Vault, workflow: Workflow, file: str | None) -> int:
    """Take in a changed form, from a file or from the editor, and show what changed."""
    if file is not None:
        return _take(vault, workflow, _read_file(file))
    if not sys.stdin.isatty():
        raise WrongUse(
            "there is no terminal to edit in",
            f"tacit workflow show {workflow.name} --form > FORM, change it, and then"
            f" tacit workflow edit {workflow.name} --file FORM",
        )
    path = _edited(write(form_of(workflow)))
    try:
        code = _take(vault, workflow, _read_file(path))
    except TacitError as error:
        again = f"your text is in {path}; change it, then: tacit workflow edit {workflow.name} --file {path}"
        raise type(error)(error.message, f"{error.hint}; {again}" if error.hint else again) from error
    os.unlink(path)
    return code


def form_of(workflow: Workflow) -> Form:
    return Form(workflow.name, workflow.steps, workflow.directory)


def _take(vault: Vault, workflow: Workflow, text: str) -> int:
    old, new = form_of(workflow), read(text)
    if new == old and workflow.accepted:
        say("Nothing changed.")
        return 0
    saved = vault.workflows.change_workflow(workflow, name=new.name, steps=new.steps, directory=new.directory)
    for line in list(unified_diff(list(lines(old)), list(lines(form_of(saved))), lineterm="", n=1))[2:]:
        if not line.startswith("@@"):
            say(f"  {show(line)}")
    say(f"Saved {show(saved.name)}. tacit undo takes it back.")
    return 0


def _edited(text: str) -> str:
    """The path of the file that the person's editor left."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    handle, path = tempfile.mkstemp(prefix="tacit-workflow-", suffix=".txt")
    with open(handle, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    if subprocess.run([*shlex.split(editor), path], check=False).returncode != 0:
        raise Refused(f"{editor} ended with an error; nothing was changed", f"your text, if any, is in {path}")
    return path


def _read_file(path: str) -> str:
    try:
        return read_theirs(path).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(f"{path} is not UTF-8", "save it as UTF-8") from None
    except OSError as error:
        raise NotFound(f"{path}: {error.strerror}", "name a file that is there: --file PATH") from error


# tacit workflow.

_SHORT = 60
_FORMATS = "bash, zsh, fish, just, make or claude-command"


class _Part(Record):
    """One thing to do with workflows: its words, how many names, the options that belong to it, and what it does."""

    words: str
    names: int
    options: tuple[str, ...]
    run: Callable[[Call, list[str]], int]


def run_workflow(call: Call) -> int:
    name, *words = call.words or ["list"]
    part = _PARTS.get(name)
    if part is None:
        raise WrongUse(f"tacit workflow has no {name!r}", f"one of {', '.join(_PARTS)}")
    for option in call.values.keys() - {"--home", *part.options}:
        raise WrongUse(f"{option} does not belong to tacit workflow {name}", f"tacit workflow {name} {part.words}")
    if len(words) < part.names or (len(words) > part.names and name != "new"):
        raise WrongUse(f"tacit workflow {name} wants {part.words or 'no words'}", f"tacit workflow {name} {part.words}")
    return part.run(call, words)


# Looking


def _list(call: Call, _words: list[str]) -> int:
    found = call.vault.workflows.workflows()
    if call.flag("--json"):
        say_json([workflow_form(one) for one in found])
        return 0
    say(f"Workflows ({len(found)})")
    for one in found:
        say(f"- {show(one.name)}: {show(clip(' → '.join(one.steps), _SHORT))}")
        say(f"    {_where(one)}; {_last(one)}")
    if not found:
        say("  make one: tacit workflow new check -- 'make lint' 'make test'")
    return 0


def _show(call: Call, words: list[str]) -> int:
    from tacit.cli.workflow_run import step_lines

    workflow = call.vault.workflows.workflow(words[0])
    if call.flag("--json"):
        say_json(workflow_form(workflow))
        return 0
    if call.flag("--form"):
        from tacit.pages.workflows import write

        sys.stdout.write(write(form_of(workflow)))
        return 0
    say(f"{show(workflow.name)} ({counted(len(workflow.steps), 'step')}), {_where(workflow)}")
    for line in step_lines(workflow.steps):
        say(line)
    made = f", made from memory {show(workflow.claim)}" if workflow.claim else ""
    say(f"  saved on {workflow.saved_at.date().isoformat()}{made}; {_last(workflow)}")
    if not workflow.accepted:
        say(f"  to accept these steps, look at them and save them: tacit workflow edit {show(workflow.name)}")
    return 0


def _runs(call: Call, words: list[str]) -> int:
    runs = call.vault.workflows.workflow_runs(words[0])
    if call.flag("--json"):
        say_json([run_form(one) for one in runs])
        return 0
    say(f"Runs of {show(words[0])} ({len(runs)})")
    for one in runs:
        say(f"- {one.at:%Y-%m-%d %H:%M} {_result(one)}, {_seconds(one)}, in {show(one.ran.directory)}")
        for number, step in enumerate(one.ran.steps, one.ran.first + 1):
            mark = "✓" if step.status == 0 else f"✗ {step.status}"
            say(f"    {number}. {mark}  {show(clip(step.command, _SHORT))}  {step.milliseconds / 1000:.1f} s")
    return 0


def _where(workflow: Workflow) -> str:
    place = f"in {show(workflow.directory)}" if workflow.directory else "where you stand"
    return place if workflow.accepted else f"{place}; not accepted"


def _last(workflow: Workflow) -> str:
    if workflow.last is None:
        return "never run"
    return f"last run on {workflow.last.at.date().isoformat()}: {_result(workflow.last)}"


def _result(one: Run) -> str:
    if one.ran.completed:
        return "completed"
    return f"stopped at step {one.stopped_at + 1} with status {one.status}"


def _seconds(one: Run) -> str:
    return f"{sum(step.milliseconds for step in one.ran.steps) / 1000:.1f} s"


# Changing


def _new(call: Call, words: list[str]) -> int:
    name, *steps = words
    if steps and call.flag("--step"):
        raise WrongUse("the steps were given twice, as words and with --step")
    workflow = call.vault.workflows.workflow_from(name, steps or call.all_values("--step"), _folder(call), ClaimId(""))
    say(f"Saved {workflow.name} ({counted(len(workflow.steps), 'step')}), {_where(workflow)}.")
    say(f"  tacit workflow run {workflow.name}   tacit workflow edit {workflow.name}   tacit undo")
    return 0


def _folder(call: Call) -> str:
    given = call.value("--in")
    if not given:
        return ""
    folder = os.path.abspath(os.path.expanduser(given))
    if not os.path.isdir(folder):
        raise NotFound(f"there is no folder {folder}", f"mkdir -p {folder}, or name another with --in")
    return folder


def _edit(call: Call, words: list[str]) -> int:

    _only_a_person(call, "changes a workflow", f"tacit workflow edit {words[0]}")
    return rewrite(call.vault, call.vault.workflows.workflow(words[0]), call.value("--file"))


def _only_a_person(call: Call, what: str, type_it: str) -> None:
    """Before an editor opens; the vault asks again."""
    if not call.vault.home.is_person:
        raise Refused(f"only a person {what}", f"ask them to type: {type_it}")


def _rename(call: Call, words: list[str]) -> int:
    workflow = call.vault.workflows.rename_workflow(*words)
    say(f"{show(words[0])} is {workflow.name} now; its runs went along. tacit undo takes it back.")
    return 0


def _rm(call: Call, words: list[str]) -> int:
    workflow = call.vault.workflows.drop_workflow(words[0])
    say(f"Removed {show(workflow.name)} ({counted(len(workflow.steps), 'step')}). tacit undo brings it back.")
    return 0


# Running and exporting


def _run(call: Call, words: list[str]) -> int:
    from tacit.cli.workflow_run import Stepping, own_shell, place_of, step_lines

    if call.flag("--from") and call.flag("--resume"):
        raise WrongUse("--from and --resume do not go together", f"tacit workflow run {words[0]} --resume")
    workflow = call.vault.workflows.runnable_workflow(words[0])
    first = first_step(workflow, call.number("--from"), call.flag("--resume"))
    shell, place = own_shell(), place_of(workflow)
    needed = names_in(step for at, step in enumerate(workflow.steps) if at >= first or changes_directory(step))
    values = _given_values(call, workflow)
    missing = [name for name in needed if name not in values]
    steps: Sequence[str] = workflow.steps
    if not missing:
        steps = _filled(workflow, values, shell.name)
    where = f"{show(workflow.name)}, in {show(f'{place}, with {shell.name}')}:"
    for line in (where, *step_lines(steps, first)):
        say(line)
    if call.flag("--dry-run"):
        if missing:
            say(f"It asks for: {', '.join(missing)}.")
        return 0
    if missing:
        values.update(_asked_values(workflow, missing))
        steps = _filled(workflow, values, shell.name)
        for line in step_lines(steps, first):
            say(line)
    if not call.flag("--yes") and not _agreed(workflow):
        say("Nothing was run.")
        return 1
    return Stepping(call.vault, workflow, first, shell, place, steps).run()


def _given_values(call: Call, workflow: Workflow) -> dict[str, str]:
    """What `--set NAME=VALUE` gives; only names that the workflow has."""
    known = names_in(workflow.steps)
    values: dict[str, str] = {}
    for given in call.all_values("--set"):
        name, equals, value = given.partition("=")
        if not equals or name not in known:
            hint = f"it asks for {', '.join(known)}" if known else "its steps have no placeholders"
            raise WrongUse(f"{show(workflow.name)} does not ask for {show(name)!r}", f"{hint}: --set NAME=VALUE")
        values[name] = checked_value(name, value)
    return values


def _asked_values(workflow: Workflow, missing: Sequence[str]) -> dict[str, str]:
    """The values that were not given, from the person at the terminal."""
    if not sys.stdin.isatty():
        wanted = " ".join(f"--set {name}=VALUE" for name in missing)
        raise WrongUse(
            f"{show(workflow.name)} asks for {', '.join(missing)}, and there is nobody to ask",
            f"tacit workflow run {workflow.name} --yes {wanted}",
        )
    values: dict[str, str] = {}
    for name in missing:
        try:
            while not (value := ask(f"  {name} > ")):
                pass
        except EOFError:
            raise Refused("nothing was run: a value is missing", f"tacit workflow run {workflow.name}") from None
        values[name] = checked_value(name, value)
    return values


def _filled(workflow: Workflow, values: Mapping[str, str], shell: str) -> list[str]:
    """The steps as they run; one that is left out may keep its placeholders."""
    return [
        filled(step, values, shell) if all(name in values for name in names_in([step])) else step
        for step in workflow.steps
    ]


def _agreed(workflow: Workflow) -> bool:
    if not sys.stdin.isatty():
        raise WrongUse("there is nobody to ask whether to run this", f"tacit workflow run {workflow.name} --yes")
    return agreed("Run it?")


def _export(call: Call, words: list[str]) -> int:
    from tacit.cli.workflow_run import own_shell
    from tacit.pages.workflows import FORMATS, Recipe

    render = FORMATS.get(call.text_value("--as"))
    if render is None:
        raise WrongUse(f"export wants --as {_FORMATS}", f"tacit workflow export {words[0]} --as make")
    workflow = must_be_runnable(call.vault.workflows.workflow(words[0]))
    folder = os.path.expanduser(workflow.directory)
    text = render(Recipe(workflow.name, workflow.steps, folder, own_shell().name))
    target = call.value("--to")
    if target is None:
        sys.stdout.write(text)
        return 0
    _write(os.path.expanduser(target), text)
    say(f"Wrote {show(target)}.")
    return 0


def _write(path: str, text: str) -> None:
    try:
        with open(path, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise Refused(
            f"{path} is there already", "name another file with --to, or leave --to out and append it"
        ) from None
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}", "name another file with --to") from error


_PARTS = {
    "list": _Part("", 0, ("--json",), _list),
    "show": _Part("NAME", 1, ("--json", "--form"), _show),
    "new": _Part("NAME [--in DIR] -- 'command' 'command'", 1, ("--in", "--step"), _new),
    "edit": _Part("NAME", 1, ("--file",), _edit),
    "run": _Part("NAME", 1, ("--from", "--resume", "--set", "--yes", "--dry-run"), _run),
    "runs": _Part("NAME", 1, ("--json",), _runs),
    "rename": _Part("OLD NEW", 2, (), _rename),
    "rm": _Part("NAME", 1, (), _rm),
    "export": _Part("NAME", 1, ("--as", "--to"), _export),
}

WORKFLOW = Command(
    name="workflow",
    words="list | show | new | edit | run | runs | rename | rm | export [NAME]",
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
        Option("--step", "COMMAND", "new: a step, instead of words behind --", many=True),
        Option("--from", "N", "run: begin with this step"),
        Option("--resume", help="run: go on with the step that the last run stopped at"),
        Option("--set", "NAME=VALUE", "run: the value of a placeholder {?NAME}, instead of being asked", many=True),
        Option("--yes", help="run: do not ask"),
        Option("--dry-run", help="run: only show what would run"),
        Option("--as", "FORMAT", f"export: {_FORMATS}"),
        Option("--to", "FILE", "export: write it there instead of printing it"),
        Option("--form", help="show: print the text that edit reads"),
        Option("--file", "FILE", "edit: read the text from there instead of opening an editor"),
        JSON,
    ),
)


# From an accepted pattern to a workflow that can be edited and run.


def make_workflow(vault: Vault, memory: Memory) -> None:
    """Save the commands of a pattern as they were typed; on a terminal they can be edited at once."""
    recipe = vault.pending.recipe(memory)
    if recipe is None:
        return
    try:
        workflow = vault.workflows.workflow_from(None, recipe.steps, recipe.directory, memory.id, memory.claim.scope)
    except TacitError as error:  # the memory holds all the same
        say(f"  no workflow was made of it: {show(error.message)}")
        return
    where = f" in {show(workflow.directory)}" if workflow.directory else ""
    say(f"Workflow {show(workflow.name)}{where}:")
    for at, line in enumerate(workflow.steps, 1):
        say(f"  {at}. {show(line)}")
    if names := names_in(workflow.steps):
        say(f"  asks when it is run: {', '.join(names)}")
    if sys.stdin.isatty() and agreed("Edit it now?"):
        rewrite(vault, workflow, None)
        return
    say(f"  tacit workflow run {show(workflow.name)}   tacit workflow edit {show(workflow.name)}")
