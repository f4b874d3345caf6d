"""Where views lie. A page is written only when it changed, atomically, and never over a hand edit.

Beside the pages a copy of what was last written is kept: the difference to what lies there is the hand edit.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Container, Sequence
from hashlib import sha256

from tacit.disk.files import Disk, make_folder, read_file, remove_file, replace_file
from tacit.errors import RefusedError
from tacit.model.ids import ClaimId
from tacit.pages.merge import Reconcile, base_with_read_edits, base_with_unread_edits, keep_theirs, merge
from tacit.record import Record

SHARED_FILE_MODE = 0o666  # less what the umask takes: like every other file of the repository
# A copy that holds more than Tacit drew: lines of a person that were read, lines whose edit was not.
_EDITED_COPY_PREFIX = b"\0\n"
_BOM = "\ufeff"


class PageVersions(Record):
    """What Tacit wrote last, if that is known, and what lies there."""

    base: list[str] | None
    theirs: list[str]
    raw: bytes


class ViewStore:
    """Writes pages of a home; `copies` is the folder with what was written last."""

    def __init__(self, copies: str, disk: Disk) -> None:
        self._copies_folder = copies
        self._pending_folder = os.path.join(copies, "unwritten")
        self._home = os.path.dirname(os.path.dirname(copies))
        self._disk = disk

    def last_written(self, path: str) -> list[str] | None:
        """The lines that Tacit drew there last, or nothing where it drew none or the page is gone."""
        if not os.path.exists(path):
            return None
        copy = self._matching_copy(path, read_file(path))
        return None if copy is None or copy.startswith(_EDITED_COPY_PREFIX) else _decode_lines(copy)

    def written_hashes(self, path: str) -> set[str]:
        """The hashes of the lines that were written there last: what others cannot have brought."""
        copy = self._merge_base(path, read_file(path))
        return set() if copy is None else {sha256(line).hexdigest() for line in copy.split(b"\n")}

    def write_page(
        self,
        path: str,
        page: Sequence[str],
        *,
        key: Callable[[str], ClaimId | None] = lambda _line: None,
        leaving: Container[ClaimId] = (),
        reconcile: Reconcile = keep_theirs,
        arrange: Callable[[Sequence[str]], list[str]] = list,
        below: str = "",
    ) -> None:
        """Write a page, with what a person changed in it since the last time; `leaving` are no longer on it.

        `below` is the root of a repository, where others write too: as open as its other files, no link followed. A
        page without lines is not left behind there.
        """
        there = read_file(path)
        drawn = self._matching_copy(path, there)
        copy = None if drawn is None else drawn.removeprefix(_EDITED_COPY_PREFIX)
        wanted = _encode_lines(page)
        merged = wanted
        if there is not None and there not in (copy, wanted):
            base = None if copy is None else _decode_lines(copy)
            merged = _encode_lines(
                arrange(merge(base, page, _decode_lines(there), key=key, leaving=leaving, reconcile=reconcile))
            )
            before = base_with_unread_edits(base, page, _decode_lines(there), key=key)
            wanted = (b"" if len(before) == len(page) else _EDITED_COPY_PREFIX) + _encode_lines(before)
        if below and not merged:
            if there or drawn is not None:  # an empty file that somebody else put there stays
                self._remove_shared_page(path, below)
            return
        if wanted != drawn or merged != there or os.path.exists(self._pending_path(path, merged)):
            if there not in (None, copy, merged) and drawn is not None:
                self._write(self._pending_path(path, there), drawn)  # until the page is written, this is its copy
            self._write_page_and_copy(path, merged, wanted, below, changed=merged != there)

    def _write_page_and_copy(self, path: str, page: bytes, base: bytes, below: str = "", *, changed: bool) -> None:
        """The page, where it changed, and its copy. The copy comes first, under the name of the page it belongs to:
        whenever this is cut short, what lies there tells which copy is its own."""
        own = self._pending_path(path, page)
        self._write(own, base)
        if changed:
            self._write(path, page, below)
        self._remove_pending(path, but=own)
        self._disk.rename(own, self.copy_path(path))

    def _merge_base(self, path: str, there: bytes | None) -> bytes | None:
        """What was written last, as far as it belongs to what lies there."""
        copy = self._matching_copy(path, there)
        return None if copy is None else copy.removeprefix(_EDITED_COPY_PREFIX)

    def _matching_copy(self, path: str, there: bytes | None) -> bytes | None:
        """The copy that belongs to what lies there. Where somebody edited the page after a crash, that is the copy
        it differs least from."""
        copy = read_file(self.copy_path(path))
        if there is None or there == copy:
            return copy
        own = self._pending_path(path, there)
        pending = {name: data for name in self._pending_copies(path) if (data := read_file(name)) is not None}
        if own in pending or not pending:
            return pending.get(own, copy)
        written = [*([] if copy is None else [copy]), *pending.values()]
        return min(written, key=lambda data: len(set(data.split(b"\n")) ^ set(there.split(b"\n"))))

    def _pending_path(self, path: str, page: bytes) -> str:
        name = os.path.basename(self.copy_path(path))
        return os.path.join(self._pending_folder, f"{name}.{sha256(page).hexdigest()[:16]}")

    def _pending_copies(self, path: str) -> list[str]:
        """Copies of pages that were never written. Few lie there, however many pages there are."""
        name = os.path.basename(self.copy_path(path)) + "."
        there = os.listdir(self._pending_folder) if os.path.isdir(self._pending_folder) else []
        return [os.path.join(self._pending_folder, one) for one in there if one.startswith(name)]

    def edited_versions(self, path: str) -> PageVersions | None:
        """A page that was edited since it was written; nothing where it was not, or is not there."""
        there = read_file(path)
        copy = self._merge_base(path, there)
        if there is None or there == copy:
            return None
        return PageVersions(None if copy is None else _decode_lines(copy), _decode_lines(there), there)

    def mark_edits_read(self, path: str, copy: bytes) -> None:
        """Some edits were read: when the page is drawn next, their lines are Tacit's again."""
        there = read_file(path)
        own = "" if there is None else self._pending_path(path, there)
        for place in (own, self.copy_path(path)):
            if place:
                self._write(place, copy)
        self._remove_pending(path, but=own)

    def _remove_pending(self, path: str, *, but: str) -> None:
        """Copies of pages that are no more: such a page may come again, and mean something else."""
        for stray in (*self._pending_copies(path), *self._temporary_files(path)):
            if stray != but:
                self._disk.remove(stray)

    def _temporary_files(self, path: str) -> list[str]:
        """What a killed writer left. It is named by what the page was to be, so no later one takes its place."""
        begins = f".{os.path.basename(self.copy_path(path))}."
        there = os.listdir(self._pending_folder) if os.path.isdir(self._pending_folder) else []
        return [os.path.join(self._pending_folder, one) for one in there if one.startswith(begins)]

    def remove_page(self, path: str) -> None:
        """Take away a page that has nothing to say any more."""
        for gone in (path, self.copy_path(path)):
            if os.path.lexists(gone):
                self._disk.remove(gone)

    def _remove_shared_page(self, path: str, below: str) -> None:
        """Take a page without lines out of a repository, and the folders that nothing else is in."""
        if os.path.lexists(path):
            remove_file(self._disk, path, below)
        self._remove_pending(path, but="")
        if os.path.lexists(self.copy_path(path)):
            self._disk.remove(self.copy_path(path))

    def was_written(self, path: str) -> bool:
        """Whether Tacit has written this page, and has not taken it away since."""
        return os.path.exists(self.copy_path(path))

    def _write(self, path: str, data: bytes, below: str = "") -> None:
        if below:
            replace_file(self._disk, path, data, SHARED_FILE_MODE, below=below)
        else:
            make_folder(os.path.dirname(path), below=self._home)
            replace_file(self._disk, path, data)

    def copy_path(self, path: str) -> str:
        """The copy of a page, by its place in the home, which may be moved; of one elsewhere, by its whole path."""
        place = os.path.abspath(path).removeprefix(self._home + os.sep)
        name = sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:12]
        return os.path.join(self._copies_folder, f"{name}-{os.path.basename(path)}")


def copy_with_read_edits(sides: PageVersions, taken: Container[str], key: Callable[[str], ClaimId | None]) -> bytes:
    """The copy of a page some of whose edits were read."""
    return _EDITED_COPY_PREFIX + _encode_lines(base_with_read_edits(sides.base or [], sides.theirs, taken, key=key))


def checked_path(root: str, path: str) -> str:
    """A path below a repository's root, refused where a link would lead out of it: the repository is not ours."""
    for part in _path_and_parents(root, path):
        try:
            mode = os.lstat(part).st_mode
        except FileNotFoundError:
            continue
        if stat.S_ISLNK(mode):
            raise RefusedError(f"{part} is a symbolic link; Tacit does not write through one", f"rm {part}")
    return path


def _path_and_parents(root: str, path: str) -> list[str]:
    parts = [path]
    while len(parts[-1]) > len(root) and os.path.dirname(parts[-1]) != root:
        parts.append(os.path.dirname(parts[-1]))
    return parts


def _encode_lines(page: Sequence[str]) -> bytes:
    return "".join(line + "\n" for line in page).encode("utf-8", "surrogateescape")


def _decode_lines(data: bytes) -> list[str]:
    """Without what an editor puts around lines: a mark at the beginning, or another ending on every one of them."""
    lines = data.decode("utf-8", "surrogateescape").removeprefix(_BOM).split("\n")
    if lines[-1] == "":
        lines.pop()
    is_foreign = bool(lines) and all(line.endswith("\r") for line in lines)
    return [line[:-1] for line in lines] if is_foreign else lines
