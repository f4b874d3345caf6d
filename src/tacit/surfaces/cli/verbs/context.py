"""tacit context."""

from __future__ import annotations

import os
import sys

from tacit.core.errors import WrongUse
from tacit.core.text import show
from tacit.recall.context import Context
from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.forms import Form, entry_reference, workflow_form
from tacit.surfaces.cli.words import say_json
from tacit.vault.contexts import Contexts
from tacit.vault.opened import Home


def run(call: Call) -> int:
    call.no_words()
    directory = os.path.abspath(os.path.expanduser(call.value("--cwd") or "."))
    if not os.path.isdir(directory):
        raise WrongUse(f"there is no folder {show(directory)}", "tacit context --cwd .")
    with Home(call.value("--home"), cwd=directory) as home:
        contexts = Contexts(home)
        found = contexts.context(directory)
        if call.flag("--json"):
            say_json(_form(found))
        else:
            sys.stdout.write(contexts.context_text(found))
    return 0


def _form(found: Context) -> Form:
    return {
        "directory": found.directory,
        "scopes": found.scopes,
        "directories": [entry_reference(entry) for entry in found.directories],
        "habits": [entry_reference(entry) for entry in found.commands],
        "workflows": [workflow_form(workflow) for workflow in found.workflows],
        "memories": [entry_reference(entry) for entry in found.memories],
    }


COMMAND = Command(
    name="context",
    words="",
    help=(
        "What a planner or an agent should know here: the directories you work in, the commands you usually run,\n"
        "your workflows with their last result, and the memory that holds here. Only what you accepted is in it."
    ),
    example="tacit context --cwd .",
    run=run,
    options=(Option("--cwd", "DIR", "the folder it is about (default: the one you stand in)"), JSON),
)
