"""The file system as storage uses it: durable appends, atomic replacement, no way through links."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, Protocol

from tacit.errors import StoreError

# The calls that storage makes. Everything durable goes through `Disk`, so that a crash can be simulated.

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


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
    """The real one. It opens plain files only: never through a link, never a named pipe that would keep us waiting.

    With a `root`, no folder below it is reached through a symbolic link either, even if one is swapped in meanwhile.
    The root itself may be a link: people keep their home on another disk.
    """

    def __init__(self, root: str = "") -> None:
        self._root = root

    def open(self, path: str, flags: int, mode: int) -> int:
        with self._folder_of(path) as (folder, name):
            try:
                fd = os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode, dir_fd=folder)
            except OSError as error:
                raise OSError(error.errno, error.strerror, path) from None
        try:
            _require_plain(fd, path, writing=flags & os.O_ACCMODE != os.O_RDONLY)
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
        fd = open_folder(path, self._root) if self._is_below_root(path) else os.open(path, _FOLDER_FLAGS)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def rename(self, source: str, target: str) -> None:
        with self._folder_of(source) as (one, old), self._folder_of(target) as (other, new):
            os.replace(old, new, src_dir_fd=one, dst_dir_fd=other)

    def remove(self, path: str) -> None:
        with self._folder_of(path) as (folder, name):
            os.unlink(name, dir_fd=folder)

    def _is_below_root(self, folder: str) -> bool:
        return bool(self._root) and (folder + os.sep).startswith(self._root.rstrip(os.sep) + os.sep)

    @contextmanager
    def _folder_of(self, path: str) -> Iterator[tuple[int | None, str]]:
        """The open folder of a path and the name in it; of a path that is not below the root, no folder and itself."""
        folder, name = os.path.split(path)
        if not self._is_below_root(folder):
            yield None, path
            return
        fd = open_folder(folder, self._root)
        try:
            yield fd, name
        finally:
            os.close(fd)


def _require_plain(fd: int, path: str, *, writing: bool) -> None:
    """A file with a second name is somebody else's too: what is written here would be written there."""
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a plain file", path)
    if writing and status.st_nlink > 1:
        raise OSError(errno.EMLINK, "it has a second name elsewhere (a hard link); give it a copy of its own", path)


def open_plain(path: str) -> BinaryIO:
    """A plain file to read from; an error for a link, and for a named pipe instead of waiting for ever."""
    return open(OsDisk().open(path, os.O_RDONLY, 0), "rb")


def skip_hole(file: BinaryIO) -> int:
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
def open_fd(disk: Disk, path: str, flags: int, mode: int = PRIVATE_FILE) -> Iterator[int]:
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


def open_folder(path: str, below: str, make: Callable[[int, str], None] | None = None) -> int:
    """The descriptor of a folder that is reached from `below` through no symbolic link; the caller closes it.

    `make` is called with the open parent and the name of each step, to make what is missing. Raises `OSError` with
    ELOOP and the path of the link where there is one.
    """
    fd, here = os.open(below, _FOLDER_FLAGS), below
    try:
        for name in path[len(below) :].split(os.sep):
            if name:
                here = os.path.join(here, name)
                if make:
                    make(fd, name)
                inner = _open_child(fd, name, here)
                os.close(fd)
                fd = inner
    except BaseException:
        os.close(fd)
        raise
    return fd


def _open_child(parent: int, name: str, path: str) -> int:
    try:
        return os.open(name, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=parent)
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP) and os.path.islink(path):
            raise OSError(errno.ELOOP, "it is a symbolic link; Tacit does not write through one", path) from None
        raise OSError(error.errno, error.strerror, path) from None


def make_folder(path: str, below: str = "") -> None:
    """A private folder and its parents, whatever the umask; an existing one is left as it is.

    From `below` on no symbolic link is followed: `OSError` with ELOOP names one.
    """
    if below:
        make_folder(below)
        os.close(open_folder(path, below, _make_child))
        return
    if os.path.isdir(path):
        return
    parent = os.path.dirname(os.path.abspath(path))
    make_folder(parent)
    fd = os.open(parent, _FOLDER_FLAGS)
    try:
        _make_child(fd, os.path.basename(os.path.abspath(path)))
    finally:
        os.close(fd)
    if not os.path.isdir(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)


def _make_child(parent: int, name: str) -> None:
    try:
        os.mkdir(name, PRIVATE_FOLDER, dir_fd=parent)
    except FileExistsError:  # it was there, or another process was faster
        return
    fd = os.open(name, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=parent)
    try:
        os.fchmod(fd, PRIVATE_FOLDER)  # whatever the umask took
    finally:
        os.close(fd)
    os.fsync(parent)  # what is written in it must not vanish with its name


def link_error(error: OSError) -> StoreError | None:
    """What a person is told when a symbolic link was in the way; nothing for any other error."""
    if error.errno != errno.ELOOP or not isinstance(error.filename, str):
        return None
    link = error.filename
    return StoreError(f"{link} is a symbolic link; Tacit does not write through one", link_hint(link))


def link_hint(link: str) -> str:
    """What to type where a link is found in a home."""
    from shlex import quote

    target = os.path.realpath(link)
    if not os.path.exists(target):
        return f"rm {quote(link)}"
    return f"rm {quote(link)}, or if what it leads to is yours: rm {quote(link)} && cp -a {quote(target)} {quote(link)}"


def sqlite_uri(path: str, mode: str) -> str:
    """How SQLite is told of a file: with a mode it makes none by itself, which would be readable by others.

    (urllib would bring half of the network.)
    """
    quoted = os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{quoted}?mode={mode}"


# Views are replaced whole: the file is the old one or the new one, never a mixture, also after a power cut.

# No file, or something that is no page of ours: a link, a named pipe.
_NO_FILE_ERRORS = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EINVAL, errno.ENXIO)
_MAX_FILE_BYTES = 2 << 30  # bytes: a log of many years
_FD_FOLDER = "/proc/self/fd"


def replace_file(disk: Disk, path: str, data: bytes, mode: int = PRIVATE_FILE, *, below: str = "") -> None:
    """Temporary file in the same folder, written and synced, then renamed over the target.

    The name is the same every time, so a crash leaves at most one stray file, which the next write throws away.
    The caller holds the lock that keeps two writers of one view apart. `below` names a folder in which others may
    put links while we write: from there on none is followed. (Below a home the disk itself follows none.)
    """
    folder, name = os.path.split(path)
    with pinned_folder(folder, below) as place:
        target = os.path.join(place, name)
        commit_file(disk, stage_file(disk, target, data, mode), target)


def remove_file(disk: Disk, path: str, below: str) -> None:
    """Remove a file and then each folder between it and `below` that is empty now. No link is followed.

    A folder that somebody stands in, as far as this process can tell, stays.
    """
    folder, name = os.path.split(path)
    with pinned_folder(folder, below) as place:
        disk.remove(os.path.join(place, name))
    while len(folder) > len(below) and folder != _current_folder():
        parent, name = os.path.split(folder)
        fd = open_folder(parent, below)
        try:
            os.rmdir(name, dir_fd=fd)
        except OSError:
            return
        finally:
            os.close(fd)
        folder = parent


def _current_folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def stage_file(disk: Disk, path: str, data: bytes, mode: int = PRIVATE_FILE) -> str:
    """The first half of `replace_file`: write a temporary file and make it durable. Returns its path."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.tacit-new")
    fd = _create_file(disk, temporary, mode)
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


def _create_file(disk: Disk, path: str, mode: int) -> int:
    """A file of our own: what lies there was left by a crash or planted, and is never written into."""
    try:
        return disk.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError:
        disk.remove(path)
        return disk.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)


@contextmanager
def pinned_folder(folder: str, below: str) -> Iterator[str]:
    """A path that leads to this very folder, whatever takes its place meanwhile; an error where a link leads to it.

    Missing folders are made on the way, as open as the umask leaves them. Without `below`, or on a system that cannot
    name an open folder, it is the folder's own path.
    """
    if not below:
        yield folder
        return
    fd = open_folder(folder, below, _make_public_child)
    try:
        yield f"{_FD_FOLDER}/{fd}" if os.path.isdir(_FD_FOLDER) else folder
    finally:
        os.close(fd)


def _make_public_child(parent: int, name: str) -> None:
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=parent)


def read_file(path: str) -> bytes | None:
    """The bytes of a plain file, or nothing where there is none. No link is followed: its target is not ours.

    Raises OSError where it cannot be read, also where it is larger than anything that is read whole.
    """
    try:
        with open_plain(path) as file:
            if os.fstat(file.fileno()).st_size > _MAX_FILE_BYTES:
                raise OSError(errno.EFBIG, "it is larger than any file that Tacit writes", path)
            return file.read()
    except OSError as error:
        if error.errno in _NO_FILE_ERRORS and not os.path.isdir(path):
            return None
        raise
