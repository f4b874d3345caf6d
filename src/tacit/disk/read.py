"""Reading what is not ours: planted files, those of other programs, their SQLite databases, and git repositories.

Only plain files are opened, and at most a bounded number of bytes is read: a named pipe would block, a device never
ends, and opening one may have effects. Git runs with a deadline, and starts nothing that a repository names.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from shlex import quote

from tacit.disk.files import closing_fd, sqlite_uri
from tacit.errors import RefusedError
from tacit.record import Record

TYPE_CHECKING = False

if TYPE_CHECKING:
    import subprocess
    from typing import BinaryIO

# Files that others may have planted: links are not followed

_MAX_FOREIGN_BYTES = 4 * 1024 * 1024


class ForeignFile(Record):
    """The bytes of a file, and of the same open file its owner, the bits of other writers, and its signature."""

    data: bytes
    owner: int
    writers: int
    signature: str


def read_foreign(path: str) -> ForeignFile | None:
    """Return a plain file; None if there is none or it is too large. The status is that of the open file."""
    try:
        with closing_fd(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)) as fd:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_FOREIGN_BYTES:
                return None
            data = os.read(fd, _MAX_FOREIGN_BYTES + 1)
            return ForeignFile(data, status.st_uid, status.st_mode & 0o022, _stat_signature(status))
    except OSError:
        return None


def file_signature(path: str) -> str:
    """Return a signature that changes with the file; "" if there is none or a link leads to it."""
    try:
        return _stat_signature(os.lstat(path)) if os.path.realpath(path) == path else ""
    except OSError:
        return ""


def _stat_signature(status: os.stat_result) -> str:
    parts = (status.st_dev, status.st_ino, status.st_mode, status.st_uid, status.st_size)
    return " ".join(map(str, (*parts, status.st_mtime_ns, status.st_ctime_ns)))


# Files of other programs (histories, transcripts, settings, git): links are followed, as people keep them elsewhere

_OPEN_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
MAX_WHOLE_BYTES = 16 << 20  # of a file that is read at once
_MAX_STREAM_BYTES = 64 << 30  # of a file that is read in pieces


def open_external(path: str, max_bytes: int = _MAX_STREAM_BYTES) -> BinaryIO:
    """Open a plain file for reading.

    Raise RefusedError for anything else and for a file larger than `max_bytes`, OSError if it cannot be opened.
    """
    fd = _open_regular(path)
    try:
        status = os.fstat(fd)
        # Files in /proc claim to be plain and empty, and some never end.
        if not stat.S_ISREG(status.st_mode) or (not status.st_size and _has_bytes(fd)):
            raise _not_plain_error(path)
        if status.st_size > max_bytes:
            raise RefusedError(
                f"{path} is larger than any such file ({status.st_size:,} bytes)", f"ls -l {quote(path)}"
            )
    except BaseException:
        os.close(fd)
        raise
    return open(path, "rb", opener=lambda _path, _flags: fd)


def read_external(path: str, max_bytes: int = MAX_WHOLE_BYTES) -> bytes:
    """Return the bytes of a plain file. Raise as `open_external` does."""
    with open_external(path, max_bytes) as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:  # it grows while it is read
        raise RefusedError(f"{path} is larger than any such file", f"ls -l {quote(path)}")
    return data


def read_head(path: str, max_bytes: int) -> bytes:
    """Return the first bytes of a plain file; b"" if there is none, whatever is there instead."""
    try:
        with closing_fd(_open_regular(path)) as fd:
            return os.read(fd, max_bytes) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except (OSError, ValueError, RefusedError):  # a name with a NUL in it is a ValueError
        return b""


def _open_regular(path: str) -> int:
    """Open a plain file. The caller checks it again: it may be swapped between the check and the opening."""
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


# SQLite databases of other programs. SQLite opens files by itself, so they are checked before, and its time is limited:
# a view in the place of a table can have endless rows.

_QUERY_TIMEOUT_SECONDS = 60.0  # for all queries of one connection
_STEPS_PER_CHECK = 100_000  # of SQLite's virtual machine
_TABLE_QUERY = "SELECT type, sql FROM sqlite_master WHERE name = ?"


def sqlite_sidecars(path: str) -> tuple[str, ...]:
    """Return the paths of files that SQLite may keep beside a database."""
    return (f"{path}-wal", f"{path}-shm", f"{path}-journal")


def has_plain_sidecars(path: str) -> bool:
    """Return whether all sidecars are plain files: SQLite would open a named pipe and block."""
    return all(os.path.isfile(sidecar) or not os.path.lexists(sidecar) for sidecar in sqlite_sidecars(path))


def has_tables(connection: sqlite3.Connection, *names: str) -> bool:
    """Return whether all of these are tables, and not views or virtual tables."""
    for name in names:
        row = connection.execute(_TABLE_QUERY, (name,)).fetchone() or ("", "")
        # Texts may be bytes by the connection's text factory.
        kind, sql = (value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in row)
        if kind != "table" or sql.upper().split()[:2] == ["CREATE", "VIRTUAL"]:
            return False
    return True


def open_foreign_database(path: str, max_value_bytes: int, *, is_in_use: bool) -> sqlite3.Connection:
    """Open a database of another program so that nothing is written, neither to it nor beside it.

    It is opened with locks if the program may be writing, else as an immutable file: then SQLite creates no file beside
    it. Queries that take too long and values that are too large fail.

    Raises:
        sqlite3.Error, UnicodeDecodeError: it cannot be read. SQLite's message about a damaged file may not be UTF-8.
    """
    if is_in_use and has_plain_sidecars(path):
        with suppress(sqlite3.Error, UnicodeDecodeError):
            return _connect_read_only(sqlite_uri(path, "ro"), max_value_bytes)
    return _connect_read_only(sqlite_uri(path, "ro") + "&immutable=1", max_value_bytes)


def _connect_read_only(uri: str, max_value_bytes: int) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, timeout=5, isolation_level=None)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        deadline = time.monotonic() + _QUERY_TIMEOUT_SECONDS
        connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS_PER_CHECK)
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max_value_bytes)
    except (sqlite3.Error, UnicodeDecodeError):
        connection.close()
        raise
    return connection


# Git, on a repository that others may have prepared: no hook, monitor, pager, filter, signature program or transport of
# its settings is started, and no variable leads git to another repository.

_GIT_SECONDS = 10
# Where a person keeps settings. Every other variable of git may name another repository, or a program.
_KEPT_VARIABLES = frozenset(("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH"))
_OWN_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "none",  # a clone without all of its objects fetches nothing
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_GIT_SETTINGS = (("core.fsmonitor", "false"), ("core.hooksPath", os.devnull), ("log.showSignature", "false"))


def run_git(
    root: str, environment: Mapping[str, str], *words: str, seconds: float = _GIT_SECONDS
) -> subprocess.CompletedProcess[str] | None:
    """Run git in a work tree and return what it printed; None if it cannot be started or takes longer."""
    import subprocess  # most processes never need it, and it loads threads and sockets

    kept = [name for name in environment if not name.startswith("GIT_") or name in _KEPT_VARIABLES]
    settings = [word for name, value in _GIT_SETTINGS for word in ("-c", f"{name}={value}")]
    try:
        return subprocess.run(
            ["git", "-C", root, "--no-pager", "--no-replace-objects", *settings, *words],
            env={**{name: environment[name] for name in kept}, **_OWN_VARIABLES},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
