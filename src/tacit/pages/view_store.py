"""Writing pages: only if they changed, atomically, and never over a hand edit.

A copy of what was last written is stored for each page: the difference between copy and page is the hand edit. The copy
is written before the page, under a name made of the page's content. So after a crash at any point, the content of the
page tells which copy belongs to it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Container, Sequence, Set

from tacit.disk.files import Disk, make_folder, read_file, remove_file, replace_file
from tacit.errors import RefusedError
from tacit.model.ids import ClaimId, sha256
from tacit.pages.merge import Reconcile, base_with_read_edits, base_with_unread_edits, keep_theirs, merge
from tacit.record import Record

SHARED_FILE_MODE = 0o666  # less the umask: like every other file of the repository
# Marks a copy with more than Tacit drew: a person's lines that were read, or lines whose edit was not read yet.
_EDITED_COPY_PREFIX = b"\0\n"
_NOTE_SUFFIX = ".note"
_BOM = "\ufeff"


class PageVersions(Record):
    """What Tacit wrote last, if that is known, and what the page contains now."""

    base: list[str] | None
    theirs: list[str]
    raw: bytes


class ViewStore:
    """Writes the pages of a home. `copies` is the folder for copies of what was written last. `is_committed` tells of
    the root of a repository whether its last commit has the page that is written there."""

    def __init__(self, copies: str, disk: Disk, is_committed: Callable[[str], bool] = lambda _root: False) -> None:
        self._copies_folder = copies
        self._pending_folder = os.path.join(copies, "unwritten")
        self._home = os.path.dirname(os.path.dirname(copies))
        self._disk = disk
        self._is_committed = is_committed

    def last_written(self, path: str) -> list[str] | None:
        """Return the lines that Tacit drew last; None if the page is gone or the copy has other lines, too."""
        if not os.path.exists(path):
            return None
        copy = self._matching_copy(path, read_file(path))
        return None if copy is None or copy.startswith(_EDITED_COPY_PREFIX) else decode_lines(copy)

    def base_lines(self, path: str) -> list[str]:
        """Return the lines that Tacit wrote last, and those whose edit was not read yet; none if that is not known."""
        return decode_lines(self._merge_base(path, read_file(path)) or b"")

    def current_lines(self, path: str) -> list[str]:
        """Return the lines of a page as it is; none if there is no page."""
        return decode_lines(read_file(path) or b"")

    def written_hashes(self, path: str) -> set[str]:
        """Return the hashes of the lines that were written last: others cannot have brought these."""
        copy = self._merge_base(path, read_file(path))
        return set() if copy is None else {sha256(line).hexdigest() for line in copy.split(b"\n")}

    def has_written_all(self, path: str, content: bytes) -> bool:
        """Return whether all lines of a file were written by this home."""
        lines = (line for line in content.split(b"\n") if line.strip())
        written = self.written_hashes(path)
        return all(sha256(line).hexdigest() in written for line in lines)

    def write_page(
        self,
        path: str,
        page: Sequence[str],
        *,
        key: Callable[[str], ClaimId | None] = lambda _line: None,
        removed: Container[ClaimId] = (),
        stated: Container[ClaimId] = (),
        reconcile: Reconcile = keep_theirs,
        arrange: Callable[[Sequence[str]], list[str]] = list,
        below: str = "",
    ) -> None:
        """Write a page with the hand edits since the last time.

        Args:
            key: from a line to the id of its entry.
            removed: the ids of entries that are no longer on the page.
            stated: the ids of entries that the person states now; they come back if somebody had taken them out.
            reconcile: from a line of base, mine and theirs to the line that is written.
            arrange: orders the lines after hand edits were merged.
            below: the root of a repository, where others write, too. The page then gets the mode of its other files, no
                link is followed, and a page without lines is removed, unless it was committed: git merges lines, and a
                file that one branch removes conflicts with every line that another one adds.
        """
        current = read_file(path)
        stored = self._matching_copy(path, current)
        base = None if stored is None else stored.removeprefix(_EDITED_COPY_PREFIX)
        copy = merged = encode_lines(page)
        if current is not None and current not in (base, merged):
            base_lines, current_lines = None if base is None else decode_lines(base), decode_lines(current)
            lines = merge(base_lines, page, current_lines, key=key, removed=removed, stated=stated, reconcile=reconcile)
            merged = encode_lines(arrange(lines))
            new_base = base_with_unread_edits(base_lines, page, current_lines, key=key, stated=stated)
            copy = (b"" if len(new_base) == len(page) else _EDITED_COPY_PREFIX) + encode_lines(new_base)
        if below and not merged and not (current and self._is_committed(below)):
            if current or stored is not None:  # an empty file that somebody else put there stays
                self.remove_page(path, below)
            return
        pending = self._pending_path(path, merged)
        if copy != stored or merged != current or os.path.exists(pending):
            if current not in (None, base, merged) and stored is not None:
                self._write(self._pending_path(path, current), stored)  # until the page is written, this is its copy
            self._write(pending, copy)
            if merged != current:
                self._write(path, merged, below)
            self._remove_pending(path, but=pending)
            self._disk.rename(pending, self.copy_path(path))

    def replace_page(self, path: str, lines: Sequence[str], *, below: str) -> None:
        """Write the lines of a person to a page of the repository at `below`. What was written last stays the copy."""
        self._write(path, encode_lines(lines), below)

    def _merge_base(self, path: str, current: bytes | None) -> bytes | None:
        """Return the content of the copy that belongs to the current page; None if there is none."""
        copy = self._matching_copy(path, current)
        return None if copy is None else copy.removeprefix(_EDITED_COPY_PREFIX)

    def _matching_copy(self, path: str, current: bytes | None) -> bytes | None:
        """Return the copy that belongs to the current page; if it was edited after a crash, the most similar copy."""
        copy = read_file(self.copy_path(path))
        if current is None or current == copy:
            return copy
        own = self._pending_path(path, current)
        pending = {name: data for name in self._pending_copies(path) if (data := read_file(name)) is not None}
        if own in pending or not pending:
            return pending.get(own, copy)
        copies = [*([] if copy is None else [copy]), *pending.values()]
        lines = set(decode_lines(current))  # an editor may have changed every line end
        return min(copies, key=lambda data: len(set(decode_lines(data)) ^ lines))

    def _pending_path(self, path: str, page: bytes) -> str:
        name = os.path.basename(self.copy_path(path))
        return os.path.join(self._pending_folder, f"{name}.{sha256(page).hexdigest()[:16]}")

    def _pending_copies(self, path: str, prefix: str = "") -> list[str]:
        """Return copies of pages that were never written; with the prefix ".", files that a killed writer left.

        There are few, however many pages there are. No later file replaces them: their names depend on the content.
        """
        start = f"{prefix}{os.path.basename(self.copy_path(path))}."
        names = os.listdir(self._pending_folder) if os.path.isdir(self._pending_folder) else []
        return [os.path.join(self._pending_folder, name) for name in names if name.startswith(start)]

    def edited_versions(self, path: str) -> PageVersions | None:
        """Return both versions of a page that was edited since it was written; None if it was not, or is gone."""
        versions = self.versions(path)
        is_unedited = versions and versions.base is not None and versions.raw == encode_lines(versions.base)
        return None if is_unedited else versions

    def versions(self, path: str) -> PageVersions | None:
        """Return both versions of a page; None if it is gone."""
        current = read_file(path)
        if current is None:
            return None
        copy = self._merge_base(path, current)
        return PageVersions(None if copy is None else decode_lines(copy), decode_lines(current), current)

    def mark_edits_read(self, path: str, copy: bytes) -> None:
        """Store a copy after some edits were read: when the page is drawn next, their lines are Tacit's again."""
        current = read_file(path)
        own = "" if current is None else self._pending_path(path, current)
        for copy_path in (own, self.copy_path(path)):
            if copy_path:
                self._write(copy_path, copy)
        self._remove_pending(path, but=own)

    def _remove_pending(self, path: str, *, but: str) -> None:
        """Remove copies of former pages: a page with the same content may come again and mean something else."""
        for pending in (*self._pending_copies(path), *self._pending_copies(path, ".")):
            if pending != but:
                self._disk.remove(pending)

    def write_note(self, path: str, data: bytes) -> None:
        """Store something beside the copy of a page."""
        if data != self.read_note(path):
            self._write(self.copy_path(path) + _NOTE_SUFFIX, data)

    def read_note(self, path: str) -> bytes:
        """Return what was stored beside the copy of a page; b"" if nothing was."""
        return read_file(self.copy_path(path) + _NOTE_SUFFIX) or b""

    def remove_page(self, path: str, below: str = "") -> None:
        """Remove a page that has no content any more, and its copies; from a repository also folders that are empty
        then."""
        if below and os.path.lexists(path):
            remove_file(self._disk, path, below)
        self._remove_pending(path, but="")
        for file in (path, self.copy_path(path)):
            if os.path.lexists(file):
                self._disk.remove(file)

    def was_written(self, path: str) -> bool:
        """Return whether Tacit has written this page and not removed it since."""
        return os.path.exists(self.copy_path(path))

    def _write(self, path: str, data: bytes, below: str = "") -> None:
        if below:
            replace_file(self._disk, path, data, SHARED_FILE_MODE, below=below)
        else:
            make_folder(os.path.dirname(path), below=self._home)
            replace_file(self._disk, path, data)

    def copy_path(self, path: str) -> str:
        """Return the path of a page's copy, named by its path in the home, which may be moved, or its absolute path."""
        relative = os.path.abspath(path).removeprefix(self._home + os.sep)
        name = sha256(relative.encode("utf-8", "surrogateescape")).hexdigest()[:12]
        return os.path.join(self._copies_folder, f"{name}-{os.path.basename(path)}")


def copy_with_read_edits(versions: PageVersions, read: Set[str], key: Callable[[str], ClaimId | None]) -> bytes:
    """Return the copy of a page after the edits in these lines were read."""
    return _EDITED_COPY_PREFIX + encode_lines(base_with_read_edits(versions.base or [], versions.theirs, read, key=key))


def checked_path(root: str, path: str) -> str:
    """Return a path below a repository's root. Raise RefusedError if it contains a link, which may lead out of it."""
    part = path
    while True:
        try:
            is_link = stat.S_ISLNK(os.lstat(part).st_mode)
        except FileNotFoundError:
            is_link = False
        if is_link:
            raise RefusedError(f"{part} is a symbolic link; Tacit does not write through one", f"rm {part}")
        parent = os.path.dirname(part)
        if len(part) <= len(root) or parent == root:
            return path
        part = parent


def encode_lines(page: Sequence[str]) -> bytes:
    return "".join(line + "\n" for line in page).encode("utf-8", "surrogateescape")


def decode_lines(data: bytes) -> list[str]:
    """Return lines without what editors may add: a BOM at the beginning, or CRLF on every line, also twice."""
    lines = data.decode("utf-8", "surrogateescape").removeprefix(_BOM).split("\n")
    if lines[-1] == "":
        lines.pop()
    has_crlf = bool(lines) and all(line.endswith("\r") for line in lines)
    return [line.rstrip("\r") for line in lines] if has_crlf else lines
