"""brief: the few memories that matter for a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.surfaces.mcp.schema import Field, Given
from tacit.surfaces.mcp.tool import Told, Tool

if TYPE_CHECKING:
    from tacit.vault.vault import Vault

NOTHING = "Nothing is remembered here yet."


def run(vault: Vault, given: Given) -> Told:
    from tacit.surfaces.mcp.fence import harmless

    found = vault.brief(task=given.text("task")[:4096], tags=given.texts("tags")[:20])
    entries = [
        {"id": one.id, "kind": one.kind.label, "text": harmless(one.sentence), "at": one.at} for one in found.entries
    ]
    return Told(found.text.rstrip("\n") or NOTHING, {"entries": entries})


ENTRY = (
    Field("id", "string", "the id of the memory", required=True),
    Field("kind", "string", "what kind of memory it is", required=True),
    Field("text", "string", "what it says", required=True),
    Field("at", "string", "when it was said last, UTC", required=True),
)
BRIEF = Tool(
    name="brief",
    title="What to know before a task",
    description=(
        "At most seven memories that matter here: first the person's standing rules, which apply to all work, then "
        "notes, chosen for the task when you name it. All of them were accepted by the person. Call it once at the "
        "beginning of a task, unless a brief is in your context already."
    ),
    takes=(
        Field("task", "string", "what the work is about, in a sentence"),
        Field("tags", "array", "prefer memories with these tags"),
    ),
    gives=(Field("entries", "array", "the memories in the order to read them", required=True, each=ENTRY),),
    run=run,
    reads=True,
)
