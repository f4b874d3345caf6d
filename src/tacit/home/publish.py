"""Writing the pages of a home, and the journal that lets an interrupted sync be finished.

Nothing here writes below a work tree: see shared_facts.py.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Container, Iterable, Sequence

from tacit.disk.files import Disk, read_file, replace_file
from tacit.home.indexing import is_memory_view_missing, mark_missing_pages
from tacit.home.paths import PAGE_FOLDERS, HomePaths
from tacit.home.rule_files import write_rule_files
from tacit.index import reader
from tacit.index import sessions as index_sessions
from tacit.index.database import mark_stale
from tacit.log.codec import must_decode
from tacit.log.reader import Cursor, LogReader
from tacit.log.segment import MEMORY_SEGMENT
from tacit.model.claim import GLOBAL
from tacit.model.event import ClaimDecided, ClaimProposed, Event
from tacit.model.ids import ClaimId
from tacit.pages import facts, long_term
from tacit.pages.long_term import MemoryView
from tacit.pages.view_store import ViewStore
from tacit.record import Record

_PAGES_PER_BATCH = 100  # pages that are written before they are recorded as up to date
_PAGE_RENDERERS = {"worklog": long_term.worklog_page, "evaluation": long_term.evaluation_page}


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
        try:
            fields = json.loads(read_file(self._path) or b"")
            copies = {path: text.encode("utf-8", "surrogateescape") for path, text in fields["copies"].items()}
            entry = SyncJournalEntry(Cursor(*fields["after"]), int(fields["judgements"]), copies)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            copies = {}  # Tacit did not write it
        else:
            copies = copies if _is_recorded(log, entry) else {}
        for path, copy in copies.items():
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


class _ViewUpdate(Record):
    """The memories that changed since the views were written. If `is_full`, that is not known and all views are new."""

    changed: list[MemoryView]
    removed: set[ClaimId]
    is_full: bool = False


class Publisher:
    """Writes the pages of one home.

    `max_entries` limits the pages that show all memories to the latest ones, so that a change costs the same in every
    home. `max_turn_chars` limits a turn on the page of a session.
    """

    def __init__(
        self, paths: HomePaths, view_store: ViewStore, disk: Disk, max_entries: int, max_turn_chars: int | None
    ) -> None:
        self._paths = paths
        self._view_store = view_store
        self._disk = disk
        self._max_entries = max_entries
        self._max_turn_chars = max_turn_chars

    def publish(self, connection: sqlite3.Connection) -> None:
        """Write the stale pages, or all if one is missing, and clear their marks in the index.

        Pages are written in batches: a process that is killed among thousands of them leaves less to do.
        """
        mark_missing_pages(connection, self._paths)
        stale = reader.stale_views(connection)
        is_full = "everything" in stale or is_memory_view_missing(self._paths)
        if not is_full and not stale:
            return
        update = _ViewUpdate([], set(), True)
        if not is_full:
            claims = {ClaimId(name.split()[1]) for name in stale if name.startswith("memory ")}
            views = memory_views(connection, sorted(claims))
            update = _ViewUpdate(views, claims - {view.memory.id for view in views})
        if "everything" in stale:
            mark_stale(
                connection, (f"{kind} {day}" for kind in PAGE_FOLDERS for day in reader.page_names(connection, kind))
            )
            stale = reader.stale_views(connection)
        self._publish_long_term(connection, update)
        self._publish_home_facts(connection, update)
        is_known = not (update.is_full or update.removed)
        changed = {view.memory.claim.scope for view in update.changed} if is_known else None
        write_rule_files(connection, self._paths, self._disk, scopes=changed)
        pages = [name for name in stale if name.partition(" ")[0] in PAGE_FOLDERS]
        _clear_stale(connection, set(stale).difference(pages))
        for first in range(0, len(pages), _PAGES_PER_BATCH):
            batch = pages[first : first + _PAGES_PER_BATCH]
            for page in batch:
                kind, _, day = page.partition(" ")
                self._publish_page(connection, kind, day)
            _clear_stale(connection, batch)

    def long_term_page(self, connection: sqlite3.Connection) -> list[str]:
        """Return `long-term.md` as the index has it, without hand edits."""
        return self._long_term_lines(connection, None, _ViewUpdate([], set(), True))

    def fact_page(self, connection: sqlite3.Connection) -> list[str]:
        """Return the home's fact file as the index has it, without hand edits."""
        return self._home_fact_lines(connection, None, _ViewUpdate([], set(), True))

    def _publish_long_term(self, connection: sqlite3.Connection, update: _ViewUpdate) -> None:
        path = self._paths.long_term
        last = None if update.is_full else self._view_store.last_written(path)
        page = self._long_term_lines(connection, last, update)
        hidden = {view.memory.id for view in update.changed if long_term.section_of(view) is None}
        if update.is_full:
            hidden.update(reader.dismissed_ids(connection))
        self._view_store.write_page(path, page, key=long_term.entry_id, removed=hidden | update.removed)

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
        last = None if update.is_full else self._view_store.last_written(path)
        ended = {view.memory.id for view in update.changed if not view.is_effective}
        if update.is_full:
            ended.update(reader.ended_fact_ids(connection, GLOBAL))
        write_facts(self._view_store, path, self._home_fact_lines(connection, last, update), ended | update.removed)

    def _home_fact_lines(
        self, connection: sqlite3.Connection, last: Sequence[str] | None, update: _ViewUpdate
    ) -> list[str]:
        latest = reader.latest_fact_ids(connection, GLOBAL, self._max_entries)
        present = {claim for line in last or () if (claim := facts.fact_id(line))}
        views, gone = _page_changes(connection, present, latest, update)
        return facts.update_facts(last or (), views, gone)

    def _publish_page(self, connection: sqlite3.Connection, kind: str, day: str) -> None:
        path = self._paths.page(kind, day)
        if page := render_page(connection, kind, day, self._max_turn_chars):
            self._view_store.write_page(path, page)
        elif self._view_store.edited_versions(path) is None:  # text of a person stays
            self._view_store.remove_page(path)


def write_facts(
    view_store: ViewStore,
    path: str,
    lines: list[str],
    removed: set[ClaimId],
    arrange: Callable[[Sequence[str]], list[str]] = facts.sort_facts,
    below: str = "",
    stated: Container[ClaimId] = (),
) -> None:
    """Write a fact file. The parameters are those of `ViewStore.write_page`."""
    view_store.write_page(
        path,
        lines,
        key=facts.fact_id,
        removed=removed,
        stated=stated,
        reconcile=facts.reconcile_fact,
        arrange=arrange,
        below=below,
    )


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
