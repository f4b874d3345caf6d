"""Where the files of machines meet: what a remote has to offer, a folder as a remote, and a PostgreSQL database.

Each machine writes only files of its own area, so no sync program and no server ever has two versions of a file to
choose from. What lies on a remote is untrusted: names and sizes are hints, and the content decides. Whoever keeps it
sees names that say nothing, sizes and times.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from shlex import quote
from typing import TYPE_CHECKING, Protocol

from tacit.disk.files import OsDisk, list_folder, make_folder, replace_file
from tacit.disk.read import read_foreign
from tacit.errors import NotFoundError, RemoteError
from tacit.postgres import SCHEMES, address_of, connect, transaction
from tacit.remotes.manifests import AREA_NAME, HANDOVER_FILE, MANIFEST_FILE, RING_FILE

if TYPE_CHECKING:
    from tacit.postgres import Connection, Cursor


class Transport(Protocol):
    """A remote: areas with files in them. A path is `AREA/FILE`. Every method may raise RemoteError or ServerError.

    Reading costs no transfer if it `is_at_hand`. `notes` say what else happened.
    """

    is_at_hand: bool = False
    notes: Sequence[str] = ()

    def fetch(self) -> None:
        """Bring here what others wrote, as far as that is not read on demand."""

    def files(self) -> Mapping[str, int]:
        """Return the sizes of all files by their paths, also of files that others put there."""

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file; None if it is gone or too large."""

    def publish(self, area: str, files: Mapping[str, bytes], keep: Collection[str]) -> None:
        """Write files into an area, the manifest last. Then remove its other files but those to `keep`."""

    def remove(self, area: str) -> None:
        """Remove an area with all files."""

    def forget_replaced(self) -> None:
        """Remove copies on this machine of what was replaced or removed on the remote. By default there are none."""
        return

    def close(self) -> None:
        """Close what is open. By default nothing is."""
        return


def open_transport(url: str, mirror: str) -> Transport:
    """Return the transport of a URL or path. `mirror` is a folder of the home for what the transport keeps.

    Raise UsageError if it is no address that Tacit knows, RefusedError if it holds a password.
    """
    from tacit.remotes.git import GitTransport, is_git_address

    if url.startswith(SCHEMES):
        return DatabaseTransport(url)
    return GitTransport(url, mirror) if is_git_address(url) else FolderTransport(url)


def normalize_address(url: str) -> str:
    """Return an address as it is stored: of a folder or a repository on this machine, the absolute path.

    Raise NotFoundError if there is no such folder, UsageError and RefusedError as `open_transport`.
    """
    from tacit.remotes.git import check_address, is_git_address, is_local

    if url.startswith(SCHEMES):
        address_of(url)  # raises for one that cannot be read or has a password
        return url
    path = os.path.abspath(os.path.expanduser(url))
    if is_git_address(url):
        check_address(url)
        return path if is_local(url) else url
    if not os.path.isdir(path):
        raise NotFoundError(f"there is no folder {path}", f"mkdir {quote(path)}, or name a git repository")
    return path


# A folder

_FIXED_STEMS = tuple(name.removesuffix(".age") for name in (MANIFEST_FILE, RING_FILE, HANDOVER_FILE))


class FolderTransport(Transport):
    """A folder that something else carries around: a sync program, a network share, a stick.

    Torn, renamed and foreign files are expected here. No link below the folder is followed.
    """

    is_at_hand = True

    def __init__(self, root: str) -> None:
        self._root = root
        self._disk = OsDisk(root)

    def fetch(self) -> None:
        if not os.path.isdir(self._root):
            raise RemoteError(
                f"there is no folder {self._root}: a stick or share that is not mounted?",
                f"mount it, or if it is new: mkdir {quote(self._root)}",
            )

    def files(self) -> Mapping[str, int]:
        sizes: dict[str, int] = {}
        for area in list_folder(self._root):
            if AREA_NAME.match(area) and not os.path.islink(os.path.join(self._root, area)):
                for name in list_folder(os.path.join(self._root, area)):
                    with suppress(OSError):
                        sizes[f"{area}/{name}"] = os.lstat(os.path.join(self._root, area, name)).st_size
        return sizes

    def read(self, path: str) -> bytes | None:
        file = read_foreign(os.path.join(self._root, path))
        return file.data if file else None

    def publish(self, area: str, files: Mapping[str, bytes], keep: Collection[str]) -> None:
        folder = os.path.join(self._root, area)
        with self._write_errors():
            make_folder(folder, below=self._root)
            for name in sorted(files, key=lambda name: name == MANIFEST_FILE):
                replace_file(self._disk, os.path.join(folder, name), files[name])
            self._remove_files(folder, {*files, *keep})

    def remove(self, area: str) -> None:
        folder = os.path.join(self._root, area)
        if os.path.isdir(folder) and not os.path.islink(folder):
            with self._write_errors():
                self._remove_files(folder, ())
            with suppress(OSError):  # something of somebody else lies there
                os.rmdir(folder)

    def _remove_files(self, folder: str, keep: Collection[str]) -> None:
        """Remove our files but those to keep, with copies of them that sync programs made. Others' files stay."""
        for name in list_folder(folder):
            stem = name.lstrip(".#")
            if name not in keep and (AREA_NAME.match(stem) or stem.startswith(_FIXED_STEMS)):
                with suppress(FileNotFoundError):
                    self._disk.remove(os.path.join(folder, name))

    @contextmanager
    def _write_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            message = f"{self._root} cannot be written: {error.strerror or error}"
            raise RemoteError(message, f"df -h {quote(self._root)}") from error


# A PostgreSQL database

_MAX_FILE_BYTES = 64 << 20
_FILES_PER_TRANSACTION = 16  # of a megabyte at most
_HAS_TABLE = "SELECT to_regclass('tacit_remote.files') IS NOT NULL"
_MAKE_SCHEMA = "CREATE SCHEMA IF NOT EXISTS tacit_remote"
_MAKE_TABLE = """
CREATE TABLE IF NOT EXISTS tacit_remote.files (
  area text NOT NULL,
  name text NOT NULL,
  data bytea NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (area, name)
)
"""
_SELECT_SIZES = "SELECT area, name, octet_length(data) FROM tacit_remote.files"
_SELECT_DATA = "SELECT data FROM tacit_remote.files WHERE area = %s AND name = %s AND octet_length(data) <= %s"
_WRITE = """
INSERT INTO tacit_remote.files (area, name, data) VALUES (%s, %s, %s)
ON CONFLICT (area, name) DO UPDATE SET data = excluded.data, written_at = now()
"""
_REMOVE_OTHERS = "DELETE FROM tacit_remote.files WHERE area = %s AND NOT name = ANY(%s)"


class DatabaseTransport(Transport):
    """Rows of a table, one for each file. The connection is opened on first use.

    The person needs a database and a role that may create a schema in it, once.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Connection | None = None
        self._has_table = False

    def fetch(self) -> None:
        with transaction(self._connect()) as cursor:
            self._has_table = _has_table(cursor)

    def files(self) -> Mapping[str, int]:
        if not self._has_table:
            return {}
        with transaction(self._connect()) as cursor:
            rows = cursor.execute(_SELECT_SIZES).fetchall()
        return {f"{area}/{name}": int(str(size)) for area, name, size in rows}

    def read(self, path: str) -> bytes | None:
        area, _, name = path.partition("/")
        with transaction(self._connect()) as cursor:
            row = cursor.execute(_SELECT_DATA, (area, name, _MAX_FILE_BYTES)).fetchone()
        return row[0] if row is not None and isinstance(row[0], bytes) else None

    def publish(self, area: str, files: Mapping[str, bytes], keep: Collection[str]) -> None:
        if not self._has_table:
            with transaction(self._connect()) as cursor:
                if not _has_table(cursor):  # CREATE … IF NOT EXISTS wants rights that are not needed any more
                    cursor.execute(_MAKE_SCHEMA)
                    cursor.execute(_MAKE_TABLE)
            self._has_table = True
        names = [name for name in files if name != MANIFEST_FILE]
        for start in range(0, len(names), _FILES_PER_TRANSACTION):
            with transaction(self._connect()) as cursor:
                for name in names[start : start + _FILES_PER_TRANSACTION]:
                    cursor.execute(_WRITE, (area, name, files[name]))
        with transaction(self._connect()) as cursor:
            cursor.execute(_WRITE, (area, MANIFEST_FILE, files[MANIFEST_FILE]))
            cursor.execute(_REMOVE_OTHERS, (area, [*files, *keep]))

    def remove(self, area: str) -> None:
        with transaction(self._connect()) as cursor:
            cursor.execute(_REMOVE_OTHERS, (area, []))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connect(self) -> Connection:
        if self._connection is None:
            self._connection = connect(self._url)
        return self._connection


def _has_table(cursor: Cursor) -> bool:
    row = cursor.execute(_HAS_TABLE).fetchone()
    return bool(row and row[0])
