"""The SQLite file of the index: create, open and check it, and statements that several writers share.

It is opened for writing under the lock of the home, and for reading by anyone.
"""

from __future__ import annotations

import gc
import os
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress

from tacit.disk.files import PRIVATE_FILE, closing_fd, sqlite_uri
from tacit.errors import IndexUnusableError, StoreError
from tacit.record import Record

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")


INDEX_VERSION = "29"
# The table that vectors are made with. Another one needs another index, so this goes with the file.
TABLE_VERSION = "1-8c6f35399ac7a498f91ba0de8b8a20a6"
_VERSION = f"{INDEX_VERSION} {TABLE_VERSION}"
# Returns a line of the log by segment, offset and length, None if there is none.
LineReader = Callable[[str, int, int], bytes | None]
_SQLITE_SUFFIXES = ("-wal", "-shm")
# Holds the inode of the index. A copy has another one and is rebuilt: made during a write, it may be torn in ways that
# no check finds.
_INODE_SUFFIX = "-file"
_WRITER_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "wal_autocheckpoint = 0",
    "trusted_schema = OFF",
    "mmap_size = 0",
    "cache_size = -32768",  # KiB, used only as needed: ids come in any order, and pages would be written many times
)
# Places of an index that ends with its connection: in memory, or in a file of SQLite that has no name.
IN_MEMORY, TEMPORARY = ":memory:", ""
_TEMPORARY_FOLDER = "SQLITE_TMPDIR"
_SCHEMA_PATH = os.path.join(os.path.dirname(__file__), "schema.sql")
# The index is not damaged: another process holds it, or the folder cannot be written.
_ACCESS_ERRORS = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_INTERRUPT,
    }
)
# Nor is it for these, which a full disk may cause: a write failed, but no bad data was read.
_WRITE_ERRORS = frozenset(
    {
        sqlite3.SQLITE_IOERR_WRITE,
        sqlite3.SQLITE_IOERR_FSYNC,
        sqlite3.SQLITE_IOERR_DIR_FSYNC,
        sqlite3.SQLITE_IOERR_TRUNCATE,
        sqlite3.SQLITE_IOERR_DELETE,
        sqlite3.SQLITE_IOERR_LOCK,
        sqlite3.SQLITE_IOERR_SHMOPEN,
        sqlite3.SQLITE_IOERR_SHMSIZE,
        sqlite3.SQLITE_IOERR_SHMMAP,
        sqlite3.SQLITE_IOERR_SHMLOCK,
    }
)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit at the end, roll back on any exception. Within another transaction, it is a part of that one."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite has rolled back by itself if the disk is full
            connection.execute("ROLLBACK")
        raise


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Look for no cycles meanwhile. Events and rows have none, and looking at so many of them takes time (ADR 73)."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:  # hooks run without it
            gc.enable()


def insert_rows(
    connection: sqlite3.Connection, insert: str, rows: Sequence[Sequence[str | int | bytes | None]]
) -> list[bool] | None:
    """Insert rows by a statement that ignores known ones. Return for each whether it was new; None if all were."""
    connection.execute("SAVEPOINT insert_rows")
    before = connection.total_changes
    connection.executemany(insert, rows)
    if connection.total_changes - before == len(rows):  # the usual case
        connection.execute("RELEASE insert_rows")
        return None
    connection.execute("ROLLBACK TO insert_rows")
    connection.execute("RELEASE insert_rows")
    return [connection.execute(insert, row).rowcount == 1 for row in rows]


@contextmanager
def translate_sqlite_errors() -> Iterator[None]:
    """Turn errors of SQLite into StoreError if trying again can help, else into IndexUnusableError."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code is not None and (code & 0xFF == sqlite3.SQLITE_FULL or code in _WRITE_ERRORS):
            raise StoreError(
                f"the index cannot be written ({error}); the disk may be full", "free some space, then try again"
            ) from error
        if code is not None and code & 0xFF in _ACCESS_ERRORS:
            raise StoreError(
                f"the index cannot be used now: {error}", "try again; if it stays so: tacit doctor"
            ) from error
        raise IndexUnusableError(str(error)) from error


def mark_stale(connection: sqlite3.Connection, views: Iterable[str]) -> None:
    """Record that these views must be written again."""
    connection.executemany("INSERT OR IGNORE INTO stale_views VALUES (?)", [(view,) for view in views])


def save_complete_folder(connection: sqlite3.Connection, folder: str, mtime_ns: int) -> None:
    """Record that a folder of pages had all of them when it was last changed at this time."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"complete {folder}", str(mtime_ns)))


# Open and create


def _read_no_line(_segment: str, _offset: int, _length: int) -> bytes | None:
    return None


def _register_event_line(connection: sqlite3.Connection, lines: LineReader) -> None:
    """Register the SQL function `event_line`, which returns the line of an event, NULL if it is missing or another."""

    def event_line(event_id: str | None, segment: str, offset: int, length: int, raw: bytes | None) -> bytes | None:
        line = raw if raw is not None or event_id is None else lines(segment, offset, length)
        return line if line is not None and f'"{event_id}"'.encode() in line else None

    connection.create_function("event_line", 5, event_line)


def create_index(path: str, lines: LineReader = _read_no_line) -> sqlite3.Connection:
    """Create an empty index, replacing what is at `path`; for IN_MEMORY in memory, for TEMPORARY in a nameless file.

    Nobody may read it before `finish_index`, as it is written without syncs.
    """
    if path not in (IN_MEMORY, TEMPORARY):
        _create_file(path)
    address = path if path in (IN_MEMORY, TEMPORARY) else sqlite_uri(path, "rw")
    connection = sqlite3.connect(address, uri=True, isolation_level=None)
    connection.executescript("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384;")
    with open(_SCHEMA_PATH, encoding="ascii") as file:
        connection.executescript(file.read())
    connection.execute("INSERT INTO meta VALUES ('version', ?)", (_VERSION,))
    _register_event_line(connection, lines)
    return connection


def _create_file(path: str) -> None:
    """Create an empty file that only its owner can read, in place of an index."""
    _remove_files(path)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, PRIVATE_FILE))


@contextmanager
def temporary_files_in(folder: str) -> Iterator[None]:
    """Let SQLite put files without a name into this folder, which is private. They vanish with the process.

    In a folder that cannot be written, SQLite uses that of the system.
    """
    before = os.environ.get(_TEMPORARY_FOLDER)
    os.environ[_TEMPORARY_FOLDER] = folder
    try:
        yield
    finally:
        del os.environ[_TEMPORARY_FOLDER]
        if before is not None:
            os.environ[_TEMPORARY_FOLDER] = before


def finish_index(connection: sqlite3.Connection, path: str) -> None:
    """Close a new index, durable and in WAL mode, so that it can be read while it is written."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def new_index_path(path: str) -> str:
    """Return where a new index is built before it replaces this one."""
    return path + ".new"


def replace_index(path: str) -> None:
    """Replace an index by its finished new one, to which the old write-ahead log must not be applied."""
    _remove_files(path, (*_SQLITE_SUFFIXES, _INODE_SUFFIX))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with closing_fd(os.open(path + _INODE_SUFFIX, flags, PRIVATE_FILE)) as fd:
        os.write(fd, _inode_line(new_index_path(path)))
    os.replace(new_index_path(path), path)


def _remove_files(path: str, suffixes: Iterable[str] = ("", *_SQLITE_SUFFIXES, _INODE_SUFFIX)) -> None:
    for suffix in suffixes:
        with suppress(FileNotFoundError):
            os.unlink(path + suffix)


def open_for_writing(path: str, lines: LineReader) -> sqlite3.Connection:
    """Open the index. The caller holds the lock of the home until after `checkpoint_and_close`.

    Raise IndexUnusableError if it is missing, damaged, a copy or of another version.
    """
    _remove_files(new_index_path(path))  # of an interrupted rebuild: under the lock, none is running
    try:
        _check_regular_files(path, alone=True)
        _check_inode(path)
    except IndexUnusableError:
        _remove_files(path, _SQLITE_SUFFIXES)  # whoever planted them, they must not be applied to the rebuilt index
        raise
    with translate_sqlite_errors():
        return _connect(sqlite_uri(path, "rw"), lines, _WRITER_PRAGMAS)


def _connect(address: str, lines: LineReader, pragmas: Sequence[str] = ()) -> sqlite3.Connection:
    """Open an index. Raise IndexUnusableError if it is of another version."""
    connection = sqlite3.connect(address, uri=True, timeout=5, isolation_level=None)
    try:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")
        version = connection.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()
        if version != (_VERSION,):
            raise IndexUnusableError("another version of Tacit wrote it")
    except BaseException:
        connection.close()
        raise
    _register_event_line(connection, lines)
    return connection


def open_for_reading(path: str, lines: LineReader = _read_no_line) -> sqlite3.Connection:
    """Open the index read-only, also where nothing can be written: in a read-only folder, or on a full disk.

    Raise IndexUnusableError if it is missing, damaged, a copy or of another version; StoreError if it cannot be read
    without writing.
    """
    _check_regular_files(path)
    _check_inode(path)
    address = sqlite_uri(path, "ro")
    with translate_sqlite_errors():
        try:
            return _connect(address, lines)
        except sqlite3.OperationalError as error:
            if not _is_write_error(error) or _has_write_ahead_log(path):
                raise
            # SQLite makes files beside the index even for reading, unless it is told that nobody writes.
            return _connect(address + "&immutable=1", lines)


def _is_write_error(error: sqlite3.Error) -> bool:
    """Return whether something could not be written, although nothing is wrong with what was read."""
    access_errors = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL)
    return error.sqlite_errorcode in _WRITE_ERRORS or error.sqlite_errorcode & 0xFF in access_errors


def _has_write_ahead_log(path: str) -> bool:
    """Return whether the file alone is not the whole index."""
    try:
        return os.path.getsize(path + _SQLITE_SUFFIXES[0]) > 0
    except OSError:
        return False


def copy_index(connection: sqlite3.Connection, place: str, lines: LineReader) -> sqlite3.Connection:
    """Return a copy of an index that can be written, IN_MEMORY or TEMPORARY."""
    copy = sqlite3.connect(place, isolation_level=None)
    copy.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384;")
    connection.backup(copy)
    _register_event_line(copy, lines)
    return copy


def write_compacted(connection: sqlite3.Connection, path: str) -> None:
    """Write an index to a new file, durable and in WAL mode. Nothing is in it that was removed from the index."""
    _create_file(path)
    connection.execute("VACUUM INTO ?", (path,))
    finish_index(sqlite3.connect(sqlite_uri(path, "rw"), uri=True, isolation_level=None), path)


def _check_regular_files(path: str, *, alone: bool = False) -> None:
    """Raise if the index or a file of SQLite beside it is not a regular file, or (with `alone` for the index too) has
    hard links: SQLite would wait forever for a named pipe, and write through links."""
    if not os.path.lexists(path):
        raise IndexUnusableError("there is none")
    for file in (path, *(path + suffix for suffix in _SQLITE_SUFFIXES)):
        try:
            status = os.lstat(file)
        except FileNotFoundError:
            continue
        if stat.S_ISDIR(status.st_mode):
            raise StoreError(f"{file} is a folder; a file of the index should be there", f"mv {file} {file}.old")
        if not stat.S_ISREG(status.st_mode) or (status.st_nlink > 1 and (alone or file != path)):
            raise IndexUnusableError(f"{file} is a link or no plain file")


def _check_inode(path: str) -> None:
    try:
        fd = os.open(path + _INODE_SUFFIX, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        raise IndexUnusableError("it is a copy, or unfinished") from None
    with closing_fd(fd):
        if os.read(fd, 32) != _inode_line(path):
            raise IndexUnusableError("it is a copy")


def _inode_line(path: str) -> bytes:
    return b"%d\n" % os.stat(path).st_ino


def checkpoint_and_close(connection: sqlite3.Connection) -> None:
    """Move the write-ahead log into the file while the lock is still held, then close.

    Failing, as on a full disk, is harmless and not reported: the log of events is safe, the write-ahead log is read
    where it is, and damage is found at the next opening.
    """
    with closing(connection), suppress(sqlite3.DatabaseError):
        connection.execute("PRAGMA busy_timeout = 50")  # for readers: others wait for the lock meanwhile
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def closing_checkpointed(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Yield the connection, and close it at the end, see `checkpoint_and_close`."""
    try:
        yield connection
    finally:
        checkpoint_and_close(connection)


# How far transcripts were read. This is not derived from the log and may be lost: everything is then read again.


class TranscriptCursor(Record):
    """A transcript as it was when it was read. The bytes before `offset` need not be read again if they still have the
    same `fingerprint`, a keyed hash. So is `path_digest`."""

    path_digest: str
    inode: int
    size: int
    mtime_ns: int
    offset: int
    fingerprint: str


def transcript_cursor(connection: sqlite3.Connection, path_digest: str) -> TranscriptCursor | None:
    """Return how far a transcript was read, None if it was not."""
    row = connection.execute("SELECT * FROM transcript_cursors WHERE path_digest = ?", (path_digest,)).fetchone()
    return TranscriptCursor(*row) if row else None


def save_transcript_cursors(connection: sqlite3.Connection, cursors: Iterable[TranscriptCursor]) -> None:
    """Store how far transcripts were read."""
    connection.executemany("INSERT OR REPLACE INTO transcript_cursors VALUES (?, ?, ?, ?, ?, ?)", cursors)
