"""Checks of a home: each reads, compares, and says what to type. Nothing is repaired by looking."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from shlex import quote

from tacit.disk.files import link_error, link_hint, read_file
from tacit.disk.lock import FileLock
from tacit.errors import IndexUnusableError, LockBusyError, NotFoundError, StoreError, TacitError
from tacit.home.home import HomePart
from tacit.home.paths import HOME_FOLDERS, OPTIONAL_FOLDERS, PAGE_FOLDERS
from tacit.home.publish import render_page
from tacit.home.repository import inspect_repository
from tacit.home.settings import Settings
from tacit.home.store import Store
from tacit.index import database as index
from tacit.index import reader
from tacit.index.database import translate_sqlite_errors
from tacit.log.codec import is_encoding_of, must_decode
from tacit.log.log import PURGED_SEGMENT, SPOOL_FOLDER, Cursor, Log, LogLine
from tacit.log.rewrite import QuarantinedLine, quarantine_lines
from tacit.log.segment import MAX_EVENT_BYTES
from tacit.log.spool import Spool
from tacit.log.strays import is_stray_copy
from tacit.log.tombstones import load_tombstones
from tacit.log.verify import Finding, UnverifiedDecision, unverified_decisions, verify
from tacit.model.claim import GLOBAL
from tacit.model.event import Event, local_day, timestamp
from tacit.model.ids import EventId, event_milliseconds
from tacit.model.memory import fold_memories
from tacit.model.observation import MemoryPurged, UnknownBody
from tacit.pages import facts, long_term

# The clock: what is recorded next is put behind the last event, but its date would be wrong.

_MAX_CLOCK_SKEW = timedelta(minutes=5)


def check_clock(store: Store) -> Iterator[Finding]:
    now = store.actor.origin().at
    latest = max((event.at for event in store.log.events()), default=now)
    if latest - now > _MAX_CLOCK_SKEW:
        what = f"the last event is of {timestamp(latest)}, the clock says {timestamp(now)}"
        yield Finding("the clock", what, "date; set the clock. The order of events does not depend on it", False)
    purges = [event.at for event in store.log.events() if isinstance(event.body, MemoryPurged)]
    if purges and max(purges) - now > _MAX_CLOCK_SKEW:
        what = f"a purge is dated {timestamp(max(purges))}; until then, what it purged is left out of commands you run"
        yield Finding(PURGED_SEGMENT, what, "nothing: all other commands are recorded as they are", False)


# The disk: room to write, and a file system whose locks and appends can be relied on.

_MIN_FREE_BYTES = 64 * 1024 * 1024
_NETWORK_FILE_SYSTEMS = ("nfs", "cifs", "smb", "9p", "fuse", "afs", "lustre", "ceph", "glusterfs")
_MOUNTS = "/proc/self/mounts"


def check_disk(store: Store) -> Iterator[Finding]:
    root = store.paths.root
    status = os.statvfs(root)
    free = status.f_bavail * status.f_frsize
    if free < _MIN_FREE_BYTES:
        yield Finding(root, f"only {free // 1024:,} KiB are free on its disk", f"df -h {root}; free some space")
    if status.f_files and not status.f_favail:
        yield Finding(root, "its disk can hold no more files", f"df -i {root}; delete some files")
    kind = file_system(root)
    if kind.startswith(_NETWORK_FILE_SYSTEMS):
        what = f"it is on a network file system ({kind}), where two machines can write at once unseen"
        yield Finding(root, what, "keep the home on a local disk: TACIT_HOME=…, then tacit import OLD --mine", False)


def file_system(path: str) -> str:
    """The kind of file system a path is on; empty where the system does not tell."""
    try:
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            mounts = [line.split(" ")[1:3] for line in file]
    except OSError:
        return ""
    real = os.path.realpath(path)
    found = [(len(place), kind) for place, kind in mounts if _is_below(real, place.replace("\\040", " "))]
    return max(found, default=(0, ""))[1]


def _is_below(path: str, place: str) -> bool:
    return path == place or path.startswith(place.rstrip("/") + "/")


# The files: who may read them, whose they are, and whether links or leftovers lie among them.

# What lies beside the index: SQLite's files, which file it is, and what a rebuild leaves that was killed.
_INDEX_SUFFIXES = ("-wal", "-shm", "-journal", "-file", ".new", ".new-wal", ".new-shm", ".new-journal")


def check_files(store: Store) -> Iterator[Finding]:
    """Of what is ours: other programs may keep files in the same folder."""
    home = store.paths
    # The home itself may be a link, nothing in it.
    yield from _check_permissions(os.path.realpath(home.root) if os.path.islink(home.root) else home.root)
    linked: list[str] = []
    for folder in (*HOME_FOLDERS, *OPTIONAL_FOLDERS):
        path = home.path(folder)
        if path.startswith(tuple(linked)):
            continue  # what lies behind a link is not ours
        if os.path.islink(path):
            linked.append(path + os.sep)
            yield from _check_permissions(path)
        elif os.path.isdir(path):
            yield from _check_permissions(path)
            yield from (finding for name in sorted(os.listdir(path)) for finding in _check_file(path, name))
    if os.path.islink(home.settings):
        what = "a symbolic link; it is read, but `tacit config set` does not write through it"
        yield Finding(home.settings, what, f"write settings by hand in {quote(os.path.realpath(home.settings))}", False)
    else:
        yield from _check_file(home.settings)
    for name in (home.index, *(f"{home.index}{ending}" for ending in _INDEX_SUFFIXES), home.path("AGENTS.md")):
        yield from _check_file(name)
    if os.path.exists(f"{home.index}.new"):
        yield Finding(f"{home.index}.new", "left by a rebuild that was interrupted", "tacit reindex", False)


def link_finding(path: str) -> Finding:
    return Finding(path, "a symbolic link; Tacit does not write through one", link_hint(path))


def _check_file(*parts: str) -> Iterator[Finding]:
    path = os.path.join(*parts)
    if os.path.islink(path) or (os.path.lexists(path) and not os.path.isdir(path)):
        yield from _check_permissions(path)
        if path.endswith(".tacit-new"):
            yield Finding(path, "left by a write that was interrupted", f"rm {quote(path)}", False)


def _check_permissions(path: str) -> Iterator[Finding]:
    found = os.lstat(path)
    if stat.S_ISLNK(found.st_mode):
        yield link_finding(path)
        return
    is_folder = stat.S_ISDIR(found.st_mode)
    if found.st_uid != os.geteuid():
        yield Finding(path, "it belongs to another user", f"chown {os.geteuid()} {quote(path)}")
    if found.st_mode & 0o077:
        yield Finding(path, "others can read or write it", f"chmod {'700' if is_folder else '600'} {quote(path)}")
    if not is_folder and found.st_nlink > 1:
        copy = f"cp -p {quote(path)} {quote(path + '.copy')} && mv {quote(path + '.copy')} {quote(path)}"
        yield Finding(path, "it has a second name elsewhere (a hard link)", copy)


# The index, against a fresh replay of the log.


def check_index(store: Store) -> Iterator[Finding]:
    path = store.paths.index
    try:
        with translate_sqlite_errors():
            kept = index.open_for_reading(path, store.log.line_reader())
    except IndexUnusableError as error:
        yield Finding(path, f"the index cannot be used: {error}", "tacit reindex")
        return
    with closing(kept), closing(store.in_memory_index()) as fresh:
        if what := _index_problem(kept, fresh):
            yield Finding(path, what, "tacit reindex")


def _index_problem(kept: sqlite3.Connection, fresh: sqlite3.Connection) -> str:
    try:
        with translate_sqlite_errors():
            if kept.execute("PRAGMA quick_check").fetchone() != ("ok",):
                return "the index is damaged"
            same = list(reader.dump(kept, answers_only=True)) == list(reader.dump(fresh, answers_only=True))
            return "" if same else "the index is not what the log says"
    except IndexUnusableError:
        return "the index is damaged"


# The laws that hold for every log, tried on this one.

_REPORT_HINT = "this should never happen; keep a copy (tacit export --to DIR) and report it"


def check_laws(store: Store) -> Iterator[Finding]:
    records = [record for segment in store.log.segments() for record in store.log.read(segment)]
    events = [record.event for record in records if isinstance(record.event, Event)]
    yield from _check_round_trip(records)
    purged = load_tombstones(store.log)
    yield from _check_fold(store, [purged.apply(event) for event in events] if purged else events)


def _check_round_trip(records: list[LogLine]) -> Iterator[Finding]:
    """What is read and written again is the same line, byte for byte."""
    for record in records:
        event = record.event
        if (
            isinstance(event, Event)
            and not isinstance(event.body, UnknownBody)
            and not is_encoding_of(event, record.line.data)
        ):
            what = "written by another program in another form; it can be read"
            yield Finding(f"{record.segment}:{record.line.number}", what, "nothing: it counts as it stands", False)


def _check_fold(store: Store, events: list[Event]) -> Iterator[Finding]:
    """In any order, however often, and through the index: the same memories."""
    memories = fold_memories(events)
    if fold_memories([*reversed(events), *events]) != memories:
        yield Finding(store.paths.root, "the order of lines changes what is remembered", _REPORT_HINT)
    with closing(store.in_memory_index()) as fresh:
        if {memory.id: memory for memory in reader.load_memories(fresh, must_decode)} != memories:
            yield Finding(store.paths.root, "the index and the log disagree on what is remembered", _REPORT_HINT)


# The log: every line, and whether the disk ever refused to keep one.


def check_lines(store: Store) -> Iterator[Finding]:
    yield from verify(store.log)
    for segment in store.log.segments():
        if note := store.log.suspect_file(segment):
            what = "the disk once refused to keep what was written; it was written afresh elsewhere"
            yield Finding(segment, what, f"check the disk (dmesg, smartctl), then: rm {quote(note)}")


# The locks: somebody who holds one for long keeps everybody else waiting.

_LOCK_WAIT_SECONDS = 2.0


def check_locks(store: Store) -> Iterator[Finding]:
    home = store.paths
    for path in (home.write_lock, home.log_lock, home.capture_lock, home.injection_lock):
        if os.path.exists(path) and not _can_lock(path):
            yield Finding(
                path, f"another process has held it for {_LOCK_WAIT_SECONDS:g} s", f"fuser -v {quote(path)}", False
            )


def _can_lock(path: str) -> bool:
    """Without making anything: the file is opened as it is, and let go at once."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return True  # told by the look at the files
    try:
        until = time.monotonic() + _LOCK_WAIT_SECONDS
        while time.monotonic() < until:
            try:
                fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                time.sleep(0.01)
        return False
    finally:
        os.close(fd)


# The repository one stands in: facts it brought that wait for a decision.


def check_repository(store: Store) -> Iterator[Finding]:
    if store.project is None:
        return
    try:
        with closing(store.in_memory_index()) as fresh:
            found = inspect_repository(store, fresh, Settings().limits_text)[0]
    except TacitError as error:
        yield Finding(store.project.facts, error.message, error.hint or "tacit trust --show", False)
        return
    if found.waiting:
        what = f"{len(found.waiting)} facts of the repository wait for your decision; none is believed"
        yield Finding(found.path, what, "tacit trust --show", False)


# SQLite: a version that can search, and what is known of it.

# The write-ahead log of these versions can lose a page when two connections reset it at once. Ours never do
# (every write and checkpoint happens under one lock), so this is for the person's other programs.
_WAL_FIXED_VERSIONS = ((3, 44, 6), (3, 50, 7), (3, 51, 3))


def check_sqlite(_store: Store) -> Iterator[Finding]:
    if not has_wal_fix(sqlite3.sqlite_version_info):
        yield Finding(
            f"SQLite {sqlite3.sqlite_version}",
            "its write-ahead log has a known race between two writers; Tacit never has two",
            "nothing for Tacit; update SQLite for other programs that share databases",
            False,
        )


def has_wal_fix(version: tuple[int, ...]) -> bool:
    if version < (3, 7, 0) or version >= _WAL_FIXED_VERSIONS[-1]:
        return True
    return any(version[:2] == row[:2] and version >= row for row in _WAL_FIXED_VERSIONS)


# The readable pages, against a fresh drawing, and hand edits that nobody has read yet.


def check_views(store: Store) -> Iterator[Finding]:
    with closing(store.in_memory_index()) as fresh:
        for path, lines in _fresh_views(store, fresh):
            yield from _compare_view(store, path, lines)


def _fresh_views(store: Store, fresh: sqlite3.Connection) -> Iterator[tuple[str, list[str]]]:
    notes = store.publisher.memory_views(fresh)
    yield store.paths.long_term, long_term.render_long_term(notes)
    yield store.paths.facts, facts.update_facts([], [noted for noted in notes if noted.memory.claim.scope == GLOBAL])
    for kind in PAGE_FOLDERS:
        for day in reader.page_days(fresh, kind):
            yield store.paths.page(kind, day), render_page(fresh, kind, day, must_decode, store.max_turn_chars)


def _compare_view(store: Store, path: str, lines: list[str]) -> Iterator[Finding]:
    there = read_file(path)
    if there is None:
        what = "something is in the way of this view" if os.path.lexists(path) else "this view is missing"
        yield Finding(path, what, "tacit reindex")
    elif there != "".join(line + "\n" for line in lines).encode():
        edited = store.publisher.view_store.edited_versions(path) is not None
        can_be_read = edited and path in (store.paths.long_term, store.paths.facts)
        what = "edited by hand; Tacit keeps that" if edited else "drawn before what the log says now"
        mend = "tacit sync" if can_be_read else "" if edited else "tacit reindex"
        yield Finding(path, what, mend, serious=not edited)


# Commands that wait in the spool, and commands that were lost: each with the reason, and what to do about it.

_MAX_UNIX_SECONDS = 253_402_300_799  # the end of the year 9999: anybody may give a file a name


def check_spool(store: Store) -> Iterator[Finding]:
    spool = Spool(store.log)
    if names := spool.waiting():
        seconds = min(event_milliseconds(EventId(names[0])) // 1000, _MAX_UNIX_SECONDS)
        since = timestamp(datetime.fromtimestamp(seconds, UTC))
        waiting = f"{_commands_text(len(names))} since {since} {_plural_verb(len(names))}"
        what = f"{waiting} to be appended to the log: {_spool_reason(store)}"
        yield Finding(SPOOL_FOLDER, what, "nothing: the next command that can append files them", False)
    if (dropped := spool.dropped()) and dropped.commands:
        when = f"since {dropped.first}, the last at {dropped.last}: {dropped.reason}"
        verb = _plural_verb(dropped.commands, "is", "are")
        what = f"{_commands_text(dropped.commands)} could not be recorded and {verb} lost, "
        yield Finding(SPOOL_FOLDER, what + when, f"when you have seen this: rm {quote(spool.counter_path)}")
    if not os.access(store.paths.root, os.W_OK):
        what = "it cannot be written to; commands of shells are neither recorded nor spooled"
        yield Finding(store.paths.root, what, f"ls -ld {quote(store.paths.root)}", False)


def _commands_text(number: int) -> str:
    return f"{number:,} command{'s' * (number != 1)}"


def _plural_verb(number: int, one: str = "waits", many: str = "wait") -> str:
    return one if number == 1 else many


def _spool_reason(store: Store) -> str:
    """What keeps them waiting, as far as it can be told now."""
    try:
        with FileLock(store.paths.log_lock, 0).acquire():
            pass
    except LockBusyError:
        return "another process holds the log's lock"
    except (StoreError, OSError):
        return "the log's lock cannot be had"
    status = os.statvfs(store.paths.root)
    return "the disk is full" if status.f_bavail * status.f_frsize < MAX_EVENT_BYTES else "the log could not be written"


# Files that sync programs and editors left in the home: read where they hold events, named in any case.


def check_strays(store: Store) -> Iterator[Finding]:
    strays = store.log.strays()
    known = (
        {name for segment in store.log.own_segments() for name in store.log.ids(segment, Cursor())} if strays else set()
    )
    for segment in strays:
        held = set(store.log.ids(segment, Cursor()))
        only = len(held - known)
        path = store.paths.path(segment)
        if only:
            what = f"a copy that another program left; it is read: {only} of its {len(held)} events stand nowhere else"
            yield Finding(path, what, "nothing: it counts; keep it", False)
        else:
            what = "a copy that another program left; all of its events stand in our own files too"
            yield Finding(path, what, f"rm {quote(path)}", False)
        known |= held
    for folder in ("", *HOME_FOLDERS, *OPTIONAL_FOLDERS):
        yield from _unread_copies(
            store.paths.path(folder).rstrip(os.sep), folder, {store.paths.path(one) for one in strays}
        )


def _unread_copies(path: str, folder: str, read: set[str]) -> Iterator[Finding]:
    if (os.path.islink(path) and folder) or not os.path.isdir(path):
        return
    for name in sorted(os.listdir(path)):
        one = os.path.join(path, name)
        if is_stray_copy(folder, name) and one not in read and os.path.isfile(one) and not os.path.islink(one):
            what = "a copy or backup that another program left; it is not read"
            yield Finding(one, what, f"rm {quote(one)}, or to keep it elsewhere: mv {quote(one)} ~/", False)


# Checks: read everything, compare with what it should be, say what to type. Nothing is mended by looking.

Check = Callable[[Store], Iterator[Finding]]
_CHECKS: tuple[Check, ...] = (
    check_lines,
    check_files,
    check_strays,
    check_index,
    check_views,
    check_laws,
    check_locks,
    check_spool,
    check_disk,
    check_clock,
    check_repository,
    check_sqlite,
)
_SPOOL_LOCK_SECONDS = 0.5  # to wait before commands are told to wait in the spool
# Of these a home in which nothing was recorded yet has none.
_VIEW_CHECKS = (check_index, check_views)


class Doctor(HomePart):
    """verify, doctor and reindex."""

    def verify(self) -> list[Finding]:
        """Every line of the log."""
        return list(verify(self._store.log))

    def doctor(self) -> list[Finding]:
        """The log and its laws, index and pages made afresh and compared, files, locks, disk, clock, SQLite. What was
        recorded and only waits to be filed is filed before."""
        if not os.path.isdir(self._store.paths.root):
            return [Finding(self._store.paths.root, "there is no home yet", "tacit init", False)]
        with suppress(OSError):  # the checks tell what is wrong
            self._store.drain_spool(_SPOOL_LOCK_SECONDS, most=None)
            self._store.index_backlog()
        left_out = _VIEW_CHECKS if _is_empty_home(self._store) else ()
        found = (one for check in _CHECKS if check not in left_out for one in _run_check(check, self._store))
        return list(dict.fromkeys(found))

    def reindex(self) -> int:
        """Make index and views again; says how many memories they hold."""
        self._store.rebuild()
        return self._store.read(lambda connection: sum(1 for _ in reader.memory_rows(connection)))

    def unvouched(self) -> list[UnverifiedDecision]:
        """Every decision that this home did not write."""
        return list(unverified_decisions(self._store.log))

    def quarantine_unsigned(self) -> list[QuarantinedLine]:
        """Move these decisions to quarantine/, byte for byte; all other lines stay. Index and views are made again."""
        self._must_be_person_of_a_home("sets lines aside", "tacit verify --quarantine-unsigned")
        day = local_day(self._store.actor.origin()).isoformat()

        def work() -> list[QuarantinedLine]:
            with self._store.log.exclusive() as log:
                return [aside for one in _unvouched_by_segment(log) for aside in quarantine_lines(log, *one, day)]

        return self._store.rewrite_log(work)

    def accept_unsigned(self) -> int:
        """Let everything that is in the log now count as this home's; how many decisions that were not are so now."""
        self._must_be_person_of_a_home("vouches for lines", "tacit verify --accept-unsigned")
        with self._store.log.exclusive() as log:
            found = sum(1 for _ in unverified_decisions(log))
            if log.signer is not None:
                log.signer.write_baseline(log.segment_sizes())
        return found

    def _must_be_person_of_a_home(self, what: str, type_it: str) -> None:
        self._store.actor.require_person(what, type_it)
        if not os.path.isdir(self._store.paths.root):
            raise NotFoundError(f"there is no home at {self._store.paths.root}", "tacit init")


def _unvouched_by_segment(log: Log) -> Sequence[tuple[str, set[int]]]:
    numbers: dict[str, set[int]] = {}
    for one in unverified_decisions(log):
        numbers.setdefault(one.segment, set()).add(one.number)
    return list(numbers.items())


def _run_check(check: Check, store: Store) -> Iterator[Finding]:
    """One check. A file that it cannot read ends it, and is named; the others go on."""
    try:
        yield from check(store)
    except OSError as error:
        where = str(error.filename or store.paths.root)
        if link_error(error) is not None:
            yield link_finding(where)
            return
        what = f"it cannot be read: {error.strerror or error}"
        yield Finding(where, what, f"ls -ld {quote(where)}")


def _is_empty_home(store: Store) -> bool:
    """Whether nothing was recorded or drawn yet: the first command was one that only left a setting or a receipt."""
    views = (store.paths.index, store.paths.long_term, store.paths.facts)
    return not store.log.segments() and not any(map(os.path.lexists, views))
