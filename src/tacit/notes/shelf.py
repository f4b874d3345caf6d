"""Where views lie. A page is written only when it changed, atomically, and never over a hand edit.

Beside the pages a copy of what was last written is kept: the difference to what lies there is the hand edit.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Container, Sequence
from hashlib import sha256

from tacit.core.errors import Refused
from tacit.core.ids import ClaimId
from tacit.disk.ops import PRIVATE_FILE, Disk, make_folder
from tacit.disk.replace import read_file, replace_file
from tacit.notes.merge import Reconcile, keep_theirs, merge

SHARED_FILE = 0o666  # less what the umask takes: like every other file of the repository


class Shelf:
    """Writes pages of a home; `copies` is the folder with what was written last."""

    def __init__(self, copies: str, disk: Disk) -> None:
        self._copies = copies
        self._disk = disk

    def last_written(self, path: str) -> list[str] | None:
        """The lines that were written there last, or nothing where none were or the page is gone."""
        if not os.path.exists(path):
            return None
        copy = read_file(self._copy(path))
        return None if copy is None else _lines(copy)

    def put(
        self,
        path: str,
        page: Sequence[str],
        *,
        key: Callable[[str], ClaimId | None] = lambda _line: None,
        leaving: Container[ClaimId] = (),
        reconcile: Reconcile = keep_theirs,
        arrange: Callable[[Sequence[str]], list[str]] = list,
        mode: int = PRIVATE_FILE,
    ) -> None:
        """Write a page, with what a person changed in it since the last time; `leaving` are no longer on it."""
        copy, there = read_file(self._copy(path)), read_file(path)
        wanted = _bytes(page)
        merged = wanted
        if there is not None and there not in (copy, wanted):
            base = None if copy is None else _lines(copy)
            merged = _bytes(arrange(merge(base, page, _lines(there), key=key, leaving=leaving, reconcile=reconcile)))
        if merged != there:
            self._write(path, merged, mode)
        if wanted != copy:
            self._write(self._copy(path), wanted, PRIVATE_FILE)

    def drop(self, path: str) -> None:
        """Take away a page that has nothing to say any more."""
        for gone in (path, self._copy(path)):
            if os.path.exists(gone):
                self._disk.remove(gone)

    def _write(self, path: str, data: bytes, mode: int) -> None:
        if mode == SHARED_FILE:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        else:
            make_folder(os.path.dirname(path))
        replace_file(self._disk, path, data, mode)

    def _copy(self, path: str) -> str:
        """Known by its place in the home, which may be moved; what lies elsewhere by its whole path."""
        home = os.path.dirname(os.path.dirname(self._copies)) + os.sep
        place = os.path.abspath(path).removeprefix(home)
        name = sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:12]
        return os.path.join(self._copies, f"{name}-{os.path.basename(path)}")


def inside(root: str, path: str) -> str:
    """A path below a repository's root, refused where a link would lead out of it: the repository is not ours."""
    for part in _parents(root, path):
        try:
            mode = os.lstat(part).st_mode
        except FileNotFoundError:
            continue
        if stat.S_ISLNK(mode):
            raise Refused(f"{part} is a symbolic link; Tacit does not write through one", f"rm {part}")
    return path


def _parents(root: str, path: str) -> list[str]:
    parts = [path]
    while len(parts[-1]) > len(root) and os.path.dirname(parts[-1]) != root:
        parts.append(os.path.dirname(parts[-1]))
    return parts


def _bytes(page: Sequence[str]) -> bytes:
    return "".join(line + "\n" for line in page).encode("utf-8", "surrogateescape")


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "surrogateescape").split("\n")
    return text[:-1] if text[-1] == "" else text
