"""start: a task, with what memory says about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.surfaces.mcp.prompt import Prompt
from tacit.surfaces.mcp.schema import Field, Given

if TYPE_CHECKING:
    from tacit.vault.vault import Vault

_LONGEST = 2000


def run(vault: Vault, given: Given) -> str:
    from tacit.surfaces.mcp.tools.brief import NOTHING

    task = given.text("task")[:_LONGEST].strip()
    known = vault.brief(task=task).text.rstrip("\n") or NOTHING
    return f"{task}\n\nBefore you begin, read what is remembered here, and keep to the constraints in it:\n\n{known}"


START = Prompt(
    name="start",
    title="Start a task",
    description="Begin a task with the memories that bear on it.",
    takes=(Field("task", "string", "what is to be done", required=True),),
    run=run,
)
