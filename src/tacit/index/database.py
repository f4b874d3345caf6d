"""The SQLite file: opening it, noticing a broken one, and statements that several writers share."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import TypeVar

from tacit.disk.files import PRIVATE_FILE, sqlite_uri
from tacit.errors import IndexUnusableError, StoreError
from tacit.record import Record

# Reads and writes that memories, pages, sessions and habits share.

T = TypeVar("T")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite has taken it back by itself where the disk is full
            connection.execute("ROLLBACK")
        raise


def snapshot(connection: sqlite3.Connection, question: Callable[[sqlite3.Connection], T]) -> T:
    """One question sees one state, however many queries it takes."""
    connection.execute("BEGIN")
    try:
        return question(connection)
    finally:
        connection.execute("ROLLBACK")


def mark_stale(connection: sqlite3.Connection, views: Iterable[str]) -> None:
    """These must be drawn again."""
    connection.executemany("INSERT OR IGNORE INTO stale VALUES (?)", [(view,) for view in views])


# Opening the index: for writing under the vault's lock, for reading by anyone, and knowing a broken one.

INDEX_VERSION = "15"
# A line of the log: its segment, where it begins and how long it is; nothing where there is none.
LineReader = Callable[[str, int, int], bytes | None]
_SQLITE_SUFFIXES = ("-wal", "-shm")
# Says which file the index is, by its inode: a copy that was made while somebody wrote may be torn in ways that no look
# at it can tell, and is made again.
_INODE_SUFFIX = "-file"
_SCHEMA_PATH = os.path.join(os.path.dirname(__file__), "schema.sql")
# Not the index's fault: another holds it, the place cannot be written.
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
# Nor these, all of which a full disk may cause: something was asked of the disk, nothing bad came from it.
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
def translate_sqlite_errors() -> Iterator[None]:
    """Turn what SQLite says of a damaged file into `IndexUnwell`."""
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


def _read_no_line(_segment: str, _offset: int, _length: int) -> bytes | None:
    return None


def _register_line_of(connection: sqlite3.Connection, lines: LineReader) -> None:
    """Let queries look up lines of the log: `line_of`. Another line that stands there now counts as none."""

    def line_of(event: str | None, segment: str, offset: int, length: int, raw: bytes | None) -> bytes | None:
        found = raw if raw is not None or event is None else lines(segment, offset, length)
        return found if found is not None and f'"{event}"'.encode() in found else None

    connection.create_function("line_of", 5, line_of)


def create_index(path: str, lines: LineReader = _read_no_line) -> sqlite3.Connection:
    """A new, empty index, or one in memory. Nobody reads it before it is `finished`; what lies there is removed."""
    if path != ":memory:":
        _remove_files(path)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, PRIVATE_FILE))
    address = path if path == ":memory:" else sqlite_uri(path, "rw")
    connection = sqlite3.connect(address, uri=True, isolation_level=None)
    connection.executescript("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;")
    with open(_SCHEMA_PATH, encoding="ascii") as file:
        connection.executescript(file.read())
    connection.execute("INSERT INTO meta VALUES ('version', ?)", (INDEX_VERSION,))
    _register_line_of(connection, lines)
    return connection


def finish_index(connection: sqlite3.Connection, path: str) -> None:
    """Make a new index durable and fit for readers beside a writer."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def new_index_path(path: str) -> str:
    """Where a new index is made before it takes the place of this one."""
    return path + ".new"


def remove_index(path: str) -> None:
    """Take an index away, with all that SQLite keeps beside it and what a rebuild may have left."""
    _remove_files(path)
    remove_new_index(path)


def replace_index(path: str) -> None:
    """Put a finished index where the old one is, whose write-ahead log must not be applied to it."""
    _remove_files(path, (*_SQLITE_SUFFIXES, _INODE_SUFFIX))
    fd = os.open(path + _INODE_SUFFIX, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, PRIVATE_FILE)
    try:
        os.write(fd, _inode_line(new_index_path(path)))
    finally:
        os.close(fd)
    os.replace(new_index_path(path), path)


def remove_new_index(path: str) -> None:
    """Take away what a rebuild left that was killed. The caller holds the vault's lock: nobody is at it now."""
    _remove_files(new_index_path(path))


def _remove_files(path: str, endings: Iterable[str] = ("", *_SQLITE_SUFFIXES, _INODE_SUFFIX)) -> None:
    for ending in endings:
        with suppress(FileNotFoundError):
            os.unlink(path + ending)


def open_for_writing(path: str, lines: LineReader) -> sqlite3.Connection:
    """The caller holds the vault's lock until it has called `close_written`."""
    remove_new_index(path)
    try:
        _check_regular_files(path, alone=True)
        _check_inode(path)
    except IndexUnusableError:
        _remove_files(path, _SQLITE_SUFFIXES)  # what was planted there must not meet the index that is made now
        raise
    with translate_sqlite_errors():
        connection = _connect(path)
        try:
            _check_version(connection)
        except BaseException:
            connection.close()
            raise
    _register_line_of(connection, lines)
    return connection


def open_for_reading(path: str, lines: LineReader = _read_no_line) -> sqlite3.Connection:
    """A connection that cannot write. In a read-only folder SQLite needs to be told that nobody else writes."""
    _check_regular_files(path)
    _check_inode(path)
    address = sqlite_uri(path, "ro")
    with translate_sqlite_errors():
        connection = sqlite3.connect(address, uri=True, timeout=5, isolation_level=None)
        try:
            _check_version(connection)
        except sqlite3.OperationalError as error:
            connection.close()
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
            connection = sqlite3.connect(address + "&immutable=1", uri=True, isolation_level=None)
            _check_version(connection)
        except BaseException:
            connection.close()
            raise
    _register_line_of(connection, lines)
    return connection


def _check_regular_files(path: str, *, alone: bool = False) -> None:
    """SQLite would wait for a named pipe for ever, and write through a link or into a file with a second name."""
    if not os.path.lexists(path):
        raise IndexUnusableError("there is none")
    for one in (path, *(path + beside for beside in _SQLITE_SUFFIXES)):
        try:
            status = os.lstat(one)
        except FileNotFoundError:
            continue
        if stat.S_ISDIR(status.st_mode):
            raise StoreError(f"{one} is a folder; a file of the index should be there", f"mv {one} {one}.old")
        if not stat.S_ISREG(status.st_mode) or (status.st_nlink > 1 and (alone or one != path)):
            raise IndexUnusableError(f"{one} is a link or no plain file")


def _check_inode(path: str) -> None:
    try:
        fd = os.open(path + _INODE_SUFFIX, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        raise IndexUnusableError("it is a copy, or unfinished") from None
    try:
        if os.read(fd, 32) != _inode_line(path):
            raise IndexUnusableError("it is a copy")
    finally:
        os.close(fd)


def _inode_line(path: str) -> bytes:
    return b"%d\n" % os.stat(path).st_ino


def checkpoint_and_close(connection: sqlite3.Connection) -> None:
    """Fold the write-ahead log into the file while the lock is still held, then let go.

    That may fail, on a full disk for one. Nobody has to hear of it: what is in the log is safe, what is in the
    write-ahead log is read from there, and a damaged index is found when it is opened next.
    """
    with closing(connection), suppress(sqlite3.DatabaseError):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(sqlite_uri(path, "rw"), uri=True, timeout=5, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA mmap_size = 0")
    return connection


def _check_version(connection: sqlite3.Connection) -> None:
    row = connection.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()
    if row != (INDEX_VERSION,):
        raise IndexUnusableError("another version of Tacit wrote it")


# How far transcripts were read. Not derived from the log, and of no weight: without it all is read again.


class TranscriptCursor(Record):
    """A transcript as it was when it was read: `settled` bytes of it need not be read again, `mark` tells whether they
    are still the same."""

    path: str
    inode: int
    size: int
    mtime_ns: int
    offset: int
    mark: str


def transcript_cursor(connection: sqlite3.Connection, path: str) -> TranscriptCursor | None:
    row = connection.execute("SELECT * FROM transcript WHERE path = ?", (path,)).fetchone()
    return TranscriptCursor(*row) if row else None


def save_transcript_cursors(connection: sqlite3.Connection, read: Iterable[TranscriptCursor]) -> None:
    connection.executemany("INSERT OR REPLACE INTO transcript VALUES (?, ?, ?, ?, ?, ?)", read)
