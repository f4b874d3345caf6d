"""The fact files of projects, which only a command writes, before it returns.

A work tree belongs to the person and to git. The process that draws the pages of the home afterwards writes nothing
below one, and neither does a query. Which facts a file has, and which version of them, is a matter of its branch: a
command writes the lines of what it changed, into the work tree in which the person stands, and leaves all others.
"""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from hashlib import sha256

from tacit.disk.files import Disk, open_fd, read_file, write_all
from tacit.disk.lock import is_read_only_error
from tacit.errors import RefusedError
from tacit.home.git_versions import note_written, postpone_facts, postponed_facts
from tacit.home.project import FACT_FILE, Project, head_commit
from tacit.home.publish import memory_views, write_facts
from tacit.index import reader
from tacit.index.listings import rulings_of
from tacit.model.claim import Scope, Status, is_project_scope
from tacit.model.event import REPOSITORY, ClaimDecided, ClaimProposed, Draft, Event, EventsUndone
from tacit.model.ids import ClaimId, is_claim_id
from tacit.model.memory import claims_of_event
from tacit.pages import facts
from tacit.pages.long_term import MemoryView
from tacit.pages.merge import has_conflict_markers
from tacit.pages.view_store import ViewStore, checked_path

# There is a link, or something that is no folder, where the repository had a folder a moment ago.
_NOT_A_FOLDER_ERRORS = (errno.ELOOP, errno.ENOTDIR)


class FactJournal:
    """A file that exists while a command writes fact files. What it could not write, or was killed before it wrote, the
    next change finds there: a line for each command.

    A line has the root of the project that the command ran in or "", its scope, and the claims that it is about to
    write. The file is not synced, since it only has to outlive the process. A line that is not whole counts for
    nothing: nothing was recorded then.
    """

    def __init__(self, path: str, disk: Disk) -> None:
        self._path = path
        self._disk = disk

    def write(self, project: Project | None, scope: Scope, drafts: Iterable[Draft]) -> None:
        """Name the claims that have to do with a project. `project` is the current one, `scope` is its scope."""
        claims = {claim for draft in drafts if _may_be_shared(draft) for claim in claims_of_event(draft)}
        if not claims:
            return
        entry = {"root": project.root if project else "", "scope": scope, "claims": sorted(claims)}
        with open_fd(self._disk, self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND) as fd:
            write_all(self._disk, fd, b"%s\n" % json.dumps(entry).encode("ascii"))

    def finish(self, connection: sqlite3.Connection, view_store: ViewStore) -> None:
        """Write what commands have left out. The caller holds the home's lock."""
        for line in (read_file(self._path) or b"").splitlines():
            try:
                fields = json.loads(line)
                root, scope = str(fields["root"]), Scope(str(fields["scope"]))
                claims = [ClaimId(claim) for claim in fields["claims"] if is_claim_id(claim)]
            except (ValueError, KeyError, TypeError, RecursionError):
                continue  # Tacit did not write it whole
            known = _ids(memory_views(connection, claims))  # none, if it was killed before it recorded
            rulings = [ruling for claim in known for ruling in rulings_of(connection, claim)]
            affected = known.union(*((ruling.winner, ruling.loser) for ruling in rulings))
            project = Project(root, ()) if root else None
            SharedFacts(view_store, project, scope).write_changes(connection, (), affected)
        self.remove()

    def remove(self) -> None:
        if os.path.lexists(self._path):
            self._disk.remove(self._path)


class SharedFacts:
    """Writes the fact files of projects. `project` is the current one, `scope` is its scope."""

    def __init__(self, view_store: ViewStore, project: Project | None, scope: Scope) -> None:
        self._view_store = view_store
        self._project = project
        self._scope = scope

    def write_changes(
        self, connection: sqlite3.Connection, events: Sequence[Event], affected: Collection[ClaimId] = ()
    ) -> None:
        """Write what a command changed. `events` are those that it recorded, `affected` the memories that it changed by
        them: also those that another one overrules now, or no longer.

        In the current project, the file of this work tree is written: others get its lines by git, where a file that
        changed by itself would stop the next merge. A memory of another project changes in every clone that has a
        file. The file is created if the person states something that belongs into it.
        """
        stated = {claim for event in events if event.is_by_user for claim in claims_of_event(event)}
        recorded = {claim for event in events for claim in claims_of_event(event)}
        claims = recorded.union(affected)
        changed = memory_views(connection, sorted(claims))
        stated |= {view.memory.id for view in changed if view.memory.id not in recorded and _has_line(view)}
        gone = claims - _ids(changed)
        scopes = {view.memory.claim.scope for view in changed} | {event.scope for event in events} | {self._scope}
        for scope in sorted(filter(is_project_scope, scopes)):
            own = [view for view in changed if view.memory.claim.scope == scope]
            is_new = any(view.memory.id in stated and _has_line(view) for view in own)
            for root in self._roots(connection, scope, may_create=is_new):
                try:
                    self._write_file(connection, root, own, gone, stated)
                except RefusedError:
                    pass  # a link in the repository, which is not followed
                except OSError as error:
                    if not is_read_only_error(error) and error.errno not in _NOT_A_FOLDER_ERRORS:
                        raise

    def _roots(self, connection: sqlite3.Connection, scope: Scope, *, may_create: bool) -> list[str]:
        if self._project and scope == self._scope:
            return [self._project.root] if may_create or os.path.exists(self._project.facts) else []
        roots = reader.project_roots(connection, scope)
        return [root for root in sorted(roots) if os.path.exists(os.path.join(root, FACT_FILE))]

    def _write_file(
        self,
        connection: sqlite3.Connection,
        root: str,
        changed: Sequence[MemoryView],
        gone: set[ClaimId],
        stated: set[ClaimId],
    ) -> None:
        """Write the lines of memories that changed, or are gone.

        A file with conflict markers is left alone until somebody has resolved them; then the next change writes what
        was stated meanwhile.
        """
        path = checked_path(root, os.path.join(root, FACT_FILE))
        postponed = postponed_facts(self._view_store, path)
        if has_conflict_markers(read_file(path) or b""):
            postpone_facts(self._view_store, path, stated & _ids(changed))
            return
        views = [*changed, *memory_views(connection, sorted(postponed - _ids(changed)))]
        current = {name: line for line in self._view_store.current_lines(path) if (name := facts.fact_id(line))}
        back = stated | postponed
        shown = [view for view in views if view.memory.shared and view.memory.id in current.keys() | back]
        private = {view.memory.id for view in views if not view.memory.is_in_fact_file}
        taken_back = {view.memory.id for view in views if _is_taken_back(view)}
        if not shown and current.keys().isdisjoint(private | taken_back | gone):
            return
        base = self._view_store.base_lines(path) if current else []
        # A fact whose kind nobody named here keeps the kind that the file has.
        inferred = {view.memory.id for view in shown if not view.memory.is_kind_stated} & current.keys()
        own = [
            facts.with_kind_of(line, current[name]) if (name := facts.fact_id(line)) in inferred and name else line
            for line in facts.update_facts(base, shown, gone | private)
        ]
        arrange = self._order(connection, path, own)
        write_facts(self._view_store, path, arrange(own), taken_back, arrange, root, back)
        if postponed or head_commit(root):
            note_written(self._view_store, root, path)

    def _order(
        self, connection: sqlite3.Connection, path: str, own: Sequence[str]
    ) -> Callable[[Sequence[str]], list[str]]:
        """Return the function that orders the lines of a repository's file, as they are ordered there already.

        It leaves out a second line that says the same, unless somebody accepted that very line.
        """
        existing = self._view_store.current_lines(path)
        accepted, own_lines = set[str](), frozenset(own)
        if reader.has_trust_events(connection):
            from tacit.home.trusted_files import active_trust

            trust = active_trust(connection).get(path)
            accepted = {line.sha256 for line in trust.trusted.lines} if trust else accepted

        def is_kept(line: str) -> bool:
            return line in own_lines or sha256(line.encode("utf-8", "surrogateescape")).hexdigest() in accepted

        return lambda lines: facts.sort_facts(facts.without_copies(lines, is_kept), existing)


def _may_be_shared(draft: Draft) -> bool:
    """Return whether a draft may change the lines of a project. What an undo changes is not known before."""
    body = draft.body
    if isinstance(body, EventsUndone):
        return True
    if isinstance(body, ClaimDecided) and body.instead and is_project_scope(body.instead.scope):
        return True
    return isinstance(body, ClaimProposed | ClaimDecided) and is_project_scope(body.claim.scope)


def _ids(views: Iterable[MemoryView]) -> set[ClaimId]:
    return {view.memory.id for view in views}


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
