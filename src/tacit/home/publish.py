"""Writing the readable views of a home, and the journal that lets an interrupted sync be finished."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256

from tacit.disk.files import Disk, read_file, replace_file
from tacit.disk.lock import is_read_only_error
from tacit.errors import RefusedError
from tacit.home.git_versions import head_commit, last_written_event, note_written
from tacit.home.indexing import is_memory_view_missing, mark_missing_pages
from tacit.home.paths import PAGE_FOLDERS, HomePaths
from tacit.home.project import FACT_FILE, Project
from tacit.index import reader
from tacit.index import sessions as index_sessions
from tacit.index.database import mark_stale
from tacit.log.codec import must_decode
from tacit.log.reader import Cursor, LogReader
from tacit.log.segment import MEMORY_SEGMENT
from tacit.model.claim import GLOBAL, Scope, is_project_scope
from tacit.model.event import REPOSITORY, ClaimDecided, ClaimProposed, Event
from tacit.model.ids import ClaimId
from tacit.pages import facts, long_term, markdown
from tacit.pages.conflict_markers import has_conflict_markers
from tacit.pages.long_term import MemoryView
from tacit.pages.view_store import ViewStore, checked_path
from tacit.record import Record

_PAGES_PER_BATCH = 100  # pages that are written before they are recorded as up to date
_PAGE_RENDERERS = {"worklog": markdown.worklog_page, "evaluation": markdown.evaluation_page}
# A fact file that was not written because of its conflict markers. Its path is in hexadecimal: it may be no text.
_CONFLICT_PREFIX = "conflict "
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

    def finish(self, log: LogReader, view_store: ViewStore) -> None:
        """Mark the edits as read if they were recorded, and remove the file. The caller holds the home's lock."""
        entry = _parse_journal(read_file(self._path))
        if entry and _is_recorded(log, entry):
            for path, copy in entry.copies.items():
                view_store.mark_edits_read(path, copy)
        if os.path.lexists(self._path):
            self._disk.remove(self._path)


def _is_recorded(log: LogReader, entry: SyncJournalEntry) -> bool:
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


class _ViewUpdate(Record):
    """The memories that changed since the views were written. If `is_full`, that is not known and all views are new.

    `resolved` are fact files that were not written because of conflicts, and have none any more. If `are_deleted`, no
    view of the home was there.
    """

    changed: list[MemoryView]
    removed: set[ClaimId]
    is_full: bool = False
    resolved: frozenset[str] = frozenset()
    are_deleted: bool = False


class Publisher:
    """Writes the views of one home, and the fact files of its projects.

    `max_entries` limits the pages that show all memories to the latest ones, so that a change costs the same in every
    home. `max_turn_chars` limits a turn on the page of a session. `may_create_facts` is set while the person shares
    something: then a fact file is created in a project that has none.
    """

    def __init__(self, paths: HomePaths, view_store: ViewStore, max_entries: int, max_turn_chars: int | None) -> None:
        self._paths = paths
        self.view_store = view_store
        self._max_entries = max_entries
        self._max_turn_chars = max_turn_chars
        self.may_create_facts = False

    def publish(self, connection: sqlite3.Connection, project: Project | None, scope: Scope) -> None:
        """Write the stale views, or all if one is missing, and clear their marks in the index.

        Pages are written in batches: a process that is killed among thousands of them leaves less to do.
        """
        mark_missing_pages(connection, self._paths)
        stale = outdated_views(connection)
        is_resolved = any(name.startswith(_CONFLICT_PREFIX) for name in stale)
        is_full = (
            "everything" in stale or is_resolved or is_memory_view_missing(connection, self._paths, project, scope)
        )
        if not is_full and not stale:
            return
        # If all views were deleted, the record of existing fact files is gone with them.
        are_deleted = not self.view_store.was_written(self._paths.long_term)
        update = self._stale_update(connection, stale)._replace(is_full=is_full, are_deleted=are_deleted)
        if "everything" in stale:
            mark_stale(
                connection, (f"{kind} {day}" for kind in PAGE_FOLDERS for day in reader.page_names(connection, kind))
            )
            stale = outdated_views(connection)
        self._publish_long_term(connection, update)
        self._publish_home_facts(connection, update)
        self._publish_changed_projects(connection, project, scope, update)
        pages = [name for name in stale if name.partition(" ")[0] in PAGE_FOLDERS]
        _clear_stale(connection, set(outdated_views(connection)).intersection(stale).difference(pages))
        for first in range(0, len(pages), _PAGES_PER_BATCH):
            batch = pages[first : first + _PAGES_PER_BATCH]
            for page in batch:
                kind, _, day = page.partition(" ")
                self._publish_page(connection, kind, day)
            _clear_stale(connection, batch)

    def publish_shared(self, connection: sqlite3.Connection, project: Project | None, scope: Scope) -> None:
        """Write the stale fact files of projects only, which others may read or commit as soon as a command returns."""
        stale = outdated_views(connection)
        if stale:
            self._publish_changed_projects(connection, project, scope, self._stale_update(connection, stale))

    def memory_view(self, connection: sqlite3.Connection, claim: ClaimId) -> MemoryView | None:
        return next(iter(memory_views(connection, [claim])), None)

    def long_term_page(self, connection: sqlite3.Connection) -> list[str]:
        """Return `long-term.md` as the index has it, without hand edits."""
        return self._long_term_lines(connection, None, _ViewUpdate([], set(), True))

    def fact_page(self, connection: sqlite3.Connection) -> list[str]:
        """Return the home's fact file as the index has it, without hand edits."""
        return self._home_fact_lines(connection, None, _ViewUpdate([], set(), True))

    def _stale_update(self, connection: sqlite3.Connection, stale: list[str]) -> _ViewUpdate:
        claims = {ClaimId(name.split()[1]) for name in stale if name.startswith("memory ")}
        views = memory_views(connection, sorted(claims))
        resolved = frozenset(_conflicted_path(name) for name in stale if name.startswith(_CONFLICT_PREFIX))
        return _ViewUpdate(views, claims - _claims(views), resolved=resolved)

    def _publish_long_term(self, connection: sqlite3.Connection, update: _ViewUpdate) -> None:
        path = self._paths.long_term
        last = None if update.is_full else self.view_store.last_written(path)
        page = self._long_term_lines(connection, last, update)
        hidden = {view.memory.id for view in update.changed if long_term.section_of(view) is None}
        if update.is_full:
            hidden.update(reader.dismissed_ids(connection))
        self.view_store.write_page(path, page, key=long_term.entry_id, removed=hidden | update.removed)

    def _long_term_lines(
        self, connection: sqlite3.Connection, last: Sequence[str] | None, update: _ViewUpdate
    ) -> list[str]:
        latest = reader.latest_entry_ids(connection, self._max_entries + 1)
        limit = self._max_entries if len(latest) > self._max_entries else None
        present = long_term.entry_ids(last or ())
        views, gone = _page_changes(connection, present, latest[: self._max_entries], update)
        return long_term.update_long_term(last or (), views, gone, limit)

    def _publish_home_facts(self, connection: sqlite3.Connection, update: _ViewUpdate) -> None:
        path = self._paths.facts
        last = None if update.is_full else self.view_store.last_written(path)
        ended = {view.memory.id for view in update.changed if not view.is_effective}
        if update.is_full:
            ended.update(reader.ended_fact_ids(connection, GLOBAL))
        self._write_facts(path, self._home_fact_lines(connection, last, update), ended | update.removed)

    def _home_fact_lines(
        self, connection: sqlite3.Connection, last: Sequence[str] | None, update: _ViewUpdate
    ) -> list[str]:
        latest = reader.latest_fact_ids(connection, GLOBAL, self._max_entries)
        present = {claim for line in last or () if (claim := facts.fact_id(line))}
        views, gone = _page_changes(connection, present, latest, update)
        return facts.update_facts(last or (), views, gone)

    def _write_facts(
        self,
        path: str,
        lines: list[str],
        removed: set[ClaimId],
        arrange: Callable[[Sequence[str]], list[str]] = facts.sort_facts,
        below: str = "",
        stated: Container[ClaimId] = (),
    ) -> None:
        self.view_store.write_page(
            path,
            lines,
            key=facts.fact_id,
            removed=removed,
            stated=stated,
            reconcile=facts.reconcile_fact,
            arrange=arrange,
            below=below,
        )

    def _repository_order(
        self, connection: sqlite3.Connection, path: str, own: Sequence[str]
    ) -> Callable[[Sequence[str]], list[str]]:
        """Return the function that orders the lines of a repository's file, as they are ordered there already.

        It leaves out a second line that says the same, unless somebody accepted that very line.
        """
        existing = self.view_store.current_lines(path)
        accepted = _accepted_hashes(connection, path)

        def is_kept(line: str) -> bool:
            return line in own or sha256(line.encode("utf-8", "surrogateescape")).hexdigest() in accepted

        return lambda lines: facts.sort_facts(facts.without_copies(lines, is_kept), existing)

    def _publish_changed_projects(
        self, connection: sqlite3.Connection, project: Project | None, scope: Scope, update: _ViewUpdate
    ) -> None:
        """Write the fact files of the projects whose memories changed; all of them if that is not known."""
        if update.is_full:
            scopes = set(reader.all_scopes(connection))
        else:
            scopes = {view.memory.claim.scope for view in update.changed}
        for project_scope in sorted(scopes | {scope}):
            self._publish_project_facts(connection, project_scope, project if project_scope == scope else None, update)

    def _publish_facts_of(
        self, connection: sqlite3.Connection, root: str, path: str, views: Sequence[MemoryView], gone: set[ClaimId]
    ) -> None:
        """Write the facts of one project that changed, or are gone, into the repository at `root`.

        Every other line stays as it is: which facts a file has, and which version of them, is a matter of its branch. A
        file with conflict markers is left alone until somebody has resolved them.
        """
        before = read_file(path)
        if has_conflict_markers(before or b""):
            mark_stale(connection, [_CONFLICT_PREFIX + os.fsencode(path).hex()])
            return
        current = {name: line for line in self.view_store.current_lines(path) if (name := facts.fact_id(line))}
        latest = {view.memory.id: _latest_event(connection, view.memory.id) for view in views}
        last = last_written_event(self.view_store, path)
        stated = {
            claim for claim, event in latest.items() if event.is_by_user and (self.may_create_facts or event.id > last)
        }
        shown = [view for view in views if view.memory.shared and view.memory.id in current.keys() | stated]
        private = {view.memory.id for view in views if not view.memory.is_in_fact_file}
        removed = {view.memory.id for view in views if _is_unshared(view)} | gone
        if not shown and current.keys().isdisjoint(private | removed):
            return
        base = self.view_store.base_lines(path) if current else []
        drawn = facts.update_facts(base, shown, gone | private)
        own = _with_kinds_of_others(drawn, shown, current)
        arrange = self._repository_order(connection, path, own)
        self._write_facts(path, arrange(own), removed, arrange, root, stated)
        newest = max((last, *(event.id for event in latest.values())))
        if head_commit(root) and (newest != last or read_file(path) != before):
            note_written(self.view_store, root, path, newest)

    def _views_since_conflict(self, connection: sqlite3.Connection, scope: Scope, path: str) -> list[MemoryView]:
        """Return what the person said since a fact file was written, which then had conflicts for a while."""
        last = last_written_event(self.view_store, path)
        views = memory_views(connection, reader.ids_of_scope(connection, scope)) if last else []
        events = ((view, _latest_event(connection, view.memory.id)) for view in views)
        return [view for view, event in events if event.is_by_user and event.id > last]

    def _publish_project_facts(
        self, connection: sqlite3.Connection, scope: Scope, project: Project | None, update: _ViewUpdate
    ) -> None:
        """Write the fact file of a project in `project`, the clone that the person stands in.

        It is created if the person shares something now. Other clones and work trees have branches of their own: what
        is forgotten leaves their files, and everything else comes with a commit. If the person stands in none, every
        clone that has a file is written. Where nothing was committed yet, a file that is gone is drawn again.
        """
        if not is_project_scope(scope):
            return
        roots = {
            root for root in reader.project_roots(connection, scope) if os.path.exists(os.path.join(root, FACT_FILE))
        }
        is_redrawn = project is not None and update.is_full and not head_commit(project.root)
        if project and (
            self.may_create_facts or os.path.exists(project.facts) or (is_redrawn and self._is_lost(update, project))
        ):
            roots.add(project.root)
        changed = [view for view in update.changed if view.memory.claim.scope == scope]
        if is_redrawn:
            changed = memory_views(connection, reader.ids_of_scope(connection, scope))
        forgotten = [view for view in changed if not view.memory.is_live and view.memory.replaced_by is None]
        for root in sorted(roots):
            try:
                path = checked_path(root, os.path.join(root, FACT_FILE))
                views = changed if project is None or root == project.root else forgotten
                if path in update.resolved:
                    views = self._views_since_conflict(connection, scope, path)
                self._publish_facts_of(connection, root, path, views, update.removed)
            except RefusedError:
                continue  # a link in the repository, which is not followed
            except OSError as error:
                if not is_read_only_error(error) and error.errno not in _NOT_A_FOLDER_ERRORS:
                    raise

    def _is_lost(self, update: _ViewUpdate, project: Project) -> bool:
        """Return whether a project had a fact file that is gone."""
        return update.are_deleted or self.view_store.was_written(project.facts)

    def _publish_page(self, connection: sqlite3.Connection, kind: str, day: str) -> None:
        path = self._paths.page(kind, day)
        if page := render_page(connection, kind, day, self._max_turn_chars):
            self.view_store.write_page(path, page)
        elif self.view_store.edited_versions(path) is None:  # text of a person stays
            self.view_store.remove_page(path)


def outdated_views(connection: sqlite3.Connection) -> list[str]:
    """Return the names of stale views that can be written now: a fact file waits until its conflicts are resolved."""
    names = reader.stale_views(connection)
    return [name for name in names if not (name.startswith(_CONFLICT_PREFIX) and _is_conflicted(name))]


def _accepted_hashes(connection: sqlite3.Connection, path: str) -> set[str]:
    """Return the hashes of the lines of a fact file that the person trusts."""
    if not reader.has_trust_events(connection):
        return set()
    from tacit.home.trusted_files import active_trust

    trust = active_trust(connection).get(path)
    return {line.sha256 for line in trust.trusted.lines} if trust else set()


def _conflicted_path(name: str) -> str:
    return os.fsdecode(bytes.fromhex(name.removeprefix(_CONFLICT_PREFIX)))


def _is_conflicted(name: str) -> bool:
    path = _conflicted_path(name)
    with suppress(OSError):
        return has_conflict_markers(read_file(path) or b"")
    return False


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


def memory_views(connection: sqlite3.Connection, claims: Sequence[ClaimId]) -> list[MemoryView]:
    """Return the views of these memories, by id; those that do not exist are left out."""
    rulings = reader.rulings(connection, claims)
    memories = reader.load_memories(connection, must_decode, claims)
    return [MemoryView(memory, *rulings[memory.id]) for memory in memories if memory.id in rulings]


def _page_changes(
    connection: sqlite3.Connection, present: set[ClaimId], latest: Sequence[ClaimId], update: _ViewUpdate
) -> tuple[list[MemoryView], set[ClaimId]]:
    """Return what to draw on a page that has the entries `present` and shall have `latest`, and what to remove."""
    wanted = set(latest)
    changed = [view for view in update.changed if view.memory.id in wanted]
    missing = wanted - present - {view.memory.id for view in changed}
    outdated = {view.memory.id for view in update.changed} - wanted
    return [*changed, *memory_views(connection, sorted(missing))], (present - wanted) | outdated | update.removed


def _latest_event(connection: sqlite3.Connection, claim: ClaimId) -> Event:
    """Return the last word on a claim. If it is not the person's, it adds no line to a file."""
    return reader.events_of_claim(connection, claim, must_decode)[-1]


def _claims(views: Iterable[MemoryView]) -> set[ClaimId]:
    return {view.memory.id for view in views}


def _with_kinds_of_others(
    lines: Iterable[str], drawn: Iterable[MemoryView], current: Mapping[ClaimId, str]
) -> list[str]:
    """Return the lines, with the kind that the file has for facts whose kind nobody named here."""
    inferred = {view.memory.id for view in drawn if not view.memory.is_kind_stated} & current.keys()
    return [
        facts.with_kind_of(line, current[name]) if (name := facts.fact_id(line)) in inferred and name else line
        for line in lines
    ]


def _is_unshared(view: MemoryView) -> bool:
    """Return whether a line leaves a repository's fact file, whoever wrote it.

    That is so if the person shared or trusted it and took that back. Lines of others about memories that are private
    here stay.
    """
    memory = view.memory
    is_ours = memory.shared is not None or memory.source == REPOSITORY
    return memory.shared is False or (is_ours and not view.is_effective)
