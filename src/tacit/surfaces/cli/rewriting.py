"""Editing a workflow in the person's editor. What they wrote is never lost: a text that cannot be read is kept."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from difflib import unified_diff

from tacit.core.errors import NotFound, Refused, TacitError, WrongUse
from tacit.core.text import show
from tacit.core.workflow import Workflow
from tacit.disk.theirs import read_theirs
from tacit.notes.recipes.form import Form, lines, read, write
from tacit.surfaces.cli.words import say
from tacit.vault.vault import Vault


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
