"""Writing the readable views of a home, and the journal that lets an interrupted sync be finished."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from collections.abc import Callable, Iterable
from functools import cached_property

from tacit.disk.files import Disk, read_file, replace_file
from tacit.disk.lock import is_read_only_error
from tacit.errors import RefusedError
from tacit.home.indexing import is_memory_view_missing, mark_missing_pages
from tacit.home.paths import PAGE_FOLDERS, HomePaths
from tacit.home.project import FACT_FILE, Project
from tacit.index import reader
from tacit.index import sessions as index_sessions
from tacit.index.database import mark_stale
from tacit.log.codec import must_decode
from tacit.log.log import MEMORY_SEGMENT, Cursor, Log
from tacit.model.claim import GLOBAL, Scope, is_project_scope
from tacit.model.event import REPOSITORY, ClaimDecided, ClaimProposed, Event
from tacit.model.ids import ClaimId
from tacit.pages import facts, long_term, markdown
from tacit.pages.long_term import MemoryView
from tacit.pages.view_store import ViewStore, checked_path
from tacit.record import Record

_PAGES_PER_BATCH = 100  # pages that are written before they are recorded as up to date
_PAGE_RENDERERS = {"worklog": markdown.worklog_page, "evaluation": markdown.evaluation_page}
# There is a link, or something that is no folder, where the repository had a folder a moment ago.
_NOT_A_FOLDER_ERRORS = (errno.ELOOP, errno.ENOTDIR)


class SyncJournalEntry(Record):
    """The log has this many judgements after the cursor if the sync was recorded. Then `copies` has the new copies."""

    after: Cursor
    judgements: int
    copies: dict[str, bytes]


class SyncJournal:
    """A file that exists while a sync runs, so that no edit is read twice after a crash.

    It is written before the judgements are appended. The next holder of the home's lock checks whether the log has
    them: if so, the lines they were read from count as written by Tacit; if not, the lines are still unread.
    """

    def __init__(self, path: str, disk: Disk) -> None:
        self._path = path
        self._disk = disk

    def write(self, entry: SyncJournalEntry) -> None:
        copies = {path: data.decode("utf-8", "surrogateescape") for path, data in entry.copies.items()}
        text = json.dumps({"after": entry.after, "judgements": entry.judgements, "copies": copies})
        replace_file(self._disk, self._path, text.encode("ascii"))

    def finish(self, log: Log, view_store: ViewStore) -> None:
        """Mark the edits as read if they were recorded, and remove the file. The caller holds the home's lock."""
        entry = _parse_journal(read_file(self._path))
        if entry and _is_recorded(log, entry):
            for path, copy in entry.copies.items():
                view_store.mark_edits_read(path, copy)
        if os.path.lexists(self._path):
            self._disk.remove(self._path)


def _is_recorded(log: Log, entry: SyncJournalEntry) -> bool:
    """Return whether the log has all judgements of a sync. No others were appended since, because of the lock."""
    if not entry.judgements:
        return True
    if not log.size(MEMORY_SEGMENT) or not log.is_cursor_valid(MEMORY_SEGMENT, entry.after):
        return False
    events = [line.event for line in log.read(MEMORY_SEGMENT, entry.after)]
    count = sum(isinstance(event, Event) and isinstance(event.body, ClaimProposed | ClaimDecided) for event in events)
    return count >= entry.judgements


def _parse_journal(data: bytes | None) -> SyncJournalEntry | None:
    """Return the entry; None if there is no journal or Tacit did not write it."""
    try:
        fields = json.loads(data or b"")
        copies = {path: text.encode("utf-8", "surrogateescape") for path, text in fields["copies"].items()}
        return SyncJournalEntry(Cursor(*fields["after"]), int(fields["judgements"]), copies)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


class _ViewUpdate:
    """The changes since the views were written. `load_all` loads all views; None if `changed` has them already."""

    def __init__(
        self, changed: list[MemoryView], removed: set[ClaimId], load_all: Callable[[], list[MemoryView]] | None
    ) -> None:
        self.changed_views = changed
        self.removed_ids = removed
        self.is_full = load_all is None
        self._load_all = load_all

    @cached_property
    def all_views(self) -> list[MemoryView]:
        return self._load_all() if self._load_all else self.changed_views


class Publisher:
    """Writes the views of one home, and the fact files of its projects.

    `max_turn_chars` limits a turn on the page of a session. `may_create_facts` is set while the person shares
    something: then a fact file is created in a project that has none.
    """

    def __init__(self, paths: HomePaths, view_store: ViewStore, max_turn_chars: int | None) -> None:
        self._paths = paths
        self.view_store = view_store
        self._max_turn_chars = max_turn_chars
        self.may_create_facts = False

    def publish(self, connection: sqlite3.Connection, project: Project | None, scope: Scope) -> None:
        """Write the stale views, or all if one is missing, and clear their marks in the index.

        Pages are written in batches: a process that is killed among thousands of them leaves less to do.
        """
        mark_missing_pages(connection, self._paths)
        stale = reader.stale_views(connection)
        is_full = "everything" in stale or is_memory_view_missing(connection, self._paths, project, scope)
        if not is_full and not stale:
            return
        if not self.view_store.was_written(self._paths.long_term):
            self.may_create_facts = True  # all views were deleted, and the record of existing fact files with them
        update = (
            _ViewUpdate(self.memory_views(connection), set(), None)
            if is_full
            else self._stale_update(connection, stale)
        )
        if "everything" in stale:
            mark_stale(
                connection, (f"{kind} {day}" for kind in PAGE_FOLDERS for day in reader.page_names(connection, kind))
            )
            stale = reader.stale_views(connection)
        self._publish_long_term(update)
        self._publish_facts(self._paths.facts, GLOBAL, update)
        scopes = {view.memory.claim.scope for view in update.changed_views if is_project_scope(view.memory.claim.scope)}
        for project_scope in sorted(scopes | {scope}):
            self._publish_project_facts(connection, project_scope, project if project_scope == scope else None, update)
        pages = [name for name in stale if name.partition(" ")[0] in PAGE_FOLDERS]
        _clear_stale(connection, set(stale).difference(pages))
        for first in range(0, len(pages), _PAGES_PER_BATCH):
            batch = pages[first : first + _PAGES_PER_BATCH]
            for page in batch:
                kind, _, day = page.partition(" ")
                self._publish_page(connection, kind, day)
            _clear_stale(connection, batch)

    def memory_view(self, connection: sqlite3.Connection, claim: ClaimId) -> MemoryView | None:
        row = reader.memory_row(connection, claim)
        memory = reader.load_memory(connection, claim, must_decode)
        return MemoryView(memory, row.overruled_by, row.is_conflicting) if row and memory else None

    def _stale_update(self, connection: sqlite3.Connection, stale: list[str]) -> _ViewUpdate:
        claims = {ClaimId(name.split()[1]) for name in stale if name.startswith("memory ")}
        views = [view for claim in sorted(claims) if (view := self.memory_view(connection, claim))]
        removed = claims - {view.memory.id for view in views}
        return _ViewUpdate(views, removed, lambda: self.memory_views(connection))

    def memory_views(self, connection: sqlite3.Connection) -> list[MemoryView]:
        rulings = {row.id: (row.overruled_by, row.is_conflicting) for row in reader.memory_rows(connection)}
        return [MemoryView(memory, *rulings[memory.id]) for memory in reader.load_memories(connection, must_decode)]

    def _publish_long_term(self, update: _ViewUpdate) -> None:
        path = self._paths.long_term
        last = None if update.is_full else self.view_store.last_written(path)
        page = (
            long_term.render_long_term(update.all_views)
            if last is None
            else long_term.update_long_term(last, update.changed_views, update.removed_ids)
        )
        hidden = {view.memory.id for view in update.changed_views if long_term.section_of(view) is None}
        self.view_store.write_page(path, page, key=long_term.entry_id, removed=hidden | update.removed_ids)

    def _publish_facts(self, path: str, scope: Scope, update: _ViewUpdate, below: str = "") -> None:
        """Write the facts of one scope: in the repository at `below` the shared ones, in the home all."""
        last = None if update.is_full else self.view_store.last_written(path)
        candidates = update.all_views if last is None else update.changed_views
        views = [view for view in candidates if view.memory.claim.scope == scope]
        shown = [view for view in views if view.memory.shared or not below]
        private = {view.memory.id for view in views if below and not view.memory.shared}
        is_leaving = _is_unshared if below else _has_ended
        self.view_store.write_page(
            path,
            facts.update_facts(last or [], shown, update.removed_ids | private),
            key=facts.fact_id,
            removed={view.memory.id for view in update.changed_views if is_leaving(view)} | update.removed_ids,
            reconcile=facts.reconcile_fact,
            arrange=facts.sort_facts,
            below=below,
        )

    def _publish_project_facts(
        self, connection: sqlite3.Connection, scope: Scope, project: Project | None, update: _ViewUpdate
    ) -> None:
        """Write the fact file of a project, in every clone that has one.

        In `project`, the current one, it is also created if it was there before or the person shares something now.
        """
        if not is_project_scope(scope):
            return
        roots = {
            root for root in reader.project_roots(connection, scope) if os.path.exists(os.path.join(root, FACT_FILE))
        }
        if project:
            may_create = self.may_create_facts or self.view_store.was_written(project.facts)
            if os.path.exists(project.facts) or (may_create and reader.has_shared_facts(connection, scope)):
                roots.add(project.root)
        for root in sorted(roots):
            try:
                self._publish_facts(checked_path(root, os.path.join(root, FACT_FILE)), scope, update, root)
            except RefusedError:
                continue  # a link in the repository, which is not followed
            except OSError as error:
                if not is_read_only_error(error) and error.errno not in _NOT_A_FOLDER_ERRORS:
                    raise

    def _publish_page(self, connection: sqlite3.Connection, kind: str, day: str) -> None:
        path = self._paths.page(kind, day)
        if page := render_page(connection, kind, day, self._max_turn_chars):
            self.view_store.write_page(path, page)
        elif self.view_store.edited_versions(path) is None:  # text of a person stays
            self.view_store.remove_page(path)


def _clear_stale(connection: sqlite3.Connection, stale: Iterable[str]) -> None:
    connection.executemany("DELETE FROM stale_views WHERE name = ?", [(name,) for name in stale])


def render_page(connection: sqlite3.Connection, kind: str, day: str, max_turn_chars: int | None) -> list[str]:
    """Return the lines of a page, none if there is nothing to show. For a session, `day` is its key."""
    if kind == "session":
        row = index_sessions.session_row_by_page(connection, day)
        if row is None:
            return []
        from tacit.pages.sessions import render_session

        return render_session(index_sessions.load_session(connection, row, must_decode), max_turn_chars)
    events = reader.page_events(connection, kind, day, must_decode)
    return _PAGE_RENDERERS[kind](day, events) if events else []


def _has_ended(view: MemoryView) -> bool:
    """Return whether a line leaves the home's fact file, whoever wrote it: its memory is no longer effective."""
    return not view.is_effective


def _is_unshared(view: MemoryView) -> bool:
    """Return whether a line leaves a repository's fact file, whoever wrote it.

    That is so if the person shared or trusted it and took that back. Lines of others about memories that are private
    here stay.
    """
    memory = view.memory
    is_ours = memory.shared is not None or memory.source == REPOSITORY
    return memory.shared is False or (is_ours and not view.is_effective)
