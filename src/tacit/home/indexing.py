"""Bringing the index up to date with the log, and noticing views that are missing."""

from __future__ import annotations

import gc
import os
import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.disk.lock import read_only, refuses_writes
from tacit.home.paths import PAGES, HomePaths
from tacit.home.project import Project
from tacit.index import database as store
from tacit.index import reader
from tacit.index.database import wellness
from tacit.log.codec import Damaged, encode, must_decode, type_of
from tacit.log.log import Cursor, Log
from tacit.model.claim import Scope
from tacit.model.event import Event, timestamp
from tacit.model.ids import EventId

if TYPE_CHECKING:
    from tacit.log.tombstones import Tombstones


# Bringing the index up to date with the log: behind or not, caught up, made again, or made afresh in memory.

# So much activity that no answer shows may wait to be filed.
_MAY_WAIT = 256 * 1024
_TOMBSTONE = b'"type":"memory.purged"'
_SLICE = 5_000  # lines that are filed together, about a second of work


class Filing:
    """The log of a home and the index that follows it."""

    def __init__(self, home: HomePaths, log: Log) -> None:
        self._home = home
        self._log = log
        self._skimmed: dict[str, Cursor] = {}

    def is_of_this_log(self, connection: sqlite3.Connection) -> bool:
        with wellness():
            cursors = {segment: Cursor(*at) for segment, at in reader.applied(connection).items()}
        return not self._purged_since(cursors) and all(
            self._log.still_there(segment, cursor) for segment, cursor in cursors.items()
        )

    def _purged_since(self, cursors: dict[str, Cursor]) -> bool:
        """Whether there are tombstones that the index does not know: what they speak of has to go from it."""
        return any(
            True
            for segment in self._log.burials()
            for _ in self._log.events_like(segment, cursors.get(segment, Cursor()), _TOMBSTONE)
        )

    def behind(self, connection: sqlite3.Connection) -> bool:
        """Whether the log has something that an answer could show and the index does not have."""
        cursors = {segment: Cursor(*at) for segment, at in reader.applied(connection).items()}
        segments = self._log.segments()
        if set(cursors) - set(segments):
            return True
        return any(self._segment_behind(segment, cursors.get(segment, Cursor())) for segment in segments)

    def _segment_behind(self, segment: str, cursor: Cursor) -> bool:
        size = self._log.size(segment)
        if size == cursor.offset:
            return False
        if size < cursor.offset or size - cursor.offset > _MAY_WAIT:
            return True
        skimmed = self._skimmed.get(segment, cursor)
        seen = max(cursor, skimmed) if skimmed.offset <= size else cursor  # it may have been rewritten since
        self._skimmed[segment], behind = (seen, False) if size == seen.offset else self._log.skim(segment, seen)
        return behind

    def unfiled_ids(self, connection: sqlite3.Connection) -> set[str]:
        """The ids of everything that was recorded and is not filed yet, read from the lines' bytes."""
        found: set[str] = set()
        for segment, cursor in self._unfiled(connection):
            found.update(self._log.ids(segment, cursor))
        return found

    def backlog(self, connection: sqlite3.Connection) -> int:
        """How many bytes of the log are not filed yet."""
        return sum(self._log.size(segment) - cursor.offset for segment, cursor in self._unfiled(connection))

    def _unfiled(self, connection: sqlite3.Connection) -> Iterator[tuple[str, Cursor]]:
        cursors = {segment: Cursor(*at) for segment, at in reader.applied(connection).items()}
        for segment in self._log.segments():
            cursor = cursors.get(segment, Cursor())
            if self._log.size(segment) > cursor.offset:
                yield segment, cursor

    def unfiled(self, connection: sqlite3.Connection, type_: str) -> Iterator[Event]:
        """Events of a type that may wait, and were not filed yet."""
        mark = f'"type":"{type_}"'.encode()
        for segment, cursor in self._unfiled(connection):
            yield from self._log.events_like(segment, cursor, mark)

    def catch_up(self, connection: sqlite3.Connection) -> None:
        """In slices, each of which is done when it is done: whoever is ended at a long backlog leaves less of it."""
        with wellness():
            more = True
            while more:
                cursors = {segment: Cursor(*at) for segment, at in reader.applied(connection).items()}
                more = self._file(connection, cursors, most=_SLICE)

    def rebuilt(self) -> sqlite3.Connection:
        """Make the index again from the log; open for writing."""
        self.build()
        self.put_in_place()
        return store.open_for_writing(self._home.index, self._log.lines_at())

    def put_in_place(self) -> None:
        """Let an index that was built take the place of the one that is there."""
        store.take_place(self._home.index)

    def build(self) -> None:
        """Make an index from the log beside the one that is there, which can be read meanwhile."""
        new = store.unfinished(self._home.index)
        try:
            connection = store.create(new, self._log.lines_at())
        except OSError as error:
            if refuses_writes(error):
                raise read_only(self._home.root) from error
            raise
        self._file_all(connection)
        self._carry_vectors_over(connection)
        connection.execute("INSERT OR IGNORE INTO stale VALUES ('everything')")
        store.finish(connection, new)

    def _carry_vectors_over(self, connection: sqlite3.Connection) -> None:
        if os.path.exists(self._home.index):
            from tacit.index import vectors

            vectors.carry_over(self._home.index, connection, must_decode)

    def fresh_index(self, until: str | None = None, without: frozenset[EventId] = frozenset()) -> sqlite3.Connection:
        """An index in memory, of the whole log, of what was recorded up to a moment, or without some events."""
        connection = store.create(":memory:", self._log.lines_at())
        self._file_all(connection, until, without)
        return connection

    def _file_all(
        self, connection: sqlite3.Connection, until: str | None = None, without: frozenset[EventId] = frozenset()
    ) -> None:
        """The whole log. Its events hold no cycles, so looking for them would only cost time (an eighth, measured)."""
        gc.disable()
        try:
            self._file(connection, {}, until, without)
        finally:
            gc.enable()

    def _file(
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
        tombstones = self._tombstones()
        read = 0

        def filed() -> Iterator[writer.Filed]:
            nonlocal read
            for segment in self._log.segments():
                for record in self._log.read(segment, cursors.get(segment)):
                    if read == most:
                        return
                    read += 1
                    reached[segment] = record.cursor
                    event, line = record.event, record.line
                    if isinstance(event, Damaged) or (until is not None and timestamp(event.at) > until):
                        continue
                    if event.id in without:
                        continue
                    left = tombstones.left_of(event) if tombstones else event
                    raw = None if left is event else encode(left).rstrip(b"\n")
                    yield writer.Filed(left, type_of(left.body), segment, line.number, line.offset, line.length, raw)

        def marks() -> Iterator[writer.Reached]:
            yield from (writer.Reached(segment, *cursor) for segment, cursor in reached.items())

        writer.apply(connection, filed(), marks(), must_decode)
        return read == most

    def _tombstones(self) -> Tombstones | None:
        if not self._log.burials():
            return None
        from tacit.log.tombstones import tombstones

        return tombstones(self._log)


# Whether a view that should be there is not: a few looks at the disk, made with every question.


def any_missing(connection: sqlite3.Connection, home: HomePaths, project: Project | None, scope: Scope) -> bool:
    return memories_missing(connection, home, project, scope) or any(pages_missing(connection, home))


def memories_missing(connection: sqlite3.Connection, home: HomePaths, project: Project | None, scope: Scope) -> bool:
    """Whether a file is gone that shows memories."""
    if not (os.path.exists(home.long_term) and os.path.exists(home.facts)):
        return True
    if project is None or os.path.lexists(project.facts) or not reader.anything_shared(connection, scope):
        return False
    from tacit.disk.files import OsDisk
    from tacit.pages.view_store import Shelf

    return Shelf(home.written, OsDisk()).was_written(project.facts)  # else it never lay here: another clone has it


def pages_missing(connection: sqlite3.Connection, home: HomePaths) -> Iterator[str]:
    """The pages that are gone, by kind and day. One look at each folder: there may be a thousand sessions."""
    for kind, folder in PAGES.items():
        if wanted := reader.page_days(connection, kind):
            there = _names_in(home.path(folder))
            yield from (f"{kind} {day}" for day in wanted if f"{day}.md" not in there)


def _names_in(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder))
    except OSError:
        return set()
