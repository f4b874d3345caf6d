"""The index of a home: its read connection, catching up with the log, and what every read checks.

A read looks for trusted fact files that changed and for views that are missing. This costs a few looks at the disk, and
modules that are seldom needed are imported when they are.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from functools import cached_property

from tacit.disk.lock import is_read_only_error, read_only_error
from tacit.errors import IndexUnusableError, StoreError
from tacit.home.paths import PAGE_FOLDERS, HomePaths
from tacit.index import database, reader
from tacit.index.database import LineReader, open_for_reading, translate_sqlite_errors, without_garbage_collection
from tacit.log.codec import DamagedLine, decode, encode, event_type, must_decode
from tacit.log.reader import Cursor, LogReader, RawLine, cursor_after
from tacit.log.segment import is_of_judgements
from tacit.model.event import Event, timestamp
from tacit.model.ids import EventId

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.index.writer import IndexedEvent, SegmentCursor
    from tacit.purge.tombstones import Tombstones

LONG_BACKLOG_BYTES = 256 * 1024  # indexing this takes longer than a hurried caller has
_MAX_DEFERRED_BYTES = 256 * 1024  # activity that no answer shows and that may stay unindexed
_SETTLED_NANOSECONDS = 1_000_000_000  # time stamps of files are less exact than the clock
_LINES_PER_BATCH, _BYTES_PER_BATCH = 20_000, 8 << 20  # that are indexed together, about a second of work
_LINES_PER_REPORT = 1_000
_FEW_LINES = 250  # for so many, loading the decoder of commands takes as long as it saves
_IN_MEMORY_INODE = 0


class IndexConnection:
    """The read connection to the index. It is opened on first use, and again when the file was replaced.

    `make_line_reader` returns a function that reads lines of the log as it is now.
    """

    def __init__(self, path: str, make_line_reader: Callable[[], LineReader]) -> None:
        self._path = path
        self._make_line_reader = make_line_reader
        self._current: sqlite3.Connection | None = None
        self._inode = _IN_MEMORY_INODE

    @property
    def inode(self) -> int:
        """The inode of the index file now, whether or not it is the open one; -1 if there is none."""
        try:
            return os.stat(self._path).st_ino
        except OSError:
            return -1

    @property
    def in_use(self) -> sqlite3.Connection | None:
        """The connection while somebody reads from it."""
        return self._current if self._current and self._current.in_transaction else None

    def connection(self) -> sqlite3.Connection:
        if self._current and self._inode not in (_IN_MEMORY_INODE, self.inode):
            self.release()
        if self._current is None:
            self._current, self._inode = open_for_reading(self._path, self._make_line_reader()), self.inode
        return self._current

    def use_in_memory(self, connection: sqlite3.Connection) -> None:
        """Use an in-memory index until it is released."""
        self.release()
        self._current, self._inode = connection, _IN_MEMORY_INODE

    def release(self) -> None:
        if self._current:
            self._current.close()
            self._current = None


class Indexer:
    """The log of a home and the index that follows it."""

    def __init__(self, paths: HomePaths, log: LogReader) -> None:
        self._paths = paths
        self._log = log
        self._skipped_to: dict[str, Cursor] = {}

    def is_index_of_log(self, connection: sqlite3.Connection) -> bool:
        """Return whether the index can catch up with the log.

        It cannot if a segment was changed before its cursor, or if there are new tombstones, whose events have to
        leave the index.
        """
        with translate_sqlite_errors():
            cursors = _cursors(connection)
        has_new_tombstones = next(self._log.tombstones(cursors), None) is not None
        return not has_new_tombstones and all(
            self._log.is_cursor_valid(segment, cursor) for segment, cursor in cursors.items()
        )

    def is_behind(self, connection: sqlite3.Connection) -> bool:
        """Return whether the log has something that an answer could show and the index does not have."""
        cursors = _cursors(connection)
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
        skipped_to = self._skipped_to.get(segment, cursor)
        start = max(cursor, skipped_to) if skipped_to.offset <= size else cursor  # it may have been rewritten since
        self._skipped_to[segment], behind = (
            (start, False) if size == start.offset else self._log.skip_deferrable(segment, start)
        )
        return behind

    def unindexed_ids(self, connection: sqlite3.Connection) -> set[str]:
        """Return the ids of all events that are in the log and not in the index. Lines are not decoded."""
        ids: set[str] = set()
        for segment, cursor in self._unindexed_segments(connection):
            ids.update(self._log.ids(segment, cursor))
        return ids

    def backlog_bytes(self, connection: sqlite3.Connection) -> int:
        """Return how many bytes of the log are not indexed."""
        return sum(self._log.size(segment) - cursor.offset for segment, cursor in self._unindexed_segments(connection))

    def has_long_backlog(self, connection: sqlite3.Connection) -> bool:
        """Return whether indexing the backlog takes longer than a hurried caller has."""
        return self.backlog_bytes(connection) > LONG_BACKLOG_BYTES

    def unindexed_events(self, connection: sqlite3.Connection, type_: str) -> Iterator[Event]:
        """Yield the events of a type that are not indexed."""
        marker = f'"type":"{type_}"'.encode()
        for segment, cursor in self._unindexed_segments(connection):
            yield from self._log.events_containing(segment, cursor, marker)

    def _unindexed_segments(self, connection: sqlite3.Connection) -> Iterator[tuple[str, Cursor]]:
        cursors = _cursors(connection)
        for segment in self._log.segments():
            cursor = cursors.get(segment, Cursor())
            if self._log.size(segment) > cursor.offset:
                yield segment, cursor

    def catch_up(self, connection: sqlite3.Connection, *, or_refuse: bool = False) -> None:
        """Index the backlog in batches, each of them a transaction: a process that is killed leaves less to do.

        With `or_refuse`, raise IndexUnusableError if so much waits that a new index is made sooner.
        """
        with translate_sqlite_errors():
            waiting = dict(self._unindexed_segments(connection))
            if not waiting:
                return  # as for most commands, and looking for lines would begin a transaction
            if or_refuse and self._is_mostly_new(connection, waiting):
                raise IndexUnusableError("most of the log is not in it")
            from tacit.index.writer import apply_events

            with without_garbage_collection():
                is_full = True
                while is_full:
                    backlog = Backlog(self._log, _cursors(connection), batched=True)
                    apply_events(connection, backlog.events(), backlog.new_cursors(), must_decode)
                    is_full = backlog.is_full

    def _is_mostly_new(self, connection: sqlite3.Connection, waiting: Mapping[str, Cursor]) -> bool:
        """Return whether more judgements wait than everything that is indexed, as after a machine joined others."""
        new = sum(self._log.size(name) - cursor.offset for name, cursor in waiting.items() if is_of_judgements(name))
        return new > max(_BYTES_PER_BATCH, sum(cursor.offset for cursor in _cursors(connection).values()))

    def rebuild(self) -> sqlite3.Connection:
        """Build the index again from the log, and return it, open for writing."""
        self.build()
        self.swap_in()
        return database.open_for_writing(self._paths.index, self._log.line_reader())

    def swap_in(self) -> None:
        """Replace the index with the one that was built."""
        database.replace_index(self._paths.index)

    def build(self) -> None:
        """Build an index from the log beside the current one, which can be read meanwhile.

        Raise ReadOnlyError if the home cannot be written, StoreError if the disk is full.
        """
        new = database.new_index_path(self._paths.index)
        try:
            with translate_sqlite_errors():
                connection = database.create_index(new, self._log.line_reader())
        except OSError as error:
            if is_read_only_error(error):
                raise read_only_error(self._paths.root) from error
            raise
        self._index_all(connection)
        connection.execute("INSERT OR IGNORE INTO stale_views VALUES ('everything')")
        database.finish_index(connection, new)

    def in_memory_index(
        self, until: str | None = None, excluded: frozenset[EventId] = frozenset()
    ) -> sqlite3.Connection:
        """Return an in-memory index of the log, up to the timestamp `until` and without the `excluded` events."""
        connection = database.create_index(":memory:", self._log.line_reader())
        self._index_all(connection, until, excluded)
        return connection

    def substitute_index(self) -> sqlite3.Connection:
        """Return an index in memory in place of one that cannot be written: a copy of it, or made from the log."""
        with suppress(IndexUnusableError, StoreError):
            lines = self._log.line_reader()
            with closing(database.open_for_reading(self._paths.index, lines)) as index, translate_sqlite_errors():
                copy = database.copy_index(index, database.IN_MEMORY, lines) if self.is_index_of_log(index) else None
            if copy is not None:
                self.catch_up(copy)
                return copy
        return self.in_memory_index()

    def temporary_index(self) -> sqlite3.Connection:
        """Return an index of the whole log in a file without a name, which is gone when the connection is closed.

        It takes little memory, however long the log is (see `database.temporary_files_in`).
        """
        connection = database.create_index(database.TEMPORARY, self._log.line_reader())
        self._index_all(connection)
        return connection

    def _index_all(
        self, connection: sqlite3.Connection, until: str | None = None, excluded: frozenset[EventId] = frozenset()
    ) -> None:
        from tacit.index.writer import READ_SHARE, apply_events

        total = sum(map(self._log.size, self._log.segments()))

        def report(share: float) -> None:
            self._log.progress("making the index", int(share * total), total)

        backlog = Backlog(self._log, {}, until, excluded)
        events = backlog.events(lambda: report(READ_SHARE * backlog.bytes_read / total))
        with without_garbage_collection():
            if total > _BYTES_PER_BATCH:
                apply_events(connection, events, backlog.new_cursors(), must_decode, report, max_held=0)
            else:
                apply_events(connection, events, backlog.new_cursors(), must_decode, report)


class Backlog:
    """The lines of the log after some cursors, read as events for the index.

    These are the events up to the timestamp `until`, without the `excluded` ones, as tombstones leave them. If it is
    `batched`, it is full after so many lines that indexing them takes about a second.
    """

    def __init__(
        self,
        log: LogReader,
        cursors: Mapping[str, Cursor],
        until: str | None = None,
        excluded: frozenset[EventId] = frozenset(),
        *,
        batched: bool = False,
    ) -> None:
        self._log = log
        self._cursors = cursors
        self._until = until
        self._excluded = excluded
        self._batched = batched
        self._reached: dict[str, RawLine] = {}
        self._lines_read = self.bytes_read = 0
        self._decode = decode

    @property
    def is_full(self) -> bool:
        return self._batched and (self._lines_read >= _LINES_PER_BATCH or self.bytes_read >= _BYTES_PER_BATCH)

    def events(self, report: Callable[[], None] = lambda: None) -> Iterator[IndexedEvent]:
        """Yield the readable events. `report` is called now and then."""
        for segment in self._log.segments():
            cursor = self._cursors.get(segment, Cursor())
            for line in self._log.lines_between(segment, cursor, self._log.size(segment)):
                if self.is_full:
                    return
                self._lines_read += 1
                self.bytes_read += line.length
                self._reached[segment] = line
                if self._lines_read % _LINES_PER_REPORT == 0:
                    report()
                if (entry := self.indexed(segment, line)) is not None:
                    yield entry

    def new_cursors(self) -> Iterator[SegmentCursor]:
        """Yield how far each segment was read, after the last event. Raise IndexUnusableError if one was rewritten."""
        from tacit.index.writer import SegmentCursor

        for segment, last in self._reached.items():
            # An editor may have saved the segment since the index was found to be of this log.
            if not self._log.is_cursor_valid(segment, self._cursors.get(segment, Cursor())):
                raise IndexUnusableError(f"{segment} was rewritten while it was read")
            yield SegmentCursor(segment, *cursor_after(last))

    def indexed(self, segment: str, line: RawLine) -> IndexedEvent | None:
        """Return the event of a line as tombstones leave it; None if it is damaged or left out."""
        from tacit.index.writer import IndexedEvent

        if line.too_long:
            return None
        if self._lines_read == _FEW_LINES:
            from tacit.log.command_lines import decode_line

            self._decode = decode_line
        event = self._decode(line.data)
        if isinstance(event, DamagedLine) or event.id in self._excluded:
            return None
        if self._until is not None and timestamp(event.at) > self._until:
            return None
        left, raw = event, None
        if self._tombstones and (left := self._tombstones.apply(event)) is not event:
            raw = encode(left).rstrip(b"\n")
        return IndexedEvent(left, event_type(left.body), segment, line.number, line.offset, line.length, raw)

    @cached_property
    def _tombstones(self) -> Tombstones | None:
        if not self._log.tombstone_segments():
            return None
        from tacit.purge.tombstones import load_tombstones

        return load_tombstones(self._log)


def _cursors(connection: sqlite3.Connection) -> dict[str, Cursor]:
    return {segment: Cursor(*cursor) for segment, cursor in reader.log_cursors(connection).items()}


# Trusted fact files. `trusted_files` is imported only if somebody trusts one.


def is_trust_stale(connection: sqlite3.Connection) -> bool:
    """Return whether a trusted fact file may have changed."""
    if not reader.has_trust_events(connection):
        return False
    from tacit.home.trusted_files import is_trust_stale

    return is_trust_stale(connection)


def save_file_signatures(connection: sqlite3.Connection) -> None:
    if reader.has_trust_events(connection):
        from tacit.home.trusted_files import save_file_signatures

        save_file_signatures(connection)


# Missing views


def is_view_missing(connection: sqlite3.Connection, paths: HomePaths) -> bool:
    """Return whether a page of the home is missing."""
    return is_memory_view_missing(paths) or any(missing for _, _, missing in _check_folders(connection, paths))


def is_memory_view_missing(paths: HomePaths) -> bool:
    """Return whether a page that shows memories is missing."""
    return not (os.path.exists(paths.long_term) and os.path.exists(paths.facts))


def mark_missing_pages(connection: sqlite3.Connection, paths: HomePaths) -> None:
    """Mark missing pages as stale, and store which folders have all their pages."""
    for folder, mtime_ns, missing in _check_folders(connection, paths):
        database.mark_stale(connection, missing)
        # A page that is deleted within the resolution of the time stamp would not be noticed.
        if not missing and mtime_ns < time.time_ns() - _SETTLED_NANOSECONDS:
            database.save_complete_folder(connection, folder, mtime_ns)


def _check_folders(connection: sqlite3.Connection, paths: HomePaths) -> Iterator[tuple[str, int, list[str]]]:
    """Yield the folders of pages that changed since they were complete: when they changed, and the pages they lack.

    The others are not listed: there may be a hundred thousand sessions. A page is `KIND DAY`.
    """
    complete = reader.complete_folders(connection)
    for kind, folder in PAGE_FOLDERS.items():
        try:
            mtime_ns = os.stat(paths.path(folder)).st_mtime_ns
        except OSError:
            mtime_ns = 0
        if complete.get(folder) == mtime_ns or not (days := reader.page_names(connection, kind)):
            continue
        try:
            existing = set(os.listdir(paths.path(folder)))
        except OSError:
            existing = set()
        yield folder, mtime_ns, [f"{kind} {day}" for day in days if f"{day}.md" not in existing]
