"""The file system as storage uses it: durable writes, atomic replacement, and no way through links."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from tacit.errors import StoreError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import BinaryIO, Protocol
else:
    Protocol = object

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class Disk(Protocol):
    """The calls that storage makes. Everything durable goes through them, so that a crash can be simulated."""

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
    """The file system of the operating system. It opens plain files only: no links, and no pipes that would block.

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
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, "it is not a plain file", path)
            if flags & os.O_ACCMODE != os.O_RDONLY and status.st_nlink > 1:
                message = "it has a second name elsewhere (a hard link); give it a copy of its own"
                raise OSError(errno.EMLINK, message, path)
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
        if sys.platform == "darwin":  # has no fdatasync, and with fsync data stays in the drive's cache
            import fcntl

            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
        else:
            os.fdatasync(fd)

    def sync_folder(self, path: str) -> None:
        with closing_fd(open_folder(path, self._root if self._is_below_root(path) else path)) as fd:
            os.fsync(fd)

    def rename(self, source: str, target: str) -> None:
        with (
            self._folder_of(source) as (source_folder, source_name),
            self._folder_of(target) as (target_folder, target_name),
        ):
            os.replace(source_name, target_name, src_dir_fd=source_folder, dst_dir_fd=target_folder)

    def remove(self, path: str) -> None:
        with self._folder_of(path) as (folder, name):
            os.unlink(name, dir_fd=folder)

    def _is_below_root(self, folder: str) -> bool:
        return bool(self._root) and (folder + os.sep).startswith(self._root.rstrip(os.sep) + os.sep)

    @contextmanager
    def _folder_of(self, path: str) -> Iterator[tuple[int | None, str]]:
        """Yield the open folder of a path and the name in it; None and the path if it is not below the root."""
        folder, name = os.path.split(path)
        if not self._is_below_root(folder):
            yield None, path
            return
        with closing_fd(open_folder(folder, self._root)) as fd:
            yield fd, name


@contextmanager
def closing_fd(fd: int) -> Iterator[int]:
    """Yield a descriptor, and close it at the end."""
    try:
        yield fd
    finally:
        os.close(fd)


def open_plain(path: str) -> BinaryIO:
    """Open a plain file for reading. Raise OSError for a link or a named pipe."""
    return open(OsDisk().open(path, os.O_RDONLY, 0), "rb")


def skip_hole(file: BinaryIO) -> int:
    """Skip a hole of a sparse file at the current position, since no line ends in it. Return how many bytes it has."""
    start = file.tell()
    try:
        fd = file.fileno()
        before = os.lseek(fd, 0, os.SEEK_CUR)
        try:
            data_start = os.lseek(fd, start, os.SEEK_DATA)
        except OSError as error:
            data_start = os.fstat(fd).st_size if error.errno == errno.ENXIO else start  # ENXIO: a hole to the end
        os.lseek(fd, before, os.SEEK_SET)
    except (OSError, AttributeError):  # no file, or a system without SEEK_DATA
        return 0
    file.seek(data_start)
    return data_start - start


def list_folder(path: str) -> list[str]:
    """Return the sorted names in a folder; none if it cannot be read."""
    try:
        return sorted(os.listdir(path))
    except OSError:
        return []


@contextmanager
def open_fd(disk: Disk, path: str, flags: int, mode: int = PRIVATE_FILE) -> Iterator[int]:
    """Yield the descriptor of an open file."""
    fd = disk.open(path, flags, mode)
    try:
        yield fd
    finally:
        disk.close(fd)


def write_all(disk: Disk, fd: int, data: bytes) -> None:
    """Write all bytes, in one call unless the system takes only a part."""
    rest = memoryview(data)
    while rest:
        rest = rest[disk.write(fd, bytes(rest)) :]


def open_folder(path: str, below: str, make: Callable[[int, str], None] | None = None) -> int:
    """Return the descriptor of a folder, reached from `below` without a symbolic link. The caller closes it.

    `make` is called with the open parent and the name of each folder on the way, to create it if it is missing. Raise
    OSError with ELOOP and the path of a link.
    """
    fd, current = os.open(below, _FOLDER_FLAGS), below
    try:
        for name in path[len(below) :].split(os.sep):
            if name:
                current = os.path.join(current, name)
                if make:
                    make(fd, name)
                inner = _open_child(fd, name, current)
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
    """Create a private folder and its parents, whatever the umask. An existing one is not changed.

    From `below` on no symbolic link is followed: raise OSError with ELOOP and the path of a link.
    """
    if below:
        make_folder(below)
        os.close(open_folder(path, below, _make_child))
        return
    if os.path.isdir(path):
        return
    parent = os.path.dirname(os.path.abspath(path))
    make_folder(parent)
    with closing_fd(os.open(parent, _FOLDER_FLAGS)) as fd:
        _make_child(fd, os.path.basename(os.path.abspath(path)))
    if not os.path.isdir(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)


def _make_child(parent: int, name: str) -> None:
    try:
        os.mkdir(name, PRIVATE_FOLDER, dir_fd=parent)
    except FileExistsError:  # it exists already, or another process was faster
        return
    with closing_fd(os.open(name, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=parent)) as fd:
        os.fchmod(fd, PRIVATE_FOLDER)  # whatever the umask is
    os.fsync(parent)  # its files must not vanish with its name


def link_error(error: OSError) -> StoreError | None:
    """Return the error to show for a symbolic link that is in the way; None for any other error."""
    if error.errno != errno.ELOOP or not isinstance(error.filename, str):
        return None
    link = error.filename
    return StoreError(f"{link} is a symbolic link; Tacit does not write through one", link_hint(link))


def link_hint(link: str) -> str:
    """Return what to type to replace a link in a home."""
    from shlex import quote

    target = os.path.realpath(link)
    if not os.path.exists(target):
        return f"rm {quote(link)}"
    return f"rm {quote(link)}, or if what it leads to is yours: rm {quote(link)} && cp -a {quote(target)} {quote(link)}"


def sqlite_uri(path: str, mode: str) -> str:
    """Return the URI of a database, in UTF-8 whatever the path is. With a mode, SQLite creates no file, which others
    could read.

    It is quoted here because urllib is slow to import.
    """
    quoted = os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    if not quoted.isascii():  # bytes that are no UTF-8 are surrogates
        quoted = "".join(f"%{ord(char) & 0xFF:02x}" if "\udc80" <= char <= "\udcff" else char for char in quoted)
    return f"file:{quoted}?mode={mode}"


# Atomic replacement: a file is the old one or the new one, also after a power failure.

# There is no file, or a link or a named pipe.
_NO_FILE_ERRORS = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EINVAL, errno.ENXIO)
_MAX_FILE_BYTES = 2 << 30  # a log of many years
_FD_FOLDER = "/proc/self/fd"


def replace_file(
    disk: Disk, path: str, data: bytes | Iterable[bytes], mode: int = PRIVATE_FILE, *, below: str = ""
) -> None:
    """Replace a file: write and sync a temporary file in the same folder, then rename it.

    The temporary name is the same every time, so that a crash leaves at most one stray file, which the next write
    removes. The caller holds the lock that keeps two writers apart. `below` is a folder in which others may put links
    while we write: from there on none is followed. (Below a home the disk itself follows none.)
    """
    folder, name = os.path.split(path)
    with pinned_folder(folder, below) as pinned:
        target = os.path.join(pinned, name)
        commit_file(disk, stage_file(disk, target, data, mode), target)


def remove_file(disk: Disk, path: str, below: str) -> None:
    """Remove a file and each folder between it and `below` that is empty then. No link is followed.

    The current folder of this process stays.
    """
    folder, name = os.path.split(path)
    with pinned_folder(folder, below) as pinned:
        disk.remove(os.path.join(pinned, name))
    current = ""
    with suppress(FileNotFoundError):
        current = os.getcwd()
    while len(folder) > len(below) and folder != current:
        parent, name = os.path.split(folder)
        with closing_fd(open_folder(parent, below)) as fd:
            try:
                os.rmdir(name, dir_fd=fd)
            except OSError:
                return
        folder = parent


def stage_file(disk: Disk, path: str, data: bytes | Iterable[bytes], mode: int = PRIVATE_FILE) -> str:
    """Write and sync a temporary file, the first half of `replace_file`. Return its path.

    A large file is given in blocks, so that it need not be in memory.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.tacit-new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        fd = disk.open(temporary, flags, mode)
    except FileExistsError:  # it was left by a crash, or planted
        disk.remove(temporary)
        fd = disk.open(temporary, flags, mode)
    try:
        for block in (data,) if isinstance(data, bytes) else data:
            write_all(disk, fd, block)
        disk.sync_data(fd)
    finally:
        disk.close(fd)
    return temporary


def commit_file(disk: Disk, temporary: str, path: str) -> None:
    """Rename a staged file to its place, the second half of `replace_file`."""
    disk.rename(temporary, path)
    disk.sync_folder(os.path.dirname(path))


@contextmanager
def pinned_folder(folder: str, below: str) -> Iterator[str]:
    """Yield a path to this very folder, even if something else takes its place meanwhile. Raise OSError for a link.

    Missing folders are created with the umask's permissions. Without `below`, or on a system without /proc, it is the
    folder's own path.
    """
    if not below:
        yield folder
        return
    with closing_fd(open_folder(folder, below, _make_public_child)) as fd:
        yield f"{_FD_FOLDER}/{fd}" if os.path.isdir(_FD_FOLDER) else folder


def _make_public_child(parent: int, name: str) -> None:
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=parent)


def read_file(path: str) -> bytes | None:
    """Return the bytes of a plain file; None if there is none. No link is followed: its target is not ours.

    Raise OSError if it cannot be read or is larger than any file that Tacit writes.
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
