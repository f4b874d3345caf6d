"""Where the files of machines meet: what a remote has to offer, and the simplest one, a folder.

Each machine writes only files of its own area, so no sync program and no server ever has two versions of a file to
choose from. What lies on a remote is untrusted: names and sizes are hints, and the content decides.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from shlex import quote
from typing import Protocol

from tacit.disk.files import OsDisk, list_folder, make_folder, replace_file
from tacit.disk.read import read_foreign
from tacit.errors import NotFoundError, RemoteError
from tacit.remotes.manifest import AREA_NAME, HANDOVER_FILE, MANIFEST_FILE, RING_FILE

_FIXED_FILES = (MANIFEST_FILE, RING_FILE, HANDOVER_FILE)


class Transport(Protocol):
    """A remote: areas with files in them. A path is `AREA/FILE`. Every method may raise RemoteError."""

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
        """Remove copies on this machine of what was replaced or removed on the remote."""

    def close(self) -> None: ...


class FolderTransport:
    """A folder that something else carries around: a sync program, a network share, a stick.

    Torn, renamed and foreign files are expected here. No link below the folder is followed.
    """

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
        try:
            make_folder(folder, below=self._root)
            for name in sorted(files, key=lambda name: name == MANIFEST_FILE):
                replace_file(self._disk, os.path.join(folder, name), files[name])
            self._remove_files(folder, {*files, *keep})
        except OSError as error:
            raise self._write_error(error) from error

    def remove(self, area: str) -> None:
        folder = os.path.join(self._root, area)
        try:
            if os.path.isdir(folder) and not os.path.islink(folder):
                self._remove_files(folder, ())
                with suppress(OSError):  # something of somebody else lies there
                    os.rmdir(folder)
        except OSError as error:
            raise self._write_error(error) from error

    def forget_replaced(self) -> None:
        """Do nothing: there are no copies."""

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def _remove_files(self, folder: str, keep: Collection[str]) -> None:
        """Remove our files but those to keep, with copies of them that sync programs made. Others' files stay."""
        for name in list_folder(folder):
            if name not in keep and _is_ours(name):
                with suppress(FileNotFoundError):
                    self._disk.remove(os.path.join(folder, name))

    def _write_error(self, error: OSError) -> RemoteError:
        return RemoteError(f"{self._root} cannot be written: {error.strerror or error}", f"df -h {quote(self._root)}")


def _is_ours(name: str) -> bool:
    stem = name.lstrip(".#")
    return bool(AREA_NAME.match(stem)) or any(stem.startswith(fixed.removesuffix(".age")) for fixed in _FIXED_FILES)


def open_transport(url: str, mirror: str) -> Transport:
    """Return the transport of a URL or path. `mirror` is a folder of the home for what the transport keeps.

    Raise UsageError if it is no address that Tacit knows, RefusedError if it holds a password.
    """
    from tacit.remotes.git import GitTransport, is_git_address

    if url.startswith(("postgresql://", "postgres://")):
        from tacit.remotes.database import DatabaseTransport

        return DatabaseTransport(url)
    if is_git_address(url):
        return GitTransport(url, mirror)
    return FolderTransport(url)


def normalize_address(url: str) -> str:
    """Return an address as it is stored: of a folder or a repository on this machine, the absolute path.

    Raise NotFoundError if there is no such folder, UsageError and RefusedError as `open_transport`.
    """
    from tacit.remotes.git import check_address, is_git_address, is_local

    if url.startswith(("postgresql://", "postgres://")):
        from tacit.remotes.database import check_url

        check_url(url)
        return url
    if is_git_address(url):
        check_address(url)
        return os.path.abspath(os.path.expanduser(url)) if is_local(url) else url
    path = os.path.abspath(os.path.expanduser(url))
    if not os.path.isdir(path):
        raise NotFoundError(f"there is no folder {path}", f"mkdir {quote(path)}, or name a git repository")
    return path
