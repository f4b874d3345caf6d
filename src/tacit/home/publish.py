"""Bringing the readable pages up to date with the index, and the journal of a sync that was interrupted."""

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
from tacit.home.indexing import is_memory_view_missing, missing_pages
from tacit.home.paths import PAGE_FOLDERS, HomePaths
from tacit.home.project import FACT_FILE, Project
from tacit.index import reader
from tacit.index import sessions as kept
from tacit.index.database import mark_stale
from tacit.log.log import MEMORY_SEGMENT, Cursor, Log
from tacit.model.claim import GLOBAL, Scope, is_project_scope
from tacit.model.event import REPOSITORY, ClaimDecided, ClaimProposed, Event
from tacit.model.ids import ClaimId
from tacit.pages import facts, long_term, sessions
from tacit.pages import markdown as evaluations
from tacit.pages import markdown as worklog
from tacit.pages.long_term import MemoryView
from tacit.pages.view_store import ViewStore, checked_path
from tacit.record import Record

# What was read from pages, noted before it is recorded: a crash between the two is known, and nothing is said twice.
#
# The note lies in the home while a sync is under way. Whoever takes the home's lock next and finds it looks whether
# the log has the judgements: if so, the lines they were read from are Tacit's; if not, they are still to be read.


class SyncJournalEntry(Record):
    """So many judgements are to stand after this point of the log; then these are the copies of the pages."""

    after: Cursor
    judgements: int
    copies: dict[str, bytes]


class SyncJournal:
    """Where the note lies."""

    def __init__(self, path: str, disk: Disk) -> None:
        self._path = path
        self._disk = disk

    def write(self, reading: SyncJournalEntry) -> None:
        copies = {path: data.decode("utf-8", "surrogateescape") for path, data in reading.copies.items()}
        note = json.dumps({"after": reading.after, "judgements": reading.judgements, "copies": copies})
        replace_file(self._disk, self._path, note.encode("ascii"))

    def finish(self, log: Log, shelf: ViewStore) -> None:
        """Let the pages follow what was recorded, and take the note down. The home's lock is held."""
        reading = _parse_journal(read_file(self._path))
        if reading and _is_recorded(log, reading):
            for path, copy in reading.copies.items():
                shelf.mark_edits_read(path, copy)
        if os.path.lexists(self._path):
            self._disk.remove(self._path)


def _is_recorded(log: Log, reading: SyncJournalEntry) -> bool:
    """All of it: of an operation that was torn, the rest is still to be said. Nobody else judged since."""
    if not reading.judgements:
        return True
    if not log.size(MEMORY_SEGMENT) or not log.is_cursor_valid(MEMORY_SEGMENT, reading.after):
        return False
    events = [record.event for record in log.read(MEMORY_SEGMENT, reading.after)]
    judged = sum(isinstance(one, Event) and isinstance(one.body, ClaimProposed | ClaimDecided) for one in events)
    return judged >= reading.judgements


def _parse_journal(data: bytes | None) -> SyncJournalEntry | None:
    """Nothing for what we did not write."""
    try:
        note = json.loads(data or b"")
        copies = {path: text.encode("utf-8", "surrogateescape") for path, text in note["copies"].items()}
        return SyncJournalEntry(Cursor(*note["after"]), int(note["judgements"]), copies)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


# Bring the readable views up to date with the index: only what is stale, or everything when a page is gone.

_PAGES_PER_BATCH = 100  # pages that are drawn before it is noted that they were
_PAGE_RENDERERS = {"worklog": worklog.worklog_page, "evaluation": evaluations.evaluation_page}
Decode = Callable[[bytes], Event]
# A link, or something that is no folder, where the repository had a folder a moment ago.
_NOT_A_FOLDER_ERRORS = (errno.ELOOP, errno.ENOTDIR)


class _ViewUpdate:
    """What changed since the views were written, and everything there is where one must be drawn from nothing."""

    def __init__(
        self, notes: list[MemoryView], gone: set[ClaimId], everything: Callable[[], list[MemoryView]] | None
    ) -> None:
        self.changed_views = notes
        self.removed_ids = gone
        self.is_full = everything is None
        self._load_all = everything

    @cached_property
    def all_views(self) -> list[MemoryView]:
        return self._load_all() if self._load_all else self.changed_views


class Publisher:
    """Writes the views of one home, and the fact file of the project one stands in."""

    def __init__(self, home: HomePaths, shelf: ViewStore, decode: Decode, turn: int | None) -> None:
        self._paths = home
        self.view_store = shelf
        self._decode = decode
        self._max_turn_chars = turn
        self.may_create_facts = (
            False  # whether the person shares something now, which makes a fact file where there is none
        )

    def publish(self, connection: sqlite3.Connection, project: Project | None, scope: Scope) -> None:
        """Write what is stale and then forget that it was; pages some at a time, so that whoever is ended at thousands
        of them leaves fewer."""
        mark_stale(connection, missing_pages(connection, self._paths))
        stale = reader.stale_views(connection)
        whole = "everything" in stale or is_memory_view_missing(connection, self._paths, project, scope)
        if not whole and not stale:
            return
        if not self.view_store.was_written(self._paths.long_term):
            self.may_create_facts = True  # all views were deleted, and with them what is known of where a fact file was
        update = self._full_update(connection) if whole else self._stale_update(connection, stale)
        if "everything" in stale:
            mark_stale(
                connection, (f"{kind} {day}" for kind in PAGE_FOLDERS for day in reader.page_days(connection, kind))
            )
            stale = reader.stale_views(connection)
        self._publish_long_term(update)
        self._publish_facts(self._paths.facts, GLOBAL, update)
        local = {
            noted.memory.claim.scope for noted in update.changed_views if is_project_scope(noted.memory.claim.scope)
        }
        for one in sorted(local | {scope}):
            self._publish_project_facts(connection, one, project if one == scope else None, update)
        pages = [what for what in stale if what.partition(" ")[0] in PAGE_FOLDERS]
        _clear_stale(connection, set(stale).difference(pages))
        for first in range(0, len(pages), _PAGES_PER_BATCH):
            some = pages[first : first + _PAGES_PER_BATCH]
            for what in some:
                kind, _, day = what.partition(" ")
                self._publish_page(connection, kind, day)
            _clear_stale(connection, some)

    def memory_view(self, connection: sqlite3.Connection, claim: ClaimId) -> MemoryView | None:
        entry = reader.memory_row(connection, claim)
        memory = reader.load_memory(connection, claim, self._decode)
        return MemoryView(memory, entry.overruled_by, entry.conflict) if entry and memory else None

    def _full_update(self, connection: sqlite3.Connection) -> _ViewUpdate:
        return _ViewUpdate(self.memory_views(connection), set(), None)

    def _stale_update(self, connection: sqlite3.Connection, stale: list[str]) -> _ViewUpdate:
        claims = {ClaimId(what.split()[1]) for what in stale if what.startswith("memory ")}
        notes = [noted for claim in sorted(claims) if (noted := self.memory_view(connection, claim))]
        gone = claims - {noted.memory.id for noted in notes}
        return _ViewUpdate(notes, gone, lambda: self.memory_views(connection))

    def memory_views(self, connection: sqlite3.Connection) -> list[MemoryView]:
        rulings = {entry.id: (entry.overruled_by, entry.conflict) for entry in reader.memory_rows(connection)}
        return [MemoryView(memory, *rulings[memory.id]) for memory in reader.load_memories(connection, self._decode)]

    def _publish_long_term(self, update: _ViewUpdate) -> None:
        path = self._paths.long_term
        last = None if update.is_full else self.view_store.last_written(path)
        page = (
            long_term.render_long_term(update.all_views)
            if last is None
            else long_term.update_long_term(last, update.changed_views, update.removed_ids)
        )
        hidden = {noted.memory.id for noted in update.changed_views if long_term.section_of(noted) is None}
        self.view_store.write_page(path, page, key=long_term.entry_id, leaving=hidden | update.removed_ids)

    def _publish_facts(self, path: str, scope: Scope, update: _ViewUpdate, below: str = "") -> None:
        """The facts of one scope; in the repository at `below`, those that the person shares."""
        last = None if update.is_full else self.view_store.last_written(path)
        notes = [
            one
            for one in (update.all_views if last is None else update.changed_views)
            if one.memory.claim.scope == scope
        ]
        drawn = [one for one in notes if one.memory.shared or not below]
        withheld = {one.memory.id for one in notes if below and not one.memory.shared}
        is_leaving = _is_unshared if below else _has_ended
        self.view_store.write_page(
            path,
            facts.update_facts(last or [], drawn, update.removed_ids | withheld),
            key=facts.fact_id,
            leaving={noted.memory.id for noted in update.changed_views if is_leaving(noted)} | update.removed_ids,
            reconcile=facts.reconcile_fact,
            arrange=facts.sort_facts,
            below=below,
        )

    def _publish_project_facts(
        self, connection: sqlite3.Connection, scope: Scope, project: Project | None, update: _ViewUpdate
    ) -> None:
        """The shared file of a project: wherever it lies already, and where one stands if it was there before or the
        person shares something now."""
        if not is_project_scope(scope):
            return
        roots = {
            root for root in reader.project_roots(connection, scope) if os.path.exists(os.path.join(root, FACT_FILE))
        }
        if project and (os.path.exists(project.facts) or self._may_make_facts(connection, scope, project)):
            roots.add(project.root)
        for root in sorted(roots):
            try:
                self._publish_facts(checked_path(root, os.path.join(root, FACT_FILE)), scope, update, root)
            except RefusedError:
                continue  # a link planted in the repository: never written through
            except OSError as error:
                if not is_read_only_error(error) and error.errno not in _NOT_A_FOLDER_ERRORS:
                    raise

    def _may_make_facts(self, connection: sqlite3.Connection, scope: Scope, project: Project) -> bool:
        """Whether a fact file is made where none lies."""
        wanted = self.may_create_facts or self.view_store.was_written(project.facts)
        return wanted and reader.has_shared_facts(connection, scope)

    def _publish_page(self, connection: sqlite3.Connection, kind: str, day: str) -> None:
        path = self._paths.page(kind, day)
        if page := render_page(connection, kind, day, self._decode, self._max_turn_chars):
            self.view_store.write_page(path, page)
        elif self.view_store.edited_versions(path) is None:  # what a person wrote there stays, under whatever name
            self.view_store.remove_page(path)


def _clear_stale(connection: sqlite3.Connection, stale: Iterable[str]) -> None:
    connection.executemany("DELETE FROM stale WHERE what = ?", [(what,) for what in stale])


def render_page(connection: sqlite3.Connection, kind: str, day: str, decode: Decode, turn: int | None) -> list[str]:
    """The lines of a page; none where there is nothing to show. `turn` is how long one of a session may be."""
    if kind == "session":
        found = kept.session_row_by_page(connection, day)
        return sessions.render_session(kept.load_session(connection, found, decode), turn) if found else []
    events = reader.page_events(connection, kind, day, decode)
    return _PAGE_RENDERERS[kind](day, events) if events else []


def _has_ended(noted: MemoryView) -> bool:
    """Whether it holds no longer: its line goes, whoever wrote it."""
    return not noted.is_effective


def _is_unshared(noted: MemoryView) -> bool:
    """Whether its line in a repository goes, whoever wrote it: the person shared or trusted it, and took that back.
    A line that others wrote of what is private here is none of our business."""
    memory = noted.memory
    is_ours = memory.shared is not None or memory.source == REPOSITORY
    return memory.shared is False or (is_ours and not noted.is_effective)
