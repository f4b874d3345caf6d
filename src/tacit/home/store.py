"""Log, index and pages of a home, kept in step: reads, changes under the lock, the watch over trusted facts."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from tacit.disk.files import Disk
from tacit.disk.lock import FileLock
from tacit.errors import IndexUnusableError, LockBusyError, ReadOnlyError, StoreError
from tacit.home.actor import Actor
from tacit.home.indexing import Indexer, is_view_missing
from tacit.home.paths import HomePaths, make_home
from tacit.home.project import Project
from tacit.index import database as store
from tacit.index import reader
from tacit.index.database import LineReader, open_for_reading, snapshot, translate_sqlite_errors
from tacit.log.codec import must_decode
from tacit.log.log import Log
from tacit.log.signing import LineSigner
from tacit.model.claim import GLOBAL, Scope
from tacit.model.event import Draft, Event
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import ProjectSeen
from tacit.text.display import clean

if TYPE_CHECKING:
    from tacit.home.publish import Publisher, SyncJournal


# The connection that questions are asked over: opened at the first of them, and again when the file was replaced.

_IN_MEMORY_INODE = 0  # the inode of an index in memory


class IndexConnection:
    """An index that is read, by its path; `lines` gives what looks up lines of the log as it is now."""

    def __init__(self, path: str, lines: Callable[[], LineReader]) -> None:
        self._path = path
        self._line_reader = lines
        self._current: sqlite3.Connection | None = None
        self._inode = _IN_MEMORY_INODE

    @property
    def inode(self) -> int:
        """Which file lies there now, whether or not it is the one that is open."""
        try:
            return os.stat(self._path).st_ino
        except OSError:
            return -1

    def connection(self) -> sqlite3.Connection:
        if self._current and self._inode not in (_IN_MEMORY_INODE, self.inode):
            self.release()
        if self._current is None:
            self._current, self._inode = open_for_reading(self._path, self._line_reader()), self.inode
        return self._current

    def use_in_memory(self, in_memory: sqlite3.Connection) -> None:
        """Answer from this one until it is let go."""
        self.release()
        self._current, self._inode = in_memory, _IN_MEMORY_INODE

    def release(self) -> None:
        if self._current:
            self._current.close()
            self._current = None


# The watch over trusted repositories, as every question keeps it. Where nobody trusts any, that is one look.


def is_trust_stale(connection: sqlite3.Connection) -> bool:
    """Whether a fact file that was trusted may have changed."""
    if not reader.has_trust_events(connection):
        return False
    from tacit.home import trusted_files as trusted

    return trusted.is_trust_stale(connection, must_decode)


def broken_trust_drafts(connection: sqlite3.Connection) -> list[Draft]:
    """The end of the trust in files that changed, to be recorded before anybody is told what they said."""
    if not reader.has_trust_events(connection):
        return []
    from tacit.home import trusted_files as trusted

    return trusted.broken_trust_drafts(connection, must_decode)


def distrusted_event_ids(connection: sqlite3.Connection) -> frozenset[EventId]:
    """What counts no longer, where the end of a trust cannot be recorded."""
    if not reader.has_trust_events(connection):
        return frozenset()
    from tacit.home import trusted_files as trusted

    return trusted.distrusted_event_ids(connection, must_decode)


def save_file_signatures(connection: sqlite3.Connection) -> None:
    """How trusted files look now."""
    if reader.has_trust_events(connection):
        from tacit.home import trusted_files as trusted

        trusted.save_file_signatures(connection, must_decode)


# Log, index and notes of a home, kept in step.
#
# A change takes the home's lock, brings the index up to date, decides on what it sees there, appends to the log, and
# then lets the views follow. Whatever fails after the append is caught up by the next command.

T = TypeVar("T")
Decide = Callable[[sqlite3.Connection], Sequence[Draft]]
Choose = Callable[[sqlite3.Connection, set[str]], Sequence[Event]]
# How long one holder of a lock is waited for, and the whole queue while it moves.
_LOCK_TIMEOUT_SECONDS, _LOCK_MAX_SECONDS = 30.0, 600.0
_LOG_LOCK_TIMEOUT_SECONDS, _LOG_LOCK_MAX_SECONDS = 10.0, 120.0
_READ_LOCK_TIMEOUT_SECONDS = 2.0  # a question, for somebody who files what it asks about
_OBSERVE_TIMEOUT_SECONDS = 0.05  # a question, to record that it was asked
_MAX_PENDING_OBSERVATIONS = 1000  # observations that are kept for a better moment; more are dropped
_LONG_BACKLOG_BYTES = 256 * 1024  # bytes to file, which take longer than anybody in a hurry has


class Store:
    """One home, open for questions and for changes."""

    def __init__(
        self,
        home: HomePaths,
        disk: Disk,
        speaker: Actor,
        project: Project | None,
        entropy: Callable[[], bytes],
        folder: Scope = GLOBAL,
    ) -> None:
        self.paths = home
        self.project = project
        self._folder = folder
        self.actor = speaker
        self.entropy = entropy
        lock = FileLock(home.log_lock, _LOG_LOCK_TIMEOUT_SECONDS, _LOG_LOCK_MAX_SECONDS)
        signing = LineSigner(home.root, disk, self._load_key)
        self.log = Log(home.root, disk, lock, entropy, self._secret_digest, signing)
        self.indexer = Indexer(home, self.log)
        self._disk = disk
        self._index = IndexConnection(home.index, self.log.line_reader)
        self._pages_checked_at = float("-inf")
        self.lock_timeout = _READ_LOCK_TIMEOUT_SECONDS  # of a question, with whoever writes
        self._is_hurried = False
        self.max_turn_chars: int | None = None  # characters of a turn on the page of a session
        self.accepted_in: dict[ClaimId, EventId] = {}  # the operation that accepted a memory, while this is open
        self._pending_observations: list[Draft] = []
        self._observations_written_at = float("-inf")

    def _secret_digest(self, secret: str) -> str:
        from tacit.home.key import secret_digest

        return secret_digest(self.paths.key, secret)

    def _load_key(self, make: bool) -> bytes | None:
        from tacit.home.key import load_key

        return load_key(self.paths.key, make)

    @cached_property
    def publisher(self) -> Publisher:
        """What draws the views; a question seldom needs it."""
        from tacit.home.publish import Publisher
        from tacit.pages.view_store import ViewStore

        return Publisher(self.paths, ViewStore(self.paths.view_copies, self._disk), must_decode, self.max_turn_chars)

    # Questions

    def read(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Ask the index, brought up to date first; a broken one is rebuilt and asked again."""
        broken = self._index.inode
        try:
            with translate_sqlite_errors():
                return snapshot(self._current_connection(), question)
        except IndexUnusableError:
            pass
        except (LookupError, TypeError, ValueError, AttributeError):
            if self._is_index_intact():  # then the mistake is ours
                raise
        self._index.release()
        if self._is_hurried and sum(map(self.log.size, self.log.segments())) > _LONG_BACKLOG_BYTES:
            raise StoreError("the index has to be made first, and nobody here has the time", "tacit reindex")
        self._refresh(needed=True, broken=broken)
        with translate_sqlite_errors():
            return snapshot(self._index.connection(), question)

    def _is_index_intact(self) -> bool:
        """Whether SQLite finds nothing wrong with the index. Where it does, rows may say anything."""
        try:
            with translate_sqlite_errors():
                return bool(self._index.connection().execute("PRAGMA integrity_check").fetchone() == ("ok",))
        except IndexUnusableError:
            return False

    def hurry(self, patience: float) -> None:
        """Somebody waits: do not wait for whoever writes, nor look after pages that nobody asks for."""
        self._is_hurried, self.lock_timeout, self._pages_checked_at = True, patience, float("inf")

    def catch_up(self) -> None:
        """File even what no answer waits for, where that can be done."""
        if os.path.isdir(self.paths.root):
            self._index.release()
            with suppress(StoreError, OSError), self._exclusive(_READ_LOCK_TIMEOUT_SECONDS):
                self._publish_and_close(self._open_writer())

    def is_far_behind(self, most: int) -> bool:
        """Whether more than so many bytes wait to be filed."""
        index = self.index_as_is()
        with suppress(IndexUnusableError, StoreError), translate_sqlite_errors():
            return index is not None and self.indexer.backlog_bytes(index) > most
        return False

    def index_backlog(self) -> None:
        """File what waits for the next question; an index that cannot be used is left as it is."""
        index = self.index_as_is()
        with suppress(IndexUnusableError, StoreError), translate_sqlite_errors():
            if index is not None and self.indexer.is_index_of_log(index) and self.indexer.is_behind(index):
                self.catch_up()

    def drain_spool(self, seconds: float, most: int | None = 256) -> None:
        """Append commands that recorders had to spool, unless somebody holds the log's lock for that long."""
        with suppress(StoreError, OSError):
            self.log.drain_spool(seconds, most)

    def index_as_is(self) -> sqlite3.Connection | None:
        """The index without what came since, for what need not be right; nothing where it cannot be used."""
        with suppress(IndexUnusableError, StoreError):
            return self._index.connection()
        return None

    def scope(self) -> Scope:
        """The scope one stands in: the project's, or the global one."""
        if self.project is None:
            return GLOBAL
        return self.read(self.scope_in)

    def scope_in(self, connection: sqlite3.Connection) -> Scope:
        return self.project.scope(lambda scope: reader.is_scope_used(connection, scope)) if self.project else GLOBAL

    def scopes_in(self, connection: sqlite3.Connection) -> set[Scope]:
        """What holds where one stands. What was said to an agent in a folder that is no project was filed under it."""
        return {self.scope_in(connection), self._folder, GLOBAL}

    def close(self) -> None:
        self._write_observations()
        self._index.release()

    def _current_connection(self) -> sqlite3.Connection:
        if not os.path.isdir(self.paths.root):
            raise IndexUnusableError("there is no home yet")
        self.drain_spool(0)
        connection = self._index.connection()
        behind = self._is_behind(connection) or is_trust_stale(connection)
        if behind or self._is_page_missing(connection):
            self._index.release()
            self._refresh(needed=behind)
            connection = self._index.connection()
        return connection

    def _is_behind(self, connection: sqlite3.Connection) -> bool:
        """Whether there is something to file first. Whoever is in a hurry leaves a long backlog to others."""
        behind = self.indexer.is_behind(connection)
        return behind and not (self._is_hurried and self.indexer.backlog_bytes(connection) > _LONG_BACKLOG_BYTES)

    def _is_page_missing(self, connection: sqlite3.Connection) -> bool:
        """Looked at once a second at most: nobody deletes pages between two questions of one program."""
        now = time.monotonic()
        if now < self._pages_checked_at + 1 or not self._is_writable():
            return False
        self._pages_checked_at = now
        stale = bool(reader.stale_views(connection))  # whoever recorded it was killed before drawing
        return stale or is_view_missing(connection, self.paths, self.project, self.scope_in(connection))

    def _is_writable(self) -> bool:
        return os.access(self.paths.root, os.W_OK)

    def _refresh(self, *, needed: bool, broken: int | None = None) -> None:
        """Catch up under the lock. Where that is impossible, answer from what can be read.

        `broken` is the index that could not be used: it is made again, unless somebody else was faster.
        """
        if not os.path.isdir(self.paths.root):
            return self._use_in_memory_index()  # a question makes no home
        try:
            with self._exclusive(_OBSERVE_TIMEOUT_SECONDS if self._is_purging() else self.lock_timeout):
                self._publish_and_close(self._open_writer(rebuild=broken == self._index.inode))
        except LockBusyError:  # somebody is at it; the index as it is will do, if there is one and it can be trusted
            if broken == self._index.inode or is_trust_stale(self._index.connection()):
                self._use_in_memory_index()
        except (StoreError, OSError):  # the index cannot be written: nobody who only asks has to hear of it
            if needed:
                self._use_in_memory_index()

    def _is_purging(self) -> bool:
        """Whether a purge is under way, which holds the lock for long and needs nothing filed."""
        return os.path.exists(self.paths.purge_marker)

    def _use_in_memory_index(self) -> None:
        """A home that cannot be written and has no usable index is indexed in memory."""
        connection = self.indexer.in_memory_index()
        if without := distrusted_event_ids(connection):
            connection = self.indexer.in_memory_index(without=without)
        save_file_signatures(connection)
        self._index.use_in_memory(connection)

    # Changes

    def change(
        self, decide: Decide, tell: Callable[[sqlite3.Connection, list[Event]], T], *, op: EventId | None = None
    ) -> T:
        """Decide on the state of now, record it, and tell what came of it; nobody else decides in between. `op` is an
        operation that this is a part of."""
        self._write_observations()
        self._index.release()
        make_home(self.paths)
        self.drain_spool(0)
        with self._exclusive():
            connection = self._connection_for_decision()
            try:
                drafts = decide(connection)
                events = self._append(connection, drafts, op) if drafts else []
                connection = self._connection_for_result(connection) if events else connection
                return tell(connection, events)
            finally:
                # What is recorded is recorded: the next command brings the index and the views up to date.
                with suppress(StoreError, OSError, IndexUnusableError):
                    self._publish_and_close(connection)

    def _connection_for_decision(self) -> sqlite3.Connection:
        """The index, up to date; one in memory where it cannot be written. The log is what must take the line."""
        try:
            return self._open_writer()
        except ReadOnlyError:
            raise
        except (StoreError, OSError):
            return self._end_broken_trust(self.indexer.in_memory_index())

    def append_chosen(self, choose: Choose, remember: Callable[[sqlite3.Connection], None]) -> None:
        """Record events that have their ids already, chosen while nobody else can: `choose` is told which are recorded
        and not filed yet. Index and views follow with the next question; what was looked at is remembered at once."""
        self._write_observations()
        self._index.release()
        make_home(self.paths)
        with self._exclusive():
            connection = self._open_without_catch_up()
            try:
                if events := choose(connection, self.indexer.unindexed_ids(connection)):
                    self.log.append_events(events)
                with translate_sqlite_errors():
                    remember(connection)
            finally:
                store.checkpoint_and_close(connection)

    def _open_without_catch_up(self) -> sqlite3.Connection:
        """The index, open for writing, with what it has; made where it cannot be used. The lock is held."""
        try:
            connection = store.open_for_writing(self.paths.index, self.log.line_reader())
            if self.indexer.is_index_of_log(connection):
                return connection
            connection.close()
        except IndexUnusableError:
            pass
        return self._open_writer()

    def record(self, decide: Decide) -> list[Event]:
        """A change of which only the events are of interest."""
        return self.change(decide, lambda _connection, events: events)

    def observe(self, draft: Draft) -> None:
        """Record something nobody waits for, within a second or when the home is closed."""
        self._pending_observations.append(draft)
        if time.monotonic() > self._observations_written_at + 1:
            self._write_observations()

    def _write_observations(self) -> None:
        """Record what was observed, unless the log is busy: then the next time, if there is one.

        No lock on the home, and no failure if they cannot be written. A question makes no home.
        """
        drafts, self._pending_observations = self._pending_observations, []
        self._observations_written_at = time.monotonic()
        if not drafts or not os.path.isdir(self.paths.root):
            return
        try:
            self.log.append(drafts, self.actor.origin(), patience=_OBSERVE_TIMEOUT_SECONDS)
        except LockBusyError:
            self._pending_observations = drafts[-_MAX_PENDING_OBSERVATIONS:]
        except (OSError, StoreError):
            pass

    def rebuild(self) -> None:
        """Make the index again from the log, and draw every view again."""
        self._index.release()
        make_home(self.paths)
        with self._exclusive():
            self.publisher.may_create_facts = True
            self._publish_and_close(self._open_writer(rebuild=True))

    def rewrite_log(self, work: Callable[[], T], *, rebuild: bool = True) -> T:
        """Do something to the log itself while nobody else is in the home, and draw the views again.

        The index is made again as well, unless the work ends with `swap`, which has done that.
        """
        self._write_observations()
        self._index.release()
        make_home(self.paths)
        with self._exclusive():
            done = work()
            self._publish_and_close(self._open_writer(rebuild=rebuild))
        return done

    def swap_segments(self, staged: dict[str, str], commit: Callable[[Log], None]) -> None:
        """Replace segments of the log and the index with it, in one short step. The home's lock is held.

        The new index is made from the staged segments, which takes long; until `commit` puts them in their places,
        questions are answered from the old index and the old segments, and others may append to the log.
        """
        Indexer(self.paths, self.log.with_staged(staged)).build()
        with self.log.exclusive() as log:
            commit(log)
            self.indexer.swap_in()

    def in_memory_index(self, until: str | None = None) -> sqlite3.Connection:
        """An index in memory, of the whole log or of what was recorded up to a moment."""
        return self.indexer.in_memory_index(until)

    def _append(self, connection: sqlite3.Connection, drafts: Sequence[Draft], op: EventId | None) -> list[Event]:
        events = self.log.append([*drafts, *self._project_seen_drafts(connection)], self.actor.origin(), op=op)
        return [event for event in events if not isinstance(event.body, ProjectSeen)]

    def _catch_up_or_rebuild(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """The index with what was just recorded; a broken one is made again."""
        try:
            self.indexer.catch_up(connection)
        except IndexUnusableError:
            connection.close()
            return self.indexer.rebuild()
        return connection

    def _connection_for_result(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """The same, or one in memory where the disk has no room for it: what is recorded is recorded."""
        try:
            return self._catch_up_or_rebuild(connection)
        except (StoreError, OSError):
            connection.close()
            return self.indexer.in_memory_index()

    def _project_seen_drafts(self, connection: sqlite3.Connection) -> list[Draft]:
        """Note once where a project lies, so that its fact file is found from elsewhere too."""
        if self.project is None:
            return []
        scope = self.scope_in(connection)
        known = (
            self.project.root in reader.project_roots(connection, scope)
            or clean(self.project.root) != self.project.root
        )
        return [] if known else [Draft(ProjectSeen(self.project.root), scope)]

    # The index

    @contextmanager
    def _exclusive(self, patience: float | None = None) -> Iterator[None]:
        """While nobody else changes the home. What somebody was killed at is ended first."""
        with FileLock(self.paths.write_lock, _LOCK_TIMEOUT_SECONDS, _LOCK_MAX_SECONDS).acquire(patience):
            if os.path.lexists(self.paths.sync_journal):
                self.finish_sync()
            yield

    @property
    def sync_journal(self) -> SyncJournal:
        from tacit.home.publish import SyncJournal

        return SyncJournal(self.paths.sync_journal, self._disk)

    def finish_interrupted_sync(self) -> None:
        """What a sync that was killed had read is not unread, if that can be said now."""
        if os.path.lexists(self.paths.sync_journal):
            with suppress(ReadOnlyError, LockBusyError), self._exclusive():
                pass

    def finish_sync(self) -> None:
        """Let the pages follow what was read from them. The home's lock is held."""
        self.sync_journal.finish(self.log, self.publisher.view_store)

    def _open_writer(self, rebuild: bool = False) -> sqlite3.Connection:
        """The index, up to date, open for writing. The lock is held."""
        if not rebuild:
            try:
                connection = store.open_for_writing(self.paths.index, self.log.line_reader())
                if self.indexer.is_index_of_log(connection):
                    return self._end_broken_trust(self._catch_up_or_rebuild(connection))
                connection.close()
            except IndexUnusableError:
                pass
        return self._end_broken_trust(self.indexer.rebuild())

    def _end_broken_trust(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """The index when all trust that no longer holds has ended. The lock is held."""
        drafts = broken_trust_drafts(connection)
        if not drafts:
            return connection
        self.log.append(drafts, self.actor.origin())
        return self._catch_up_or_rebuild(connection)

    def _publish_and_close(self, connection: sqlite3.Connection) -> None:
        """Draw stale views, then close. A view that cannot be drawn now stays stale; what it shows is recorded."""
        try:
            self._publish(connection)
        except IndexUnusableError:  # in a part of it that no question has looked at
            connection.close()
            connection = self.indexer.rebuild()
            with suppress(IndexUnusableError):
                self._publish(connection)
        finally:
            store.checkpoint_and_close(connection)

    def _publish(self, connection: sqlite3.Connection) -> None:
        with translate_sqlite_errors(), suppress(OSError):
            self.publisher.publish(connection, self.project, self.scope_in(connection))
            self.publisher.may_create_facts = False
            save_file_signatures(connection)
