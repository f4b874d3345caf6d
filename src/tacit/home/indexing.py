"""Bringing the index up to date with the log, and noticing views that are missing."""

from __future__ import annotations

import gc
import os
import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.disk.lock import is_read_only_error, read_only_error
from tacit.home.paths import PAGE_FOLDERS, HomePaths
from tacit.home.project import Project
from tacit.index import database as store
from tacit.index import reader
from tacit.index.database import translate_sqlite_errors
from tacit.log.codec import DamagedLine, encode, event_type, must_decode
from tacit.log.log import Cursor, Log
from tacit.model.claim import Scope
from tacit.model.event import Event, timestamp
from tacit.model.ids import EventId

if TYPE_CHECKING:
    from tacit.log.tombstones import Tombstones


# Bringing the index up to date with the log: behind or not, caught up, made again, or made afresh in memory.

# So much activity that no answer shows may wait to be filed.
_MAX_DEFERRED_BYTES = 256 * 1024
_TOMBSTONE_MARKER = b'"type":"memory.purged"'
_LINES_PER_BATCH = 5_000  # lines that are filed together, about a second of work


class Indexer:
    """The log of a home and the index that follows it."""

    def __init__(self, home: HomePaths, log: Log) -> None:
        self._paths = home
        self._log = log
        self._skipped_to: dict[str, Cursor] = {}

    def is_index_of_log(self, connection: sqlite3.Connection) -> bool:
        with translate_sqlite_errors():
            cursors = {segment: Cursor(*at) for segment, at in reader.log_cursors(connection).items()}
        return not self._has_new_tombstones(cursors) and all(
            self._log.is_cursor_valid(segment, cursor) for segment, cursor in cursors.items()
        )

    def _has_new_tombstones(self, cursors: dict[str, Cursor]) -> bool:
        """Whether there are tombstones that the index does not know: what they speak of has to go from it."""
        return any(
            True
            for segment in self._log.tombstone_segments()
            for _ in self._log.events_containing(segment, cursors.get(segment, Cursor()), _TOMBSTONE_MARKER)
        )

    def is_behind(self, connection: sqlite3.Connection) -> bool:
        """Whether the log has something that an answer could show and the index does not have."""
        cursors = {segment: Cursor(*at) for segment, at in reader.log_cursors(connection).items()}
        segments = self._log.segments()
        if set(cursors) - set(segments):
            return True
        return any(self._is_segment_behind(segment, cursors.get(segment, Cursor())) for segment in segments)

    def _is_segment_behind(self, segment: str, cursor: Cursor) -> bool:
        size = self._log.size(segment)
        if size == cursor.offset:
            return False
        if size < cursor.offset or size - cursor.offset > _MAX_DEFERRED_BYTES:
            return True
        skimmed = self._skipped_to.get(segment, cursor)
        seen = max(cursor, skimmed) if skimmed.offset <= size else cursor  # it may have been rewritten since
        self._skipped_to[segment], behind = (
            (seen, False) if size == seen.offset else self._log.skip_deferrable(segment, seen)
        )
        return behind

    def unindexed_ids(self, connection: sqlite3.Connection) -> set[str]:
        """The ids of everything that was recorded and is not filed yet, read from the lines' bytes."""
        found: set[str] = set()
        for segment, cursor in self._unindexed_segments(connection):
            found.update(self._log.ids(segment, cursor))
        return found

    def backlog_bytes(self, connection: sqlite3.Connection) -> int:
        """How many bytes of the log are not filed yet."""
        return sum(self._log.size(segment) - cursor.offset for segment, cursor in self._unindexed_segments(connection))

    def _unindexed_segments(self, connection: sqlite3.Connection) -> Iterator[tuple[str, Cursor]]:
        cursors = {segment: Cursor(*at) for segment, at in reader.log_cursors(connection).items()}
        for segment in self._log.segments():
            cursor = cursors.get(segment, Cursor())
            if self._log.size(segment) > cursor.offset:
                yield segment, cursor

    def unindexed_events(self, connection: sqlite3.Connection, type_: str) -> Iterator[Event]:
        """Events of a type that may wait, and were not filed yet."""
        mark = f'"type":"{type_}"'.encode()
        for segment, cursor in self._unindexed_segments(connection):
            yield from self._log.events_containing(segment, cursor, mark)

    def catch_up(self, connection: sqlite3.Connection) -> None:
        """In slices, each of which is done when it is done: whoever is ended at a long backlog leaves less of it."""
        with translate_sqlite_errors():
            more = True
            while more:
                cursors = {segment: Cursor(*at) for segment, at in reader.log_cursors(connection).items()}
                more = self._index_lines(connection, cursors, most=_LINES_PER_BATCH)

    def rebuild(self) -> sqlite3.Connection:
        """Make the index again from the log; open for writing."""
        self.build()
        self.swap_in()
        return store.open_for_writing(self._paths.index, self._log.line_reader())

    def swap_in(self) -> None:
        """Let an index that was built take the place of the one that is there."""
        store.replace_index(self._paths.index)

    def build(self) -> None:
        """Make an index from the log beside the one that is there, which can be read meanwhile."""
        new = store.new_index_path(self._paths.index)
        try:
            connection = store.create_index(new, self._log.line_reader())
        except OSError as error:
            if is_read_only_error(error):
                raise read_only_error(self._paths.root) from error
            raise
        self._index_all(connection)
        self._copy_vectors(connection)
        connection.execute("INSERT OR IGNORE INTO stale VALUES ('everything')")
        store.finish_index(connection, new)

    def _copy_vectors(self, connection: sqlite3.Connection) -> None:
        if os.path.exists(self._paths.index):
            from tacit.index import vectors

            vectors.copy_vectors(self._paths.index, connection, must_decode)

    def in_memory_index(
        self, until: str | None = None, without: frozenset[EventId] = frozenset()
    ) -> sqlite3.Connection:
        """An index in memory, of the whole log, of what was recorded up to a moment, or without some events."""
        connection = store.create_index(":memory:", self._log.line_reader())
        self._index_all(connection, until, without)
        return connection

    def _index_all(
        self, connection: sqlite3.Connection, until: str | None = None, without: frozenset[EventId] = frozenset()
    ) -> None:
        """The whole log. Its events hold no cycles, so looking for them would only cost time (an eighth, measured)."""
        gc.disable()
        try:
            self._index_lines(connection, {}, until, without)
        finally:
            gc.enable()

    def _index_lines(
        self,
        connection: sqlite3.Connection,
        cursors: dict[str, Cursor],
        until: str | None = None,
        without: frozenset[EventId] = frozenset(),
        most: int | None = None,
    ) -> bool:
        """Everything after the cursors, or so many lines of it, and where they stand then; whether there is more.
        `apply` reads `reached` after the last record."""
        from tacit.index import writer

        reached: dict[str, Cursor] = {}
        tombstones = self._load_tombstones()
        read = 0

        def filed() -> Iterator[writer.IndexedEvent]:
            nonlocal read
            for segment in self._log.segments():
                for record in self._log.read(segment, cursors.get(segment)):
                    if read == most:
                        return
                    read += 1
                    reached[segment] = record.cursor
                    event, line = record.event, record.line
                    if isinstance(event, DamagedLine) or (until is not None and timestamp(event.at) > until):
                        continue
                    if event.id in without:
                        continue
                    left = tombstones.apply(event) if tombstones else event
                    raw = None if left is event else encode(left).rstrip(b"\n")
                    yield writer.IndexedEvent(
                        left, event_type(left.body), segment, line.number, line.offset, line.length, raw
                    )

        def marks() -> Iterator[writer.SegmentCursor]:
            yield from (writer.SegmentCursor(segment, *cursor) for segment, cursor in reached.items())

        writer.apply_events(connection, filed(), marks(), must_decode)
        return read == most

    def _load_tombstones(self) -> Tombstones | None:
        if not self._log.tombstone_segments():
            return None
        from tacit.log.tombstones import load_tombstones

        return load_tombstones(self._log)


# Whether a view that should be there is not: a few looks at the disk, made with every question.


def is_view_missing(connection: sqlite3.Connection, home: HomePaths, project: Project | None, scope: Scope) -> bool:
    return is_memory_view_missing(connection, home, project, scope) or any(missing_pages(connection, home))


def is_memory_view_missing(
    connection: sqlite3.Connection, home: HomePaths, project: Project | None, scope: Scope
) -> bool:
    """Whether a file is gone that shows memories."""
    if not (os.path.exists(home.long_term) and os.path.exists(home.facts)):
        return True
    if project is None or os.path.lexists(project.facts) or not reader.has_shared_facts(connection, scope):
        return False
    from tacit.disk.files import OsDisk
    from tacit.pages.view_store import ViewStore

    return ViewStore(home.view_copies, OsDisk()).was_written(
        project.facts
    )  # else it never lay here: another clone has it


def missing_pages(connection: sqlite3.Connection, home: HomePaths) -> Iterator[str]:
    """The pages that are gone, by kind and day. One look at each folder: there may be a thousand sessions."""
    for kind, folder in PAGE_FOLDERS.items():
        if wanted := reader.page_days(connection, kind):
            there = _names_in(home.path(folder))
            yield from (f"{kind} {day}" for day in wanted if f"{day}.md" not in there)


def _names_in(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder))
    except OSError:
        return set()
