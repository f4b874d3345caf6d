"""Workflows of a home: made, changed, renamed, dropped, and the record of their runs. All of it is a person's."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from shlex import quote

from tacit.errors import NotFoundError, RefusedError
from tacit.home.home import HomePart
from tacit.index import workflows as index
from tacit.log.codec import must_decode
from tacit.model import workflow as core
from tacit.model.claim import Scope
from tacit.model.event import Draft, Event
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import CommandRan, WorkflowDropped, WorkflowRan
from tacit.model.workflow import PastRun, Workflow
from tacit.secrets.redact import refuse_secrets
from tacit.text.display import printable

_DraftWorkflows = Callable[[sqlite3.Connection, list[Workflow]], Sequence[Draft]]


class Workflows(HomePart):
    """What a person runs in order, under a name."""

    # Questions

    def workflows(self) -> list[Workflow]:
        """All of them, by name; also those that nobody accepted."""
        return self._store.read(lambda connection: index.load_workflows(connection, must_decode))

    def workflow(self, name: str) -> Workflow:
        """The one of this name, which a person accepted before one that nobody did."""
        return _find_workflow(self.workflows(), name)

    def workflow_runs(self, name: str) -> list[PastRun]:
        """Its runs, the latest first."""
        events = self.workflow(name).runs[::-1]
        return self._store.read(lambda connection: list(index.load_runs(connection, events, must_decode)))

    def runnable_workflow(self, name: str) -> Workflow:
        """The same, for somebody who is about to run it: a person, and what a person accepted."""
        self._store.actor.require_person("runs a workflow", f"tacit workflow run {quote(name)}")
        return core.require_runnable(self.workflow(name))

    # Changes

    def save_workflow(
        self, name: str | None, steps: Sequence[str], directory: str, claim: ClaimId, scope: Scope | None = None
    ) -> Workflow:
        """Save steps under a name that is free, or under one made of the steps. The same steps again change nothing.

        `scope` is the project they belong to; left out, it is the one the person stands in.
        Of a memory that was accepted just before, this is part of the accepting: one undo takes back both.
        """
        self._store.actor.require_person("saves a workflow", f"tacit workflow new {quote(name or 'NAME')} -- '…'")
        kept = _checked_steps(steps)
        chosen: list[str] = []

        def decision(connection: sqlite3.Connection, known: list[Workflow]) -> Sequence[Draft]:
            mine = {one.name: one for one in known if one.accepted}
            found = name or _find_same(known, kept, directory) or core.suggest_name(kept, mine)
            chosen.append(found)
            draft = core.save(found, kept, directory, claim, scope or self._store.scope_in(connection))
            if found not in mine:
                return [draft]
            if (mine[found].steps, mine[found].directory) != (kept, directory):
                raise RefusedError(
                    f"there is a workflow {found} already", f"tacit workflow edit {found}, or another name"
                )
            return []

        return self._change_and_load(decision, chosen, op=self._store.accepted_in.get(claim))

    def change_workflow(self, seen: Workflow, *, name: str, steps: Sequence[str], directory: str) -> Workflow:
        """Another form of what was seen; refused when it is no longer what was seen."""
        self._store.actor.require_person("changes a workflow", f"tacit workflow edit {quote(seen.name)}")
        kept = _checked_steps(steps)

        def decision(_connection: sqlite3.Connection, known: list[Workflow]) -> Sequence[Draft]:
            now = _find_workflow(known, seen.name)
            if now.saved_event != seen.saved_event:
                raise RefusedError(
                    f"{seen.name} was changed meanwhile; nothing was saved", f"tacit workflow show {seen.name}"
                )
            _must_be_free(known, name, seen.name)
            return core.change(now, name, kept, directory)

        return self._change_and_load(decision, [name])

    def rename_workflow(self, name: str, new_name: str) -> Workflow:
        """Another name; its runs go along."""
        again = f"tacit workflow rename {quote(name)} {quote(new_name)}"
        self._store.actor.require_person("renames a workflow", again)
        seen = self.workflow(name)
        if not seen.accepted:
            core.require_runnable(seen)
        return self.change_workflow(seen, name=new_name, steps=seen.steps, directory=seen.directory)

    def drop_workflow(self, name: str) -> Workflow:
        self._store.actor.require_person("removes a workflow", f"tacit workflow rm {quote(name)}")
        gone: list[Workflow] = []

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            gone.append(_find_workflow(index.load_workflows(connection, must_decode), name))
            return [Draft(WorkflowDropped(name), gone[0].scope)]

        self._store.record(decision)
        return gone[0]

    def record_run(self, ran: WorkflowRan, edited: Sequence[CommandRan] = ()) -> None:
        """That it ran, and which steps a person changed before they ran."""
        self._store.actor.require_person("runs a workflow", f"tacit workflow run {quote(ran.name)}")

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            scope = self._store.scope_in(connection)
            return [Draft(ran, scope), *(Draft(command, scope) for command in edited)]

        self._store.record(decision)

    def _change_and_load(self, decide: _DraftWorkflows, names: Sequence[str], *, op: EventId | None = None) -> Workflow:
        """Decide on the workflows of now, and tell how the one of this name is then."""

        def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
            return decide(connection, index.load_workflows(connection, must_decode))

        def tell(connection: sqlite3.Connection, _events: Sequence[Event]) -> Workflow:
            return _find_workflow(index.load_workflows(connection, must_decode), names[0])

        return self._store.change(decision, tell, op=op)


def _checked_steps(steps: Sequence[str]) -> tuple[str, ...]:
    kept = core.checked_steps(steps)
    refuse_secrets(*kept)
    return kept


def _find_same(known: Sequence[Workflow], steps: tuple[str, ...], directory: str) -> str | None:
    found = [one.name for one in known if one.accepted and (one.steps, one.directory) == (steps, directory)]
    return found[0] if found else None


def _must_be_free(known: Sequence[Workflow], name: str, own: str) -> None:
    if name != own and any(one.name == name and one.accepted for one in known):
        raise RefusedError(f"there is a workflow {name} already", f"tacit workflow show {name}, or choose another name")


def _find_workflow(known: Sequence[Workflow], name: str) -> Workflow:
    for one in known:
        if one.name == name:
            return one
    near = get_close_matches(name, [one.name for one in known], n=1)
    hint = f"did you mean {printable(near[0])}?" if near else "tacit workflow list"
    raise NotFoundError(f"there is no workflow {printable(name)!r}", hint)
