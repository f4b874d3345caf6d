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
from tacit.errors import IndexUnwell, LockBusy, ReadOnly, StoreUnwell
from tacit.home.actor import Speaker
from tacit.home.indexing import Filing, any_missing
from tacit.home.paths import HomePaths, make_home
from tacit.home.project import Project
from tacit.index import database as store
from tacit.index import reader
from tacit.index.database import Lines, open_for_reading, snapshot, wellness
from tacit.log.codec import must_decode
from tacit.log.log import Log
from tacit.log.signing import Signing
from tacit.model.claim import GLOBAL, Scope
from tacit.model.event import Draft, Event
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import ProjectSeen
from tacit.text.display import clean

if TYPE_CHECKING:
    from tacit.home.publish import Noticeboard, Publisher


# The connection that questions are asked over: opened at the first of them, and again when the file was replaced.

_NO_FILE = 0  # the inode of an index in memory


class Reading:
    """An index that is read, by its path; `lines` gives what looks up lines of the log as it is now."""

    def __init__(self, path: str, lines: Callable[[], Lines]) -> None:
        self._path = path
        self._lines = lines
        self._open: sqlite3.Connection | None = None
        self._inode = _NO_FILE

    @property
    def inode(self) -> int:
        """Which file lies there now, whether or not it is the one that is open."""
        try:
            return os.stat(self._path).st_ino
        except OSError:
            return -1

    def connection(self) -> sqlite3.Connection:
        if self._open and self._inode not in (_NO_FILE, self.inode):
            self.let_go()
        if self._open is None:
            self._open, self._inode = open_for_reading(self._path, self._lines()), self.inode
        return self._open

    def take(self, in_memory: sqlite3.Connection) -> None:
        """Answer from this one until it is let go."""
        self.let_go()
        self._open, self._inode = in_memory, _NO_FILE

    def let_go(self) -> None:
        if self._open:
            self._open.close()
            self._open = None


# The watch over trusted repositories, as every question keeps it. Where nobody trusts any, that is one look.


def shaken(connection: sqlite3.Connection) -> bool:
    """Whether a fact file that was trusted may have changed."""
    if not reader.anyone_trusted(connection):
        return False
    from tacit.home import trusted_files as trusted

    return trusted.shaken(connection, must_decode)


def ended(connection: sqlite3.Connection) -> list[Draft]:
    """The end of the trust in files that changed, to be recorded before anybody is told what they said."""
    if not reader.anyone_trusted(connection):
        return []
    from tacit.home import trusted_files as trusted

    return trusted.ended(connection, must_decode)


def void(connection: sqlite3.Connection) -> frozenset[EventId]:
    """What counts no longer, where the end of a trust cannot be recorded."""
    if not reader.anyone_trusted(connection):
        return frozenset()
    from tacit.home import trusted_files as trusted

    return trusted.void(connection, must_decode)


def remember(connection: sqlite3.Connection) -> None:
    """How trusted files look now."""
    if reader.anyone_trusted(connection):
        from tacit.home import trusted_files as trusted

        trusted.remember(connection, must_decode)


# Log, index and notes of a home, kept in step.
#
# A change takes the home's lock, brings the index up to date, decides on what it sees there, appends to the log, and
# then lets the views follow. Whatever fails after the append is caught up by the next command.

T = TypeVar("T")
Decide = Callable[[sqlite3.Connection], Sequence[Draft]]
Choose = Callable[[sqlite3.Connection, set[str]], Sequence[Event]]
# How long one holder of a lock is waited for, and the whole queue while it moves.
_LOCK_SECONDS, _LOCK_LONGEST = 30.0, 600.0
_LOG_SECONDS, _LOG_LONGEST = 10.0, 120.0
_READ_LOCK_SECONDS = 2.0  # a question, for somebody who files what it asks about
_OBSERVE_SECONDS = 0.05  # a question, to record that it was asked
_OBSERVED = 1000  # observations that are kept for a better moment; more are dropped
_LONG = 256 * 1024  # bytes to file, which take longer than anybody in a hurry has


class Store:
    """One home, open for questions and for changes."""

    def __init__(
        self,
        home: HomePaths,
        disk: Disk,
        speaker: Speaker,
        project: Project | None,
        entropy: Callable[[], bytes],
        folder: Scope = GLOBAL,
    ) -> None:
        self.home = home
        self.project = project
        self._folder = folder
        self.speaker = speaker
        self.entropy = entropy
        lock = FileLock(home.log_lock, _LOG_SECONDS, _LOG_LONGEST)
        signing = Signing(home.root, disk, self._key)
        self.log = Log(home.root, disk, lock, entropy, self._mark, signing)
        self.filing = Filing(home, self.log)
        self._disk = disk
        self._reading = Reading(home.index, self.log.lines_at)
        self._pages_seen = float("-inf")
        self.patience = _READ_LOCK_SECONDS  # of a question, with whoever writes
        self._hurried = False
        self.turn: int | None = None  # characters of a turn on the page of a session
        self.accepted_in: dict[ClaimId, EventId] = {}  # the operation that accepted a memory, while this is open
        self._unwritten: list[Draft] = []
        self._written_at = float("-inf")

    def _mark(self, secret: str) -> str:
        from tacit.home.key import mark

        return mark(self.home.key, secret)

    def _key(self, make: bool) -> bytes | None:
        from tacit.home.key import load_key

        return load_key(self.home.key, make)

    @cached_property
    def publisher(self) -> Publisher:
        """What draws the views; a question seldom needs it."""
        from tacit.home.publish import Publisher
        from tacit.pages.view_store import Shelf

        return Publisher(self.home, Shelf(self.home.written, self._disk), must_decode, self.turn)

    # Questions

    def read(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Ask the index, brought up to date first; a broken one is rebuilt and asked again."""
        broken = self._reading.inode
        try:
            with wellness():
                return snapshot(self._up_to_date(), question)
        except IndexUnwell:
            pass
        except (LookupError, TypeError, ValueError, AttributeError):
            if self._is_sound():  # then the mistake is ours
                raise
        self._reading.let_go()
        if self._hurried and sum(map(self.log.size, self.log.segments())) > _LONG:
            raise StoreUnwell("the index has to be made first, and nobody here has the time", "tacit reindex")
        self._refresh(needed=True, broken=broken)
        with wellness():
            return snapshot(self._reading.connection(), question)

    def _is_sound(self) -> bool:
        """Whether SQLite finds nothing wrong with the index. Where it does, rows may say anything."""
        try:
            with wellness():
                return bool(self._reading.connection().execute("PRAGMA integrity_check").fetchone() == ("ok",))
        except IndexUnwell:
            return False

    def hurry(self, patience: float) -> None:
        """Somebody waits: do not wait for whoever writes, nor look after pages that nobody asks for."""
        self._hurried, self.patience, self._pages_seen = True, patience, float("inf")

    def catch_up(self) -> None:
        """File even what no answer waits for, where that can be done."""
        if os.path.isdir(self.home.root):
            self._reading.let_go()
            with suppress(StoreUnwell, OSError), self._alone(_READ_LOCK_SECONDS):
                self._let_writer_finish(self._writer())

    def is_far_behind(self, most: int) -> bool:
        """Whether more than so many bytes wait to be filed."""
        index = self.as_it_is()
        with suppress(IndexUnwell, StoreUnwell), wellness():
            return index is not None and self.filing.backlog(index) > most
        return False

    def file_backlog(self) -> None:
        """File what waits for the next question; an index that cannot be used is left as it is."""
        index = self.as_it_is()
        with suppress(IndexUnwell, StoreUnwell), wellness():
            if index is not None and self.filing.is_of_this_log(index) and self.filing.behind(index):
                self.catch_up()

    def file_spooled(self, seconds: float, most: int | None = 256) -> None:
        """Append commands that recorders had to spool, unless somebody holds the log's lock for that long."""
        with suppress(StoreUnwell, OSError):
            self.log.file_spooled(seconds, most)

    def as_it_is(self) -> sqlite3.Connection | None:
        """The index without what came since, for what need not be right; nothing where it cannot be used."""
        with suppress(IndexUnwell, StoreUnwell):
            return self._reading.connection()
        return None

    def scope(self) -> Scope:
        """The scope one stands in: the project's, or the global one."""
        if self.project is None:
            return GLOBAL
        return self.read(self.scope_in)

    def scope_in(self, connection: sqlite3.Connection) -> Scope:
        return self.project.scope(lambda scope: reader.is_used(connection, scope)) if self.project else GLOBAL

    def scopes_in(self, connection: sqlite3.Connection) -> set[Scope]:
        """What holds where one stands. What was said to an agent in a folder that is no project was filed under it."""
        return {self.scope_in(connection), self._folder, GLOBAL}

    def close(self) -> None:
        self._write_observations()
        self._reading.let_go()

    def _up_to_date(self) -> sqlite3.Connection:
        if not os.path.isdir(self.home.root):
            raise IndexUnwell("there is no home yet")
        self.file_spooled(0)
        connection = self._reading.connection()
        behind = self._is_behind(connection) or shaken(connection)
        if behind or self._page_missing(connection):
            self._reading.let_go()
            self._refresh(needed=behind)
            connection = self._reading.connection()
        return connection

    def _is_behind(self, connection: sqlite3.Connection) -> bool:
        """Whether there is something to file first. Whoever is in a hurry leaves a long backlog to others."""
        behind = self.filing.behind(connection)
        return behind and not (self._hurried and self.filing.backlog(connection) > _LONG)

    def _page_missing(self, connection: sqlite3.Connection) -> bool:
        """Looked at once a second at most: nobody deletes pages between two questions of one program."""
        now = time.monotonic()
        if now < self._pages_seen + 1 or not self._writable():
            return False
        self._pages_seen = now
        stale = bool(reader.stale(connection))  # whoever recorded it was killed before drawing
        return stale or any_missing(connection, self.home, self.project, self.scope_in(connection))

    def _writable(self) -> bool:
        return os.access(self.home.root, os.W_OK)

    def _refresh(self, *, needed: bool, broken: int | None = None) -> None:
        """Catch up under the lock. Where that is impossible, answer from what can be read.

        `broken` is the index that could not be used: it is made again, unless somebody else was faster.
        """
        if not os.path.isdir(self.home.root):
            return self._read_from_memory()  # a question makes no home
        try:
            with self._alone(_OBSERVE_SECONDS if self._is_purging() else self.patience):
                self._let_writer_finish(self._writer(rebuild=broken == self._reading.inode))
        except LockBusy:  # somebody is at it; the index as it is will do, if there is one and it can be trusted
            if broken == self._reading.inode or shaken(self._reading.connection()):
                self._read_from_memory()
        except (StoreUnwell, OSError):  # the index cannot be written: nobody who only asks has to hear of it
            if needed:
                self._read_from_memory()

    def _is_purging(self) -> bool:
        """Whether a purge is under way, which holds the lock for long and needs nothing filed."""
        return os.path.exists(self.home.purging)

    def _read_from_memory(self) -> None:
        """A home that cannot be written and has no usable index is indexed in memory."""
        connection = self.filing.fresh_index()
        if without := void(connection):
            connection = self.filing.fresh_index(without=without)
        remember(connection)
        self._reading.take(connection)

    # Changes

    def change(
        self, decide: Decide, tell: Callable[[sqlite3.Connection, list[Event]], T], *, op: EventId | None = None
    ) -> T:
        """Decide on the state of now, record it, and tell what came of it; nobody else decides in between. `op` is an
        operation that this is a part of."""
        self._write_observations()
        self._reading.let_go()
        make_home(self.home)
        self.file_spooled(0)
        with self._alone():
            connection = self._to_decide_on()
            try:
                drafts = decide(connection)
                events = self._append(connection, drafts, op) if drafts else []
                connection = self._to_tell_from(connection) if events else connection
                return tell(connection, events)
            finally:
                # What is recorded is recorded: the next command brings the index and the views up to date.
                with suppress(StoreUnwell, OSError, IndexUnwell):
                    self._let_writer_finish(connection)

    def _to_decide_on(self) -> sqlite3.Connection:
        """The index, up to date; one in memory where it cannot be written. The log is what must take the line."""
        try:
            return self._writer()
        except ReadOnly:
            raise
        except (StoreUnwell, OSError):
            return self._trust_compared(self.filing.fresh_index())

    def keep(self, choose: Choose, remember: Callable[[sqlite3.Connection], None]) -> None:
        """Record events that have their ids already, chosen while nobody else can: `choose` is told which are recorded
        and not filed yet. Index and views follow with the next question; what was looked at is remembered at once."""
        self._write_observations()
        self._reading.let_go()
        make_home(self.home)
        with self._alone():
            connection = self._lagging()
            try:
                if events := choose(connection, self.filing.unfiled_ids(connection)):
                    self.log.keep(events)
                with wellness():
                    remember(connection)
            finally:
                store.close_written(connection)

    def _lagging(self) -> sqlite3.Connection:
        """The index, open for writing, with what it has; made where it cannot be used. The lock is held."""
        try:
            connection = store.open_for_writing(self.home.index, self.log.lines_at())
            if self.filing.is_of_this_log(connection):
                return connection
            connection.close()
        except IndexUnwell:
            pass
        return self._writer()

    def record(self, decide: Decide) -> list[Event]:
        """A change of which only the events are of interest."""
        return self.change(decide, lambda _connection, events: events)

    def observe(self, draft: Draft) -> None:
        """Record something nobody waits for, within a second or when the home is closed."""
        self._unwritten.append(draft)
        if time.monotonic() > self._written_at + 1:
            self._write_observations()

    def _write_observations(self) -> None:
        """Record what was observed, unless the log is busy: then the next time, if there is one.

        No lock on the home, and no failure if they cannot be written. A question makes no home.
        """
        drafts, self._unwritten = self._unwritten, []
        self._written_at = time.monotonic()
        if not drafts or not os.path.isdir(self.home.root):
            return
        try:
            self.log.append(drafts, self.speaker.origin(), patience=_OBSERVE_SECONDS)
        except LockBusy:
            self._unwritten = drafts[-_OBSERVED:]
        except (OSError, StoreUnwell):
            pass

    def rebuild(self) -> None:
        """Make the index again from the log, and draw every view again."""
        self._reading.let_go()
        make_home(self.home)
        with self._alone():
            self.publisher.may_create = True
            self._let_writer_finish(self._writer(rebuild=True))

    def remade(self, work: Callable[[], T], *, rebuild: bool = True) -> T:
        """Do something to the log itself while nobody else is in the home, and draw the views again.

        The index is made again as well, unless the work ends with `swap`, which has done that.
        """
        self._write_observations()
        self._reading.let_go()
        make_home(self.home)
        with self._alone():
            done = work()
            self._let_writer_finish(self._writer(rebuild=rebuild))
        return done

    def swap(self, staged: dict[str, str], commit: Callable[[Log], None]) -> None:
        """Replace segments of the log and the index with it, in one short step. The home's lock is held.

        The new index is made from the staged segments, which takes long; until `commit` puts them in their places,
        questions are answered from the old index and the old segments, and others may append to the log.
        """
        Filing(self.home, self.log.as_staged(staged)).build()
        with self.log.alone() as log:
            commit(log)
            self.filing.put_in_place()

    def fresh_index(self, until: str | None = None) -> sqlite3.Connection:
        """An index in memory, of the whole log or of what was recorded up to a moment."""
        return self.filing.fresh_index(until)

    def _append(self, connection: sqlite3.Connection, drafts: Sequence[Draft], op: EventId | None) -> list[Event]:
        events = self.log.append([*drafts, *self._first_sight(connection)], self.speaker.origin(), op=op)
        return [event for event in events if not isinstance(event.body, ProjectSeen)]

    def _caught_up(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """The index with what was just recorded; a broken one is made again."""
        try:
            self.filing.catch_up(connection)
        except IndexUnwell:
            connection.close()
            return self.filing.rebuilt()
        return connection

    def _to_tell_from(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """The same, or one in memory where the disk has no room for it: what is recorded is recorded."""
        try:
            return self._caught_up(connection)
        except (StoreUnwell, OSError):
            connection.close()
            return self.filing.fresh_index()

    def _first_sight(self, connection: sqlite3.Connection) -> list[Draft]:
        """Note once where a project lies, so that its fact file is found from elsewhere too."""
        if self.project is None:
            return []
        scope = self.scope_in(connection)
        known = self.project.root in reader.roots(connection, scope) or clean(self.project.root) != self.project.root
        return [] if known else [Draft(ProjectSeen(self.project.root), scope)]

    # The index

    @contextmanager
    def _alone(self, patience: float | None = None) -> Iterator[None]:
        """While nobody else changes the home. What somebody was killed at is ended first."""
        with FileLock(self.home.write_lock, _LOCK_SECONDS, _LOCK_LONGEST).held(patience):
            if os.path.lexists(self.home.reading):
                self.conclude_reading()
            yield

    @property
    def noticeboard(self) -> Noticeboard:
        from tacit.home.publish import Noticeboard

        return Noticeboard(self.home.reading, self._disk)

    def end_reading(self) -> None:
        """What a sync that was killed had read is not unread, if that can be said now."""
        if os.path.lexists(self.home.reading):
            with suppress(ReadOnly, LockBusy), self._alone():
                pass

    def conclude_reading(self) -> None:
        """Let the pages follow what was read from them. The home's lock is held."""
        self.noticeboard.conclude(self.log, self.publisher.shelf)

    def _writer(self, rebuild: bool = False) -> sqlite3.Connection:
        """The index, up to date, open for writing. The lock is held."""
        if not rebuild:
            try:
                connection = store.open_for_writing(self.home.index, self.log.lines_at())
                if self.filing.is_of_this_log(connection):
                    return self._trust_compared(self._caught_up(connection))
                connection.close()
            except IndexUnwell:
                pass
        return self._trust_compared(self.filing.rebuilt())

    def _trust_compared(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """The index when all trust that no longer holds has ended. The lock is held."""
        drafts = ended(connection)
        if not drafts:
            return connection
        self.log.append(drafts, self.speaker.origin())
        return self._caught_up(connection)

    def _let_writer_finish(self, connection: sqlite3.Connection) -> None:
        """Draw stale views, then close. A view that cannot be drawn now stays stale; what it shows is recorded."""
        try:
            self._publish(connection)
        except IndexUnwell:  # in a part of it that no question has looked at
            connection.close()
            connection = self.filing.rebuilt()
            with suppress(IndexUnwell):
                self._publish(connection)
        finally:
            store.close_written(connection)

    def _publish(self, connection: sqlite3.Connection) -> None:
        with wellness(), suppress(OSError):
            self.publisher.publish(connection, self.project, self.scope_in(connection))
            self.publisher.may_create = False
            remember(connection)
