"""The files beside the log: which of them hold what is purged, and taking it out of those that are ours.

A view and the copy of what was last written to it are changed alike, so that a hand edit stays the same edit.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from tacit.core.errors import Refused
from tacit.core.ids import ClaimId
from tacit.core.purging import Cut
from tacit.core.traces import holds, scrub
from tacit.disk.ops import PRIVATE_FILE, Disk
from tacit.disk.replace import read_file, replace_file
from tacit.log.log import SPOOL
from tacit.log.strays import index_copies, is_index_copy, is_left
from tacit.notes import facts, long_term
from tacit.notes.shelf import SHARED_FILE, Shelf, inside
from tacit.record import Record
from tacit.vault.home import HomePaths
from tacit.vault.project import FACTS

_OURS = ("memory", "activity", "imported", "sessions", "worklog", "evaluations", "quarantine", ".tacit")
_LOCKS = (".lock", ".lock.queue")
# Dates and ids of entries are no words of a person.
_STRUCTURE = r'(?m:^- \d{4}-\d\d-\d\d(?=: )| \^[0-9a-z]{12}$|"(?:id|ts)": "[^"\\]*")'
_MOST = 64 << 20  # another program's file in the home may be of any size
_SESSIONS = (".claude", ".codex", ".gemini", ".copilot", ".local/share/opencode")
_HISTORIES = (".bash_history", ".zsh_history", ".local/share/fish/fish_history", ".local/share/atuin")


# What a file should hold, by its path, what it held, and the cut (its claims, and how many texts it has).
Seen = dict[tuple[str, bytes, frozenset[str], int], bytes]


class Scrubbed(Record):
    """A file with what it should hold."""

    path: str
    data: bytes
    below: str = ""


class Files:
    """All files of a home but the log and the index, and the fact files of its projects."""

    def __init__(self, home: HomePaths, shelf: Shelf, segments: Iterable[str], roots: Iterable[str]) -> None:
        self._home = home
        self._shelf = shelf
        self._logs = {home.path(segment) for segment in segments}
        self._facts = [path for root in roots if (path := _facts_of(root))]

    def scrubbed(self, cut: Cut, seen: Seen | None = None) -> Iterator[Scrubbed]:
        """What has to be written so that nothing of the cut is left in our files. Nothing is written here.

        Pages before their copies: if only those were written, the rest would look like a hand edit. `seen` keeps what
        was searched for this cut, so that a second look costs no more than reading.
        """
        seen = {} if seen is None else seen
        kept, spool = self._home.path(".tacit"), self._home.path(SPOOL, "")
        for path in sorted([*self._files(ours=True), *self._facts], key=lambda path: path.startswith(kept)):
            if path.startswith(spool):  # whole events, which are scrubbed as such (see log/spool.py)
                continue
            data = read_file(path) or b""
            known = (path, data, cut.claims, len(cut.texts))
            clean = seen.get(known)
            if clean is None:
                clean = seen[known] = _encoded(self._without(path, _decoded(data), cut))
            if clean != data:
                yield Scrubbed(path, clean, path[: -len(FACTS) - 1] if path in self._facts else "")

    def strays(self) -> list[str]:
        """What an interrupted write left: temporary files, here and beside the fact files."""
        folders = {os.path.dirname(path) for path in self._facts}
        beside = [os.path.join(folder, name) for folder in folders for name in os.listdir(folder)]
        return [path for path in [*_regular(self._home.root), *beside] if _is_temporary(path)]

    def index_copies(self) -> list[str]:
        """Copies of the index: like the index itself they are derived, and hold the text in ways nobody can scrub."""
        return list(index_copies(self._home.root, _OURS))

    def remains(self, cut: Cut) -> list[str]:
        """Files that still hold it: the person's own, and ours where it is put together from several parts.

        Memories that hold the words of a purged one and stay are still told in our files, as they should be.
        """
        ours = [*self._files(ours=True), *self._facts] if cut.everywhere else []
        return [path for path in [*ours, *self._files(ours=False)] if _still(_decoded(read_file(path) or b""), cut)]

    def _files(self, *, ours: bool) -> Iterator[str]:
        index, copies = os.path.basename(self._home.index), set(self.index_copies())
        for path in _regular(self._home.root):
            place = os.path.relpath(path, self._home.root)
            is_index = path in copies or (place.startswith(index) and not is_index_copy(place))
            if path in self._logs or is_index or path.endswith(_LOCKS):
                continue
            is_ours = place.split(os.sep)[0] in _OURS or (os.sep not in place and is_left("", place))
            if is_ours is ours and (ours or os.path.getsize(path) <= _MOST):
                yield path

    def _without(self, path: str, text: str, cut: Cut) -> str:
        if cut.claims and path.endswith((".md", ".ndjson")):
            text = "\n".join(self._left(path, text.split("\n"), cut))
        return scrub(text, cut.texts, _STRUCTURE)

    def _left(self, path: str, lines: Sequence[str], cut: Cut) -> Iterator[str]:
        """The lines without those of purged claims. One that a person has changed is theirs, under no id."""
        base = self._base(path)
        for line in lines:
            if _line_id(path, line) not in cut.claims:
                yield line
            elif base is not None and line not in base:
                yield re.sub(r" \^[0-9a-z]{12}$", "", line)

    def _base(self, path: str) -> set[str] | None:
        """The lines that were written to a view last; of such a copy, every line is one."""
        copy = read_file(self._shelf.copy_of(path))
        return None if copy is None else set(_decoded(copy).split("\n"))


def put(disk: Disk, files: Iterable[Scrubbed]) -> None:
    for file in files:
        mode = SHARED_FILE if file.below else PRIVATE_FILE
        replace_file(disk, file.path, file.data, mode, below=file.below)


def beyond(user_folder: str, roots: Iterable[str]) -> list[str]:
    """What no purge can reach, as far as it is there. `roots` are projects with a fact file, now or before."""
    there = [os.path.join(user_folder, name) for name in (*_SESSIONS, *_HISTORIES)]
    return [
        *(f"the history of git in {root}, if {FACTS} was committed" for root in roots if _has_history(root)),
        *(f"{path}, where other programs keep what was said and typed" for path in there if os.path.exists(path)),
        "backups, exports and snapshots of the file system",
        "homes on other machines, until this tombstone is imported there",
    ]


def _has_history(root: str) -> bool:
    return os.path.exists(os.path.join(root, ".git"))


def _facts_of(root: str) -> str | None:
    """The fact file of a project, unless a link leads to it: never written through."""
    path = os.path.join(root, FACTS)
    with suppress(Refused, OSError):
        return inside(root, path) if os.path.isfile(path) else None
    return None


def _line_id(path: str, line: str) -> ClaimId | None:
    return facts.line_id(line) if path.endswith(".ndjson") else long_term.line_id(line)


def _still(text: str, cut: Cut) -> bool:
    return holds(re.sub(_STRUCTURE, "", text), cut.texts)


def _regular(root: str) -> Iterator[str]:
    """Every file below a folder; links are not followed."""
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield path


def _is_temporary(path: str) -> bool:
    name = os.path.basename(path)
    return name.startswith(".") and name.endswith(".tacit-new")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
