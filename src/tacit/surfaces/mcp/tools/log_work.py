"""log_work: an entry of the worklog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.surfaces.mcp.caller import wait_for_turn
from tacit.surfaces.mcp.schema import Field, Given
from tacit.surfaces.mcp.tool import Told, Tool, evidence_of

if TYPE_CHECKING:
    from tacit.vault.vault import Vault


def run(vault: Vault, given: Given) -> Told:
    from tacit.core.observation import WorkLogged
    from tacit.surfaces.mcp.fence import harmless

    entry = WorkLogged(
        task=evidence_of(given.text("task")),
        summary=evidence_of(given.text("summary")),
        changes=evidence_of(given.text("changes")),
        evidence=evidence_of(given.text("evidence")),
        next=evidence_of(given.text("next")),
    )
    wait_for_turn(vault)
    vault.decisions.log(entry)
    task, summary = harmless(entry.task, 200), harmless(entry.summary, 400)
    return Told(f"Logged: {task}: {summary}", {"task": task, "summary": summary})


LOG_WORK = Tool(
    name="log_work",
    title="Write the worklog",
    description=(
        "Write one entry of the worklog when a task is done, or when you stop in the middle of it: what was done, what "
        "shows that it works, and what comes next. Later sessions find it with recall. Say what is true, also that "
        "something failed or was not tried."
    ),
    takes=(
        Field("task", "string", "the task or ticket", required=True),
        Field("summary", "string", "what was done, in one or two sentences", required=True),
        Field("changes", "string", "which files or settings changed"),
        Field("evidence", "string", "what shows it: the test that was run and its result"),
        Field("next", "string", "what comes next"),
    ),
    gives=(
        Field("task", "string", "the task as it was logged", required=True),
        Field("summary", "string", "the summary as it was logged", required=True),
    ),
    run=run,
)
