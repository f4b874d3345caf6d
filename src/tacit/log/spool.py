"""The spool: events that could not be appended to the log, each in a file of its own until it is appended.

Commands of shells and injected briefs are spooled. A recorder that does not get the log's lock, or finds the disk full,
writes the redacted event here. This needs no lock: the file is written under a temporary name and then renamed. The
next holder of the log's lock drains the spool: it appends the event to `activity/YYYY-MM-late.jsonl` and deletes the
file. The event's id is chosen when it is spooled, so a process may be killed between the two steps: the next one finds
the id in the log and only repeats the deletion.

A few files of one block each are kept in reserve. On a full disk one of them is renamed and overwritten in place.
Events that cannot be kept at all are counted in a file that is overwritten in place, too.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime

from tacit.disk.files import PRIVATE_FILE, PRIVATE_FOLDER, closing_fd, make_folder, open_folder
from tacit.disk.lock import is_running
from tacit.errors import StoreError
from tacit.log.codec import decode, encode
from tacit.log.reader import Cursor, LogReader, PurgeFilter
from tacit.log.segment import MAX_EVENT_BYTES, PURGED_SEGMENT, SPOOL_FOLDER, SecretDigest, late_segment, redact_body
from tacit.model.event import Draft, Event, EventOrigin, timestamp
from tacit.model.ids import derived_event_id
from tacit.model.observation import BriefInjected, CommandRan
from tacit.record import Record

# Both are recorded while somebody waits, and neither may be lost.
_SPOOLED_BODIES = (CommandRan, BriefInjected)

MAX_FILES = 2_000
MAX_BYTES = 16 << 20
RESERVE_FILES = 32
BLOCK_BYTES = 4096  # of each file in the reserve

# Why an event was dropped.
NO_ROOM, UNWRITABLE = "there was no room on the disk", "the spool could not be written"
TOO_MANY, DAMAGED = "too many were waiting", "a spooled record could not be read"
_RESERVE_FOLDER, _DROPPED_FILE, _TEMPORARY_SUFFIX = ".reserve", ".dropped", ".tacit-new"
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY
_FILE_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT)
_SPOOL_NAME = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TEMPORARY_NAME = re.compile(r"\.[0-9a-f-]{36}\.(?P<process>[0-9]{1,9})\.tacit-new")
_MAX_TRIES = 20  # how often a purge may interfere
_COUNTER_LOCK_SECONDS = 0.2


class DroppedCommands(Record):
    """How many events are lost, the times of the first and the last, and why the last one was lost."""

    commands: int
    first: str
    last: str
    reason: str


class Spool:
    """The spool of one log. Only `drain` needs the log's lock."""

    def __init__(self, log: LogReader) -> None:
        self._log = log
        self._home = log.home
        self._path = log.path(SPOOL_FOLDER)

    # Adding

    def prepare(self) -> None:
        """Make the folder, the reserve and the counter while there is room. Raise OSError if that fails."""
        make_folder(self._path, below=self._home)
        with self._open_folder() as folder:
            self._remove_strays(folder)
            self._refill_reserve(folder)

    def add(self, draft: Draft, origin: EventOrigin, secret_digest: SecretDigest | None = None) -> bool:
        """Spool an event without secrets and purged texts. Return False if it was dropped.

        A dropped event is counted if anything can be written at all. `secret_digest` is as in `Log`.
        """
        event = _make_event(draft, origin, secret_digest)
        try:
            make_folder(self._path, below=self._home)
            with self._open_folder() as folder:
                return self._try_add(folder, event)
        except OSError:
            return False

    def _try_add(self, folder: int, event: Event) -> bool:
        sizes = [size for _, size in self._names_and_sizes()]
        if len(sizes) >= MAX_FILES or sum(sizes) >= MAX_BYTES:
            self._count_dropped(folder, TOO_MANY)
            return False
        for _ in range(_MAX_TRIES):
            purges = self._purge_state()
            try:
                self._write(folder, _without_purged(event, self._load_purges()))
            except FileNotFoundError:  # a purge has removed the temporary file
                continue
            except OSError as error:
                self._count_dropped(folder, NO_ROOM if error.errno in _DISK_FULL_ERRORS else UNWRITABLE)
                return False
            if self._purge_state() == purges:
                return True
            # A purge began meanwhile and may have missed this file: apply its tombstones, too.
        os.unlink(event.id, dir_fd=folder)
        self._count_dropped(folder, UNWRITABLE)
        return False

    def _write(self, folder: int, event: Event) -> None:
        """Write the whole file or none of it. A file of the same event is replaced."""
        line = encode(event)
        temporary = f".{event.id}.{os.getpid()}{_TEMPORARY_SUFFIX}"
        try:
            with _create_file(folder, temporary) as fd:
                _write_all(fd, line)
        except OSError as error:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            if error.errno not in _DISK_FULL_ERRORS or len(line) > BLOCK_BYTES:
                raise
            self._write_to_reserve(folder, temporary, line)
        os.rename(temporary, event.id, src_dir_fd=folder, dst_dir_fd=folder)

    def _write_to_reserve(self, folder: int, temporary: str, line: bytes) -> None:
        """Overwrite a file of the reserve, whose block is allocated already. Raise OSError if none is left."""
        block = line.ljust(BLOCK_BYTES, b"\0")
        with _opened(folder, _RESERVE_FOLDER, _FOLDER_FLAGS) as reserve:
            for name in sorted(os.listdir(reserve)):
                try:
                    os.rename(name, temporary, src_dir_fd=reserve, dst_dir_fd=folder)
                except FileNotFoundError:  # another recorder took it
                    continue
                with suppress(OSError), _opened(folder, temporary, os.O_WRONLY) as fd:
                    if _has_single_link(fd) and os.pwrite(fd, block, 0) == len(block):  # else it is foreign
                        return
                os.unlink(temporary, dir_fd=folder)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self._path)

    # Draining

    def drain(self, append: Callable[[Sequence[Event]], None], limit: int | None = None) -> None:
        """Append waiting events to the log and delete their files, oldest first. The caller holds the log's lock.

        `append` appends events that waited. Those that cannot be appended now stay; nothing is raised.
        """
        with suppress(OSError, StoreError), self._open_folder() as folder:
            names = self.waiting()[:limit]
            purges = self._load_purges()
            events = [_without_purged(event, purges) for name in names if (event := self._take_event(folder, name))]
            logged = self._logged_ids(events)
            append([event for event in events if event.id not in logged])
            for event in events:
                with suppress(FileNotFoundError):
                    os.unlink(event.id, dir_fd=folder)
            self._remove_strays(folder)
            self._refill_reserve(folder)

    def _take_event(self, folder: int, name: str) -> Event | None:
        """Return the event of a file. A foreign file, or one that a power cut left empty, is removed and counted."""
        event = self._read_event(folder, name)
        if event is None:
            with suppress(OSError):  # a folder stays, and `tacit doctor` reports it
                os.unlink(name, dir_fd=folder)
                self._count_dropped(folder, DAMAGED)
        return event

    def _read_event(self, folder: int, name: str) -> Event | None:
        """Return the event of a file; None if it is not one that the spool writes.

        Spooled types decide nothing, so that a planted file cannot bring a judgement into the log.
        """
        try:
            fd = os.open(name, os.O_RDONLY | _FILE_FLAGS, dir_fd=folder)
        except OSError:  # a link, a socket; an error while it is read is raised, so that the file stays
            return None
        with closing_fd(fd):
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_EVENT_BYTES:
                return None
            event = decode(os.pread(fd, MAX_EVENT_BYTES, 0).rstrip(b"\0\n"))
        if not isinstance(event, Event) or not event.id == name == event.op:
            return None
        return event if isinstance(event.body, _SPOOLED_BODIES) else None

    def _logged_ids(self, events: Sequence[Event]) -> set[str]:
        """Return the ids in the segments of these events: a process that was killed may have appended some of them."""
        segments = {late_segment(event.origin) for event in events}
        return {id_ for segment in segments if self._log.size(segment) for id_ in self._log.ids(segment, Cursor())}

    # Purging

    def scrub(self) -> None:
        """Remove purged content from waiting events. The tombstones are in the log already."""
        purges = self._load_purges()
        if purges is None:
            return
        with suppress(FileNotFoundError), self._open_folder() as folder:
            for name in self.waiting():
                event = self._read_event(folder, name)
                if event is not None and (left := _without_purged(event, purges)) != event:
                    self._write(folder, left)
            self._remove_strays(folder)

    def _load_purges(self) -> PurgeFilter | None:
        return self._log.purges() if self._log.size(PURGED_SEGMENT) else None

    def _purge_state(self) -> tuple[int, int] | None:
        """Return a value that differs after a tombstone was written: the file is replaced or grows."""
        try:
            status = os.lstat(self._log.path(PURGED_SEGMENT))
        except OSError:
            return None
        return status.st_ino, status.st_size

    # Contents

    def waiting(self) -> list[str]:
        """Return the names of the files that wait, oldest first."""
        return sorted(name for name, _ in self._names_and_sizes())

    def dropped(self) -> DroppedCommands | None:
        """Return how many events could be kept neither in the log nor here; None if none was lost."""
        with suppress(OSError), self._open_folder() as folder, _opened(folder, _DROPPED_FILE, os.O_RDONLY) as fd:
            return _read_dropped(fd)
        return None

    @property
    def counter_path(self) -> str:
        """The path of the counter of dropped events."""
        return os.path.join(self._path, _DROPPED_FILE)

    def _names_and_sizes(self) -> Iterator[tuple[str, int]]:
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(self._path) as entries:
            for entry in entries:
                if _SPOOL_NAME.fullmatch(entry.name):
                    yield entry.name, entry.stat(follow_symlinks=False).st_size

    # Housekeeping

    def _open_folder(self) -> AbstractContextManager[int]:
        """Yield a descriptor of the folder. Raise OSError if it, or a folder between it and the home, is a link."""
        return closing_fd(open_folder(self._path, self._home))

    def _refill_reserve(self, folder: int) -> None:
        """Make missing files of the reserve, and at last the counter: where that is, everything is."""
        with suppress(FileExistsError):
            os.mkdir(_RESERVE_FOLDER, PRIVATE_FOLDER, dir_fd=folder)
        with _opened(folder, _RESERVE_FOLDER, _FOLDER_FLAGS) as reserve:
            existing = set(os.listdir(reserve))
            for name in (f"{number:02d}" for number in range(RESERVE_FILES)):
                if name not in existing:
                    _create_block(folder, reserve, name)
        if _DROPPED_FILE not in os.listdir(folder):
            _create_block(folder, folder, _DROPPED_FILE)

    def _remove_strays(self, folder: int) -> None:
        """Remove temporary files of processes that no longer run."""
        for name in os.listdir(folder):
            match = _TEMPORARY_NAME.fullmatch(name)
            if match and not is_running(int(match["process"])):
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=folder)

    def _count_dropped(self, folder: int, reason: str) -> None:
        """Count a lost event, in place, so that a full disk cannot prevent it."""
        now = timestamp(datetime.now(UTC))
        with suppress(OSError), _opened(folder, _DROPPED_FILE, os.O_RDWR | os.O_CREAT) as fd:
            _lock_briefly(fd)
            before = _read_dropped(fd) or DroppedCommands(0, now, now, reason)
            lines = (str(before.commands + 1), before.first, now, reason)
            if _has_single_link(fd):
                os.pwrite(fd, "\n".join(lines).encode("ascii").ljust(BLOCK_BYTES, b"\0"), 0)


def _without_purged(event: Event, purges: PurgeFilter | None) -> Event:
    """Return what is left of an event. All tombstones apply, whatever their dates: a purge wins over the spool."""
    left = purges.filter_import(event) if purges else event
    return event if left is None else left


def _make_event(draft: Draft, origin: EventOrigin, secret_digest: SecretDigest | None) -> Event:
    """Return the event with its final id: its time, then how long ago that was, which orders events of one time."""
    milliseconds = max(int(origin.at.timestamp() * 1000), 0)
    elapsed = (datetime.now(UTC) - origin.at).total_seconds() * 1000
    event_id = derived_event_id(milliseconds, max(int(elapsed), 0), os.urandom(8))
    try:
        body = redact_body(draft.body, secret_digest)
    except OSError:  # the key for digests of secrets cannot be read or made now
        body = redact_body(draft.body)
    return Event(event_id, event_id, origin, draft.scope, body)


def _read_dropped(fd: int) -> DroppedCommands | None:
    """Return the counter; None if nothing was counted yet or the file is foreign."""
    try:
        count, first, last, reason = os.pread(fd, BLOCK_BYTES, 0).rstrip(b"\0\n").decode("ascii").split("\n")
        return DroppedCommands(int(count), first, last, reason)
    except ValueError:
        return None


def _lock_briefly(fd: int) -> None:
    """Lock the counter, so that two processes at once are both counted. Go on without the lock after a short wait."""
    deadline = time.monotonic() + _COUNTER_LOCK_SECONDS
    while True:
        try:
            return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return None
            time.sleep(0.001)


def _has_single_link(fd: int) -> bool:
    """Return whether a file is plain and has one name: writing to it in place changes nothing else."""
    status = os.fstat(fd)
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1


def _opened(folder: int, name: str, flags: int) -> AbstractContextManager[int]:
    """Yield the descriptor of a file or folder in an open folder. No link is followed, and no pipe blocks."""
    return closing_fd(os.open(name, flags | _FILE_FLAGS, PRIVATE_FILE, dir_fd=folder))


def _create_file(folder: int, name: str) -> AbstractContextManager[int]:
    return _opened(folder, name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)


def _create_block(spool: int, folder: int, name: str) -> None:
    """Create a file of one block, or none, by way of a temporary file in the spool. Raise OSError without room."""
    temporary = f".{'0' * 36}.{os.getpid()}{_TEMPORARY_SUFFIX}"
    try:
        with _create_file(spool, temporary) as fd:
            _write_all(fd, bytes(BLOCK_BYTES))
        os.rename(temporary, name, src_dir_fd=spool, dst_dir_fd=folder)
    except FileExistsError:  # somebody else is at it
        raise
    except OSError:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=spool)
        raise


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]
