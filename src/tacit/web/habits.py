"""Habits and workflows: what is run where and when, and the steps that were accepted under a name."""

from __future__ import annotations

from datetime import datetime

from starlette.responses import Response

from tacit.errors import UsageError
from tacit.model.claim import Kind, Status
from tacit.model.ids import EventId
from tacit.vault.timeline import Timeline
from tacit.vault.workflows import EXPORT_FORMATS
from tacit.web.charts import week_hours
from tacit.web.request import Notice, PageRequest

_DAYS = 90
_HABIT_KINDS = (Kind.WORKFLOW_PATTERN.label, Kind.RECURRING_COMMAND.label, Kind.PREFERRED_CWD.label)
_MAX_HABITS = 50


def habits_page(call: PageRequest) -> Response:
    queries = call.vault.queries
    habits = [
        (status, row)
        for status in (Status.ACTIVE, Status.PENDING)
        for row in queries.latest(status=status, kinds=_HABIT_KINDS, limit=_MAX_HABITS)[0]
    ]
    hours = Timeline(call.vault.home).hours(_DAYS)
    return call.page(
        "habits.html",
        "Habits",
        {
            "used": call.vault.pending.most_used(),
            "map": week_hours([(count.weekday, count.hour, count.commands) for count in hours]),
            "rows_by_day": [[count.commands for count in hours if count.weekday == weekday] for weekday in range(7)],
            "time_of": lambda milliseconds: datetime.fromtimestamp(milliseconds / 1000, call.now.tzinfo),
            "days": _DAYS,
            "habits": habits,
            "workflows": call.vault.workflows.workflows(),
        },
    )


def workflow_page(call: PageRequest) -> Response:
    workflow = call.vault.workflows.workflow(call.parameters["name"])
    form = call.value("as")
    return call.page(
        "workflow.html",
        workflow.name,
        {
            "workflow": workflow,
            "runs": call.vault.workflows.workflow_runs(workflow.name)[:20],
            "formats": EXPORT_FORMATS,
            "form": form,
            "export": call.vault.workflows.export_text(workflow.name, form) if form else "",
        },
    )


def change_workflow(call: PageRequest) -> Response:
    """Save the steps, name and directory of a workflow as it was shown, or remove it."""
    workflows = call.vault.workflows
    name = call.parameters["name"]
    if call.field("action") == "remove":
        workflows.drop_workflow(name)
        return call.redirect("/habits", Notice(f"Removed the workflow {name}.", can_undo=True))
    if call.field("action") != "save":
        raise UsageError(f"there is no action {call.field('action')!r}")
    seen = workflows.workflow(name)._replace(saved_event=EventId(call.field("seen")))  # refused if changed since
    steps = [step.replace("\r\n", "\n").strip("\n") for step in call.fields("step") if step.strip()]
    changed = workflows.change_workflow(
        seen, name=call.field("name").strip(), steps=steps, directory=call.field("directory").strip()
    )
    return call.redirect(f"/habits/{changed.name}", Notice(f"Saved the workflow {changed.name}.", can_undo=True))
