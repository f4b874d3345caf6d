"""Reading files that others may have planted or keep: never through a link, never a device, never without a bound."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from shlex import quote
from typing import BinaryIO

from tacit.errors import RefusedError
from tacit.record import Record

# Reading what is not ours: files that others may have planted. Never through a link, never a device, never much.

_MAX_FOREIGN_BYTES = 4 * 1024 * 1024


class ForeignFile(Record):
    """The bytes of a file and, of the same open file, who owns it and which others may write it."""

    data: bytes
    owner: int
    writers: int
    signature: str


def read_foreign(path: str) -> ForeignFile | None:
    """A plain file that can be read whole; nothing otherwise. One look: what is judged is what was read."""
    try:
        # A named pipe would keep us waiting for its other end.
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_FOREIGN_BYTES:
            return None
        data = os.read(fd, _MAX_FOREIGN_BYTES + 1)
        return ForeignFile(data, status.st_uid, status.st_mode & 0o022, _stat_signature(status))
    except OSError:
        return None
    finally:
        os.close(fd)


def file_signature(path: str) -> str:
    """How a file looks from outside: unchanged, it need not be read again. Behind a link it looks like nothing."""
    try:
        return _stat_signature(os.lstat(path)) if os.path.realpath(path) == path else ""
    except OSError:
        return ""


def _stat_signature(status: os.stat_result) -> str:
    parts = (status.st_dev, status.st_ino, status.st_mode, status.st_uid, status.st_size)
    return " ".join(map(str, (*parts, status.st_mtime_ns, status.st_ctime_ns)))


# Files that others keep: histories, transcripts, settings of other programs, what git writes. Only read, as they are.
#
# Anything may lie in their places. Only a plain file is opened: a named pipe would keep us waiting for its other end,
# a device never ends, and to open one may have effects. Links are followed, since people keep such files elsewhere;
# files that a link must not lead to are read with `disk/foreign.py`.

_OPEN_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
MAX_WHOLE_BYTES = 16 << 20  # bytes of a file that is read whole
_MAX_STREAM_BYTES = 64 << 30  # bytes of one that is read piece by piece


def open_external(path: str, most: int = _MAX_STREAM_BYTES) -> BinaryIO:
    """A plain file to read piece by piece.

    Raises Refused for anything else and for one that is larger than `most`, OSError where it cannot be opened.
    """
    fd = _open_regular(path)
    try:
        status = os.fstat(fd)
        # Files of the kernel say that they are plain and empty, and some never end.
        if not stat.S_ISREG(status.st_mode) or (not status.st_size and _has_bytes(fd)):
            raise _not_plain_error(path)
        if status.st_size > most:
            raise RefusedError(
                f"{path} is larger than any such file ({status.st_size:,} bytes)", f"ls -l {quote(path)}"
            )
    except BaseException:
        os.close(fd)
        raise
    return open(path, "rb", opener=lambda _path, _flags: fd)


def read_external(path: str, most: int = MAX_WHOLE_BYTES) -> bytes:
    """All of a plain file. Raises as `open_theirs` does."""
    with open_external(path, most) as file:
        data = file.read(most + 1)
    if len(data) > most:  # it grows while it is read
        raise RefusedError(f"{path} is larger than any such file", f"ls -l {quote(path)}")
    return data


def read_head(path: str, most: int) -> bytes:
    """The first bytes of a plain file; nothing where there is none, whatever lies there instead."""
    try:
        fd = _open_regular(path)
    except (OSError, ValueError, RefusedError):  # a name with a NUL in it is a ValueError
        return b""
    try:
        return os.read(fd, most) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(fd)


def _open_regular(path: str) -> int:
    """Looked at before it is opened, and by the caller once more: it may be swapped in between."""
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{path} is a folder")
    if not stat.S_ISREG(mode):
        raise _not_plain_error(path)
    return os.open(path, _OPEN_FLAGS)


def _has_bytes(fd: int) -> bool:
    try:
        return bool(os.read(fd, 1))
    except OSError:
        return True


def _not_plain_error(path: str) -> RefusedError:
    return RefusedError(f"{path} is no plain file", f"ls -l {quote(path)}")


# Databases of SQLite that other programs keep.
#
# SQLite opens files by itself, so what it would open is looked at before, and what it does is limited in time: a view
# in the place of a table can have rows without end.

_QUERY_TIMEOUT_SECONDS = 60.0  # for all that is asked of one connection
_STEPS_PER_CHECK = 100_000  # of SQLite's machine between two looks at the clock
_TABLE_QUERY = "SELECT type, sql FROM sqlite_master WHERE name = ?"


def sqlite_sidecars(path: str) -> tuple[str, ...]:
    """The files that SQLite may keep beside a database."""
    return (f"{path}-wal", f"{path}-shm", f"{path}-journal")


def has_plain_sidecars(path: str) -> bool:
    """Whether only plain files lie there: SQLite would open a named pipe and wait for its other end."""
    return all(os.path.isfile(one) or not os.path.lexists(one) for one in sqlite_sidecars(path))


def has_tables(connection: sqlite3.Connection, *names: str) -> bool:
    """Whether all of these are tables, no views and no virtual ones."""
    return all(_is_table(connection.execute(_TABLE_QUERY, (name,)).fetchone()) for name in names)


def set_query_timeout(connection: sqlite3.Connection) -> None:
    """Let a question that takes too long fail with sqlite3.OperationalError."""
    until = time.monotonic() + _QUERY_TIMEOUT_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS_PER_CHECK)


def _is_table(row: tuple[object, object] | None) -> bool:
    """The texts may come as bytes, by the connection's own factory."""
    kind, sql = (_to_text(value) for value in row) if row else ("", "")
    return kind == "table" and not sql.upper().startswith("CREATE VIRTUAL")


def _to_text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
