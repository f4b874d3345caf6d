"""Log, index and pages of a home, kept in step: there is one way to write.

    command:   append to the log  →  answer from a snapshot  →  fact files of the work tree, if it changes any
    follower:  log  →  index  →  pages of the home

A change takes the home's lock, decides on a snapshot of the current state, appends to the log and answers from the
snapshot, to which nothing can be written. Then somebody follows (see follower.py). What the follower writes follows
from the log alone, so it may be killed, and done again by whoever comes next; it writes nothing below a work tree.
Every read compares trusted fact files with what was accepted.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from enum import Enum
from functools import cached_property, partial

from tacit.disk.files import Disk, replace_file
from tacit.disk.lock import FileLock
from tacit.errors import IndexDamagedError, IndexUnusableError, LockBusyError, StoreError
from tacit.home.actor import Actor
from tacit.home.indexing import (
    LONG_BACKLOG_BYTES,
    IndexConnection,
    Indexer,
    is_trust_stale,
    is_view_missing,
    save_file_signatures,
)
from tacit.home.paths import HomePaths, make_home
from tacit.home.project import Project
from tacit.home.settings import Settings
from tacit.index import database, reader
from tacit.index.database import closing_checkpointed, translate_sqlite_errors
from tacit.log import Log
from tacit.log.reader import LogReader, ReportProgress, ignore_progress
from tacit.log.signing import LineSigner, load_key, secret_digest
from tacit.model.claim import GLOBAL, Scope
from tacit.model.event import Draft, Event
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import ProjectSeen
from tacit.record import Record
from tacit.text.display import clean

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import TypeVar

    from tacit.home.publish import Publisher, SyncJournal
    from tacit.home.shared_facts import FactJournal
    from tacit.home.writable_index import Snapshot, WritableIndex
    from tacit.pages.view_store import ViewStore
    from tacit.purge.tombstones import Tombstones

    T = TypeVar("T")

# How long to wait for one holder of a lock, and for the whole queue while it moves.
_LOCK_TIMEOUT_SECONDS, _LOCK_MAX_SECONDS = 30.0, 600.0
_LOG_LOCK_TIMEOUT_SECONDS, _LOG_LOCK_MAX_SECONDS = 10.0, 120.0
_READ_LOCK_TIMEOUT_SECONDS = 2.0  # a read, for a process that indexes what it needs
_OBSERVE_TIMEOUT_SECONDS = 0.05  # a read, to record that it took place, and what waits in the spool
_MAX_PENDING_OBSERVATIONS = 1000  # observations that are kept while the log is busy; older ones are dropped


class Following(Enum):
    """Who follows the changes of a program."""

    INLINE = "the program, before a change returns: one that nobody waits for, such as a hook in the background"
    THREAD = "a thread of the program, which goes on meanwhile: a library, the MCP server, the page"
    PROCESS = "a process that is started when the program ends: a short command"


class StoreOptions(Record):
    """How a store serves its program.

    `hurry_seconds` is for a caller that must not wait: it waits that long at most for writers, and leaves pages and a
    long backlog to others. `progress` is called during long work with its name, the bytes done and the bytes to do.
    `max_page_entries` limits a page that shows memories, `max_turn_chars` a turn on the page of a session.
    """

    following: Following = Following.INLINE
    hurry_seconds: float | None = None
    progress: ReportProgress = ignore_progress
    max_page_entries: int = Settings().pages_entries
    max_turn_chars: int | None = None


_DEFAULT_OPTIONS = StoreOptions()


def _is_committed(root: str) -> bool:
    from tacit.home.git_versions import is_committed  # only a change of a repository's file needs it

    return is_committed(root)


class Store:
    """The log, index and pages of one home, opened for reads and changes.

    `project` is the project of the current folder, `folder` the scope of a current folder that is no project.
    `entropy` returns ten random bytes for an event id.
    """

    def __init__(
        self,
        paths: HomePaths,
        disk: Disk,
        actor: Actor,
        project: Project | None,
        entropy: Callable[[], bytes],
        folder: Scope = GLOBAL,
        options: StoreOptions = _DEFAULT_OPTIONS,
    ) -> None:
        self.paths = paths
        self.project = project
        self.actor = actor
        self.entropy = entropy
        self.options = options
        self._folder = folder
        self._disk = disk
        lock = FileLock(paths.log_lock, _LOG_LOCK_TIMEOUT_SECONDS, _LOG_LOCK_MAX_SECONDS)
        signer = LineSigner(paths.root, disk, partial(load_key, paths.key))
        digest = partial(secret_digest, paths.key)
        self.log = Log(paths.root, disk, lock, entropy, digest, signer, load_purges=_load_purges)
        self.log.progress = options.progress
        self.indexer = Indexer(paths, self.log)
        self.change_count = 0  # changes that recorded something
        self.needs_follower = False  # whether the process that follows has something to do
        self._index = IndexConnection(paths.index, self.log.line_reader)
        self._pages_checked_at = float("-inf")
        self._pending_observations: list[Draft] = []
        self._observations_written_at = float("-inf")

    @cached_property
    def view_store(self) -> ViewStore:
        """The files that show memories, and copies of what was written there last."""
        from tacit.pages.view_store import ViewStore

        return ViewStore(self.paths.view_copies, self._disk, _is_committed)

    @cached_property
    def publisher(self) -> Publisher:
        """The writer of the home's pages, which a read seldom needs."""
        from tacit.home.publish import Publisher

        options = self.options
        return Publisher(self.paths, self.view_store, self._disk, options.max_page_entries, options.max_turn_chars)

    @property
    def writable_index(self) -> WritableIndex:
        """The index for a writer who holds the home's lock, which a read seldom is."""
        from tacit.home.writable_index import WritableIndex

        return WritableIndex(self.paths, self.log, self.indexer, self.actor.origin)

    @property
    def _is_hurried(self) -> bool:
        return self.options.hurry_seconds is not None

    # Reads

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Bring the index up to date, and yield a connection whose queries all see the same state of it.

        Raises:
            IndexDamagedError: the index was damaged, which was noticed in the block. It was rebuilt: the caller may
                run the block again.
            StoreError: a hurried caller would have to wait for a new index.
        """
        if (connection := self._index.in_use) is not None:  # a part of another snapshot
            yield connection
            return
        inode = self._index.inode
        try:
            with translate_sqlite_errors():
                self._bring_up_to_date()
                self._look_for_stale_pages()
        except IndexUnusableError:
            self._replace_index(inode)
            self._look_for_stale_pages()
        connection = self._index.connection()
        try:
            with translate_sqlite_errors():
                connection.execute("BEGIN")
                try:
                    yield connection
                finally:
                    connection.execute("ROLLBACK")
        except IndexUnusableError as error:
            self._replace_index(inode)
            raise IndexDamagedError(
                f"the index was damaged ({error}); it was made again from the log", "try again"
            ) from error

    def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Return the result of one query on a snapshot."""
        with self.snapshot() as connection:
            return query(connection)

    def _replace_index(self, inode: int) -> None:
        """Make a new index in place of the one with this inode, which cannot be used."""
        self._index.release()
        if self._is_hurried and sum(map(self.log.size, self.log.segments())) > LONG_BACKLOG_BYTES:
            raise StoreError("the index has to be made first, and nobody here has the time", "tacit doctor --reindex")
        self._refresh(needed=True, broken=inode)
        self._pages_checked_at = float("-inf")  # which are stale is not known any more

    @contextmanager
    def drawn_pages(self) -> Iterator[sqlite3.Connection]:
        """Draw the pages that wait, and yield the index to read it with the pages. Nobody writes meanwhile."""
        if not os.path.isdir(self.paths.root) or not os.access(self.paths.root, os.W_OK):
            with self.snapshot() as connection:
                yield connection
            return
        self._index.release()
        with self._exclusive(), closing_checkpointed(self.writable_index.open()) as connection:
            self._finish_shared_facts(connection)
            self._draw_pages(connection)
            yield connection

    def is_far_behind(self, max_bytes: int) -> bool:
        """Return whether more than `max_bytes` of the log are not indexed."""
        return self._is_true_of_index(lambda index: self.indexer.backlog_bytes(index) > max_bytes)

    def is_index_current(self) -> bool:
        """Return whether the index can be used and has what the log had when it was last read."""
        return self._is_true_of_index(self.indexer.is_index_of_log)

    def _is_true_of_index(self, question: Callable[[sqlite3.Connection], bool]) -> bool:
        """Ask about the index as it is. The answer is no if it cannot be used."""
        connection = self.index_as_is()
        with suppress(IndexUnusableError, StoreError), translate_sqlite_errors():
            return connection is not None and question(connection)
        return False

    def drain_spool(self, timeout: float, limit: int | None = 256) -> None:
        """Append spooled commands to the log, unless its lock is busy for `timeout` seconds."""
        with suppress(StoreError, OSError):
            self.log.drain_spool(timeout, limit)

    def index_as_is(self) -> sqlite3.Connection | None:
        """Return the index without catching up, for reads that need not be exact; None if it cannot be used."""
        with suppress(IndexUnusableError, StoreError):
            return self._index.connection()
        return None

    def scope(self) -> Scope:
        """Return the scope of the current folder: that of its project, or the global one."""
        return self.read(self.scope_in) if self.project else GLOBAL

    def scope_in(self, connection: sqlite3.Connection) -> Scope:
        return self.project.scope(lambda scope: reader.is_scope_used(connection, scope)) if self.project else GLOBAL

    def scopes_in(self, connection: sqlite3.Connection) -> set[Scope]:
        """Return the scopes that apply in the current folder.

        The folder itself is one of them: sessions in a folder that is no project are filed under the folder.
        """
        return {self.scope_in(connection), self._folder, GLOBAL}

    def close(self) -> None:
        self._write_observations()
        self._index.release()

    def _bring_up_to_date(self) -> None:
        """Have a connection that shows everything that is in the log."""
        if not os.path.isdir(self.paths.root):
            raise IndexUnusableError("there is no home yet")
        self.drain_spool(0 if self._is_hurried else _OBSERVE_TIMEOUT_SECONDS)
        try:
            connection = self._index.connection()
        except StoreError:  # it cannot be opened without writing, and the disk is full
            self._use_in_memory_index()
            return
        is_behind = self.indexer.is_behind(connection)
        if is_behind and self._is_hurried and self.indexer.has_long_backlog(connection):
            is_behind = False  # a hurried caller leaves a long backlog to others
        if is_behind or is_trust_stale(connection):
            self._index.release()
            self._refresh(needed=True)
            self._index.connection()

    def _look_for_stale_pages(self) -> None:
        """Draw pages that are gone, which answers refer to, and have stale ones drawn.

        Checked once a second at most: nobody deletes pages between two reads of one program.
        """
        now = time.monotonic()
        if self._is_hurried or now < self._pages_checked_at + 1 or not os.access(self.paths.root, os.W_OK):
            return
        self._pages_checked_at = now
        connection = self._index.connection()
        if is_view_missing(connection, self.paths):
            self.follow()
        elif reader.has_stale_views(connection):
            self._have_followed()

    def _refresh(self, *, needed: bool, broken: int | None = None) -> None:
        """Catch up under the lock. If that is impossible, use what can be read.

        `needed` says that the index as it is will not do. `broken` is the inode of an index that could not be used: it
        is rebuilt, unless another process was faster.
        """
        if not os.path.isdir(self.paths.root):
            return self._use_in_memory_index()  # a read does not create a home
        is_purging = os.path.exists(self.paths.purge_marker)  # a purge holds the lock for long
        timeout = _READ_LOCK_TIMEOUT_SECONDS if self.options.hurry_seconds is None else self.options.hurry_seconds
        try:
            with self._exclusive(_OBSERVE_TIMEOUT_SECONDS if is_purging else timeout):
                connection = self.writable_index.open(rebuild=broken == self._index.inode)
                with closing_checkpointed(connection), translate_sqlite_errors():
                    save_file_signatures(connection)
        except LockBusyError:  # another process does it; use the index as it is, if it exists and can be trusted
            if broken == self._index.inode or is_trust_stale(self._index.connection()):
                self._use_in_memory_index()
        except (StoreError, OSError):  # the index cannot be written, which does not concern a reader
            if needed:
                self._use_in_memory_index()

    def _use_in_memory_index(self) -> None:
        connection = self.indexer.substitute_index()
        if reader.has_trust_events(connection):
            from tacit.home.trusted_files import distrusted_event_ids

            if excluded := distrusted_event_ids(connection):
                connection = self.indexer.in_memory_index(excluded=excluded)
            save_file_signatures(connection)
        self._index.use_in_memory(connection)

    # Changes

    @contextmanager
    def change(self) -> Iterator[Change]:
        """Decide on the current state, record, and answer, while nobody else can write.

        with store.change() as change:
            memory = load(change.connection)
            change.record([draft])
            return load(change.connection)  # as it is now
        """
        self._prepare_change()
        self.drain_spool(_OBSERVE_TIMEOUT_SECONDS)
        is_stale = False
        try:
            with self._exclusive(), closing(self.writable_index.snapshot()) as snapshot:
                self._finish_shared_facts(snapshot.connection)
                change = Change(self, snapshot)
                try:
                    with translate_sqlite_errors():
                        yield change
                finally:
                    is_stale = bool(change.events or change.stale_before)
                    self._write_shared_facts(change)
                    # A short command leaves the index to its follower: nobody has to wait for the syncs.
                    if self.options.following is not Following.PROCESS or self.change_count > 1:
                        snapshot.keep()
        finally:
            if is_stale:
                self._have_followed()

    def append_chosen(
        self,
        choose: Callable[[sqlite3.Connection, set[str]], Sequence[Event]],
        save: Callable[[sqlite3.Connection], None],
    ) -> None:
        """Append the events that `choose` returns, which have their ids already, under the home's lock.

        `choose` gets the index and the ids of events that are in the log and not in the index. `save` writes to the
        index what was looked at. The index and the views follow with the next read.
        """
        self._prepare_change()
        with self._exclusive(), closing_checkpointed(self.writable_index.open_as_is()) as connection:
            if events := choose(connection, self.indexer.unindexed_ids(connection)):
                self.log.append_events(events)
            with translate_sqlite_errors():
                save(connection)

    @contextmanager
    def update_index(self) -> Iterator[sqlite3.Connection]:
        """Yield the index, up to date, to write there what is computed from it and from the log.

        That is what takes too long to be computed for every reader, such as counts of commands. It is lost with the
        index, and computed again.
        """
        self._prepare_change()
        with self._exclusive(), closing_checkpointed(self.writable_index.open()) as connection:
            with translate_sqlite_errors():
                yield connection
            is_stale = reader.has_stale_views(connection)
        if is_stale:
            self._have_followed()

    def observe(self, draft: Draft) -> None:
        """Record something nobody waits for, within a second or when the home is closed."""
        self._pending_observations.append(draft)
        if time.monotonic() > self._observations_written_at + 1:
            self._write_observations()

    def _write_observations(self) -> None:
        """Append pending observations without the home's lock. If the log is busy, keep them for the next time.

        Other failures are ignored. A read does not create a home.
        """
        drafts, self._pending_observations = self._pending_observations, []
        self._observations_written_at = time.monotonic()
        if not drafts or not os.path.isdir(self.paths.root):
            return
        try:
            self.log.append(drafts, self.actor.origin(), timeout=_OBSERVE_TIMEOUT_SECONDS)
        except LockBusyError:
            self._pending_observations = drafts[-_MAX_PENDING_OBSERVATIONS:]
        except (OSError, StoreError):
            pass

    def make(self) -> None:
        """Make the home if there is none, and bring its index and pages up to date."""
        self.rewrite_log(lambda: None, rebuild=False)

    def rebuild(self) -> None:
        """Rebuild the index from the log, and draw all pages."""
        self.rewrite_log(lambda: None)

    def rewrite_log(self, work: Callable[[], T], *, rebuild: bool = True) -> T:
        """Run `work`, which changes the log itself, under the home's lock; then draw the pages. Return its result.

        The index is rebuilt as well. Pass `rebuild=False` if the work ends with `swap_segments`, which does that.
        """
        self._prepare_change()
        with self._exclusive():
            result = work()
            self._draw_pages_and_close(self.writable_index.open(rebuild=rebuild))
        return result

    def mark_purge(self) -> None:
        """Note that tombstones come that are not applied yet. The purge that applies them removes the note."""
        make_home(self.paths)
        replace_file(self._disk, self.paths.purge_marker, b"")

    def swap_segments(
        self, staged: dict[str, str], commit: Callable[[Log], bool], build: Callable[[LogReader], None] | None
    ) -> None:
        """Replace segments of the log and the index with it, in one short step. The caller holds the home's lock.

        `build` makes the new index beside the old one, of the old one and the log with the staged files. Without it,
        and if that is impossible (IndexUnusableError), the index is made from the whole log. Until `commit` moves the
        staged files (path by segment) into place, reads use the old index and the old segments, and others may append
        to the log. If it returns False, the segments are not as they were staged, and the index is made again.
        """
        self._index.release()
        log = self.log.with_staged(staged)
        try:
            if build is None:
                raise IndexUnusableError("it is not of this log")
            build(log)
        except IndexUnusableError:
            Indexer(self.paths, log).build()
        with self.log.exclusive() as locked:
            if commit(locked):
                self.indexer.swap_in()

    def _prepare_change(self) -> None:
        self._write_observations()
        self._index.release()
        make_home(self.paths)
        if not os.path.lexists(self.paths.spool_counter):
            from tacit.log.spool import Spool

            with suppress(OSError):  # on a full disk the log may still take a line
                Spool(self.log).prepare()

    def append(
        self, connection: sqlite3.Connection, drafts: Sequence[Draft], op: EventId | None, actor: Actor | None
    ) -> list[Event]:
        """Append drafts, and once per project where it lies, so that its fact file is found from elsewhere."""
        if self.project and clean(root := self.project.root) == root:
            scope = self.scope_in(connection)
            if root not in reader.project_roots(connection, scope):
                drafts = [*drafts, Draft(ProjectSeen(root), scope)]
        with suppress(OSError):  # on a full disk the log may still take a line
            self.fact_journal.write(self.project, self.scope_in(connection), drafts)
        events = self.log.append(drafts, (actor or self.actor).origin(), op=op)
        self.change_count += 1
        return [event for event in events if not isinstance(event.body, ProjectSeen)]

    # The lock

    @contextmanager
    def _exclusive(self, timeout: float | None = None) -> Iterator[None]:
        """Hold the home's lock. A sync that was killed is finished first."""
        with FileLock(self.paths.write_lock, _LOCK_TIMEOUT_SECONDS, _LOCK_MAX_SECONDS).acquire(timeout):
            if os.path.lexists(self.paths.sync_journal):
                self.finish_sync()
            yield

    @property
    def sync_journal(self) -> SyncJournal:
        from tacit.home.publish import SyncJournal

        return SyncJournal(self.paths.sync_journal, self._disk)

    def finish_sync(self) -> None:
        """Update the pages with what was read from them. The caller holds the home's lock."""
        self.sync_journal.finish(self.log, self.view_store)

    # Fact files of work trees, which the command writes. The caller holds the home's lock.

    @property
    def fact_journal(self) -> FactJournal:
        from tacit.home.shared_facts import FactJournal

        return FactJournal(self.paths.fact_journal, self._disk)

    def _finish_shared_facts(self, connection: sqlite3.Connection) -> None:
        """Write the fact files that a killed command has left as they were. What cannot be written waits."""
        if os.path.lexists(self.paths.fact_journal):
            with translate_sqlite_errors(), suppress(OSError):
                self.fact_journal.finish(connection, self.view_store)

    def _write_shared_facts(self, change: Change) -> None:
        """Write the fact files that a command changed. If that is impossible, what it recorded holds nevertheless."""
        if not change.events:
            return
        from tacit.home.shared_facts import SharedFacts

        connection = change.connection
        with translate_sqlite_errors(), suppress(OSError):
            marks = [name.partition(" ") for name in reader.stale_views(connection) if name not in change.stale_before]
            affected = [ClaimId(claim) for kind, _, claim in marks if kind == "memory"]
            facts = SharedFacts(self.view_store, self.project, self.scope_in(connection))
            facts.write_changes(connection, change.events, affected)
            self.fact_journal.remove()

    # Following

    def catch_up(self) -> None:
        """Index everything, including what no answer shows. Do nothing if that is impossible."""
        if not os.path.isdir(self.paths.root):
            return
        self._index.release()
        is_stale = False
        with (
            suppress(StoreError, OSError),
            self._exclusive(_READ_LOCK_TIMEOUT_SECONDS),
            closing_checkpointed(self.writable_index.open()) as connection,
            translate_sqlite_errors(),
        ):
            is_stale = reader.has_stale_views(connection)
        if is_stale:
            self._have_followed()

    def catch_up_fully(self) -> None:
        """Index what no other query needs, for those that show it, such as injections."""
        if self.is_far_behind(0):
            self.catch_up()

    def follow(self) -> None:
        """Index everything and draw the pages that wait. Do nothing if that is impossible."""
        if os.path.isdir(self.paths.root):
            self._index.release()
            with suppress(StoreError, OSError), self._exclusive(_READ_LOCK_TIMEOUT_SECONDS):
                self._draw_pages_and_close(self.writable_index.open())

    def write_rule_files(self) -> None:
        """Write the standing rules of all projects, and of this one, for hooks. Do nothing if that is impossible."""
        from tacit.home.rule_files import write_rule_files

        self._index.release()
        with (
            suppress(StoreError, OSError),
            self._exclusive(_READ_LOCK_TIMEOUT_SECONDS),
            closing_checkpointed(self.writable_index.open()) as connection,
            translate_sqlite_errors(),
        ):
            write_rule_files(connection, self.paths, self._disk, self.project.root if self.project else "")

    def finish_following(self) -> None:
        """Do what the follower of an earlier command has not done yet. An unusable index is left as it is."""

        def is_waiting(index: sqlite3.Connection) -> bool:
            indexer = self.indexer
            return indexer.is_index_of_log(index) and (indexer.is_behind(index) or reader.has_stale_views(index))

        # Nothing at all was indexed or drawn yet, or not the latest.
        views = (self.paths.index, self.paths.long_term, self.paths.facts)
        if not any(map(os.path.lexists, views)) or self._is_true_of_index(is_waiting):
            self.follow()

    def _have_followed(self) -> None:
        """Have somebody follow what was recorded."""
        match self.options.following:
            case Following.INLINE:
                self.follow()
            case Following.PROCESS:
                self.needs_follower = True
            case Following.THREAD:
                from tacit.home.follower import follow_soon

                options = self.options._replace(following=Following.INLINE, progress=ignore_progress)
                store = Store(self.paths, self._disk, self.actor, None, self.entropy, GLOBAL, options)
                follow_soon(self.paths.root, store.follow)

    def _draw_pages_and_close(self, connection: sqlite3.Connection) -> None:
        """Draw stale pages, then close the index. What cannot be written stays stale."""
        try:
            self._draw_pages(connection)
        except IndexUnusableError:  # damage in a part of the index that no read has touched
            connection.close()
            connection = self.indexer.rebuild()
            with suppress(IndexUnusableError):
                self._draw_pages(connection)
        finally:
            database.checkpoint_and_close(connection)

    def _draw_pages(self, connection: sqlite3.Connection) -> None:
        with translate_sqlite_errors(), suppress(OSError):
            self.publisher.publish(connection)
            save_file_signatures(connection)
        self.needs_follower = False


class Change:
    """A change that is being made: the current state to decide on, and what was recorded."""

    def __init__(self, store: Store, snapshot: Snapshot) -> None:
        self._store = store
        self._snapshot = snapshot
        self.events: list[Event] = []
        # Views that were stale when the change began: only what came since is its doing.
        self.stale_before = set(reader.stale_views(snapshot.connection))

    @property
    def connection(self) -> sqlite3.Connection:
        """The index as the log is now. Whatever is written there raises an error."""
        return self._snapshot.connection

    def record(self, drafts: Sequence[Draft], *, op: EventId | None = None, actor: Actor | None = None) -> list[Event]:
        """Append drafts to the log, and return the new events.

        `op` is an operation that they belong to. `actor` did what is recorded, if that is not who runs the command.
        """
        if not drafts:
            return []
        events = self._store.append(self.connection, drafts, op, actor)
        self._snapshot.advance()
        self.events += events
        return events


def _load_purges(log: LogReader) -> Tombstones | None:
    from tacit.purge.tombstones import load_tombstones

    return load_tombstones(log)
