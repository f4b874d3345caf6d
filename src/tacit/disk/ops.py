"""The calls that storage makes. Everything durable goes through `Disk`, so that a crash can be simulated."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Protocol

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700


class Disk(Protocol):
    """A file system as storage sees it."""

    def open(self, path: str, flags: int, mode: int) -> int: ...
    def close(self, fd: int) -> None: ...
    def size(self, fd: int) -> int: ...
    def read_at(self, fd: int, size: int, offset: int) -> bytes: ...
    def write(self, fd: int, data: bytes) -> int: ...
    def truncate(self, fd: int, size: int) -> None: ...
    def sync_data(self, fd: int) -> None: ...
    def sync_folder(self, path: str) -> None: ...
    def rename(self, source: str, target: str) -> None: ...
    def remove(self, path: str) -> None: ...


class OsDisk:
    """The real one. It opens plain files only: never through a link, never a named pipe that would keep us waiting."""

    def open(self, path: str, flags: int, mode: int) -> int:
        fd = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)
        try:
            _must_be_plain(fd, path, writing=flags & os.O_ACCMODE != os.O_RDONLY)
        except BaseException:
            os.close(fd)
            raise
        return fd

    def close(self, fd: int) -> None:
        os.close(fd)

    def size(self, fd: int) -> int:
        return os.fstat(fd).st_size

    def read_at(self, fd: int, size: int, offset: int) -> bytes:
        return os.pread(fd, size, offset)

    def write(self, fd: int, data: bytes) -> int:
        return os.write(fd, data)

    def truncate(self, fd: int, size: int) -> None:
        os.ftruncate(fd, size)

    def sync_data(self, fd: int) -> None:
        os.fdatasync(fd)

    def sync_folder(self, path: str) -> None:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def rename(self, source: str, target: str) -> None:
        os.replace(source, target)

    def remove(self, path: str) -> None:
        os.unlink(path)


def _must_be_plain(fd: int, path: str, *, writing: bool) -> None:
    """A file with a second name is somebody else's too: what is written here would be written there."""
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a plain file", path)
    if writing and status.st_nlink > 1:
        raise OSError(errno.EMLINK, "it has a second name elsewhere (a hard link); give it a copy of its own", path)


def open_plain(path: str) -> BinaryIO:
    """A plain file to read from; an error for a link, and for a named pipe instead of waiting for ever."""
    return open(OsDisk().open(path, os.O_RDONLY, 0), "rb")


def past_hole(file: BinaryIO) -> int:
    """Leap over a hole that lies ahead, however large: nothing stands in it, so no line ends in it. Says how far."""
    at = file.tell()
    try:
        fd = file.fileno()
        before = os.lseek(fd, 0, os.SEEK_CUR)
        try:
            ahead = os.lseek(fd, at, os.SEEK_DATA)
        except OSError as error:
            ahead = os.fstat(fd).st_size if error.errno == errno.ENXIO else at  # a hole to the end, or nobody can tell
        os.lseek(fd, before, os.SEEK_SET)
    except (OSError, AttributeError):  # no file, or a system that knows no holes
        return 0
    file.seek(ahead)
    return ahead - at


@contextmanager
def opened(disk: Disk, path: str, flags: int, mode: int = PRIVATE_FILE) -> Iterator[int]:
    fd = disk.open(path, flags, mode)
    try:
        yield fd
    finally:
        disk.close(fd)


def write_all(disk: Disk, fd: int, data: bytes) -> None:
    """One write; the rest again where the system took only a part."""
    rest = memoryview(data)
    while rest:
        rest = rest[disk.write(fd, bytes(rest)) :]


def make_folder(path: str) -> None:
    """A private folder and its parents, whatever the umask; an existing one is left as it is."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(os.path.abspath(path))
    make_folder(parent)
    try:
        os.mkdir(path, PRIVATE_FOLDER)
    except FileExistsError:  # another process was faster
        if not os.path.isdir(path):
            raise
        return
    os.chmod(path, PRIVATE_FOLDER)
    OsDisk().sync_folder(parent)  # what is written in it must not vanish with its name


def sqlite_address(path: str, mode: str) -> str:
    """How SQLite is told of a file: with a mode it makes none by itself, which would be readable by others.

    (urllib would bring half of the network.)
    """
    quoted = os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{quoted}?mode={mode}"
