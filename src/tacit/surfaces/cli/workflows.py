"""From an accepted pattern to a workflow that can be edited and run."""

from __future__ import annotations

import sys

from tacit.core.errors import TacitError
from tacit.core.memory import Memory
from tacit.core.placeholders import names_in
from tacit.core.text import show
from tacit.surfaces.cli.asking import agreed
from tacit.surfaces.cli.words import say
from tacit.vault.vault import Vault


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
        from tacit.surfaces.cli.rewriting import rewrite

        rewrite(vault, workflow, None)
        return
    say(f"  tacit workflow run {show(workflow.name)}   tacit workflow edit {show(workflow.name)}")
