"""The fact files of projects, which only a command writes, before it returns.

A work tree belongs to the person and to git. The process that draws the pages of the home afterwards writes nothing
below one, and neither does a query. A line that a command could not write, because it was killed for example, is added
by the next command that changes a memory of the project.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Collection, Sequence
from hashlib import sha256

from tacit.disk.files import read_file
from tacit.disk.lock import is_read_only_error
from tacit.errors import RefusedError
from tacit.home.project import FACT_FILE, Project
from tacit.home.publish import memory_views, write_facts
from tacit.index import reader
from tacit.model.claim import Scope, Status, is_project_scope
from tacit.model.event import REPOSITORY, Event, EventsUndone
from tacit.model.ids import ClaimId
from tacit.model.memory import touched_claims
from tacit.pages import facts
from tacit.pages.conflict_markers import has_conflict_markers
from tacit.pages.long_term import MemoryView
from tacit.pages.view_store import ViewStore, checked_path

# There is a link, or something that is no folder, where the repository had a folder a moment ago.
_NOT_A_FOLDER_ERRORS = (errno.ELOOP, errno.ENOTDIR)


class SharedFacts:
    """Writes the fact files of projects. `project` is the current one, `scope` is its scope."""

    def __init__(self, view_store: ViewStore, project: Project | None, scope: Scope) -> None:
        self._view_store = view_store
        self._project = project
        self._scope = scope

    def write_changes(self, connection: sqlite3.Connection, events: Sequence[Event]) -> None:
        """Write what a command changed. `events` are those that it recorded.

        In the current project, the file of this clone is written: others get its lines by git. A memory of another
        project is changed in every clone that has a fact file. The file is created if a memory that this command
        changed belongs into it.
        """
        recorded = {claim for event in events for claim in _changed_claims(event)}
        changed = memory_views(connection, sorted(recorded | _marked_claims(connection)))
        scopes = {view.memory.claim.scope for view in changed} | {event.scope for event in events}
        created = {view.memory.claim.scope for view in changed if view.memory.id in recorded and _has_line(view)}
        for scope in sorted(scopes if events else {*scopes, self._scope}):
            own = [view for view in changed if view.memory.claim.scope == scope]
            self._write_project(connection, scope, own, may_create=scope in created)

    def write_all(self, connection: sqlite3.Connection) -> None:
        """Write all lines of the current project again, and create the file if it has any."""
        own = memory_views(connection, reader.shared_ids(connection, self._scope))
        self._write_project(connection, self._scope, own, may_create=bool(own))

    def _write_project(
        self, connection: sqlite3.Connection, scope: Scope, changed: Sequence[MemoryView], *, may_create: bool
    ) -> None:
        if not is_project_scope(scope):
            return
        for root in self._roots(connection, scope, may_create):
            try:
                path = checked_path(root, os.path.join(root, FACT_FILE))
                self._write_file(connection, root, path, scope, changed)
            except RefusedError:
                continue  # a link in the repository, which is not followed
            except OSError as error:
                if not is_read_only_error(error) and error.errno not in _NOT_A_FOLDER_ERRORS:
                    raise

    def _roots(self, connection: sqlite3.Connection, scope: Scope, may_create: bool) -> list[str]:
        if self._project and scope == self._scope:
            return [self._project.root] if may_create or os.path.exists(self._project.facts) else []
        roots = reader.project_roots(connection, scope)
        return [root for root in sorted(roots) if os.path.exists(os.path.join(root, FACT_FILE))]

    def _write_file(
        self, connection: sqlite3.Connection, root: str, path: str, scope: Scope, changed: Sequence[MemoryView]
    ) -> None:
        """Write the lines that changed, and those that are not what the index says since an earlier command.

        A file with conflict markers is left alone until somebody has resolved them.
        """
        if has_conflict_markers(read_file(path) or b""):
            return
        last = self._view_store.last_written(path) or []
        drawn = {claim for line in last if (claim := facts.fact_id(line))}
        shared = set(reader.shared_ids(connection, scope))
        missing = memory_views(connection, sorted(shared - drawn - {view.memory.id for view in changed}))
        shown = [view for view in (*changed, *missing) if view.memory.shared]
        own = facts.update_facts(last, shown, drawn - shared)
        taken_back = {view.memory.id for view in changed if _is_taken_back(view)}
        arrange = self._order(connection, path, own)
        write_facts(self._view_store, path, arrange(own), taken_back, arrange, root)

    def _order(
        self, connection: sqlite3.Connection, path: str, own: Sequence[str]
    ) -> Callable[[Sequence[str]], list[str]]:
        """Return the function that orders the lines of a repository's file, as they are ordered there already.

        It leaves out a second line that says the same, unless somebody accepted that very line.
        """
        existing = self._view_store.current_lines(path)
        accepted = _accepted_hashes(connection, path)

        def is_kept(line: str) -> bool:
            return line in own or sha256(line.encode("utf-8", "surrogateescape")).hexdigest() in accepted

        return lambda lines: facts.sort_facts(facts.without_copies(lines, is_kept), existing)


def _changed_claims(event: Event) -> Collection[ClaimId]:
    if isinstance(event.body, EventsUndone):
        return [ClaimId(claim) for claim in event.body.claims]
    return touched_claims(event)


def _marked_claims(connection: sqlite3.Connection) -> set[ClaimId]:
    """Return the memories that changed since the pages of the home were drawn: also those that lost to another one."""
    marks = (name.partition(" ") for name in reader.stale_views(connection))
    return {ClaimId(claim) for kind, _, claim in marks if kind == "memory"}


def _has_line(view: MemoryView) -> bool:
    return bool(view.memory.shared) and view.is_effective


def _is_taken_back(view: MemoryView) -> bool:
    """Return whether a line leaves a repository's fact file, whoever wrote it.

    That is so if the person shared or trusted it and took that back. A line of others stays if the memory is private
    here, if the trust in the file ended, or if another memory overrules it.
    """
    memory = view.memory
    is_ours = memory.shared is not None or memory.source == REPOSITORY
    return memory.shared is False or (is_ours and memory.status in (Status.RETIRED, Status.DISMISSED))


def _accepted_hashes(connection: sqlite3.Connection, path: str) -> set[str]:
    """Return the hashes of the lines of a fact file that the person trusts."""
    if not reader.has_trust_events(connection):
        return set()
    from tacit.home.trusted_files import active_trust

    trust = active_trust(connection).get(path)
    return {line.sha256 for line in trust.trusted.lines} if trust else set()
