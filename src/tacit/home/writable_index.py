"""The index of a home, opened for writing. The caller holds the home's lock, and closes what is opened.

An index that cannot be used is rebuilt from the log. If it cannot be written, because the disk is full for example, an
index in memory takes its place: of a change, only the log has to reach the disk.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress

from tacit.errors import IndexUnusableError, ReadOnlyError, StoreError
from tacit.home.indexing import Indexer, broken_trust_drafts
from tacit.home.paths import HomePaths
from tacit.index import database
from tacit.index.database import translate_sqlite_errors
from tacit.log.log import Log
from tacit.model.event import EventOrigin


class WritableIndex:
    """Opens the index for writing.

    The end of trust that no longer holds is recorded whenever it is brought up to date, with the time and actor that
    `origin` returns.
    """

    def __init__(self, paths: HomePaths, log: Log, indexer: Indexer, origin: Callable[[], EventOrigin]) -> None:
        self._paths = paths
        self._log = log
        self._indexer = indexer
        self._origin = origin

    def open(self, *, rebuild: bool = False) -> sqlite3.Connection:
        """Return the index, up to date. It is rebuilt if it cannot be used, or on request."""
        if not rebuild and (connection := self._open_usable()):
            with suppress(IndexUnusableError):
                return self._end_broken_trust(self._catch_up_or_rebuild(connection))
        return self._end_broken_trust(self._indexer.rebuild())

    def open_as_is(self) -> sqlite3.Connection:
        """Return the index without catching up, if it can be used."""
        return self._open_usable() or self.open()

    def open_for_decision(self) -> sqlite3.Connection:
        """Return the index, up to date; in memory if it cannot be written. Raise ReadOnlyError if nothing can be."""
        try:
            return self.open()
        except ReadOnlyError:
            raise
        except (StoreError, OSError):
            return self._end_broken_trust(self._indexer.in_memory_index())

    def open_provisional(self) -> sqlite3.Connection | None:
        """Return the index, up to date, within a transaction that is never committed; None if that will not do.

        Writing the index takes four syncs, for which nobody has to wait if another process follows. Until then whoever
        needs the index is told by the log that it is behind.
        """
        if (connection := self._open_usable()) is None:
            return None
        try:
            with translate_sqlite_errors():
                if not self._indexer.has_long_backlog(connection):
                    connection.execute("BEGIN IMMEDIATE")
                    self._indexer.catch_up(connection)
                    return self._end_broken_trust(connection)
        except (IndexUnusableError, StoreError, OSError):
            pass
        connection.close()
        return None

    def with_new_events(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """Return the index with what was just recorded; in memory if the disk has no room for it."""
        try:
            return self._catch_up_or_rebuild(connection)
        except (StoreError, OSError):
            connection.close()
            return self._indexer.in_memory_index()

    def _open_usable(self) -> sqlite3.Connection | None:
        """Return the index as it is; None if it is unusable or of another log."""
        try:
            connection = database.open_for_writing(self._paths.index, self._log.line_reader())
            if self._indexer.is_index_of_log(connection):
                return connection
            connection.close()
        except IndexUnusableError:
            pass
        return None

    def _catch_up_or_rebuild(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        try:
            self._indexer.catch_up(connection)
        except IndexUnusableError:
            connection.close()
            return self._indexer.rebuild()
        return connection

    def _end_broken_trust(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """Record the end of trust that no longer holds, and return the index with it."""
        drafts = broken_trust_drafts(connection)
        if not drafts:
            return connection
        self._log.append(drafts, self._origin())
        return self._catch_up_or_rebuild(connection)
