"""Workflows of a home: save, change, rename, drop, and record their runs. Only a person does any of that."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from difflib import get_close_matches
from shlex import quote

from tacit.errors import NotFoundError, RefusedError, UsageError
from tacit.home.home import HomePart
from tacit.index import operations
from tacit.index.operations import Operations
from tacit.log.codec import must_decode
from tacit.model import workflow as workflow_model
from tacit.model.claim import Scope
from tacit.model.event import Draft
from tacit.model.ids import ClaimId, EventId
from tacit.model.memory import Memory, touched_claims
from tacit.model.observation import CommandRan, WorkflowDropped, WorkflowRan
from tacit.model.workflow import PastRun, Workflow
from tacit.secrets import refuse_secrets
from tacit.text.display import printable

EXPORT_FORMATS = ("bash", "zsh", "fish", "just", "make", "claude-command")


class Workflows(HomePart):
    """Workflows of one home.

    Methods that take a name raise NotFoundError if there is no such workflow. Methods that change or run one raise
    RefusedError if an agent asks.
    """

    # Queries

    def workflows(self) -> list[Workflow]:
        """Return all workflows by name, also those that nobody accepted."""
        with self._store.snapshot() as connection:
            return _load(connection)

    def workflow(self, name: str) -> Workflow:
        """Return a workflow by its name. One that a person accepted comes before one that nobody did."""
        return _find_workflow(self.workflows(), name)

    def workflow_runs(self, name: str) -> list[PastRun]:
        """Return the runs of a workflow, the latest first."""
        events = self.workflow(name).runs[::-1]
        with self._store.snapshot() as connection:
            return list(operations.load_runs(connection, events, must_decode))

    def runnable_workflow(self, name: str) -> Workflow:
        """Return a workflow to run. Raise RefusedError if an agent asks, or if no person accepted it."""
        self._store.actor.require_person("runs a workflow", f"tacit workflow run {quote(name)}")
        return workflow_model.require_runnable(self.workflow(name))

    def export_text(self, name: str, form: str, shell: str = "sh") -> str:
        """Return a workflow as a function, recipe or command in one of EXPORT_FORMATS, to be saved elsewhere.

        `shell` is the one that steps were typed in. Raise UsageError if there is no such format, RefusedError if no
        person accepted the workflow.
        """
        from tacit.pages.workflows import FORMATS, WorkflowExport

        render = FORMATS.get(form)
        if render is None:
            raise UsageError(f"there is no format {form!r}", f"one of {', '.join(FORMATS)}")
        workflow = workflow_model.require_runnable(self.workflow(name))
        folder = os.path.expanduser(workflow.directory)
        return render(WorkflowExport(workflow.name, workflow.steps, folder, shell))

    # Changes

    def save_workflow(
        self, name: str | None, steps: Sequence[str], directory: str, claim: ClaimId, scope: Scope | None = None
    ) -> Workflow:
        """Save steps under a name that is free, or under one made of the steps. The same steps again change nothing.

        `scope` is the project they belong to; default: the current one. If `claim` was accepted just before, this is
        part of the same operation: one undo takes back both. Raise RefusedError if the name is taken.
        """
        self._store.actor.require_person("saves a workflow", f"tacit workflow new {quote(name or 'NAME')} -- '…'")
        checked = _checked_steps(steps)
        with self._store.change() as change:
            connection = change.connection
            accepted = {workflow.name: workflow for workflow in _load(connection) if workflow.accepted}
            same = [known.name for known in accepted.values() if (known.steps, known.directory) == (checked, directory)]
            chosen = name or (same[0] if same else workflow_model.suggest_name(checked, accepted))
            if chosen not in accepted:
                scope = scope or self._store.scope_in(connection)
                draft = workflow_model.save(chosen, checked, directory, claim, scope)
                change.record([draft], op=_operation_on(connection, claim))
            elif (accepted[chosen].steps, accepted[chosen].directory) != (checked, directory):
                raise RefusedError(
                    f"there is a workflow {chosen} already", f"tacit workflow edit {chosen}, or another name"
                )
            return _find_workflow(_load(change.connection), chosen)

    def save_pattern(self, memory: Memory) -> Workflow | None:
        """Save the commands of a sequence that was just accepted, as they were typed. One undo takes back both.

        Return None if the memory is no sequence. Raise RefusedError if the steps cannot be a workflow.
        """
        from tacit.vault.suggestions import Suggestions

        recipe = Suggestions(self._home).recipe(memory)
        if recipe is None:
            return None
        return self.save_workflow(None, recipe.steps, recipe.directory, memory.id, memory.claim.scope)

    def change_workflow(self, seen: Workflow, *, name: str, steps: Sequence[str], directory: str) -> Workflow:
        """Change name, steps or directory of a workflow as it was `seen`.

        Raise RefusedError if it was changed since, or if the new name is taken.
        """
        self._store.actor.require_person("changes a workflow", f"tacit workflow edit {quote(seen.name)}")
        checked = _checked_steps(steps)

        with self._store.change() as change:
            workflows = _load(change.connection)
            current = _find_workflow(workflows, seen.name)
            if current.saved_event != seen.saved_event:
                raise RefusedError(
                    f"{seen.name} was changed meanwhile; nothing was saved", f"tacit workflow show {seen.name}"
                )
            if name != seen.name and any(other.name == name and other.accepted for other in workflows):
                raise RefusedError(
                    f"there is a workflow {name} already", f"tacit workflow show {name}, or choose another name"
                )
            change.record(workflow_model.change(current, name, checked, directory))
            return _find_workflow(_load(change.connection), name)

    def rename_workflow(self, name: str, new_name: str) -> Workflow:
        """Rename a workflow. It keeps its runs. Raise RefusedError if the new name is taken."""
        command = f"tacit workflow rename {quote(name)} {quote(new_name)}"
        self._store.actor.require_person("renames a workflow", command)
        seen = self.workflow(name)
        if not seen.accepted:
            workflow_model.require_runnable(seen)
        return self.change_workflow(seen, name=new_name, steps=seen.steps, directory=seen.directory)

    def drop_workflow(self, name: str) -> Workflow:
        """Remove a workflow. Return what it was."""
        self._store.actor.require_person("removes a workflow", f"tacit workflow rm {quote(name)}")
        with self._store.change() as change:
            dropped = _find_workflow(_load(change.connection), name)
            change.record([Draft(WorkflowDropped(name), dropped.scope)])
        return dropped

    def record_run(self, ran: WorkflowRan, edited: Sequence[CommandRan] = ()) -> None:
        """Record a run, and the steps that the person edited before they ran."""
        self._store.actor.require_person("runs a workflow", f"tacit workflow run {quote(ran.name)}")

        with self._store.change() as change:
            scope = self._store.scope_in(change.connection)
            change.record([Draft(ran, scope), *(Draft(command, scope) for command in edited)])


def _load(connection: sqlite3.Connection) -> list[Workflow]:
    return operations.load_workflows(connection, must_decode)


def _operation_on(connection: sqlite3.Connection, claim: ClaimId) -> EventId | None:
    """Return the latest operation if it is about a memory: what belongs to it is undone with it."""
    latest = next(Operations(connection, must_decode).undoable(), ()) if claim else ()
    return next((event.op for event in latest if claim in touched_claims(event)), None)


def _checked_steps(steps: Sequence[str]) -> tuple[str, ...]:
    checked = workflow_model.checked_steps(steps)
    refuse_secrets(*checked)
    return checked


def _find_workflow(workflows: Sequence[Workflow], name: str) -> Workflow:
    for workflow in workflows:
        if workflow.name == name:
            return workflow
    near = get_close_matches(name, [workflow.name for workflow in workflows], n=1)
    hint = f"did you mean {printable(near[0])}?" if near else "tacit workflow list"
    raise NotFoundError(f"there is no workflow {printable(name)!r}", hint)
