"""The index of a home, opened by a holder of the home's lock, who closes what is opened.

Who brings the index up to date writes it: everything in it follows from the log. A command that only needs an answer
takes a snapshot, to which nothing can be written. An index that cannot be used is rebuilt from the log. If it cannot be
written, because the disk is full for example, an index in memory takes its place: of a change, only the log has to
reach the disk.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from tacit.errors import IndexUnusableError, ReadOnlyError, StoreError
from tacit.home.indexing import Indexer
from tacit.home.paths import HomePaths
from tacit.index import database, reader
from tacit.index.database import translate_sqlite_errors
from tacit.log import Log
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

    def snapshot(self) -> Snapshot:
        """Return a snapshot of the current state. Raise ReadOnlyError if nothing can be recorded in this home."""

        def begin(connection: sqlite3.Connection) -> Snapshot:
            _begin(connection, self._indexer)
            return Snapshot(self._end_broken_trust(connection), self._indexer)

        try:
            with suppress(IndexUnusableError):
                return begin(self._open_usable() or self._indexer.rebuild())
            return begin(self._indexer.rebuild())
        except ReadOnlyError:
            raise
        except (StoreError, OSError):
            return Snapshot(self._end_broken_trust(self._indexer.substitute_index()), self._indexer)

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
            with _closed_on_error(connection):
                self._indexer.catch_up(connection, or_refuse=True)
        except IndexUnusableError:
            return self._indexer.rebuild()
        return connection

    def _end_broken_trust(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """Record the end of trust that no longer holds, and return the index with it."""
        with _closed_on_error(connection):
            if not reader.has_trust_events(connection):
                return connection
            from tacit.home.trusted_files import broken_trust_drafts

            if not (drafts := broken_trust_drafts(connection)):
                return connection
            self._log.append(drafts, self._origin())
        return self._catch_up_or_rebuild(connection)


class Snapshot:
    """The index as the log is now, for the answers of one command.

    It is brought up to date within a transaction that need not be committed. Writing the index takes four syncs, for
    which nobody has to wait if another process follows; until then whoever needs the index is told by the log that it
    is behind. SQLite refuses everything that a caller would write here, because it would be lost.
    """

    def __init__(self, connection: sqlite3.Connection, indexer: Indexer) -> None:
        self._indexer = indexer
        self.connection = connection
        self._protect()

    def advance(self) -> None:
        """Index what was just recorded. The connection may be another one afterwards."""
        try:
            with translate_sqlite_errors():
                self.connection.execute("PRAGMA query_only = OFF")
                if self.connection.in_transaction and self._indexer.has_long_backlog(self.connection):
                    self.connection.execute("ROLLBACK")
                    _begin(self.connection, self._indexer)
                else:
                    self._indexer.catch_up(self.connection)
        except (IndexUnusableError, StoreError, OSError):  # the disk is full, for example
            self.connection.close()
            self.connection = self._indexer.substitute_index()
        self._protect()

    def keep(self) -> None:
        """Write the index as it is here. Everything in it follows from the log."""
        with suppress(IndexUnusableError, StoreError), translate_sqlite_errors():
            self.connection.execute("PRAGMA query_only = OFF")
            if self.connection.in_transaction:
                self.connection.execute("COMMIT")

    def close(self) -> None:
        self.connection.close()  # which rolls back, unless the index was kept

    def _protect(self) -> None:
        self.connection.execute("PRAGMA query_only = ON")


def _begin(connection: sqlite3.Connection, indexer: Indexer) -> None:
    """Begin the transaction of a snapshot. A long backlog is written before, so that it is not indexed twice."""
    with _closed_on_error(connection), translate_sqlite_errors():
        if indexer.has_long_backlog(connection):
            indexer.catch_up(connection)
        connection.execute("BEGIN IMMEDIATE")
        indexer.catch_up(connection)


@contextmanager
def _closed_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    """Close a connection that nobody gets to see: one that is open while this process forks ruins the file."""
    try:
        yield
    except BaseException:
        connection.close()
        raise
