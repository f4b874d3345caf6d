"""Views are replaced whole: the file is the old one or the new one, never a mixture, also after a power cut."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tacit.disk.ops import PRIVATE_FILE, Disk, open_folder, open_plain, write_all

# No file, or something that is no page of ours: a link, a named pipe.
_NO_PAGE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EINVAL, errno.ENXIO)
_LARGEST = 2 << 30  # bytes: a log of many years
_OPEN_FILES = "/proc/self/fd"


def replace_file(disk: Disk, path: str, data: bytes, mode: int = PRIVATE_FILE, *, below: str = "") -> None:
    """Temporary file in the same folder, written and synced, then renamed over the target.

    The name is the same every time, so a crash leaves at most one stray file, which the next write throws away.
    The caller holds the lock that keeps two writers of one view apart. `below` names a folder in which others may
    put links while we write: from there on none is followed. (Below a home the disk itself follows none.)
    """
    folder, name = os.path.split(path)
    with pinned(folder, below) as place:
        target = os.path.join(place, name)
        commit_file(disk, stage_file(disk, target, data, mode), target)


def remove_file(disk: Disk, path: str, below: str) -> None:
    """Remove a file and then each folder between it and `below` that is empty now. No link is followed.

    A folder that somebody stands in, as far as this process can tell, stays.
    """
    folder, name = os.path.split(path)
    with pinned(folder, below) as place:
        disk.remove(os.path.join(place, name))
    while len(folder) > len(below) and folder != _here():
        parent, name = os.path.split(folder)
        fd = open_folder(parent, below)
        try:
            os.rmdir(name, dir_fd=fd)
        except OSError:
            return
        finally:
            os.close(fd)
        folder = parent


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def stage_file(disk: Disk, path: str, data: bytes, mode: int = PRIVATE_FILE) -> str:
    """The first half of `replace_file`: write a temporary file and make it durable. Returns its path."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.tacit-new")
    fd = _new_file(disk, temporary, mode)
    try:
        write_all(disk, fd, data)
        disk.sync_data(fd)
    finally:
        disk.close(fd)
    return temporary


def commit_file(disk: Disk, temporary: str, path: str) -> None:
    """The second half: put a staged file in its place."""
    disk.rename(temporary, path)
    disk.sync_folder(os.path.dirname(path))


def _new_file(disk: Disk, path: str, mode: int) -> int:
    """A file of our own: what lies there was left by a crash or planted, and is never written into."""
    try:
        return disk.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError:
        disk.remove(path)
        return disk.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)


@contextmanager
def pinned(folder: str, below: str) -> Iterator[str]:
    """A path that leads to this very folder, whatever takes its place meanwhile; an error where a link leads to it.

    Missing folders are made on the way, as open as the umask leaves them. Without `below`, or on a system that cannot
    name an open folder, it is the folder's own path.
    """
    if not below:
        yield folder
        return
    fd = open_folder(folder, below, _made_openly)
    try:
        yield f"{_OPEN_FILES}/{fd}" if os.path.isdir(_OPEN_FILES) else folder
    finally:
        os.close(fd)


def _made_openly(parent: int, name: str) -> None:
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=parent)


def read_file(path: str) -> bytes | None:
    """The bytes of a plain file, or nothing where there is none. No link is followed: its target is not ours.

    Raises OSError where it cannot be read, also where it is larger than anything that is read whole.
    """
    try:
        with open_plain(path) as file:
            if os.fstat(file.fileno()).st_size > _LARGEST:
                raise OSError(errno.EFBIG, "it is larger than any file that Tacit writes", path)
            return file.read()
    except OSError as error:
        if error.errno in _NO_PAGE and not os.path.isdir(path):
            return None
        raise
